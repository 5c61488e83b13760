#!/usr/bin/env python3
"""Makes a small trace for each feature of the model, converts it to every target and back, and tells how the target
has it: natively, by convention, or not at all.

conversion-features.py            prints the table of docs/conversion.md
    --write                       puts it there
    --check                       exit 1 if what is there is another

Nothing in the table is written by hand: it is what receipts say and what `equal_traces` finds, less what they say of
the first row, which is a trace without any of the features. Needs what scripts/conversion-matrix.py needs.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import dial9_writer as dial9  # noqa: E402
import heph_writer as heph  # noqa: E402
from ctf_cases import metadata_bytes  # noqa: E402

PAGE = ROOT / "docs" / "conversion.md"
BEGIN = "<!-- conversion-features.py --write: begin -->"
END = "<!-- conversion-features.py --write: end -->"


def load_matrix():
    specification = importlib.util.spec_from_file_location("conversion_matrix", ROOT / "scripts/conversion-matrix.py")
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    return script


matrix = load_matrix()
# What the columns are called, and the target and options of each.
COLUMNS = {title: (target,) for target, title in matrix.TARGETS.items()}
COLUMNS |= {"dial9 0.4": ("dial9", "--dial9-version", "0.4")}


def unsigned(bits, **more):
    return {"type": "fixed-length-unsigned-integer", "length": bits, "byte-order": "little-endian", **more}


def signed(bits, **more):
    return {**unsigned(bits, **more), "type": "fixed-length-signed-integer"}


def structure(**members):
    return {
        "type": "structure",
        "member-classes": [{"name": name, "field-class": field_class} for name, field_class in members.items()],
    }


def packet_context(**members):
    stamp = {"roles": ["default-clock-timestamp"]}
    return structure(
        size=unsigned(32, roles=["packet-total-length"]),
        content=unsigned(32, roles=["packet-content-length"]),
        begin=unsigned(64, **stamp),
        **members,
    )


def ctf(
    payload, content, *, clock=None, stream=None, event=None, trace=None, streams=1, context=b"", context_class=None
):
    """A trace of CTF 2 with an event in each of its data streams; `payload`: the class of its field `x`."""

    def make(folder):
        path = pathlib.Path(folder) / "trace"
        path.mkdir()
        clock_class = {"type": "clock-class", "id": "c", "name": "c", "frequency": 10**9, "origin": "unix-epoch"}
        clock_class |= clock or {}
        stamp = structure(t=unsigned(64, roles=["default-clock-timestamp"]))
        stream_class = {"type": "data-stream-class", "default-clock-class-id": "c"}
        stream_class |= {"event-record-header-field-class": stamp}
        stream_class |= {"packet-context-field-class": context_class or packet_context(), **(stream or {})}
        event_class = {"type": "event-record-class", "name": "e", **(event or {})}
        if payload is not None:
            event_class["payload-field-class"] = structure(x=payload) if "member-classes" not in payload else payload
        header = structure(stream=unsigned(32, roles=["data-stream-id"]))
        trace_class = {"type": "trace-class", "packet-header-field-class": header, **(trace or {})}
        fragments = [{"type": "preamble", "version": 2}, trace_class, clock_class, stream_class, event_class]
        (path / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in fragments]))
        for number in range(streams):
            size = 4 + 16 + len(context) + 8 + len(content)
            head = struct.pack("<IIIQ", number, 8 * size, 8 * size, 1000) + context
            (path / f"stream-{number}").write_bytes(head + struct.pack("<Q", 1000 + number) + content)
        return path

    return make


def file(content):
    def make(folder):
        path = pathlib.Path(folder) / "trace"
        path.write_bytes(content)
        return path

    return make


def dial9_trace(tag, *events, has_timestamp=1):
    """`events`: the value of the field and the difference of the time; None: there is no time."""
    schema = dial9.schema(1, "e", [("x", tag)], has_timestamp=has_timestamp)
    written = b"".join(dial9.event(1, value, delta=delta) for value, delta in events)
    return file(dial9.header() + schema + written)


def heph_trace(*events):
    """`events`: begin, end and counter."""
    number = heph.number(b"x", 7)
    return file(b"".join(heph.event(b"e", number, start=start, end=end, counter=i) for start, end, i in events))


U8 = unsigned(8)
U64 = unsigned(64)
SEVEN = struct.pack("<Q", 7)
OWN = {"attributes": {"my.org": {"unit": "s"}}}
TEXT = {"type": "null-terminated-string"}
ARRAY = {"type": "static-length-array", "length": 2}
OPTION = {"type": "optional", "field-class": U8, "selector-field-location": {"path": ["some"]}}
CHOICE = {
    "type": "variant",
    "selector-field-location": {"path": ["which"]},
    "options": [
        {"selector-field-ranges": [[0, 0]], "field-class": U8, "name": "a"},
        {"selector-field-ranges": [[1, 1]], "field-class": TEXT, "name": "b"},
    ],
}
COUNTED = {
    "type": "dynamic-length-array",
    "length-field-location": {"path": ["n"]},
    "element-field-class": unsigned(32),
}
BLOB = {"type": "static-length-blob", "length": 4, "media-type": "image/png"}
PRECISE = {"precision": 5, "accuracy": 6, "description": "d", "uid": "u"}
NAMED = {"name": "t", "uid": "u", "namespace": "my.org"}


def of_type(kind, field_class):
    return {**field_class, "type": kind}


REAL = "fixed-length-floating-point-number"
BOOLEAN = of_type("fixed-length-boolean", U8)
CONTEXT = structure(c=U8)
BACK = (dial9.varint(1) + dial9.reset(0), 9)  # an event, behind which the time steps back
# The first has nothing but an event with one field. The others: what it is, the target it could be an output of, and
# how it is made.
FEATURES = (
    ("nothing else", "ctf2", ctf(U64, SEVEN)),
    ("integer of 8, 16 or 32 bits", "ctf2", ctf(unsigned(16), b"\1\2")),
    ("integer of another width", "ctf2", ctf(structure(x=unsigned(5), y=unsigned(11)), b"\1\2")),
    ("signed integer", "ctf2", ctf(signed(64), b"\xff" * 8)),
    ("integer of variable length", "ctf2", ctf({"type": "variable-length-unsigned-integer"}, b"\x81\x01")),
    ("integer of more than 64 bits", "ctf2", ctf(unsigned(96), b"\xff" * 12)),
    ("display base", "ctf2", ctf(unsigned(64, **{"preferred-display-base": 16}), SEVEN)),
    ("byte order", "ctf2", ctf(unsigned(64, **{"byte-order": "big-endian"}), SEVEN)),
    ("labels of an enumeration", "ctf2", ctf(unsigned(64, mappings={"SEVEN": [[7, 7]]}), SEVEN)),
    ("boolean", "ctf2", ctf(BOOLEAN, b"\1")),
    ("bit array", "ctf2", ctf(of_type("fixed-length-bit-array", unsigned(16)), b"\1\2")),
    ("real of 64 bits", "ctf2", ctf(of_type(REAL, U64), struct.pack("<d", 0.1))),
    ("real of 32 bits", "ctf2", ctf(of_type(REAL, unsigned(32)), struct.pack("<f", 0.1))),
    ("string", "ctf2", ctf(TEXT, b"abc\0")),
    ("string of UTF-16", "ctf2", ctf({**TEXT, "encoding": "utf-16le"}, b"a\0b\0\0\0")),
    ("string of fixed length", "ctf2", ctf({"type": "static-length-string", "length": 4}, b"abcd")),
    ("string with a NUL inside, or no UTF-8", "dial9", dial9_trace(dial9.STRING, (dial9.string(b"a\0\xff"), 1))),
    ("BLOB", "ctf2", ctf(BLOB, b"abcd")),
    ("array of fixed length", "ctf2", ctf({**ARRAY, "element-field-class": U8}, b"\1\2")),
    ("array with its length in a field", "ctf2", ctf(structure(n=U8, x=COUNTED), b"\1\1\0\0\0")),
    ("array of structures", "ctf2", ctf({**ARRAY, "element-field-class": structure(a=U8, b=U8)}, b"\1\2\3\4")),
    ("structure in a structure", "ctf2", ctf(structure(x=structure(a=U8, b=structure(c=U8))), b"\1\2")),
    ("optional", "ctf2", ctf(structure(some=BOOLEAN, x=OPTION), b"\1\5")),
    ("variant", "ctf2", ctf(structure(which=U8, x=CHOICE), b"\1abc\0")),
    ("map", "dial9", dial9_trace(dial9.STRING_MAP, (dial9.string_map((b"k", b"v")), 1))),
    ("attributes of a field", "ctf2", ctf(unsigned(64, **OWN), SEVEN)),
    ("attributes of a class", "ctf2", ctf(U64, SEVEN, event=OWN)),
    ("class without a name", "ctf2", ctf(U64, SEVEN, event={"name": ""})),
    ("identity of a class", "ctf2", ctf(U64, SEVEN, event={"id": 0, "namespace": "my.org", "uid": "u"})),
    ("class without fields", "ctf2", ctf(None, b"")),
    ("common context", "ctf2", ctf(U64, b"\5" + SEVEN, stream={"event-record-common-context-field-class": CONTEXT})),
    ("specific context", "ctf2", ctf(U64, b"\5" + SEVEN, event={"specific-context-field-class": CONTEXT})),
    ("packet context", "ctf2", ctf(U64, SEVEN, context=b"\5", context_class=packet_context(cpu=U8))),
    ("several data streams", "ctf2", ctf(U64, SEVEN, streams=2)),
    ("identity of a data stream class", "ctf2", ctf(U64, SEVEN, stream={"name": "s", "uid": "u"})),
    ("tick that is not 1 ns", "ctf2", ctf(U64, SEVEN, clock={"frequency": 3_000_000})),
    ("offset of a clock", "ctf2", ctf(U64, SEVEN, clock={"offset-from-origin": {"seconds": 5, "cycles": 7}})),
    ("unknown origin", "dial9", dial9_trace(dial9.VARINT, (dial9.varint(7), 1))),
    ("identity, precision and text of a clock", "ctf2", ctf(U64, SEVEN, clock=PRECISE)),
    ("event without a time", "dial9", dial9_trace(dial9.VARINT, (dial9.varint(7), None), has_timestamp=0)),
    ("times that step back", "dial9", dial9_trace(dial9.VARINT, BACK, (dial9.varint(2), 3))),
    ("duration", "heph", heph_trace((5, 9, 0))),
    ("losses", "heph", heph_trace((5, 5, 0), (6, 6, 4))),
    ("environment", "ctf2", ctf(U64, SEVEN, trace={"environment": {"host": "h", "pid": 3}})),
    ("identity and attributes of the trace", "ctf2", ctf(U64, SEVEN, trace={**NAMED, **OWN})),
)
# Without the feature, of each target that a feature could be an output of.
PLAIN = {
    "ctf2": FEATURES[0][2],
    "dial9": dial9_trace(dial9.VARINT, (dial9.varint(7), 1)),
    "heph": heph_trace((5, 5, 0)),
}


class Found:
    """What became of one trace and one target."""

    def __init__(self, source, column, make):
        target, *options = COLUMNS[column]
        with tempfile.TemporaryDirectory(prefix="conversion-features-") as folder:
            result = matrix.way_and_back((make(folder), source, target), *options)
        self.failed = "receipts" not in result
        self.why = result["why"]
        entries = [] if self.failed else result["receipts"][0]
        self.native = not self.failed and result["rewritten"]
        self.kept = {(each["what"], each["done"]) for each in entries if not each["lossy"]}
        self.lost = {(each["what"], each["done"]) for each in entries if each["lossy"]}
        differences = result.get("differences", [])
        self.differences = {(each["kind"], each["path"], each["what"]) for each in differences}

    @classmethod
    def nothing(cls):
        found = cls.__new__(cls)
        found.kept = found.lost = found.differences = frozenset()
        return found

    def is_whole(self):
        return not self.lost and not self.differences


class Notes:
    """What receipts say, numbered."""

    def __init__(self):
        self.numbers = {}

    def of(self, said):
        return ", ".join(str(self.numbers.setdefault(each, len(self.numbers) + 1)) for each in sorted(said))

    def text(self):
        return "\n".join(f"{number}. {what}: {done}" for (what, done), number in self.numbers.items())


def cell(found, plain, notes):
    if found.failed:
        return "not converted"
    if found.native:
        return "native"
    lost = found.lost - plain.lost
    if lost:
        return f"lost ({notes.of(lost)})"
    if found.differences - plain.differences:
        return "lost, not named"
    kept = found.kept - plain.kept
    if kept:
        return f"convention ({notes.of(kept)})"
    return "native" if found.is_whole() else "nothing more"


def table():
    jobs = [(source, column, make) for _, source, make in FEATURES for column in COLUMNS]
    plain_jobs = [(source, column, make) for source, make in PLAIN.items() for column in COLUMNS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: Found(*job), jobs + plain_jobs))
    plain = {job[:2]: each for job, each in zip(plain_jobs, found[len(jobs) :])}
    notes = Notes()
    lines = ["| feature | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
    for number, (name, source, _) in enumerate(FEATURES):
        cells = []
        for column, each in zip(COLUMNS, found[number * len(COLUMNS) :]):
            if each.failed:
                print(f"{name} to {column}: {each.why}", file=sys.stderr)
            # The first row says what is true of all of them.
            cells.append(cell(each, plain[source, column] if number else Found.nothing(), notes))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\nThe numbers are what receipts say:\n\n" + notes.text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = table()
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    made = f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}"
    if options.write:
        PAGE.write_text(made, encoding="utf-8")
    elif options.check:
        if made != page:
            print("docs/conversion.md is not what scripts/conversion-features.py --write makes", file=sys.stderr)
            return 1
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

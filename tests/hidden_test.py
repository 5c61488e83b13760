"""What `convert` hides: a text of its own in every kind of place, and none of them in any byte of any target."""

import base64
import ctypes
import ctypes.util
import hashlib
import hmac
import json
import re
import sqlite3
import struct
import unittest
import zlib

import dial9_writer as w
import heph_writer as h
import tband_test as t
from command import CommandTest, run

KEY = b"a key of the test's own"
LITTLE = {"byte-order": "little-endian"}


# Targets with other forms.
FORMS = ["csv --flat", "csv --layout class", "parquet --layout one", "clickhouse --layout one", "parquet --what all", "sqlite --what spans", "heph --spans", "jsonl --order time"]


def targets():
    """All that --to takes, so that none is forgotten."""
    said = run("convert", "--to", "nothing", "-o", "x", "x").stderr.decode()
    return re.search(r"takes (.*), not", said)[1].split(", ") + FORMS


def mask(text):
    return "m_" + hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()[:16]


def planted(place):
    return f"Zq{place}qZ"


def text(place):
    return planted(place).encode() + b"\0"


def unsigned(length, **more):
    return {"type": "fixed-length-unsigned-integer", "length": length, **LITTLE, **more}


def structure(*members):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": field} for name, field in members]}


STRING = {"type": "null-terminated-string"}
PREFIXED = {"type": "dynamic-length-string", "length-field-location": ["event-record-payload", "length"]}


def attribute(place):
    return {"my.tool": {"note": planted(place)}}


def ctf(folder):
    """A CTF 2 trace; returns the places in it."""
    folder.mkdir(parents=True)
    payload = structure(
        ("length", unsigned(8)),
        ("chosen", unsigned(8)),
        ("string", STRING),
        ("prefixed", PREFIXED),
        ("fixed", {"type": "static-length-string", "length": len(planted("Fixed"))}),
        ("bytes", {"type": "static-length-blob", "length": len(planted("Blob")), "media-type": planted("Media")}),
        ("octets", {"type": "static-length-array", "length": len(planted("Octets")), "element-field-class": unsigned(8)}),
        ("list", {"type": "static-length-array", "length": 2, "element-field-class": STRING}),
        ("inner", structure(("deep", STRING), ("number", unsigned(32)))),
        ("perhaps", {"type": "optional", "selector-field-location": ["event-record-payload", "chosen"], "selector-field-ranges": [[1, 1]], "field-class": STRING}),
        ("either", {"type": "variant", "selector-field-location": ["event-record-payload", "chosen"], "options": [{"name": "a", "selector-field-ranges": [[1, 1]], "field-class": STRING}, {"name": "b", "selector-field-ranges": [[2, 2]], "field-class": unsigned(8)}]}),
        ("state", {**unsigned(8), "mappings": {planted("Label"): [[7, 7]]}}),
        (planted("Field"), unsigned(8)),
        ("secret_id", unsigned(32)),
    )
    payload["member-classes"][2]["attributes"] = attribute("MemberAttribute")
    fragments = [
        {"type": "preamble", "version": 2},
        {"type": "trace-class", "name": planted("TraceName"), "namespace": planted("TraceSpace"), "uid": planted("TraceUid"), "environment": {"hostname": planted("Environment"), "vpid": 4711}, "attributes": attribute("TraceAttribute"),
         "packet-header-field-class": structure(("magic", unsigned(32, roles=["packet-magic-number"])))},
        {"type": "clock-class", "id": "clock", "name": planted("ClockName"), "namespace": planted("ClockSpace"), "uid": planted("ClockUid"), "frequency": 1000000000, "description": planted("ClockText"), "origin": "unix-epoch", "attributes": attribute("ClockAttribute")},
        {"type": "data-stream-class", "id": 0, "name": planted("StreamName"), "namespace": planted("StreamSpace"), "uid": planted("StreamUid"), "default-clock-class-id": "clock", "attributes": attribute("StreamAttribute"),
         "packet-context-field-class": structure(("size", unsigned(32, roles=["packet-total-size"])), ("packet_text", STRING)),
         "event-record-header-field-class": structure(("id", unsigned(8, roles=["event-record-class-id"])), ("at", unsigned(64, roles=["default-clock-timestamp"]))),
         "event-record-common-context-field-class": structure(("procname", STRING), ("vtid", unsigned(32)))},
        {"type": "event-record-class", "id": 1, "data-stream-class-id": 0, "name": planted("Class"), "namespace": planted("ClassSpace"), "uid": planted("ClassUid"), "attributes": attribute("ClassAttribute"),
         "specific-context-field-class": structure(("specific_text", STRING)), "payload-field-class": payload},
    ]
    (folder / "metadata").write_bytes(b"".join(b"\x1e" + json.dumps(each).encode() + b"\n" for each in fragments))

    def event(time):
        return (
            b"\1" + struct.pack("<Q", time) + text("Common") + struct.pack("<I", 12) + text("Specific")
            + bytes([len(planted("Prefixed")), 1]) + text("String") + planted("Prefixed").encode() + planted("Fixed").encode()
            + planted("Blob").encode() + planted("Octets").encode() + text("List") * 2 + text("Deep") + struct.pack("<I", 99)
            + text("Optional") + text("Variant") + b"\7\3" + struct.pack("<I", 3141592653)
        )

    head = struct.pack("<I", 0xC1FC1FC1)
    body = text("Packet") + event(10) + event(20)
    (folder / planted("StreamFile")).write_bytes(head + struct.pack("<I", 8 * (len(head) + 4 + len(body))) + body)


def heads(folder):
    """A CTF 1.8 trace, whose packet and event headers hold texts."""
    folder.mkdir()
    (folder / "metadata").write_text(
        """/* CTF 1.8 */
        typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
        typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
        trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; string head; }; };
        stream { event.header := struct { uint8_t id; string text; }; };
        event { name = "headed"; id = 1; fields := struct { uint8_t n; }; };
        """
    )
    (folder / "stream").write_bytes(struct.pack("<I", 0xC1FC1FC1) + text("PacketHeader") + b"\1" + text("EventHeader") + b"\5")


def dial9(path):
    fields = [("words", w.STRING), ("pooled", w.POOLED_STRING), ("raw", w.BYTES), ("map", w.STRING_MAP), ("list", w.LIST), ("pairs", w.MAP), ("number", w.VARINT)]
    values = (
        w.string(planted("Dial9String")) + w.u32(1) + w.string(planted("Dial9Bytes")) + w.string_map((planted("MapKey"), planted("MapValue")))
        + w.dynamic_list((w.STRING, w.string(planted("ListText")))) + w.dynamic_map(((w.STRING, w.string(planted("PairKey"))), (w.STRING, w.string(planted("PairValue"))))) + w.varint(5)
    )
    path.write_bytes(
        w.header() + w.string_pool((1, planted("Pooled"))) + w.schema(0, planted("Dial9Class"), fields) + w.annotations(0, (0, "note", planted("Annotation")))
        + w.event(0, values, delta=10) + w.event(0, values, delta=10)
        + w.schema(1, "SymbolTableEntry", [("addr", w.VARINT), ("size", w.VARINT), ("symbol_name", w.STRING), ("inline_depth", w.VARINT)])
        + w.event(1, w.varint(4096) + w.varint(16) + w.string(planted("Symbol")) + w.varint(0), delta=0)
    )


def heph(path):
    event = h.event(planted("HephClass").encode(), h.string(b"words", planted("HephText").encode()) + h.number(b"count", 3), start=1000, end=2000)
    path.write_bytes(h.epoch(0) + h.option(b"host", planted("Option").encode()) + event + h.event(b"x", start=3000, end=3500))


def tband(path):
    path.write_bytes(t.RESOLUTION + t.event(3, 7, planted("Interrupt").encode()) + t.event(0x5F, 3, planted("Task").encode()) + t.event(4, 100, 7) + t.event(0x54, 150, 3) + t.event(5, 300, 7)
                     + t.event(6, 1, planted("Marker").encode()) + t.event(7, 310, 1, planted("Message").encode()) + t.event(0x54, 350, 3))


# Where each text is. Those of SCHEMA are names, which --share leaves.
PLACES = {
    "ctf": "TraceName TraceSpace TraceUid Environment TraceAttribute ClockName ClockSpace ClockUid ClockText ClockAttribute StreamName StreamSpace StreamUid StreamAttribute ClassSpace ClassUid ClassAttribute "
    "MemberAttribute Media Packet Common Specific String Prefixed Fixed Blob Octets List Deep Optional Variant StreamFile Label Class Field",
    "heads": "PacketHeader EventHeader",
    "dial9": "Dial9String Pooled Dial9Bytes MapKey MapValue ListText PairKey PairValue Annotation Symbol Dial9Class",
    "heph": "HephText Option HephClass",
    "tband": "Interrupt Task Marker Message",
    "folder": "Folder",
}
SCHEMA = set("Label Class Field Dial9Class HephClass ClassSpace".split())
ALL = [place for places in PLACES.values() for place in places.split()]
EVERYTHING = ["field:*", "class:*", "env:*", "meta:*", "thread:*", "file:*"]

ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd"))
ZSTD.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
ZSTD.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t


def frames(data):
    """What zstd frames anywhere in the bytes hold."""
    for found in re.finditer(rb"\x28\xb5\x2f\xfd", data):
        frame = data[found.start() :]
        size = ZSTD.ZSTD_getFrameContentSize(frame, len(frame))
        whole = ZSTD.ZSTD_findFrameCompressedSize(frame, len(frame))
        if size < 1 << 30 and whole <= len(frame):
            out = ctypes.create_string_buffer(size)
            ZSTD.ZSTD_decompress(out, size, frame, whole)
            yield out.raw


def views(data):
    """The bytes, and what is encoded in them."""
    yield data
    yield from frames(data)
    for found in re.finditer(rb"[A-Za-z0-9+/]{16,}={0,2}", data):
        try:
            inner = base64.b64decode(found[0] + b"=" * (-len(found[0]) % 4))
        except ValueError:
            continue
        yield inner
        for wbits in (-15, 15, 31):
            try:
                yield zlib.decompressobj(wbits).decompress(inner)
                break
            except zlib.error:
                pass


def found_in(data):
    found = set()
    for view in views(data):
        view = view.replace(b"\0", b"")
        found.update(match.decode() for match in re.findall(rb"Zq(\w+?)qZ", view))
    return found


def all_of(path):
    """Names and bytes of a result."""
    if not path.is_dir():
        return path.read_bytes()
    return b"\n".join(str(each.relative_to(path)).encode() + b"\n" + (each.read_bytes() if each.is_file() else b"") for each in sorted(path.rglob("*")))


class Hidden(CommandTest):
    def setUp(self):
        super().setUp()
        self.key = self.folder / "key"
        self.key.write_bytes(KEY + b"\n")
        self.traces = self.folder / planted("Folder")
        ctf(self.traces / "ctf")
        heads(self.traces / "heads")
        dial9(self.traces / "d.bin")
        heph(self.traces / "h.bin")
        tband(self.traces / "t.bin")

    def convert(self, target, *options, traces=(), name="out", code=0):
        """The result of a conversion, and its report."""
        out = self.folder / name
        report = self.folder / f"{name}.json"
        result = run("convert", "--to", target, "-o", out, "--report", report, *options, *(traces or [self.traces]))
        self.check(result, code, [target, *options])
        return all_of(out), report.read_bytes(), result.stderr.decode()

    def found_by_target(self, *options):
        """What is found in the result of each target, in its report, and in what is said of it."""
        found = {}
        for target in targets():
            to, *form = target.split()
            data, report, said = self.convert(to, *form, *options, name=f"{target}.out")
            found[target] = found_in(data) | found_in(report) | self.found_in_messages(said)
        return found

    def found_in_messages(self, said):
        """Paths that the user wrote are no secret."""
        return found_in(said.replace(str(self.traces), "").encode())

    def nowhere(self, found, but=frozenset()):
        self.assertEqual({target: sorted(places - but) for target, places in found.items() if places - but}, {})

    def test_every_place_is_in_some_target(self):
        """Otherwise nothing would be shown by what is found in none."""
        found = set().union(*self.found_by_target().values())
        for name, target in (("ctf", "ctf2"), ("heads", "ctf1"), ("d.bin", "dial9")):
            data, _, _ = self.convert(target, traces=[self.traces / name], name=f"{target}.alone")
            found |= found_in(data)
        self.assertEqual(sorted(set(ALL) - found), [])

    def test_shared(self):
        self.nowhere(self.found_by_target("--share", "--mask-key", self.key), SCHEMA)

    def test_all_dropped(self):
        drops = [word for pattern in EVERYTHING if pattern != "class:*" for word in ("--drop", pattern)]
        self.nowhere(self.found_by_target(*drops, "--mask", "class:*"))

    def test_all_masked(self):
        masks = [word for pattern in EVERYTHING for word in ("--mask", pattern)]
        self.nowhere(self.found_by_target(*masks, "--mask-key", self.key, "--drop", "Z?Fieldq*"))

    def test_own_format(self):
        """Nothing is copied frame by frame."""
        for name, target in (("ctf", "ctf2"), ("heads", "ctf1"), ("d.bin", "dial9"), ("h.bin", "heph"), ("t.bin", "tband")):
            with self.subTest(name):
                data, report, _ = self.convert(target, "--share", traces=[self.traces / name], name=f"{target}.own")
                self.assertEqual(sorted((found_in(data) | found_in(report)) - SCHEMA), [])

    def lines(self, *options, trace="ctf", code=0):
        data, report, said = self.convert("jsonl", *options, traces=[self.traces / trace], name="lines", code=code)
        return [json.loads(line) for line in data.decode().splitlines()], json.loads(report), said

    def test_masks_are_hashes_under_the_key(self):
        lines, report, _ = self.lines("--mask", "string", "--mask", "secret_id", "--mask", "inner", "--mask-key", self.key)
        fields = lines[0]["fields"]
        self.assertEqual(fields["string"], mask(planted("String")))
        self.assertEqual(fields["secret_id"], mask("3141592653"))
        self.assertEqual(fields["inner"], {"deep": mask(planted("Deep")), "number": mask("99")})
        self.assertEqual(fields["fixed"], planted("Fixed"))
        self.assertEqual([(e["done"], e["count"], e["what"]) for e in report["entries"] if not e["lossy"]], [
            ("masked", 2, "values of fields (--mask string)"),
            ("masked", 2, "values of fields (--mask secret_id)"),
            ("masked", 4, "values of fields (--mask inner)"),
        ])

    def test_manifests_list_what_was_hidden(self):
        hidden = ["--drop", "secret_id", "--mask", "env:*", "--drop", "meta:*", "--mask-key", self.key]
        for form in ("parquet", "arrow", "clickhouse", "sqlite", "parquet --what all"):
            with self.subTest(form):
                target, *more = form.split()
                for trace in ("ctf", "d.bin", "empty"):
                    name = f"{form}.{trace}"
                    if trace == "empty":  # no event, and no data stream
                        (self.traces / trace).mkdir(exist_ok=True)
                        (self.traces / trace / "metadata").write_bytes((self.traces / "ctf/metadata").read_bytes())
                    _, report, _ = self.convert(target, *hidden, *more, traces=[self.traces / trace], name=name)
                    entries = json.loads(report)["entries"]
                    found = [each for each in self.manifest(self.folder / name)["receipt"] if each["done"] in ("dropped", "masked")]
                    self.assertEqual(found, [each for each in entries if each["done"] in ("dropped", "masked")])
                    self.assertTrue(found)

    def manifest(self, out):
        if out.is_dir():
            return json.loads(next((out / "_manifest").iterdir()).read_bytes())
        opened = sqlite3.connect(out)
        self.addCleanup(opened.close)
        return json.loads(opened.execute("select manifest from __segment").fetchone()[0])

    def test_dropped_fields_are_gone(self):
        lines, report, _ = self.lines("--drop", "inner.deep", "--drop", "common.procname", "--drop", "length")
        self.assertEqual(lines[0]["fields"]["inner"], {"number": 99})
        self.assertEqual(lines[0]["context"]["common"], {"vtid": 12})
        self.assertNotIn("length", lines[0]["fields"])
        self.assertEqual(lines[0]["fields"]["prefixed"], planted("Prefixed"))
        self.assertEqual([e["count"] for e in report["entries"] if e["done"] == "dropped"], [2, 2, 2])

    def test_what_is_dropped_can_be_selected_by(self):
        lines, _, _ = self.lines("--drop", "secret_id", "--where", "secret_id == 3141592653 && time > 10")
        self.assertEqual([line["time"] for line in lines], [20])

    def test_classes_by_name(self):
        lines, _, _ = self.lines("--drop", "class:Zq*", trace="h.bin")
        self.assertEqual([line["name"] for line in lines], ["x"])
        lines, _, _ = self.lines("--mask", "class:Zq*", "--mask-key", self.key, trace="h.bin")
        self.assertEqual([line["name"] for line in lines], [mask(planted("HephClass")), "x"])

    def test_fields_of_some_classes(self):
        lines, _, said = self.lines("--drop", "Zq*:words", "--drop", "other*:count", trace="h.bin")
        self.assertEqual(lines[0]["fields"], {"count": 3})
        self.assertIn("'--drop other*:count' matched nothing", said)

    def test_a_number_in_a_target_of_another_format(self):
        """A masked integer is a text there, and comes back as one."""
        for target in ("dial9", "ctf1", "ctf2", "heph", "tband"):
            with self.subTest(target):
                self.convert(target, "--mask", "secret_id", "--mask-key", self.key, traces=[self.traces / "ctf"], name=f"{target}.number")
                result = self.check(run("print", "--output", "jsonl", self.folder / f"{target}.number"), 0)
                # Tonbandgerät has no classes but its own, and events are JSON in a marker's message.
                self.assertIn(f'"secret_id":"{mask("3141592653")}"', result.stdout.decode().replace("\\", ""))

    def test_keys_of_maps(self):
        lines, _, _ = self.lines("--drop", f"map.{planted('MapKey')}", "--mask", planted("PairKey"), "--mask-key", self.key, trace="d.bin")
        self.assertEqual(lines[0]["fields"]["map"], {})
        self.assertEqual(lines[0]["fields"]["pairs"], [[planted("PairKey"), mask(planted("PairValue"))]])

    def test_threads(self):
        lines, _, _ = self.lines("--mask", "thread:Zq*", "--mask-key", self.key)
        self.assertEqual(lines[0]["context"]["common"]["procname"], mask(planted("Common")))
        data, _, _ = self.convert("jsonl", "--drop", "thread:*", traces=[self.traces / "t.bin"])
        self.assertNotIn("Task", found_in(data))
        self.assertIn("Message", found_in(data))

    def test_names_that_traces_give_themselves(self):
        """Several traces are told apart by their services, which are in their events."""
        for place in ("OneService", "OtherService"):
            entries = w.string_map(("service", planted(place)), ("boot_id", place))
            (self.folder / place).write_bytes(w.header() + w.schema(0, "SegmentMetadataEvent", [("entries", w.STRING_MAP)]) + w.event(0, entries, delta=1) + w.schema(1, "A", []) + w.event(1, b"", delta=1))
        traces = [self.folder / "OneService", self.folder / "OtherService"]
        data, _, _ = self.convert("jsonl", traces=traces)
        self.assertEqual({json.loads(line)["trace"] for line in data.splitlines()}, {planted("OneService"), planted("OtherService")})
        for options in (["--share"], ["--drop", "service"], ["--drop", "class:Segment*"]):
            for target in ("jsonl", "csv", "parquet", "dial9", "ctf2", "html"):
                with self.subTest((options, target)):
                    data, _, _ = self.convert(target, *options, traces=traces, name=f"{target}{len(options)}{options[-1]}")
                    self.assertEqual(found_in(data), set())

    def test_findings_say_their_rule_alone(self):
        broken = self.traces / "broken.bin"
        broken.write_bytes(w.header() + w.schema(0, "A", [("words", w.STRING)]) + w.event(0, w.string(planted("Whole")), delta=1) + b"\xff\x00")
        data, _, said = self.convert("parquet", "--share", traces=[broken], name="broken", code=4)
        self.assertEqual(found_in(data), set())
        self.assertNotIn("Zq", said.replace(str(self.folder), "").replace(str(broken), ""))

    def test_messages_about_damage(self):
        """What is said of damage anywhere in a trace holds no text of it that is hidden."""
        drops = [word for pattern in EVERYTHING if pattern != "class:*" for word in ("--drop", pattern)]
        masks = [word for pattern in EVERYTHING for word in ("--mask", pattern)]
        hiding = [["--share"], [*drops, "--mask", "class:*"], masks]
        all_targets = targets()
        found, said_openly = {}, set()
        for number, trace in enumerate(self.damaged()):
            target = all_targets[number % len(all_targets)]
            for options in ([], hiding[number % len(hiding)]):
                out = self.folder / f"{number}{len(options)}.out"
                result = run("convert", "--to", *target.split(), "--verbose", "-o", out, *options, trace)
                self.assertGreaterEqual(result.returncode, 0, result.stderr)
                said = self.found_in_messages(result.stderr.decode()) - {"StreamFile"}  # a path, too
                if not options:
                    said_openly |= said
                elif said:
                    found[target, options[0], trace] = (said, result.stderr)
        self.assertEqual(found, {})
        # Otherwise nothing would be shown.
        self.assertGreater(said_openly, set())

    def damaged(self):
        """Traces, each of which has damage at another place when its turn comes."""
        for trace in sorted(self.traces.iterdir()):
            for file in sorted(trace.iterdir()) if trace.is_dir() else [trace]:
                content = file.read_bytes()
                for at in range(0, len(content), max(1, len(content) // 20)):
                    for damaged in (content[:at], content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]):
                        file.write_bytes(damaged)
                        yield trace
                file.write_bytes(content)

    def test_parts(self):
        out = self.folder / "part.jsonl"
        result = run("convert", "--to", "ctf2", "--share", "--split-size", "1K", "-o", self.folder / "part", self.traces)
        self.check(result, 0)
        parts = b"".join(all_of(each) for each in self.folder.glob("part*"))
        self.assertEqual(sorted(found_in(parts) - SCHEMA), [])
        self.assertFalse(out.exists())

    def test_wrong_usage(self):
        out = ["-o", self.folder / "o.jsonl", self.traces / "d.bin"]
        short = self.folder / "short"
        short.write_bytes(b"0123456789\n")
        for options, says in (
            (["--mask", "a", "--mask-key", short], "16 bytes"),
            (["--mask", "a", "--mask-key", self.folder / "none"], "none"),
            (["--drop", "a", "--mask-key", self.key], "--mask-key"),
            (["--drop", "env:"], "pattern"),
            (["--share", "--as-stored"], "--as-stored"),
        ):
            with self.subTest(options):
                result = self.check(run("convert", *options, *out), 2)
                self.assertIn(says, result.stderr.decode())

    def test_what_matches_nothing(self):
        _, _, said = self.lines("--drop", "nothing_so")
        self.assertIn("'--drop nothing_so' matched nothing", said)
        self.lines("--drop", "nothing_so", "--strict", code=4)

    def test_a_random_key(self):
        first, _, said = self.lines("--mask", "string")
        self.assertIn("--mask-key", said)
        second, _, _ = self.lines("--mask", "string")
        self.assertNotEqual(first[0]["fields"]["string"], second[0]["fields"]["string"])
        self.assertEqual(first[0]["fields"]["string"], first[1]["fields"]["string"])


if __name__ == "__main__":
    unittest.main()

"""Traces to ask: each with its lines as printed, the same as events with types, and what its classes hold."""

import json
import random
import re
import struct

import heph_writer
import dial9_writer as w
from case_test import CASES, read_bytes, read_case
from command import ROOT, TRACES, parse_lines, run
from ctf_cases import CASES as CTF_CASES
from ctf_cases import read_case as read_ctf_case
from ctf_oracle.traces import RandomTrace
from tband_test import event as tband_event

from .times import Times
from .values import UNSURE, Event, Named, Structure, found, places_of

PRINT = ("print", "--order", "recorded", "--output", "jsonl")
WORDS = ("a", "b", "name", "time", "in", "x y", "é", "len", "deep", "c_1", "value", "labels")
# Bytes of JSON lines: a condition is asked of each event, here slowly.
MOST = 150_000
TEXTS = ("", "a", "abc", "Poll", "é", "日本", "a\nb", "x" * 40, "0", "A.B", "error: 7")


class Trace:
    """Operands, what is printed of them, and the events. `places`: offset and size of each event, where known.
    One without events, or of more bytes of JSON than `most`, is not usable."""

    def __init__(self, name, operands, places=None, most=MOST):
        self.name, self.operands = name, [str(operand) for operand in operands]
        printed = run(*PRINT, *self.operands)
        self.code = printed.returncode
        self.lines = [line for line in printed.stdout.split(b"\n") if line]
        self.usable = self.code in (0, 4) and 0 < len(printed.stdout) <= most
        if not self.usable:
            return
        schemas = [json.loads(line) for line in run("schema", "--json", *self.operands).stdout.splitlines() if line]
        self.format = schemas[0]["format"]
        self.classes = [made for schema in schemas for made in classes_of(schema)]
        self.is_alone = len(schemas) == 1
        parsed = parse_lines(printed.stdout)
        self.events = [Event(line, self.classes) for line in parsed]
        if self.format == "tband":
            self.name_numbers()
        if places is not None:
            for event, (offset, size) in zip(self.events, places, strict=True):
                event.properties |= {"offset": offset, "size": size}
        # Times outside of their packets: what a packet says decides whether it is read.
        self.has_odd_times = self.format == "ctf" and any(
            rule in run("validate", *self.operands).stdout for rule in (b"ctf/packet-times", b"ctf/event-time")
        )
        clocks = schemas[0]["clocks"]
        origins = {str(clock["origin"]) for clock in clocks}
        self.times = None
        times = [event.properties["time"] for event in self.events if "time" in event.properties]
        if self.is_alone and len(origins) == 1 and times and times == sorted(times) and "duration" not in self.events[0].properties:
            self.times = Times(times[0], times[-1], origins == {"unix-epoch"})

    def name_numbers(self):
        """What numbers are called is shown by text output alone."""
        shown = run("print", "--order", "recorded", *self.operands).stdout.decode().splitlines()
        for event, line in zip(self.events, shown, strict=True):
            names = dict(re.findall(r"(\w+)=-?\d+ \(([^()]*)\)(?=  |$)", line))
            if names and event.fields is not UNSURE:
                members = tuple(
                    (key, Named(value, (names[key].encode(),)) if key in names else value)
                    for key, value in event.fields["fields"].members
                )
                event.fields["fields"] = Structure(members)

    # What there is.

    def has_path(self, place, steps):
        """Whether any event class has a field there."""
        return any(found(root, steps) for made in self.classes for root in self.roots(made, place))

    def roots(self, made, place):
        roots = places_of(made)
        if place in roots:
            return [roots[place]]
        return [roots[one] for one in roots if place == "any" or one != "fields"]


def classes_of(schema):
    """The event classes of a trace, each with its stream class and the name of the trace."""
    for made in schema["event_classes"]:
        stream = schema["stream_classes"][made["stream_class"]] if "stream_class" in made else {}
        yield {**made, "stream": stream, "file": schema["file"]}


# Random traces of the formats that are written byte by byte.


class Dial9:
    SCALARS = {
        w.I64: lambda rng: w.i64(rng.choice((0, -1, 5, -(2**63), 2**63 - 1))),
        w.F64: lambda rng: w.f64(rng.choice((0.0, -0.0, 1.5, -2.25, 3.0, float("nan"), float("inf"), 1e300, 2.0**63))),
        w.BOOL: lambda rng: w.u8(rng.randint(0, 1)),
        w.STRING: lambda rng: w.string(rng.choice(TEXTS)),
        w.BYTES: lambda rng: w.string(rng.choice((b"", b"abc", b"\xff\0", b"Poll"))),
        w.STACK: lambda rng: w.stack(*(rng.choice((0, 1, 0x1000, 2**64 - 1)) for _ in range(rng.randint(0, 3)))),
        w.VARINT: lambda rng: w.varint(rng.choice((0, 1, 5, 300, 2**53 + 1, 2**64 - 1))),
        w.STRING_MAP: lambda rng: w.string_map(
            *((rng.choice(WORDS), rng.choice(TEXTS)) for _ in range(rng.randint(0, 4)))
        ),
        w.U8: lambda rng: w.u8(rng.choice((0, 3, 5, 255))),
        w.U16: lambda rng: w.u16(rng.choice((0, 5, 65535))),
        w.U32: lambda rng: w.u32(rng.choice((0, 5, 2**32 - 1))),
        w.POOLED_STRING: lambda rng: w.u32(rng.randint(0, 3)),
        w.POOLED_STACK: lambda rng: w.u32(rng.randint(0, 3)),
    }

    DYNAMIC = (w.I64, w.F64, w.BOOL, w.STRING, w.VARINT, w.U8, w.STACK, w.LIST, w.MAP)

    def __init__(self, seed):
        self.rng = rng = random.Random(f"dial9 {seed}")
        self.content, self.places = b"", []
        self.content += w.header()
        self.content += w.string_pool(*((i, rng.choice(TEXTS)) for i in range(3)))
        self.content += w.stack_pool((0, (1, 2)), (1, ()), (2, (0x1000,)))
        schemas = [self.schema(i) for i in range(rng.randint(1, 4))]
        for i, (fields, name, timed) in enumerate(schemas):
            self.content += w.schema(i, name, fields, timed)
        for _ in range(rng.randint(1, 40)):
            i = rng.randrange(len(schemas))
            fields, _, timed = schemas[i]
            values = b"".join(self.value(tag) for _, tag in fields)
            made = w.event(i, values, rng.choice((0, 1, 1000, 10**6)) if timed else None)
            self.places.append((len(self.content), len(made)))
            self.content += made

    def schema(self, i):
        names = self.rng.sample(WORDS, self.rng.randint(0, 6))
        tags = (*self.SCALARS, w.LIST, w.MAP)
        fields = [(name, self.rng.choice(tags) | self.rng.choice((0, 0, w.OPTIONAL))) for name in names]
        return fields, self.rng.choice(("Tick", "Poll", "PollEnd", f"E{i}")), self.rng.choice((1, 1, 1, 0))

    def value(self, tag):
        if tag & w.OPTIONAL:
            return w.present(self.value(tag & ~w.OPTIONAL)) if self.rng.random() < 0.6 else w.ABSENT
        if tag in self.SCALARS:
            return self.SCALARS[tag](self.rng)
        count = self.rng.randint(0, 3)
        if tag == w.LIST:
            return w.dynamic_list(*(self.dynamic() for _ in range(count)))
        return w.dynamic_map(*((self.dynamic(key=True), self.dynamic()) for _ in range(count)))

    def dynamic(self, key=False):
        tag = self.rng.choice((w.STRING, w.STRING, w.U8) if key else self.DYNAMIC)
        return (tag, self.value(tag))


class Heph:
    ATTRIBUTES = {
        1: lambda rng: struct.pack(">Q", rng.choice((0, 1, 404, 2**64 - 1))),
        2: lambda rng: struct.pack(">q", rng.choice((0, -1, 404, -(2**63)))),
        3: lambda rng: struct.pack(">d", rng.choice((0.0, 0.5, -1e9, float("nan")))),
        4: lambda rng: heph_writer.text(rng.choice(TEXTS).encode()),
    }

    def __init__(self, seed):
        self.rng = rng = random.Random(f"heph {seed}")
        self.content, self.places = heph_writer.epoch(1_700_000_000 * 10**9), []
        for i in range(rng.randint(1, 30)):
            names = rng.sample(WORDS, rng.randint(0, 4))
            start = i * 1000 + rng.randint(0, 900)
            attributes = b"".join(heph_writer.text(name.encode()) + self.value() for name in names)
            end = start + rng.choice((0, 5, 10**6))
            where = {"counter": i, "substream": rng.randint(0, 2), "start": start, "end": end}
            made = heph_writer.event(rng.choice((b"request", b"poll", b"")), attributes, **where)
            self.places.append((len(self.content), len(made)))
            self.content += made

    def value(self):
        kind = self.rng.choice(tuple(self.ATTRIBUTES))
        if self.rng.random() < 0.6:
            return bytes([kind]) + self.ATTRIBUTES[kind](self.rng)
        values = [self.ATTRIBUTES[kind](self.rng) for _ in range(self.rng.randint(0, 3))]
        return bytes([kind | 0x80]) + struct.pack(">H", len(values)) + b"".join(values)


class Tband:
    TASKS = {1: b"idle", 2: b"sensor", 3: b"net"}

    def __init__(self, seed):
        self.rng = rng = random.Random(f"tband {seed}")
        frames = [tband_event(2, 1000)]
        frames += [tband_event(0x5F, number, name) for number, name in self.TASKS.items()]
        frames += [tband_event(3, 7, b"UART")]
        for i in range(rng.randint(1, 30)):
            kind = rng.choice((4, 5, 0x54, 0x55, 0x56))
            frames.append(tband_event(kind, 100 + 10 * i, rng.choice((7, 8)) if kind < 6 else rng.randint(1, 4)))
        self.content, self.places = b"", []
        for frame in frames:
            self.places.append((len(self.content), len(frame)))
            self.content += frame


# All of them.


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def random_operands(folder, seeds):
    """(name, operands, places) of traces that the tests make."""
    for seed in seeds:
        for maker, end in ((Dial9, "bin"), (Heph, "log"), (Tband, "tband")):
            made = maker(seed)
            forced = ["--format", maker.__name__.lower()]
            yield f"{maker.__name__} {seed}", [*forced, write(folder, f"{seed}.{end}", made.content)], made.places
        pair = [write(folder, f"{seed}.{end}", Dial9(f"{seed} {end}").content) for end in ("a", "b")]
        yield f"two {seed}", pair, None
        for final in (False, True):
            made = RandomTrace(seed, final, 3, plain=seed % 2 == 0)
            yield f"ctf {seed} {final}", [made.write(folder / f"ctf{seed}{final}")], None


def case_operands(folder):
    for path in CASES:
        case = read_case(path)
        yield path.name, ["--format", "dial9", write(folder, path.stem + ".bin", read_bytes(case["input"]))], None
    for path in CTF_CASES:
        into = folder / ("case-" + path.stem)
        into.mkdir()
        yield path.name, [read_ctf_case(path).write(into)], None


def reference_operands():
    for part, end in (("dial9", "bin"), ("heph", "log"), ("tband", "bin")):
        for path in sorted((TRACES / part).glob("*." + end)) + sorted((TRACES / part / "damaged").glob("*." + end)):
            yield f"{part}/{path.name}", ["--format", part, path], None
    for part in ("rc3", "final", "ctf1", "tracecompass", "rc3-decode-error"):
        for path in sorted((TRACES / "ctf" / part).iterdir()):
            if path.is_dir():
                yield f"ctf/{part}/{path.name}", [path], None


def traces(operands, most=MOST):
    for made in operands:
        trace = Trace(*made, most)
        if trace.usable:
            yield trace

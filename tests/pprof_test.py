"""`convert --to pprof`, decoded from its bytes and compared with folded stacks and with `query`."""

import gzip
import json
import math
import unittest

import dial9_writer as w
import pprof_decoder
from command import TRACES, CommandTest, needs_traces, run

MIB = 1 << 20
RATE = 524_288
HEADER = w.header() + b"".join(
    w.schema(number, name, fields)
    for number, (name, fields) in enumerate(
        [
            ("CpuSampleEvent", [("worker_id", w.VARINT), ("tid", w.U32), ("source", w.U8), ("callchain", w.STACK)]),
            ("SymbolTableEntry", [("addr", w.VARINT), ("size", w.VARINT), ("symbol_name", w.STRING), ("inline_depth", w.VARINT),
                                  ("source_file", w.STRING), ("source_line", w.U32)]),
            ("AllocEvent", [("tid", w.U32), ("size", w.VARINT), ("addr", w.VARINT), ("callchain", w.STACK)]),
            ("FreeEvent", [("tid", w.U32), ("addr", w.VARINT), ("size", w.VARINT), ("alloc_timestamp_ns", w.VARINT)]),
            ("SegmentMetadataEvent", [("entries", w.STRING_MAP)]),
            ("PollStartEvent", [("worker_id", w.VARINT), ("task_id", w.VARINT)]),
        ]
    )
)


def sample(source, *stack, delta=1000):
    return w.event(0, w.varint(0) + w.u32(7) + w.u8(source) + w.stack(*stack), delta)


def symbol(address, name, depth=0, file="", line=0):
    return w.event(1, w.varint(address) + w.varint(256) + w.string(name) + w.varint(depth) + w.string(file) + w.u32(line), 0)


def alloc(size, address, *stack):
    return w.event(2, w.u32(7) + w.varint(size) + w.varint(address) + w.stack(*stack), 1000)


def free(address):
    return w.event(3, w.u32(7) + w.varint(address) + w.varint(0) + w.varint(0), 1000)


SYMBOLS = symbol(0x1000, "leaf") + symbol(0x2000, "app;handle") + symbol(0x3000, "main")
META = w.event(4, w.string_map(("service", "demo"), ("memory.sample_rate_bytes", str(RATE))), 1000)


def weight(size, rate=RATE):
    return 1 / (1 - math.exp(-size / rate))


class PprofTest(CommandTest):
    def profile(self, *frames, name="out.pprof", code=0):
        trace = self.file("t.bin", HEADER + b"".join(frames))
        out = self.folder / name
        self.said = self.check(run("convert", "--to", "pprof", "-o", out, trace), code).stderr.decode()
        return pprof_decoder.Profile(out.read_bytes())


class SamplesTest(PprofTest):
    FRAMES = (SYMBOLS, sample(0, 0x1010, 0x2020, 0x3030) * 3, sample(0, 0x2030, 0x3030) * 2, sample(1, 0x9999, 0x3030))

    def test_each_kind_is_a_type(self):
        profile = self.profile(*self.FRAMES)
        self.assertEqual(profile.types, [("on_cpu", "count"), ("descheduled", "count")])
        self.assertEqual(profile.stacks("on_cpu"), {("main", "app;handle", "leaf"): 3, ("main", "app;handle"): 2})
        self.assertEqual(profile.stacks("descheduled"), {("main", "0x9999"): 1})
        self.assertIn("address without a name", self.said)

    def test_inlined_functions_are_lines_of_one_address(self):
        names = (symbol(0x1000, "outer", 0, "src/a.rs", 10), symbol(0x1000, "middle", 1, "src/b.rs", 20), symbol(0x1000, "inner", 2, "src/c.rs", 30))
        profile = self.profile(*names, symbol(0x3000, "main"), sample(0, 0x1010, 0x3030))
        self.assertEqual(profile.stacks("on_cpu"), {("main", "outer", "middle", "inner"): 1})
        self.assertEqual(len(profile.message["location"]), 2)
        self.assertEqual(profile.places(), {"outer": ("src/a.rs", 10), "middle": ("src/b.rs", 20), "inner": ("src/c.rs", 30), "main": ("", 0)})

    def test_it_is_gzip_whatever_it_is_called(self):
        trace = self.file("t.bin", HEADER + b"".join(self.FRAMES))
        expected = self.profile(*self.FRAMES).message
        for name in ("out.pb.gz", "out.pb", "out.pprof.gz"):
            self.check(run("convert", "-q", "-o", self.folder / name, trace), 0)
            self.assertEqual(pprof_decoder.Profile((self.folder / name).read_bytes()).message, expected, name)
        piped = self.check(run("convert", "-q", "--to", "pprof", "-o", "-", trace), 0).stdout
        self.assertEqual(pprof_decoder.Profile(piped).message, expected)
        self.check(run("convert", "-q", "-o", self.folder / "out.pb.zst", trace), 0)
        self.assertEqual((self.folder / "out.pb.zst").read_bytes()[:4], bytes.fromhex("28b52ffd"))

    def test_a_part_of_the_time(self):
        trace = self.file("t.bin", HEADER + b"".join(self.FRAMES))
        out = self.folder / "part.pprof"
        self.check(run("convert", "-q", "--begin", "+3us", "-o", out, trace), 0)
        self.assertEqual(sum(pprof_decoder.Profile(out.read_bytes()).stacks("on_cpu").values()), 2)

    def test_nothing_to_show(self):
        profile = self.profile(w.event(5, w.varint(0) + w.varint(1), 10))
        self.assertEqual((profile.types, profile.message["sample"]), ([], []))

    def test_broken_input(self):
        profile = self.profile(*self.FRAMES, b"\xff\xff", code=4)
        self.assertEqual(sum(profile.stacks("on_cpu").values()), 5)


class HeapTest(PprofTest):
    GROW, TEMPORARY = (0x1010, 0x3030), (0x2020, 0x3030)

    def frames(self, *more, meta=META):
        return (SYMBOLS, meta, alloc(4 * MIB, 0x100, *self.GROW) * 1, alloc(4 * MIB, 0x200, *self.GROW),
                alloc(1024, 0x300, *self.TEMPORARY), alloc(1024, 0x400, *self.TEMPORARY), free(0x300), free(0x400), free(0x999), *more)

    def test_values_are_scaled_by_the_rate(self):
        profile = self.profile(*self.frames())
        self.assertEqual([name for name, _ in profile.types], ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"])
        grow, temporary = ("main", "leaf"), ("main", "app;handle")
        self.assertEqual(profile.stacks("alloc_objects"), {grow: round(2 * weight(4 * MIB)), temporary: round(2 * weight(1024))})
        self.assertEqual(profile.stacks("alloc_space"), {grow: round(8 * MIB * weight(4 * MIB)), temporary: round(2048 * weight(1024))})
        self.assertEqual(profile.stacks("inuse_space"), {grow: round(8 * MIB * weight(4 * MIB))})
        self.assertEqual(profile.stacks("inuse_objects"), {grow: 2})

    def test_without_a_rate_each_counts_once(self):
        profile = self.profile(*self.frames(meta=b""))
        self.assertEqual(profile.stacks("alloc_space"), {("main", "leaf"): 8 * MIB, ("main", "app;handle"): 2048})
        self.assertIn("allocation whose sample rate is not recorded", self.said)

    def folded(self, weight, *frames, more=()):
        trace, out = self.file("t.bin", HEADER + b"".join(frames)), self.folder / "out.folded"
        self.said = self.check(run("convert", "--weight", weight, *more, "-o", out, trace), 0).stderr.decode()
        return {stack: int(value) for stack, value in (line.rsplit(" ", 1) for line in out.read_text().splitlines())}

    def test_folded_stacks_have_the_same_bytes(self):
        grow, temporary = "main;leaf", "main;app,handle"
        frames = (*self.frames(), sample(0, 0x1010, 0x3030))
        allocated = {grow: round(8 * MIB * weight(4 * MIB)), temporary: round(2048 * weight(1024))}
        self.assertEqual(self.folded("bytes", *frames), allocated)
        self.assertEqual(self.folded("live-bytes", *frames), {grow: allocated[grow]})
        self.assertNotIn("not tracked", self.said)
        self.assertEqual(self.folded("samples", *frames), {grow: 1})
        # What is freed later is held, and what is allocated later is not.
        held = self.folded("live-bytes", *frames, more=("--end", "+4us"))
        self.assertEqual(held, {grow: allocated[grow], temporary: round(1024 * weight(1024))})
        self.assertEqual(self.folded("bytes", META, alloc(1024, 0x100)), {"(no stack)": round(1024 * weight(1024))})
        self.assertEqual(self.folded("bytes", *self.frames(meta=b"")), {grow: 8 * MIB, temporary: 2048})
        self.assertIn("allocation whose sample rate is not recorded", self.said)

    def test_folded_live_bytes_are_not_known_where_frees_are_not_tracked(self):
        frames = self.frames(alloc(64, 0, *self.GROW))
        self.assertEqual(self.folded("live-bytes", *frames), {})
        self.assertIn("lost: allocation whose free is not tracked (1): what is in use is not known, and in no stack", self.said)
        self.assertIn("out.folded is empty: none of ", self.said)
        self.assertEqual(len(self.folded("bytes", *frames)), 2)
        self.assertNotIn("not tracked", self.said)

    def test_weights_are_of_folded_stacks(self):
        self.check(run("convert", "--weight", "bytes", "-o", self.folder / "x.pprof", self.file("t.bin", HEADER)), 2)
        self.check(run("convert", "--weight", "blood", "-o", self.folder / "x.folded", self.file("t.bin", HEADER)), 2)

    def test_where_frees_are_not_tracked_nothing_is_in_use(self):
        profile = self.profile(*self.frames(alloc(64, 0, *self.GROW)))
        self.assertEqual([name for name, _ in profile.types], ["alloc_objects", "alloc_space"])
        self.assertIn("allocation whose free is not tracked", self.said)

    def test_beside_samples(self):
        profile = self.profile(*self.frames(sample(0, *self.GROW)))
        self.assertEqual(profile.stacks("on_cpu"), {("main", "leaf"): 1})
        self.assertEqual(profile.stacks("inuse_objects"), {("main", "leaf"): 2})


@needs_traces
class DemoTest(CommandTest):
    def test_it_agrees_with_folded_stacks_and_query(self):
        trace = TRACES / "dial9/tokio-demo.bin.gz"
        out = self.folder / "demo.pb.gz"
        self.check(run("convert", "-q", "-o", out, trace), 0)
        profile = pprof_decoder.Profile(out.read_bytes())
        folded = {}
        for line in run("convert", "-q", "--to", "folded", "-o", "-", trace).stdout.decode().splitlines():
            stack, count = line.rsplit(" ", 1)
            kind, *frames = stack.split(";")
            folded.setdefault(kind.replace(" ", "_"), {})[tuple(frames)] = int(count)
        self.assertEqual({name for name, _ in profile.types}, set(folded))
        for kind, stacks in folded.items():
            found = {tuple(frame.replace(";", ",") for frame in stack): count for stack, count in profile.stacks(kind).items()}
            self.assertEqual(found, stacks, kind)
        counted = run("query", "-q", "--output", "jsonl", "count by source", "--where", 'name == "CpuSampleEvent"', trace).stdout.decode()
        rows = [json.loads(line) for line in counted.splitlines()]
        of_source = {row["source"]: row["count"] for row in rows if "source" in row}
        self.assertEqual(sum(profile.stacks("on_cpu").values()), of_source[0])
        self.assertEqual(sum(profile.stacks("descheduled").values()), of_source[1])


if __name__ == "__main__":
    unittest.main()

"""dial9 converted to dial9, JSON lines and CSV: nothing may get lost on the way."""

import csv
import gzip
import io
import unittest

import dial9_writer as w
from command import TRACES, CommandTest, first_difference, needs_traces, parse, parse_lines, run

PRINT = ["print", "--output", "jsonl", "--order", "recorded"]
# These use what only the 0.4 format can hold.
USES_0_4 = ("02_", "07_", "30_")


def own_traces():
    """Valid traces of our own, so that the round trips are tested without the reference traces too."""
    yield "ticks", w.ticks(3000)
    yield "header only", w.header()
    yield "segments", w.ticks(5) + w.header() + w.ticks(5, start=10) + w.header()
    yield "0.4", (
        w.header()
        + w.string_pool((0, "zero"), (1, "one"))
        + w.stack_pool((0, [1, 2, 3]), (9, []))
        + w.schema(
            3,
            "All",
            [("s", w.POOLED_STRING), ("t", w.POOLED_STACK), ("l", w.LIST), ("m", w.MAP), ("o", w.U8 | w.OPTIONAL)],
        )
        + w.annotations(3, (0, "unit", "ns"), (4, "k", b"\xff"))
        + w.reset(10**18)
        + w.event(
            3,
            w.u32(1)
            + w.u32(0)
            + w.dynamic_list((w.VARINT, w.varint(300)), (w.LIST, w.dynamic_list()))
            + w.dynamic_map(((w.U8, w.u8(1)), (w.STRING, w.string("v"))))
            + w.ABSENT,
        )
        + w.event(3, w.u32(0) + w.u32(9) + w.dynamic_list() + w.dynamic_map() + w.present(w.u8(7)), delta=5)
    )
    yield "every 0.3 type", (
        w.header()
        + w.schema(0, "NoTime", [("n", w.I64)], has_timestamp=0)
        + w.schema(
            1,
            "T",
            [
                (f"f{t}", t)
                for t in (w.I64, w.F64, w.BOOL, w.STRING, w.BYTES, w.STACK, w.VARINT, w.STRING_MAP, w.U8, w.U16, w.U32)
            ],
        )
        + w.event(0, w.i64(-1), delta=None)
        + w.event(
            1,
            w.i64(-5)
            + w.f64(-0.0)
            + b"\1"
            + w.string("s\0")
            + w.string(b"\xff\0")
            + w.stack(2**64 - 1, 0)
            + w.varint(2**64 - 1)
            + w.string_map(("k", "v"), ("k", ""))
            + w.u8(255)
            + w.u16(65535)
            + w.u32(2**32 - 1),
            delta=0xFFFFFF,
        )
        + w.event(0, w.i64(1), delta=None)
    )
    yield "tolerated", w.header() + w.schema(0, "E", [("b", w.BOOL), ("n", w.VARINT)]) + w.event(
        0, b"\x02" + w.varint(5, 9)
    ) + w.event(0, b"\x01" + w.varint(1))


class RoundTrip(CommandTest):
    def each(self, check):
        for name, content in own_traces():
            with self.subTest(name):
                check(name, content)

    def printed(self, path, *more, code=0):
        return self.check(run(*PRINT, *more, path), code).stdout

    def convert(self, *args, code=0):
        return self.check(run("convert", *args), code)

    def rewritten(self, name, content):
        trace = self.file("in.bin", content)
        self.convert("-o", self.folder / "out.bin", "--to", "dial9", trace)
        self.assertEqual((self.folder / "out.bin").read_bytes(), content)

    def test_dial9_to_dial9_is_identical(self):
        self.each(self.rewritten)

    def part(self, name, content, *selection, version="0.4"):
        """A part of a trace, converted, prints as the same part of the whole."""
        trace = self.file("in.bin", content)
        out = self.folder / "out.bin"
        self.convert("-o", out, "--to", "dial9", "--dial9-version", version, *selection, trace)
        want = [self.without_places(line) for line in parse_lines(self.printed(trace, *selection))]
        whole = [self.without_places(line) for line in parse_lines(self.printed(out))]
        # The part stands alone: it has more than lies between the times, all of it about other events.
        bounds = selection if {"--begin", "--end"} & set(selection) else ()
        got = [self.without_places(line) for line in parse_lines(self.printed(out, *bounds))]
        if "time" in selection:
            # Printed in order of time, what a nominal time has comes behind; a trace begins with it.
            got.sort(key=lambda line: dict(line)["name"].startswith("SegmentMetadata"))
        self.assertIsNone(first_difference(want, got))
        inside = {repr(line) for line in got}
        more = [dict(line)["name"] for line in whole if repr(line) not in inside]
        self.assertLessEqual(set(more), {"SegmentMetadata", "SegmentMetadataEvent", "SymbolTableEntry", "ClockSyncEvent"})

    @staticmethod
    def without_places(line):
        """A line without the ids that a new trace gives anew."""
        return type(line)((key, value) for key, value in line if key not in ("trace", "id", "stream"))

    def test_limit(self):
        self.each(lambda name, content: self.part(name, content, "--limit", "2"))
        self.each(lambda name, content: self.part(name, content, "--limit", "0"))

    def test_begin_and_end(self):
        self.each(lambda name, content: self.part(name, content, "--begin", "1010"))
        self.each(lambda name, content: self.part(name, content, "--end", "1010"))

    def test_order_by_time(self):
        self.each(lambda name, content: self.part(name, content, "--order", "time"))

    def test_json_lines_equal_print(self):
        def check(name, content):
            trace = self.file("in.bin", content)
            self.convert("-o", self.folder / "out.jsonl", "--to", "jsonl", "--order", "recorded", trace)
            self.assertEqual((self.folder / "out.jsonl").read_bytes(), self.printed(trace))

        self.each(check)

    def test_csv_holds_what_json_lines_hold(self):
        def check(name, content):
            trace = self.file("in.bin", content)
            self.convert("-o", self.folder / "out.csv", "--to", "csv", "--order", "recorded", trace)
            self.assertEqual(
                (self.folder / "out.csv").read_bytes(),
                self.check(run("print", "--output", "csv", "--order", "recorded", trace), 0).stdout,
            )
            rows = list(csv.reader(io.StringIO((self.folder / "out.csv").read_text(), newline="")))
            self.assertEqual(rows[0], ["time", "duration", "name", "id", "stream", "context", "fields"])
            lines = [dict(line) for line in parse_lines(self.printed(trace))]
            self.assertEqual(len(rows) - 1, len(lines))
            for row, line in zip(rows[1:], lines):
                cells = dict(zip(rows[0], row))
                self.assertEqual(cells["time"], str(line.get("time", "")))
                self.assertEqual(cells["name"], line["name"])
                self.assertEqual(cells["id"], str(line["id"]))
                self.assertEqual(parse(cells["stream"]), line["stream"])
                self.assertIsNone(first_difference([line["fields"]], [parse(cells["fields"])]))

        self.each(check)

    def test_several_inputs(self):
        one, two = self.file("1.bin", w.ticks(50, step=8)), self.file("2.bin", w.ticks(50, start=1001, step=7))
        for order in ("merged", "recorded", "time"):
            with self.subTest(order):
                self.convert("-o", self.folder / "out.bin", "--to", "dial9", "--order", order, one, two)
                want = parse_lines(self.check(run("print", "--output", "jsonl", "--order", order, one, two), 0).stdout)
                got = parse_lines(self.printed(self.folder / "out.bin"))
                self.assertIsNone(
                    first_difference(list(map(self.without_places, want)), list(map(self.without_places, got)))
                )

    def test_clock_offset(self):
        trace = self.file("in.bin", w.ticks(3))
        self.convert("-o", self.folder / "out.bin", "--to", "dial9", "--clock-offset", "5", trace)
        times = [dict(line)["time"] for line in parse_lines(self.printed(self.folder / "out.bin"))]
        self.assertEqual(times, [1005, 1013, 1021])


@needs_traces
class ReferenceTraces(RoundTrip):
    """The same for what other writers wrote."""

    def each(self, check):
        for trace in sorted((TRACES / "dial9").glob("*.bin")):
            with self.subTest(trace.name):
                check(trace.name, trace.read_bytes())

    def part(self, name, content, *selection):
        version = "0.4" if name.startswith(USES_0_4) else "0.3"
        super().part(name, content, *selection, version=version)

    def test_begin_and_end(self):
        # About the middle of each trace.
        def check(name, content):
            times = sorted(
                dict(line).get("time", 0) for line in parse_lines(self.printed(self.file("in.bin", content)))
            )
            middle = str(times[len(times) // 2])
            self.part(name, content, "--begin", middle)
            self.part(name, content, "--end", middle)

        self.each(check)

    # Done with traces of our own.
    test_several_inputs = None
    test_clock_offset = None

    def test_the_recording(self):
        trace = TRACES / "dial9/tokio-demo.bin.gz"
        self.rewritten(trace.name, gzip.decompress(trace.read_bytes()))
        # Compressed input is seen through: the copy is plain.
        self.convert("-o", self.folder / "out.bin", "--to", "dial9", trace)
        self.assertEqual((self.folder / "out.bin").read_bytes(), gzip.decompress(trace.read_bytes()))
        self.part(trace.name, trace.read_bytes(), "--begin", "503228000000000", "--end", "503229000000000")


if __name__ == "__main__":
    unittest.main()

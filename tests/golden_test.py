"""The reference traces of the formats' own writers: what they must print, in every way they can be read."""

import collections
import functools
import gzip
import json
import subprocess
import threading
import unittest

import command
from command import TRACES, CommandTest, Golden, needs_traces, parse_lines, run, zstd

DIAL9 = TRACES / "dial9"
PRINT = ["print", "--format", "dial9", "--output", "jsonl", "--order", "recorded"]


@functools.cache
def expected(trace):
    plain = trace.with_name(trace.name + ".jsonl")
    content = (
        plain.read_bytes() if plain.exists() else gzip.decompress(plain.with_name(plain.name + ".gz").read_bytes())
    )
    return parse_lines(content)


def valid_traces():
    return sorted(path for path in DIAL9.glob("*.bin"))


def byte_by_byte(*args, content):
    """Runs the command on a pipe that delivers one byte at a time."""
    process = subprocess.Popen(
        [command.BIN, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )

    def feed():
        try:
            for i in range(len(content)):
                process.stdin.write(content[i : i + 1])
        except BrokenPipeError:
            pass
        process.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    # Standard error is small here, so that it cannot fill its pipe while standard output is read.
    out, err = process.stdout.read(), process.stderr.read()
    feeder.join()
    process.stdout.close()
    process.stderr.close()
    return subprocess.CompletedProcess(process.args, process.wait(), out, err)


GOLDEN = Golden(expected)


@needs_traces
class ValidTraces(CommandTest):
    def each(self, check):
        traces = valid_traces()
        self.assertGreater(len(traces), 10)
        for trace in traces:
            with self.subTest(trace.name):
                check(trace)

    def same(self, trace, result):
        self.check(result, 0)
        self.assertIsNone(GOLDEN.difference(trace, result.stdout))

    def test_file(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, trace)))

    def test_recognised_without_format(self):
        self.each(lambda trace: self.same(trace, run("print", "--output", "jsonl", "--order", "recorded", trace)))

    def test_pipe(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, "-", stdin=trace.read_bytes())))

    def test_gzip(self):
        def check(trace):
            self.same(trace, run(*PRINT, self.file("trace.gz", gzip.compress(trace.read_bytes()))))

        self.each(check)

    def test_gzip_of_several_members_through_a_pipe(self):
        def check(trace):
            content = trace.read_bytes()
            middle = len(content) // 2
            members = gzip.compress(content[:middle]) + gzip.compress(b"") + gzip.compress(content[middle:])
            self.same(trace, run(*PRINT, "-", stdin=members))

        self.each(check)

    def test_zstd(self):
        if zstd(b"") is None:
            self.skipTest("there is no zstd program to compress with")

        def check(trace):
            content = trace.read_bytes()
            middle = len(content) // 2
            self.same(trace, run(*PRINT, self.file("trace.zst", zstd(content))))
            self.same(trace, run(*PRINT, "-", stdin=zstd(content[:middle]) + zstd(content[middle:])))

        self.each(check)

    def test_byte_by_byte(self):
        small = [trace for trace in valid_traces() if trace.stat().st_size <= 8192]
        self.assertGreater(len(small), 5)
        for trace in small:
            with self.subTest(trace.name):
                self.same(trace, byte_by_byte(*PRINT, "-", content=trace.read_bytes()))

    def test_gzip_byte_by_byte(self):
        for trace in valid_traces():
            content = gzip.compress(trace.read_bytes())
            if len(content) <= 4096:
                with self.subTest(trace.name):
                    self.same(trace, byte_by_byte(*PRINT, "-", content=content))

    def test_nothing_is_wrong_with_them(self):
        def check(trace):
            result = run("validate", "--format", "dial9", trace)
            self.check(result, 0)
            # The one with a pool entry that comes late says so.
            if not trace.name.startswith("20_"):
                self.assertEqual(result.stdout, b"")

        self.each(check)


@needs_traces
class DamagedTraces(CommandTest):
    def test_exit_codes_and_events(self):
        rows = [row.split("\t") for row in (DIAL9 / "damaged/expect.tsv").read_text().splitlines()[1:] if row.strip()]
        self.assertGreater(len(rows), 40)
        for name, code, events in rows:
            trace = DIAL9 / "damaged" / name
            reads = {
                "file": run(*PRINT, trace),
                "pipe": run(*PRINT, "-", stdin=trace.read_bytes()),
                "gzip": run(*PRINT, "-", stdin=gzip.compress(trace.read_bytes())),
                "byte by byte": byte_by_byte(*PRINT, "-", content=trace.read_bytes()),
            }
            for how, result in reads.items():
                with self.subTest(name, how=how):
                    self.check(result, int(code))
                    count = len(parse_lines(result.stdout))
                    if code == "0":
                        self.assertEqual(count, int(events))
                    else:
                        self.assertGreaterEqual(count, int(events))
                        self.assertNotEqual(result.stderr, b"")
                    self.assertEqual(result.stdout, reads["file"].stdout)

    def test_validate(self):
        for row in (DIAL9 / "damaged/expect.tsv").read_text().splitlines()[1:]:
            name, code, _ = row.split("\t")
            with self.subTest(name):
                result = run("validate", "--format", "dial9", DIAL9 / "damaged" / name)
                self.check(result, 0 if code == "0" else 1)
                if code != "0":
                    self.assertIn(b": error: ", result.stdout)


@needs_traces
class Recording(CommandTest):
    """The real recording: its counts, and that it is read alike in every way."""

    COUNTS = {
        "PollStartEvent": 36801,
        "PollEndEvent": 36801,
        "WakeEventEvent": 35552,
        "TaskDumpEvent": 12952,
        "SpanCloseEvent": 9890,
        "CpuSampleEvent": 6949,
        "WorkerParkEvent": 6304,
        "WorkerUnparkEvent": 6304,
        "SymbolTableEntry": 992,
        "QueueSampleEvent": 464,
        "TaskTerminateEvent": 359,
        "TaskSpawnEvent": 262,
        "ClockSyncEvent": 2,
        "SegmentMetadataEvent": 1,
    }
    EVENTS, SEGMENTS, SCHEMAS = 210639, 14, 94
    FIRST, LAST, TIMELESS_ZERO = 503226032430072, 503230842286478, 992

    @classmethod
    def setUpClass(cls):
        cls.trace = DIAL9 / "tokio-demo.bin.gz"
        cls.printed = run(*PRINT, cls.trace)
        cls.lines = cls.printed.stdout.splitlines()
        # Plainly parsed, in a fifth of the time that `parse_lines` takes: nothing that is looked at here comes twice.
        cls.events = [json.loads(line) for line in cls.lines]

    def test_counts(self):
        self.check(self.printed, 0)
        events = self.events
        self.assertEqual(len(events), self.EVENTS)
        names = collections.Counter(event["name"] for event in events)
        spans = {name: count for name, count in names.items() if name.startswith(("SpanEnter:", "SpanExit:"))}
        self.assertEqual(len(spans), 10)
        self.assertEqual({name: count for name, count in names.items() if name not in spans}, self.COUNTS)
        times = [event["time"] for event in events]
        self.assertEqual(sum(time == 0 for time in times), self.TIMELESS_ZERO)
        self.assertTrue(all(event["name"] == "SymbolTableEntry" for event in events if event["time"] == 0))
        self.assertEqual((min(time for time in times if time), max(times)), (self.FIRST, self.LAST))
        self.assertEqual({event["stream"]["segment"] for event in events}, set(range(self.SEGMENTS)))

    def test_info_and_stats_agree(self):
        info = dict(parse_lines(self.check(run("info", "--json", self.trace), 0).stdout)[0])
        self.assertEqual(info["events"], self.EVENTS)
        stats = dict(parse_lines(self.check(run("stats", "--json", self.trace), 0).stdout)[0])
        # The symbols, whose time is 0, happened at no time.
        self.assertEqual(dict(info["time"]), {"first": self.FIRST, "last": self.LAST})
        self.assertEqual((stats["first"], stats["last"]), (self.FIRST, self.LAST))
        for result in (info, stats):
            symbols = [dict(each) for each in result["classes"] if dict(each)["name"] == "SymbolTableEntry"]
            self.assertEqual([(each.get("time"), each.get("first")) for each in symbols], [(None, None)])
        counts = collections.Counter()
        for entry in stats["classes"]:
            counts[dict(entry)["name"]] += dict(entry)["events"]
        self.assertEqual({name: counts[name] for name in self.COUNTS}, self.COUNTS)
        self.assertEqual(sum(counts.values()), self.EVENTS)

    def test_other_ways_to_read_it(self):
        content = gzip.decompress(self.trace.read_bytes())
        self.assertEqual(run(*PRINT, self.file("plain.bin", content)).stdout, self.printed.stdout)
        self.assertEqual(run(*PRINT, "-", stdin=content).stdout, self.printed.stdout)
        compressed = zstd(content)
        if compressed is not None:
            self.assertEqual(run(*PRINT, "-", stdin=compressed).stdout, self.printed.stdout)

    def test_orders(self):
        note = b"printed out of the order of time: 6,365 steps back; --order time sorts"
        self.assertIn(note, self.printed.stderr)
        self.assertEqual(run(*PRINT, "-q", self.trace).stderr, b"")
        merged = run("print", "--output", "jsonl", self.trace).stdout
        self.assertEqual(merged, self.printed.stdout, "one file keeps its own order")
        sorted_by_time = run("print", "--output", "jsonl", "--order", "time", self.trace)
        self.assertNotIn(b"order of time", sorted_by_time.stderr)
        by_time = sorted_by_time.stdout.splitlines()
        self.assertEqual(sorted(by_time), sorted(self.lines))
        time_of = {line: event["time"] for line, event in zip(self.lines, self.events)}
        nominal = {line for line, event in zip(self.lines, self.events) if event["name"] in ("SymbolTableEntry", "SegmentMetadata", "SegmentMetadataEvent")}
        times = [time_of[line] for line in by_time if line not in nominal]
        self.assertEqual(times, sorted(times))
        behind = by_time[len(times) :]
        self.assertEqual(behind, [line for line in self.lines if line in nominal], "they happened at no time")


if __name__ == "__main__":
    unittest.main()

"""Results in parts: what is in them, that each stands alone, their names, and what an interrupt leaves."""

import collections
import csv
import gzip
import json
import os
import signal
import subprocess
import time
import unittest

import dial9_writer as dial9
import heph_writer as heph
from command import BIN, TRACES, CommandTest, needs_traces, run
from why_test import END, START, TABLE, pool

FOREIGN = ("heph", "tband", "ctf2rc", "ctf2", "ctf1")
TARGETS = ("dial9", "heph", "tband", "ctf2rc", "ctf2", "ctf1", "jsonl", "csv")
DESCRIBING = {"ClockSyncEvent", "SegmentMetadata", "SegmentMetadataEvent", "SymbolTableEntry"}
# How names of events end that describe others in Tonbandgeraet.
METADATA = ("_name", "_ns", "_cnt", "_id", "_kind", "_prio", "_task")
# With TRACEDECK_SPLIT_ALL=1 every reference trace is divided, and written as each target.
EVERY = 1 if os.environ.get("TRACEDECK_SPLIT_ALL", "") not in ("", "0") else 20
SECOND = 1_000_000_000


def ticks(*stamps):
    """A dial9 trace with an event at each of these times, a name before them and one behind."""
    trace = dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT)])
    trace += dial9.schema(1, "SymbolTableEntry", [("addr", dial9.VARINT), ("symbol_name", dial9.STRING)])
    symbol = [dial9.event(1, dial9.varint(i) + dial9.string(f"f{i}"), delta=0) for i in range(2)]
    last = 0
    trace += dial9.reset(0) + symbol[0]
    for i, stamp in enumerate(stamps):
        trace += dial9.reset(stamp) if stamp < last or stamp - last >= 1 << 24 else b""
        last = stamp if stamp < last or stamp - last >= 1 << 24 else last
        trace += dial9.event(0, dial9.varint(i), delta=stamp - last)
        last = stamp
    return trace + dial9.reset(0) + symbol[1]


def events_of(trace, *options):
    result = run("print", "-q", "--output", "jsonl", "--order", "recorded", *options, trace)
    assert result.returncode == 0, (trace, result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]


def comparable(event, target):
    """An event without what depends on where it stands: data streams, packets, given numbers."""
    for key in ("stream", "id"):
        event.pop(key, None)
    event.get("context", {}).pop("packet", None)
    fields = event.get("fields", {})
    if target == "tband" and "evtmarker_id" in fields:
        fields["evtmarker_id"] = 0
    # Without a time of its own it has that of the event before it.
    name = event.get("name", "")
    if target in FOREIGN and (name in DESCRIBING or name.endswith(METADATA)):
        event.pop("time", None)
    return json.dumps(event)


def csv_lines(path):
    """The lines without their data streams."""
    with open(path, newline="", encoding="utf-8") as lines:
        return [json.dumps([value for key, value in row.items() if key != "stream"]) for row in csv.DictReader(lines)]


class Parts(CommandTest):
    def split(self, *args, out="run.dial9", code=0):
        out = self.folder / out
        result = self.check(run("convert", "-o", out, *args), code)
        self.assertFalse(out.exists())
        parts = sorted(each for each in self.folder.glob(out.name.split(".")[0] + "-*"))
        return parts, result.stderr.decode()

    def stamps(self, trace):
        return [event["time"] for event in events_of(trace, "--where", "name == 'Tick'")]

    def symbols(self, trace):
        return [event["fields"]["symbol_name"] for event in events_of(trace, "--where", "has(symbol_name)")]

    def test_segments_that_come_in_turns_share_their_types(self):
        """Each numbers its types by itself."""
        fields = [("n", dial9.VARINT)]
        trace = b"".join(
            dial9.header() + dial9.schema(number, "Tick", fields) + dial9.schema(number + 5, "Tock", fields)
            + b"".join(dial9.event(number + 5 * (i % 2), dial9.varint(i), delta=20 * i + number) for i in range(6))
            for number in (1, 2)
        )  # fmt: skip
        trace = self.file("two.bin", trace)
        self.assertEqual(self.check(run("validate", trace), 0).stdout, b"")
        out = self.folder / "out.dial9"
        self.check(run("convert", "--order", "time", "--begin", "+5ns", "--to", "dial9", "-o", out, trace), 0)
        self.assertEqual(self.check(run("validate", out), 0).stdout, b"")
        names = collections.Counter(event["name"] for event in events_of(out))
        self.assertEqual(names, {"Tick": 4, "Tock": 6})

    def test_what_describes_others_keeps_its_type_in_a_later_segment(self):
        def segment(number, begin):
            schemas = dial9.schema(number, "ClockSyncEvent", [("realtime_ns", dial9.VARINT)]) + dial9.schema(7, "Tick", [])
            events = dial9.event(number, dial9.varint(10**9 + begin), delta=begin)
            return dial9.header() + schemas + events + 3 * dial9.event(7, delta=10)

        trace = self.file("segments.bin", segment(1, 0) + segment(2, 1000))
        parts, _ = self.split("--split-duration", "1us", trace)
        self.assertEqual(len(parts), 2)
        for part in parts:
            self.assertEqual(self.check(run("validate", part), 0).stdout, b"")
            names = collections.Counter(event["name"] for event in events_of(part))
            self.assertEqual(names, {"ClockSyncEvent": 2, "Tick": 3})

    def test_parts_of_a_duration(self):
        trace = self.file("t", ticks(5, 9, 10, 14, 15, 40, 44))
        parts, said = self.split("--split-duration", "10", trace)
        self.assertEqual([each.name for each in parts], [f"run-000{n}.dial9" for n in (1, 2, 3)])
        self.assertEqual([self.stamps(each) for each in parts], [[5, 9, 10, 14], [15], [40, 44]])
        self.assertIn("written as 3 parts", said)

    def test_each_part_has_all_names(self):
        trace = self.file("t", ticks(*range(1, 50)))
        for target, *option in (
            ("dial9", "--split-duration", "10"),
            ("dial9", "--split-size", "64"),
            ("ctf2", "--split-duration", "10"),
            ("jsonl", "--split-size", "1K"),
        ):
            with self.subTest(target=target, option=option):
                parts, _ = self.split("--to", target, *option, trace, out=f"{target}{option[0]}")
                self.assertGreater(len(parts), 2)
                for part in parts:
                    if target != "jsonl":
                        self.assertEqual(self.symbols(part), ["f0", "f1"], part)
                        self.check(run("validate", part), 0)

    def test_what_can_be_read_once_has_the_names_that_came(self):
        content = ticks(*range(1, 30))
        result = run("convert", "-o", self.folder / "run.dial9", "--split-duration", "10", "-", stdin=content)
        self.check(result, 0)
        names = [self.symbols(part) for part in sorted(self.folder.glob("run-*"))]
        self.assertEqual(names, [["f0"], ["f0"], ["f0", "f1"]])

    def test_parts_of_a_size(self):
        trace = self.file("t", ticks(*range(1, 5000)))
        for target, least in (("dial9", 6), ("jsonl", 90), ("heph", 60), ("ctf2", 3), ("csv", 50)):
            parts, _ = self.split("--to", target, "--split-size", "4K", trace, out=target)
            self.assertGreaterEqual(len(parts), least, target)
            for part in parts[:-1]:
                if part.is_file():
                    self.assertLess(4096 * 0.99, part.stat().st_size)
                    self.assertLess(part.stat().st_size, 4096 * 1.1, part)

    def test_order_time_brings_each_event_into_its_part(self):
        trace = self.file("t", ticks(5, 30, 8, 35, 9))
        parts, said = self.split("--order", "merged", "--split-duration", "10", trace)
        self.assertEqual([self.stamps(each) for each in parts], [[5], [30, 8], [35, 9]])
        self.assertIn("by convention: events earlier than their part begins (2): ", said)
        for order in ((), ("--order", "time")):
            parts, said = self.split(*order, "--split-duration", "10", trace)
            self.assertEqual([self.stamps(each) for each in parts], [[5, 8, 9], [30], [35]])
            self.assertNotIn("earlier", said)

    def test_divided_spans_are_counted(self):
        spans = ((0, 1), (2, 15), (16, 17), (3, 35), (36, 37))
        content = b"".join(heph.event(b"s", counter=i, start=a, end=b) for i, (a, b) in enumerate(spans))
        trace, report = self.file("t", content), self.folder / "report"
        for order in ("merged", "time"):
            parts, said = self.split(
                "--order", order, "--split-duration", "10", "--report", report, trace, out="run.heph"
            )
            self.assertIn("by convention: events with a duration that a cut divides (2): ", said)
            written = json.loads(report.read_text())
            self.assertEqual(written["parts"], [str(each) for each in parts])
            self.assertEqual((written["events"], written["lossy"]), (5, False))

    def test_slices_of_a_table_that_cuts_divide_are_counted(self):
        slices = ((0, 4), (6, 13), (15, 18), (19, 33))
        content = pool(*(event for begin, end in slices for event in ((begin, START, (0, 1)), (end, END, (0,)))))
        trace, table = self.file("t", content), self.file("pool.toml", TABLE.encode())
        _, said = self.split("--table", table, "--split-duration", "10", trace)
        self.assertIn("by convention: slices of tables that a cut divides (2): ", said)
        _, said = self.split("--split-duration", "10", trace)
        self.assertNotIn("slices", said)
        out = self.folder / "o.dial9"
        result = run("convert", "-o", out, "--table", table, "--split-size", "1K", "-", stdin=content)
        self.assertIn(b"can be read once", self.check(result, 2).stderr)
        self.assertIn(b"goes with", self.check(run("convert", "-o", out, "--table", table, trace), 2).stderr)

    def test_what_is_read_again_for_a_table_is_said_once(self):
        content = pool(*((10 * i, START, (0, i)) for i in range(20))) + b"\x07 no frame"
        trace = self.file("t", content)
        unused = self.file("unused.toml", TABLE.replace("Start", "Begin").replace('"End"', '"Stop"').encode())
        said = self.check(run("convert", "-o", self.folder / "o.dial9", "--table", unused, "--split-duration", "50", trace), 4).stderr.decode()
        self.assertEqual(said.count("dial9/frame-tag"), 1, said)
        self.assertEqual(said.count("table pool was not used"), 1, said)

    def test_what_each_part_has_counts_once(self):
        """Clocks and data streams are described in each part; a class is left out only if no part has an event of it."""
        trace = dial9.header() + b"".join(dial9.schema(i, name, [("n", dial9.VARINT)]) for i, name in enumerate(("First", "Last", "Never")))
        trace += dial9.event(0, dial9.varint(1), delta=10) + b"".join(dial9.event(1, dial9.varint(2), delta=10_000_000) for _ in range(3))
        path = self.file("t.d9", trace)

        def entries(*options):
            out = self.folder / f"out{len(options)}.heph"
            report = json.loads(self.check(run("convert", "--to", "heph", "--report", "-", *options, path, "-o", out), 0).stdout)
            return {(each["what"], each.get("class", ""), each.get("path", "")): each["count"] for each in report["entries"]}

        whole, parts = entries(), entries("--split-duration", "10ms")
        self.assertEqual(parts, whole)
        self.assertEqual(whole["classes without events", "Never", ""], 1)

    def test_copies_of_what_describes_others_are_counted(self):
        anchor = dial9.schema(1, "ClockSyncEvent", [("realtime_ns", dial9.VARINT)]) + dial9.event(1, dial9.varint(10**18), delta=0)
        events = b"".join(dial9.event(0, dial9.varint(i), delta=10_000_000) for i in range(4))
        path = self.file("t.d9", dial9.header() + dial9.schema(0, "E", [("n", dial9.VARINT)]) + anchor + events)
        for options, copies in (([], {}), (["--split-duration", "20ms"], {"copies of events that describe others": 1})):
            out = self.folder / "out.heph"
            report = json.loads(self.check(run("convert", "--to", "heph", "--report", "-", *options, path, "-o", out), 0).stdout)
            counts = collections.Counter()
            for each in report["entries"]:
                counts[each["what"]] += each["count"]
            self.assertEqual({what: count for what, count in counts.items() if "copies" in what}, copies)
            self.assertEqual(counts["that events have no duration"], 5 + sum(copies.values()))

    def test_parts_that_lie_together_are_one_trace(self):
        """What begins in one part and ends in another has a duration, and no loss lies between them."""
        slices = [(100 * i, 100 * i + 230) for i in range(200)]
        events = sorted((time, kind, (i % 3, i)[: 2 - kind]) for i, times in enumerate(slices) for kind, time in enumerate(times))
        content, table = pool(*events), self.file("pool.toml", TABLE.encode())
        anchor = dial9.schema(3, "ClockSyncEvent", [("realtime_ns", dial9.VARINT)]) + dial9.event(3, dial9.varint(10**18), delta=0)
        trace = self.file("whole.bin", dial9.header() + anchor + content[len(dial9.header()) :])
        spans = [heph.event(b"e", stream=1, counter=i, start=1000 * i, end=1000 * i + 4500) for i in range(40)]
        log = self.file("whole.log", heph.epoch(0) + b"".join(spans))
        (self.folder / "parts").mkdir()
        (self.folder / "logs").mkdir()
        for whole, out, options in (
            (trace, "parts/run.bin", ["--to", "dial9", "--split-size", "300"]),
            (log, "logs/run.log", ["--to", "heph", "--split-duration", "7us"]),
        ):
            self.check(run("convert", "-q", *options, "-o", self.folder / out, whole), 0)
            folder = (self.folder / out).parent
            self.assertGreater(len(list(folder.iterdir())), 3)
            answers = [json.loads(run("latency", "--json", "--table", table, each).stdout) for each in (whole, folder)]
            self.assertTrue(answers[0]["rows"])
            self.assertEqual(answers[1]["rows"], answers[0]["rows"])
            # Each part has the anchor.
            parts = len(list(folder.iterdir()))
            self.assertEqual(answers[1]["counts"].pop("without_rule"), parts * answers[0]["counts"].pop("without_rule"))
            self.assertEqual(answers[1]["counts"], answers[0]["counts"])

    def test_files_that_are_counted_by_hand_are_traces_of_their_own(self):
        """Nothing says that they are of one process."""
        (self.folder / "runs").mkdir()
        for number in range(2):
            begin = 1000 * number
            run_of = pool((begin + 10, START, (0, 7)), (begin + 20, END, (0,)), (begin + 30, START, (0, 7)))
            (self.folder / "runs" / f"run-{number + 1:04}.bin").write_bytes(run_of)
        result = self.check(run("latency", "--json", "--table", self.file("pool.toml", TABLE.encode()), self.folder / "runs"), 0)
        self.assertIn(b"run-0001.bin and ", result.stderr)
        self.assertIn(b"are read as 2 traces: nothing in them says that they are one", result.stderr)
        (row,) = [row for row in json.loads(result.stdout)["rows"] if row["kind"] == "slice"]
        self.assertEqual((row["count"], row["max"], row["open"]), (2, 10, 2))

    def test_parts_lack_no_mark(self):
        """A part does not describe the classes that others have events of."""
        schema = lambda i: dial9.schema(i, f"c{i}", [("n", dial9.VARINT)])
        # So many that the last classes are not known yet when the first part ends.
        events = lambda i: b"".join(dial9.event(i, dial9.varint(i), delta=5) for _ in range(5000))
        trace = dial9.header() + b"".join(schema(i) + events(i) for i in range(8))
        trace += dial9.schema(9, "SymbolTableEntry", [("addr", dial9.VARINT), ("symbol_name", dial9.STRING)])
        trace += dial9.event(9, dial9.varint(1) + dial9.string("f"), delta=0)
        whole = self.file("t", trace)
        for target in ("ctf1", "ctf2", "ctf2rc", "dial9"):
            parts, _ = self.split("--to", target, "--split-duration", "25us", whole, out="run." + target)
            self.assertGreater(len(parts), 3)
            for part in parts:
                self.assertEqual(self.check(run("validate", part), 0).stdout, b"", target)

    def test_names(self):
        trace = self.file("t", ticks(1, 20))
        for out, expected in (
            ("run.dial9.gz", "run-0001.dial9.gz"),
            ("run.bin", "run-0001.bin"),
            ("run", "run-0001"),
            (".hidden", ".hidden-0001"),
        ):
            self.check(run("convert", "--to", "dial9", "--split-duration", "5", "-o", self.folder / out, trace), 0)
            self.assertTrue((self.folder / expected).exists(), out)
        self.assertEqual(gzip.decompress((self.folder / "run-0001.dial9.gz").read_bytes())[:4], b"TRC\0")
        self.check(run("convert", "--split-duration", "5", "-o", self.folder / "run.ctf2", trace), 0)
        self.assertTrue((self.folder / "run-0001.ctf2/metadata").exists())

    def test_wrong_usage(self):
        trace = self.file("t", ticks(1, 20))

        def wrong(says, *args):
            result = self.check(run("convert", *args), 2)
            self.assertIn(says, result.stderr.decode())

        out = self.folder / "o.dial9"
        for value in ("0", "", "x", "-1s", "2x"):
            wrong("'--split-duration'", "-o", out, "--split-duration", value, trace)
        for value in ("0", "", "x", "1.5"):
            wrong("'--split-size'", "-o", out, "--split-size", value, trace)
        wrong("standard output is one", "-o", "-", "--to", "dial9", "--split-size", "1K", trace)
        wrong("hold events", "-o", self.folder / "o.pftrace", "--split-size", "1K", trace)
        wrong("divide the result by another", "-o", self.folder / "o.heph", "--spans", "--split-duration", "1s", trace)
        part = self.file("o-0002.dial9", ticks(1, 20))
        wrong("name of a part", "-o", out, "--split-size", "1K", part)
        wrong("name of a part", "-o", out, "--split-size", "1K", "--report", self.folder / "o-0001.dial9", trace)
        wrong("no such file or folder", "-o", self.folder / "none/o.dial9", "--split-size", "1K", trace)
        (self.folder / "c-0001").mkdir()
        wrong("c-0001", "-o", self.folder / "c", "--to", "ctf2", "--split-size", "1K", trace)

    def test_a_part_of_before_is_noted(self):
        self.file("run-0003.dial9", b"before")
        _, said = self.split("--split-duration", "10", self.file("t", ticks(1, 20)))
        self.assertIn("run-0003.dial9 was there before", said)
        self.assertEqual((self.folder / "run-0003.dial9").read_bytes(), b"before")

    def test_nothing_is_one_empty_part(self):
        for target in ("dial9", "heph", "ctf2", "jsonl"):
            parts, _ = self.split("--to", target, "--split-size", "1K", self.file("t", dial9.header()), out=target)
            self.assertEqual(len(parts), 1)
            if target != "jsonl":
                self.assertEqual(events_of(parts[0], "--format", "ctf" if target == "ctf2" else target), [])

    def test_an_interrupt_of_a_file_leaves_the_parts_that_are_complete(self):
        trace = self.file("t", dial9.many(3_000_000))
        out = self.folder / "run.jsonl"
        command = [BIN, "convert", "--split-size", "1M", "-o", out, trace]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 60
            while not (self.folder / "run-0002.jsonl").exists() and time.monotonic() < deadline:
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            said = process.stderr.read().decode()
            if process.wait(60) == 0:
                self.skipTest("it was too quick to be interrupted")
        self.assertEqual(process.returncode, 130)
        parts = sorted(each.name for each in self.folder.glob("run-*"))
        last = parts.pop()
        self.assertTrue(last.endswith(".jsonl.part"))
        complete = [str(self.folder / part) for part in parts]
        written = complete[0] if len(parts) == 1 else f"{complete[0]} to {complete[-1]}"
        self.assertIn(f"what was written until then is in {written} and {self.folder / last}\n", said)
        self.assertEqual(parts, [f"run-{i + 1:04}.jsonl" for i in range(len(parts))])
        for part in parts:
            self.assertGreater((self.folder / part).stat().st_size, 1_000_000)

    def test_a_recording_that_is_interrupted_is_complete(self):
        command = [BIN, "convert", "--format", "dial9", "--split-duration", "10", "-o", self.folder / "run.dial9", "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(ticks(1, 5, 12, 20))
            process.stdin.flush()
            deadline = time.monotonic() + 60
            while not (self.folder / "run-0001.dial9").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["run-0001.dial9", "run-0002.dial9"])
        self.assertEqual(self.stamps(self.folder / "run-0002.dial9"), [12, 20])


@needs_traces
class ReferenceTraces(CommandTest):
    """All parts together hold what the undivided result holds; each part more than once only what describes others."""

    def traces(self):
        for name, ending in (("dial9", ".bin"), ("heph", ".heph"), ("tband", "")):
            files = [each for each in sorted((TRACES / name).rglob("*" + ending)) if each.is_file()]
            no_traces = (".jsonl", ".jsonl.gz", ".tsv", ".md", ".py")
            small = [each for each in files if each.stat().st_size < 1_000_000]
            yield from ((each, name) for each in small if not each.name.endswith(no_traces))
        yield from ((each.parent, "ctf") for each in sorted((TRACES / "ctf").rglob("metadata")))

    def check_parts(self, trace, trace_format, target, *options):
        folder = self.folder / f"{trace.name}-{target}{options[0]}"
        folder.mkdir()
        convert = ("convert", "-q", "--format", trace_format, "--to", target)
        whole = run(*convert, "--order", "time", "-o", folder / "whole", trace)
        divided = run(*convert, "--order", "time", "-o", folder / "part", *options, trace)
        if whole.returncode != 0:
            return
        self.assertEqual(divided.returncode, 0, divided.stderr)
        parts = sorted(folder.glob("part-*"))
        if target == "csv":
            wanted = csv_lines(folder / "whole")
            read = [line for part in parts for line in csv_lines(part)]
        elif target == "jsonl":
            lines = [line for part in parts for line in part.read_text().splitlines()]
            wanted = [comparable(json.loads(line), target) for line in (folder / "whole").read_text().splitlines()]
            read = [comparable(json.loads(line), target) for line in lines]
        else:
            as_target = ("--format", "ctf" if target.startswith("ctf") else target)
            for part in parts:
                self.check(run("validate", "-q", *as_target, part), 0)
            # Cores and lost events of Tonbandgeraet are told as the data streams of a part ask for it.
            foreign = target == "tband" and trace_format != target
            some = ("--where", "!(name in ['core_id', 'dropped_evt_cnt'])") if foreign else ()
            wanted = [comparable(event, target) for event in events_of(folder / "whole", *as_target, *some)]
            read = [comparable(event, target) for part in parts for event in events_of(part, *as_target, *some)]
        more = collections.Counter(read) - collections.Counter(wanted)
        self.assertEqual(set(read), set(wanted), (trace, target))
        self.assertFalse(collections.Counter(wanted) - collections.Counter(read), (trace, target))
        if trace_format in ("heph", "ctf") and target != "tband":
            self.assertEqual(list(more), [], (trace, target))
        elif trace_format == "dial9" and target not in ("tband", "csv"):
            self.assertLessEqual({json.loads(line).get("name") for line in more}, DESCRIBING, (trace, target))

    def test_parts(self):
        number = 0
        for trace, trace_format in list(self.traces())[::EVERY]:
            for option in (("--split-size", "2K"), ("--split-duration", "100us")):
                number += 1
                targets = TARGETS if EVERY == 1 else [TARGETS[number % len(TARGETS)]]
                for target in targets:
                    with self.subTest(trace=trace, target=target, option=option[0]):
                        self.check_parts(trace, trace_format, target, *option)


if __name__ == "__main__":
    unittest.main()

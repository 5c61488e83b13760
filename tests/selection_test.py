"""What of traces is selected and how it is distinguished: times as people write them, clocks, several traces, outputs."""

import csv
import io
import json
import os
import struct
import unittest

import dial9_writer as w
import large_metadata as metadata
from command import CommandTest, parse_lines, run

EPOCH = 1_700_000_000_000_000_000  # 2023-11-14T22:13:20Z


def events(result):
    return [dict(line) for line in parse_lines(result.stdout)]


def times(result):
    return [event["time"] for event in events(result)]


def at(*stamps, name="Tick"):
    """A trace with an event at each of these times."""
    trace, last = w.header() + w.schema(0, name, [("n", w.VARINT)]), 0
    for i, stamp in enumerate(stamps):
        if stamp < last or stamp - last >= 1 << 24:
            trace += w.reset(stamp)
            last = stamp
        trace += w.event(0, w.varint(i), delta=stamp - last)
        last = stamp
    return trace


SECOND = 1_000_000_000


class Bounds(CommandTest):
    STAMPS = [10 * SECOND, 11 * SECOND, 12 * SECOND + 1, 15 * SECOND]

    def selected(self, *args, stdin=None):
        trace = "-" if stdin else self.file("t", at(*self.STAMPS))
        result = run("print", "--output", "jsonl", *args, trace, stdin=stdin or b"")
        self.check(result, 0, args)
        return [self.STAMPS.index(time) for time in times(result)]

    def test_numbers_with_points_and_units(self):
        for begin, first in [
            ("11000000000", 1), ("11.0", 1), ("11s", 1), ("11000ms", 1), ("12s", 2), ("12.000000001", 2),
            ("12.000000002s", 3), ("0.25min", 3), ("+1s", 1), ("+1000000001", 2), ("+0", 0), ("end-3s", 2),
            ("end-2999999998", 3), ("end-1h", 0),
        ]:
            with self.subTest(begin):
                self.assertEqual(self.selected("--begin", begin), list(range(first, 4)))

    def test_both_ends_belong_to_it(self):
        self.assertEqual(self.selected("--begin", "+1s", "--end", "+2000000001"), [1, 2])
        self.assertEqual(self.selected("--end", "end-4s"), [0, 1])

    def test_a_pipe_has_a_begin_and_no_known_end(self):
        trace = at(*self.STAMPS)
        self.assertEqual(self.selected("--begin", "+1s", stdin=trace), [1, 2, 3])
        result = self.check(run("print", "--end", "end-1s", "-", stdin=trace), 2)
        self.assertIn(b"needs a file", result.stderr)

    def test_every_command_selects_alike(self):
        trace = self.file("t", at(*self.STAMPS))
        self.assertEqual(json.loads(self.check(run("info", "--json", "--begin", "+1s", trace), 0).stdout)["events"], 3)
        self.assertEqual(json.loads(self.check(run("stats", "--json", "--begin", "+1s", trace), 0).stdout)["events"], 3)
        out = self.folder / "part.dial9"
        self.check(run("convert", "--begin", "+1s", "-o", out, trace), 0)
        self.assertEqual(times(run("print", "--output", "jsonl", out)), self.STAMPS[1:])
        for order in ["merged", "recorded", "time"]:
            self.assertEqual(self.selected("--begin", "+1s", "--order", order), [1, 2, 3])

    def test_wrong_forms_name_the_right_ones(self):
        trace = self.file("t", at(1))
        for wrong in ["now", "1.", "5x", "end", "end+5", "+", "1e9", "12:00", "0.5ns", "2023-11-14"]:
            result = self.check(run("print", "--begin", wrong, trace), 2)
            self.assertIn("--begin", result.stderr.decode())
        self.assertIn("end-2s", run("print", "--begin", "now", trace).stderr.decode())
        text = " ".join(run("print", "--help").stdout.decode().split())
        for form in ["503226.5", "12.5s", "10ms", "+5s", "end-2s", "hh:mm:ss.n", "2023-11-14 22:13:20", "RFC 3339"]:
            self.assertIn(form, text)

    def test_a_begin_behind_the_end_is_wrong_usage(self):
        trace = self.file("t.bin", w.ticks(5))
        for begin, end in (("5", "3"), ("5s", "3"), ("+5s", "+3s"), ("end-2s", "end-3s"), ("22:00:00", "21:59:59.9"),
                           ("2023-11-14 00:00:00", "2023-11-13 23:59:59"), ("2023-11-14T22:00:00Z", "2023-11-14T23:00:00+02:00")):
            for command in (["print"], ["info"], ["stats"], ["latency"], ["query", "count"], ["convert", "--to", "csv", "-o", self.folder / "o"]):
                result = self.check(run(*command, "--begin", begin, "--end", end, trace), 2, (begin, end))
                self.assertIn("'--begin' is later than '--end'", result.stderr.decode())
                self.assertEqual(result.stdout, b"")
        self.assertFalse((self.folder / "o").exists())
        self.check(run("print", "--begin", "3ns", "--end", "3ns", trace), 0)
        # Whether there is a time between these, the trace says.
        said = self.check(run("print", "--begin", "end-0s", "--end", "+0s", trace), 0)
        self.assertEqual(said.stdout, b"")
        self.assertIn("nothing selected: the trace has events from", said.stderr.decode())

    def test_nothing_selected_says_so(self):
        trace = self.file("t", at(*self.STAMPS))
        for order in ["merged", "recorded", "time"]:
            result = self.check(run("print", "--order", order, "--begin", "16s", trace), 0)
            self.assertEqual(result.stdout, b"")
            self.assertEqual(
                result.stderr.decode(),
                "tracedeck: nothing selected: the trace has events from 10.000000000 to 15.000000000\n",
            )
        self.assertEqual(run("print", "-q", "--begin", "16s", trace).stderr, b"")
        self.assertEqual(run("print", "-n", "0", trace).stderr, b"")
        result = self.check(run("print", "--begin", "16s", "-", stdin=at(*self.STAMPS)), 0)
        self.assertIn(b"from 10.000000000 to 15.000000000", result.stderr)
        other = self.file("other", at(*self.STAMPS, 20 * 10**9))
        result = self.check(run("stats", "--end", "1s", trace, other), 0)
        self.assertIn(b"the traces have events from 10.0", result.stderr)
        self.assertIn(b"nothing selected", self.check(run("info", "--end", "1s", trace), 0).stderr)

    def test_what_describes_others_is_selected_by_its_time(self):
        trace = w.header() + w.schema(0, "PollStart", [("worker_id", w.VARINT)]) + w.schema(1, "ClockSyncEvent", [("realtime_ns", w.VARINT)])
        trace += w.event(0, w.varint(1), 10) + w.event(1, w.varint(7), 5)
        result = self.check(run("print", "--begin", "12", self.file("d", trace)), 0)
        self.assertIn(b"realtime_ns=7", result.stdout)
        self.assertEqual(result.stderr, b"")


class NominalTimes(CommandTest):
    """What only describes others has a time at which nothing happened."""

    def trace(self):
        trace = w.header() + w.schema(0, "Tick", [("n", w.VARINT)])
        trace += w.schema(1, "SymbolTableEntry", [("addr", w.VARINT), ("size", w.VARINT), ("n", w.VARINT)])
        for i, time in enumerate((3 * SECOND, SECOND, 2 * SECOND)):
            trace += w.reset(0) + w.event(1, w.varint(5) + w.varint(1) + w.varint(90 + i))
            trace += w.reset(time) + w.event(0, w.varint(i))
        return self.file("t", trace)

    def test_are_behind_all_others_where_events_are_sorted(self):
        for more in ((), ("--where", "n != 1"), ("--limit", "4"), ("--tail", "2")):
            result = self.check(run("print", "--output", "jsonl", "--order", "time", *more, self.trace()), 0)
            want = [1, 2, 0, 90, 91, 92]
            want = [n for n in want if n != 1] if more[:1] == ("--where",) else want[:4] if more[:1] == ("--limit",) else want[-2:] if more else want
            self.assertEqual([dict(event["fields"])["n"] for event in events(result)], want, more)

    def test_are_in_no_bucket(self):
        for stages in ("max(n) every 1s", "count every 1s"):
            rows = self.check(run("query", "--output", "jsonl", stages, self.trace()), 0).stdout.decode().splitlines()
            rows = [json.loads(row) for row in rows if "answer" not in row]
            self.assertEqual([row["time"] for row in rows], [None, SECOND, 2 * SECOND, 3 * SECOND], stages)

    def test_are_neither_first_nor_last(self):
        rows = self.check(run("query", "--output", "jsonl", "first(name), last(name), first(n), last(n) by has(addr)", self.trace()), 0).stdout.decode().splitlines()
        self.assertEqual(
            [list(json.loads(row).values())[1:] for row in rows[:-1]],
            [["Tick", "Tick", 1, 0], [None, None, None, None]],
        )


class OrderOfTime(CommandTest):
    def test_a_trace_whose_metadata_have_a_finding(self):
        """Looking through it and reading it meet with the same sources."""
        time = {**metadata.U8, "length": 64, "roles": ["default-clock-timestamp"]}
        header = metadata.structure([("timestamp", time)])
        fragments = [
            {"type": "clock-class", "id": "monotonic", "frequency": SECOND},
            {"type": "data-stream-class", "default-clock-class-id": "monotonic", "event-record-header-field-class": header},
            {"type": "event-record-class", "name": "Tick", "payload-field-class": metadata.structure([("n", metadata.U32)])},
        ]
        stream = b"".join(struct.pack("<QI", 5 + n, n) for n in range(3))
        folder = self.folder / "trace"
        folder.mkdir()
        for name, content in metadata.json_trace(fragments, stream).items():
            # A word of CTF2-SPECRC-3.0 is a warning.
            of_another = b'"type":"trace-class","uuid":' + json.dumps([*range(16)]).encode()
            (folder / name).write_bytes(content.replace(b'"type":"trace-class"', of_another))
        self.assertIn(b"warning", run("validate", folder).stdout)
        printed = self.check(run("print", "--output", "jsonl", "--order", "time", folder), 0)
        self.assertEqual(times(printed), [5, 6, 7])


class WallClock(CommandTest):
    """A trace whose clock began 100 s before its first event, at EPOCH - 100 s."""

    OFFSET = EPOCH - 100 * SECOND

    def trace(self, name="t", begin=100 * SECOND, utc=EPOCH):
        return self.file(
            name,
            w.header()
            + w.schema(0, "Tick", [("n", w.VARINT)])
            + w.schema(1, "ClockSyncEvent", [("realtime_ns", w.VARINT)])
            + w.reset(begin)
            + w.event(0, w.varint(1))
            + w.event(1, w.varint(utc + 5), delta=5)
            + w.reset(begin + 3 * SECOND)
            + w.event(0, w.varint(2)),
        )

    @staticmethod
    def ticks(result):
        """The events but for those that relate the clock, which are part of every selection."""
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return [event for event in lines if event["name"] == "Tick"]

    def test_info_shows_both(self):
        summary = json.loads(self.check(run("info", "--json", self.trace()), 0).stdout)
        self.assertEqual(summary["time"], {"first": 100 * SECOND, "last": 103 * SECOND})
        self.assertEqual(summary["utc"], {"offset": self.OFFSET, "first": EPOCH, "last": EPOCH + 3 * SECOND, "steps": []})
        text = run("info", self.trace()).stdout.decode()
        self.assertIn("100.000000000 to 103.000000000 (3.000000000 s)", text)
        self.assertIn("2023-11-14T22:13:20.000000000Z to 2023-11-14T22:13:23.000000000Z", text)
        other = self.file("other", at(1, 2))
        self.assertNotIn("utc", json.loads(run("info", "--json", other).stdout))

    def test_print_in_utc(self):
        trace = self.trace()
        recorded = times(run("print", "--output", "jsonl", "--clock", "trace", trace))
        self.assertEqual(times(run("print", "--output", "jsonl", trace)), recorded)
        for order in ["merged", "recorded", "time"]:
            wall = self.check(run("print", "--output", "jsonl", "--clock", "wall", "--order", order, trace), 0)
            self.assertEqual(times(wall), [time + self.OFFSET for time in recorded])
        self.assertIn(b"2023-11-14T22:13:20.000000005Z", run("print", "--clock", "wall", trace).stdout)

    def test_dates_are_mapped(self):
        trace = self.trace()
        for clock in ["trace", "wall"]:
            for bound in ["2023-11-14 22:13:21", "2023-11-14T23:13:20.000000006+01:00"]:
                result = run("print", "--output", "jsonl", "--clock", clock, "--begin", bound, trace)
                self.assertEqual([event["fields"]["n"] for event in self.ticks(result)], [2])

    def test_an_offset_of_the_user_is_minded(self):
        result = run(
            "print", "--output", "jsonl", "--clock-offset", "7", "--begin", "2023-11-14 22:13:21", self.trace()
        )
        found = [event["time"] for event in self.ticks(result)]
        self.assertEqual(found, [103 * SECOND + 7], "UTC is that of the recorded time")

    def anchored(self, *anchors, ticks=range(0, 60, 10)):
        """Ticks at seconds of the trace's clock, and anchors: (second, UTC less that in ns)."""
        trace = w.header() + w.schema(0, "Tick", [("n", w.VARINT)]) + w.schema(1, "ClockSyncEvent", [("realtime_ns", w.VARINT)])
        events = [(tick * SECOND, 1, tick) for tick in ticks] + [(at * SECOND, 0, at * SECOND + offset) for at, offset in anchors]
        for time, is_tick, value in sorted(events):
            trace += w.reset(time) + w.event(0 if is_tick else 1, w.varint(value))
        return self.file("anchored", trace)

    def walls(self, trace, *options):
        result = self.check(run("print", "--output", "jsonl", "--clock", "wall", *options, trace), 0)
        return {event["fields"]["n"]: event["time"] for event in self.ticks(result)}, result.stderr.decode()

    def test_every_anchor_counts(self):
        """A little is drift between two anchors; beyond 1 ms it is a step at the later one, which is said."""
        trace = self.anchored((10, EPOCH), (30, EPOCH + 1_000_000), (50, EPOCH + 3600 * SECOND))
        shown, said = self.walls(trace)
        offsets = {n: time - n * SECOND - EPOCH for n, time in shown.items()}
        self.assertEqual(offsets, {0: 0, 10: 0, 20: 500_000, 30: 1_000_000, 40: 1_000_000, 50: 3600 * SECOND})
        self.assertIn("UTC goes on by 3599.999000000 s more than its own clock", said)
        summary = json.loads(run("info", "--json", trace).stdout)["utc"]
        self.assertEqual(summary["last"], EPOCH + 3650 * SECOND)
        self.assertEqual(
            summary["steps"], [{"after": 30 * SECOND, "at": 50 * SECOND, "by": 3600 * SECOND - 1_000_000}]
        )
        self.assertIn(b"note: dial9/clock-step", self.check(run("validate", trace), 0).stdout)
        for order in ("merged", "recorded", "time"):
            self.assertEqual(self.walls(trace, "--order", order)[0], shown)

    def test_dates_follow_the_anchors(self):
        """An hour of suspend, then the clock is set back by 15 s."""
        trace = self.anchored((0, EPOCH), (20, EPOCH + 3600 * SECOND), (40, EPOCH + 3585 * SECOND))
        for bounds, want in (
            (("--begin", "2023-11-14 22:13:31"), {20, 30, 40, 50}),
            (("--end", "2023-11-14 22:13:31"), {0, 10}),
            (("--begin", "2023-11-14 23:13:48"), {30, 50}),
        ):
            self.assertEqual(set(self.walls(trace, *bounds)[0]), want, bounds)
        # And so where times are shown as the trace has them.
        for bounds, want in (
            (("--begin", "2023-11-14 22:13:31"), {20, 30, 40, 50}),
            (("--begin", "2023-11-14 23:13:48"), {30, 50}),
            (("--end", "2023-11-14 23:13:46"), {0, 10, 20, 40}),
            (("--begin", "2023-11-14 23:13:41", "--end", "2023-11-14 23:13:46"), {40}),
        ):
            result = self.check(run("print", "--output", "jsonl", *bounds, trace), 0)
            self.assertEqual({event["fields"]["n"] for event in self.ticks(result)}, want, bounds)
        self.assertEqual(set(self.walls(trace, "--begin", "+3622s")[0]), {30, 40, 50}, "from 22:13:20 on")

    def test_traces_are_merged_by_their_wall_clocks(self):
        one = self.anchored((0, EPOCH), (40, EPOCH + 3600 * SECOND))
        os.rename(one, self.folder / "one")
        other = self.anchored((0, EPOCH + 1800 * SECOND))
        result = self.check(run("print", "--output", "jsonl", "--clock", "wall", self.folder / "one", other), 0)
        self.assertEqual([event["trace"] for event in self.ticks(result)], ["one"] * 4 + ["anchored"] * 6 + ["one"] * 2)

    def test_durations_are_those_of_the_trace(self):
        """A pair across an hour of suspend lasts as long as the trace's clock says; that its times are off is said."""
        trace = self.anchored((0, EPOCH), (15, EPOCH + 3600 * SECOND), ticks=(10, 20))
        result = self.check(run("query", "--clock", "wall", "--output", "jsonl", "pair Tick Tick | select duration", trace), 0)
        self.assertEqual(json.loads(result.stdout.splitlines()[0])["duration"], 10 * SECOND)
        self.assertIn(b"are of its own clock", result.stderr)

    def test_an_integer_that_may_mean_seconds(self):
        trace = self.anchored((503225, EPOCH), ticks=(503226, 503229))
        for bound in ("503228", "503226"):
            result = self.check(run("print", "--begin", bound, trace), 2)
            self.assertIn(f"write {bound}s or {bound}ns", result.stderr.decode())
        for bound in ("503228.0", "503228s"):
            self.assertEqual(len(self.ticks(run("print", "--output", "jsonl", "--begin", bound, trace))), 1)
        for bound in ("503228ns", "0", "503228000000001", "7", "9000000"):
            self.check(run("print", "--begin", bound, trace), 0)

    def test_a_copy_in_utc_is_written_anew(self):
        out = self.folder / "utc.dial9"
        self.check(run("convert", "--clock", "wall", "-o", out, self.trace()), 0)
        self.assertEqual(times(run("print", "--output", "jsonl", out))[0], EPOCH)

    def test_files_of_one_clock_are_related(self):
        """UTC may have been set a little between them."""
        first = self.trace()
        second = self.trace("second", 104 * SECOND, EPOCH + 4 * SECOND + SECOND // 2)
        other = self.trace("other", 104 * SECOND, EPOCH + 5 * SECOND)
        silent = self.file("silent", at(104 * SECOND))
        out = self.folder / "out"
        for order in ("merged", "time"):
            for command in (("print",), ("convert", "-o", out, "--to", "jsonl", "--int64", "string")):
                command = (*command, "--order", order)
                self.assertEqual(self.check(run(*command, first, second), 0).stderr, b"", command)
                for third in (other, silent):
                    result = self.check(run(*command, first, second, third), 0)
                    said = f"nothing relates the clocks of {first} and {third}"
                    self.assertIn(said, result.stderr.decode())
                    strict = self.check(run(*command, "--strict", first, second, third), 4)
                    self.assertIn(said, strict.stderr.decode())
                self.check(run(*command, "--strict", first, second), 0)
        self.assertEqual(run("print", "--clock", "wall", first, other).stderr, b"")

    def test_each_trace_is_named_once_and_in_pairs_that_are_real(self):
        one, other, third = (self.file(name, at(1)) for name in ("one", "other", "third"))
        here = self.file("here", at(5 * SECOND)), self.trace(), self.trace("second", 104 * SECOND, EPOCH + 4 * SECOND)
        for command in (("print",), ("print", "--order", "time"), ("latency",), ("query", "count every 1s")):
            said = self.check(run(*command, one, other, one, third, other), 0).stderr.decode()
            self.assertIn(f"the clocks of {one} and {other}, {third}: ", said, command)
            self.assertNotIn("nothing relates", run(*command, one, one).stderr.decode(), command)
            # Both of one clock, which UTC tells.
            self.assertNotIn("nothing relates", run(*command, *here[1:]).stderr.decode(), command)
            said = run(*command, *here[1:], here[0]).stderr.decode()
            self.assertEqual(said.count("nothing relates"), 1, command)
        self.check(run("latency", "--strict", *here[1:]), 0)
        self.check(run("latency", "--strict", *here), 4)

    def ctf1(self, tree, name, clock, *values):
        """A trace of CTF 1.8 in a tree."""
        folder = self.folder / tree / name
        folder.mkdir(parents=True)
        (folder / "metadata").write_text(
            "/* CTF 1.8 */\n"
            "trace { major = 1; minor = 8; byte_order = le; };\n"
            f"clock {{ name = c; {clock} }};\n"
            "typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := t;\n"
            "stream { event.header := struct { t time; }; };\n"
            "event { name = Tick; fields := struct { integer { size = 8; } n; }; };\n"
        )
        (folder / "stream").write_bytes(b"".join(value.to_bytes(8, "little") + b"\x01" for value in values))

    def test_clocks_of_ctf1_that_are_not_absolute(self):
        """CTF 1.8: they are synchronised with clocks of the same UUID alone."""
        uuid = "uuid = \"00000000-0000-0000-0000-00000000000{}\";".format
        epoch, local, absolute = "offset_s = 1700000000;", "absolute = FALSE;", "absolute = TRUE;"
        none, hosts = "nothing relates the clocks of {a} and {b}", "{a} and {b} have clocks of their own, of UTC"
        cases = [
            ("boots", uuid(1) + local, uuid(2) + local, none),
            ("little", uuid(1), uuid(2) + "offset_s = 1000;", none),
            ("mixed", uuid(1) + local, uuid(2) + epoch, none),
            ("hosts", uuid(1) + epoch + local, uuid(2) + epoch, hosts),
            ("one", uuid(1) + absolute, uuid(2) + epoch, hosts),
            ("same", uuid(1) + local, uuid(1) + local, ""),
            ("absolute", uuid(1) + absolute, uuid(2) + absolute, ""),
        ]
        for tree, a, b, said in cases:
            self.ctf1(tree, "a", a, 1000, 3000)
            self.ctf1(tree, "b", b, 2000, 4000)
            for command in ("print", "latency"):
                result = self.check(run(command, self.folder / tree), 0)
                text = result.stderr.decode()
                self.assertEqual(text.count("\n"), 1 if said else 0, (tree, command, text))
                self.assertIn(said.format(a=self.folder / tree / "a", b=self.folder / tree / "b"), text)
                self.check(run(command, "--strict", self.folder / tree), 4 if said == none else 0)
                result = self.check(run(command, "--strict", "--clock-offset", "b=0", self.folder / tree), 0)
                self.assertNotIn("the clocks of", result.stderr.decode(), (tree, command))

    def test_an_offset_says_that_clocks_are_one(self):
        tree = self.folder / "tree"
        tree.mkdir()
        for name, times_ in (("p", (1000, 3000)), ("q", (2000, 4000))):
            self.check(run("convert", "-q", "--to", "ctf2", "-o", tree / name, self.file("t", at(*times_))), 0)
        for command in ("print", "latency"):
            self.assertIn("nothing relates", run(command, tree).stderr.decode())
            # One offset of all says nothing of them.
            self.assertIn("nothing relates", run(command, "--clock-offset", "5", tree).stderr.decode())
            for name in ("q", tree / "q"):
                result = self.check(run(command, "--strict", "--clock-offset", f"{name}=0", tree), 0)
                self.assertEqual(result.stderr, b"")
        moved = self.check(run("print", "--output", "jsonl", "--clock-offset", "q=5us", tree), 0)
        self.assertEqual([(e["trace"], e["time"]) for e in events(moved)], [("p", 1000), ("p", 3000), ("q", 7000), ("q", 9000)])
        wrong = self.check(run("print", "--clock-offset", "r=5", tree), 2).stderr.decode()
        self.assertIn("'r' is none of the TRACEs, which are p, q", wrong)

    def test_questions_about_times_of_clocks_that_nothing_relates(self):
        first, other = self.file("first", at(1)), self.file("other", at(2))
        said = f"nothing relates the clocks of {first} and {other}"
        for question in ("select time", "count every 1s", "pair Tick Tick | count", "spans | count"):
            result = self.check(run("query", question, first, other), 0)
            self.assertEqual(result.stderr.decode().count(said), 1, question)
            self.check(run("query", "--strict", question, first, other), 4)
            self.assertNotIn(said, run("query", question, first).stderr.decode())
        for question in ("count by name", "where time < 5 | count"):
            result = self.check(run("query", "--strict", question, first, other), 0)
            self.assertNotIn(said, result.stderr.decode())
        self.check(run("latency", first, other), 0)
        self.check(run("latency", "--strict", first, other), 4)

    def test_a_trace_that_says_nothing_stays_as_it_is(self):
        trace = self.file("t", at(1000, 2000))
        self.assertEqual(times(run("print", "--output", "jsonl", "--clock", "wall", trace)), [1000, 2000])


class SeveralTraces(CommandTest):
    def test_json_lines(self):
        a, b = self.file("a", at(1, 3, name="A")), self.file("b", at(2, name="B"))
        for order in ["merged", "recorded", "time"]:
            lines = parse_lines(self.check(run("print", "--output", "jsonl", "--order", order, a, b), 0).stdout)
            self.assertTrue(all(line[0][0] == "trace" for line in lines))
            self.assertTrue(all(dict(line)["trace"] == dict(line)["name"].lower() for line in lines))
        self.assertNotIn(b"trace", run("print", "--output", "jsonl", a).stdout)

    def test_the_shortest_ending_that_no_other_has(self):
        for name in ["x/one", "x/two"]:
            (self.folder / name).mkdir(parents=True)
        paths = [self.file(name, at(1)) for name in ["x/one/t", "x/two/t", "u"]]
        result = run("print", "--output", "jsonl", "--order", "recorded", *paths)
        self.assertEqual([event["trace"] for event in events(result)], ["one/t", "two/t", "u"])

    def test_one_that_cannot_be_read_leaves_the_form_as_it_is(self):
        a = self.file("a", at(1))
        for order in ["merged", "recorded", "time"]:
            result = self.check(run("print", "--output", "jsonl", "--order", order, a, self.folder / "none"), 3)
            self.assertEqual([event["trace"] for event in events(result)], ["a"])

    def test_csv_and_text(self):
        a, b = self.file("a", at(1)), self.file("b,c", at(2))
        rows = list(csv.reader(io.StringIO(run("print", "--output", "csv", a, b).stdout.decode())))
        self.assertEqual(rows[0], ["trace", "time", "duration", "name", "id", "stream", "context", "fields"])
        self.assertEqual([row[0] for row in rows[1:]], ["a", "b,c"])
        self.assertTrue(all(len(row) == 8 for row in rows))
        text = run("print", a, b).stdout.decode().splitlines()
        self.assertEqual([line.split()[2] for line in text], ["a", "b,c"])
        single = list(csv.reader(io.StringIO(run("print", "--output", "csv", a).stdout.decode())))
        self.assertEqual(len(single[0]), 7)

    def test_conversions_and_other_records(self):
        a, b = self.file("a", at(1)), self.file("b", at(2))
        out = self.folder / "out.jsonl"
        self.check(run("convert", "-o", out, a, b), 0)
        self.assertEqual([json.loads(line)["trace"] for line in out.read_text().splitlines()], ["a", "b"])
        lines = events(run("print", "--output", "jsonl", "--records", "all", a, b))
        self.assertTrue(all("trace" in line for line in lines))

    def test_a_query_knows_them_apart(self):
        one, two = self.file("one", at(1, 2)), self.file("two", at(3))
        for stages, rows in [
            ("count by trace", ["one,2", "two,1"]),
            ("where trace == 'two' | select trace, n", ["two,0"]),
            ("select lower(trace) as t | count by t", ["one,2", "two,1"]),
            ("pair Tick Tick on trace | count by trace", ["one,1"]),
        ]:
            result = self.check(run("query", "--output", "csv", stages, one, two), 0, stages)
            self.assertEqual(result.stdout.decode().split()[1:], rows)
        result = self.check(run("query", "--output", "csv", "count by trace", one), 0)
        self.assertEqual(result.stdout.decode().split()[1:], [",2"])

    def test_a_tree_that_holds_several(self):
        trace = self.file("t", at(1, 2))
        for name in ["p", "q"]:
            (self.folder / "tree").mkdir(exist_ok=True)
            self.check(run("convert", "--to", "ctf2", "-o", self.folder / "tree" / name, trace), 0)
        result = run("print", "--output", "jsonl", "--order", "recorded", self.folder / "tree")
        self.assertEqual([event["trace"] for event in events(result)], ["p", "p", "q", "q"])


class Outputs(CommandTest):
    def test_the_ending_of_out_names_the_target(self):
        trace = self.file("t", at(1, 2))
        for ending, to in [
            ("jsonl", "jsonl"), ("ndjson", "jsonl"), ("csv", "csv"), ("dial9", "dial9"), ("heph", "heph"),
            ("tband", "tband"), ("bin.log", "heph"), ("ctf2", "ctf2"), ("ctf1", "ctf1"), ("ctf2rc", "ctf2rc"),
        ]:
            with self.subTest(ending):
                out, report = self.folder / f"x.{ending}", self.folder / "report"
                self.check(run("convert", "-q", "--report", report, "-o", out, trace), 0)
                self.assertEqual(json.loads(report.read_text())["to"], to)
                self.assertTrue(out.exists())
        result = self.check(run("convert", "-o", self.folder / "x.bin", trace), 2)
        self.assertIn("--to dial9 or --to tband", result.stderr.decode())
        result = self.check(run("convert", "-o", self.folder / "x.foo", trace), 2)
        self.assertIn("--to FORMAT", result.stderr.decode())
        self.assertIn(".jsonl", result.stderr.decode())
        # What --to says goes first.
        self.check(run("convert", "--to", "csv", "-o", self.folder / "y.jsonl", trace), 0)
        self.assertTrue((self.folder / "y.jsonl").read_text().startswith("time,"))

    def test_options_go_with_the_outputs_that_know_them(self):
        trace = self.file("t", at(1))
        for args, says in [
            (["print", "--int64", "string"], "'--int64' goes with '--output jsonl, csv' only"),
            (["print", "--output", "csv", "--clock-gmt"], "'--clock-gmt' goes with '--output babeltrace2' only"),
            (["convert", "-o", "x.dial9", "--int64", "string"], "'--int64' goes with '--to jsonl, csv' only"),
            (["convert", "-o", "x.jsonl", "--packet-size", "4K"], "'--to ctf2rc, ctf2, ctf1' only"),
        ]:
            result = self.check(run(*args, trace), 2)
            self.assertIn(says, result.stderr.decode())

    def test_integers_beyond_2_53(self):
        top, limit = 2**64 - 1, 2**53
        trace = self.file(
            "t",
            w.header()
            + w.schema(0, "E", [("a", w.VARINT), ("b", w.VARINT), ("c", w.I64)])
            + w.reset(EPOCH)
            + w.event(0, w.varint(top) + w.varint(limit) + w.i64(-limit - 1)),
        )
        line = events(run("print", "--output", "jsonl", trace))[0]
        self.assertEqual((line["time"], dict(line["fields"])), (EPOCH, {"a": top, "b": limit, "c": -limit - 1}))
        for args in [["print", "--output", "jsonl"], ["convert", "-o", "-", "--to", "jsonl"]]:
            line = events(self.check(run(*args, "--int64", "string", trace), 0))[0]
            self.assertEqual(line["time"], str(EPOCH))
            self.assertEqual(dict(line["fields"]), {"a": str(top), "b": limit, "c": str(-limit - 1)})

    def test_every_output_is_listed(self):
        text = run("formats").stdout.decode()
        for name in ["text", "jsonl", "csv", "babeltrace2", "dial9", "heph", "tband", "ctf2rc", "ctf2", "ctf1"]:
            self.assertRegex(text, rf"(?m)^{name} +(lines|a file|a directory) ")


class Words(CommandTest):
    def test_help_and_version(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        for command in ["info", "print", "convert", "formats"]:
            result = self.check(run("help", command), 0)
            self.assertEqual(result.stdout, run(command, "--help").stdout)
        self.assertEqual(self.check(run("version"), 0).stdout, run("--version").stdout)
        self.assertIn(b"did you mean 'print'", self.check(run("help", "prnit"), 2).stderr)

    def test_n_is_the_limit(self):
        trace = self.file("t", w.ticks(5))
        for args in [["-n", "2"], ["-n2"], ["--limit", "2"]]:
            self.assertEqual(len(events(run("print", "--output", "jsonl", *args, trace))), 2)

    def test_the_limit_counts_what_describes_others_as_it_counts_all(self):
        sync = w.schema(1, "ClockSyncEvent", [("monotonic_ns", w.VARINT), ("realtime_ns", w.VARINT)])
        trace = self.file("t", w.ticks(5) + sync + b"".join(w.event(1, w.varint(n) * 2, delta=1) for n in range(5)))
        for select in ([], ["--where", "true"], ["--begin", "0"], ["--end", "1h"]):
            for order in ("recorded", "time", "merged"):
                printed = run("print", "--output", "jsonl", "-n", "7", "--order", order, *select, trace)
                self.assertEqual(len(events(printed)), 7, (select, order))

    def test_info_of_garbage_names_a_few_of_each_rule(self):
        garbage = self.file("garbage", bytes(os.urandom(1)[0] | 1 for _ in range(8000)).replace(b"\x07", b"\x00"))
        whole = self.file("frames", b"\xff\xff\x00" * 3000)
        for trace in [garbage, whole]:
            result = self.check(run("info", "--format", "tband", trace), 4)
            self.assertLess(len(result.stderr.splitlines()), 200)
            self.assertEqual(run("info", "-q", "--format", "tband", trace).stderr, b"")
            self.assertEqual(run("info", "-q", "--format", "tband", trace).stdout, result.stdout)
        said = run("info", "--format", "tband", whole).stderr.decode()
        self.assertRegex(said, r"more of tband/")
        named = run("print", "--format", "tband", whole).stderr.decode()
        self.assertGreater(len(named.splitlines()), 2000, "print names each")


if __name__ == "__main__":
    unittest.main()

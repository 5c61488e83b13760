"""`--min-duration` and `--max-size`: what is left out, what it adds up to, and what is said of it."""

import collections
import functools
import json
import random
import subprocess
import unittest

import dial9_writer as w
import perfetto_decoder
from chrome_test import slices_of
from command import BIN, TRACES, CommandTest, needs_traces, run
from exported import PROCESSOR_RUNS, answers
from page_test import Page
from why_test import TABLE, END, QUEUE, START, pool


@functools.cache
def jobs(count, seed=1):
    """Jobs on four workers, most of them short, some within others and some waited for."""
    chosen = random.Random(seed)
    events, now = [], 0
    for job in range(count):
        now += chosen.randrange(1, 40)
        worker, lasts = job % 4, int(chosen.lognormvariate(5, 2)) + 1
        if chosen.random() < 0.5:
            events.append((max(0, now - chosen.randrange(1, 2_000)), QUEUE, (job,)))
        events.append((now, START, (worker, job % 50 if job % 3 else job)))
        if chosen.random() < 0.2 and lasts > 4:
            events.append((now + 1, START, (worker, 7)))
            events.append((now + lasts // 2, END, (worker,)))
        now += lasts
        events.append((now, END, (worker,)))
    return pool(*sorted(events, key=lambda event: event[0]))


class ShortSlices(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = self.file("pool.toml", TABLE.encode())
        self.trace = self.file("t.bin", jobs(20_000))

    def convert(self, name, *args, code=0, **more):
        out = self.folder / name
        report = self.folder / "report.json"
        result = self.check(run("convert", "--table", self.table, "-o", out, "--report", report, *args, self.trace, **more), code)
        return out, json.loads(report.read_text()) if code == 0 else None, result.stderr.decode()

    def latency(self, condition):
        """(count, ns) of slices for which the condition holds."""
        where = f'kind == "slice" && {condition}'
        rows = json.loads(self.check(run("latency", "--json", "--top", "0", "--table", self.table, "--where", where, self.trace), 0).stdout)["rows"]
        return sum(row["count"] for row in rows), sum(row.get("total", 0) for row in rows)

    def left_out(self, report, bound):
        return {entry["what"]: entry["count"] for entry in report["entries"]}.get(f"slice shorter than {bound}", 0)

    def test_what_stays_and_what_is_counted_add_up(self):
        for nanoseconds, bound in ((1, "1ns"), (100, "100ns"), (1500, "1.5us"), (100_000, "100us")):
            with self.subTest(bound=bound):
                short, stays = self.latency(f"duration < {nanoseconds}"), self.latency(f"duration >= {nanoseconds}")
                out, report, _ = self.convert("t.pftrace", "--min-duration", bound)
                self.assertEqual(self.left_out(report, bound), short[0])
                trace = perfetto_decoder.Trace(out.read_bytes())
                self.assertEqual(trace.problems, [])
                known = [s for s in trace.slices if s.end is not None and s.end > s.begin]
                self.assertEqual((len(known), sum(s.end - s.begin for s in known)), stays)
                totals, before = collections.Counter(), {}
                for track, _, value in trace.counters:
                    self.assertGreaterEqual(value, before.get(track, 0))
                    before[track] = value
                for track, value in before.items():
                    totals[trace.tracks[track]["name"]] += value
                expected = {f"below {bound}": short[1], f"below {bound} (count)": short[0]} if short[0] else {}
                self.assertEqual(dict(totals), expected)
                # A point for every 64 of a track, and one at the end.
                self.assertLessEqual(len(trace.counters), 2 * (short[0] / 64 + 4 + 1))

    def test_arguments_of_what_stays_are_there(self):
        # Slices are held back until it is known that they stay, and their batches are gone by then.
        out, _, _ = self.convert("t.pftrace", "--min-duration", "20us")
        trace = perfetto_decoder.Trace(out.read_bytes())
        slices = [s for s in trace.slices if s.category == "run"]
        self.assertGreater(len(slices), 50)
        self.assertEqual([s.name for s in slices], [str(s.args["job"]) for s in slices])

    def test_every_target_leaves_out_the_same(self):
        stays = self.latency("duration >= 1000")
        out, _, _ = self.convert("t.json", "--min-duration", "1us")
        events = json.loads(out.read_text(), parse_float=__import__("decimal").Decimal)["traceEvents"]
        timed = [s for s in slices_of([e for e in events if e["ph"] in "BEbe"]) if s[2] > 0]
        self.assertEqual((len(timed), sum(s[2] for s in timed)), stays)
        out, _, _ = self.convert("t.html", "--min-duration", "1us")
        index = Page(out.read_text("utf-8")).index
        # Its table still counts all.
        tallies = [t for t in index["tallies"] if t["kind"] == 0]
        self.assertEqual((sum(t["count"] for t in tallies), sum(t["total"] for t in tallies)), self.latency("duration >= 0"))
        self.assertEqual(sum(row[3] for row in index["rows"] if row[0] == 0), stays[0])
        self.assertEqual(dict(map(tuple, index["counts"]))["slices not drawn: shorter than was asked for"], self.latency("duration < 1000")[0])
        self.assertIn("below 1us", {track["name"] for track in index["tracks"]})

    def test_events_that_no_rule_is_about_are_counted(self):
        other = w.schema(3, "Other", [("n", w.VARINT)]) + 2 * w.event(3, w.varint(1), 5)
        self.trace = self.file("t.bin", pool((10, START, (0, 9)), (20, END, (0,))) + other)
        for name in ("a.json", "a.pftrace", "a.html", "a.folded"):
            _, report, _ = self.convert(name)
            found = {entry["what"]: (entry["count"], entry["lossy"]) for entry in report["entries"]}
            self.assertEqual(found.get("event that no rule is about"), (2, False), name)

    def test_from_a_pipe(self):
        whole, _, _ = self.convert("t.pftrace", "--min-duration", "1us")
        with open(self.trace, "rb") as trace:
            piped = self.check(run("convert", "--table", self.table, "--to", "perfetto", "-o", "-", "--min-duration", "1us", "-", stdin=trace.read()), 0)
        count = lambda data: len(perfetto_decoder.Trace(data).slices)
        self.assertEqual(count(piped.stdout), count(whole.read_bytes()))

    def test_a_size_is_kept(self):
        for name in ("t.pftrace", "t.json", "t.html"):
            whole, report, said = self.convert(name)
            self.assertNotIn("slice shorter", said)
            whole_size = whole.stat().st_size
            fixed = self.convert(name, "--min-duration", "1h")[0].stat().st_size
            most = fixed + (whole_size - fixed) // 3
            with self.subTest(name=name):
                out, report, said = self.convert(name, "--max-size", str(most))
                size = out.stat().st_size
                self.assertLessEqual(size, most)
                # Of a page as small as this one, details of the longest are much, so the bound is met less closely.
                self.assertGreater(size - fixed, (most - fixed) * (0.3 if name == "t.html" else 0.8), "more could have stayed")
                self.assertIn("once more without slices shorter than", said)
                self.assertTrue(any(entry["what"].startswith("slice shorter than") for entry in report["entries"]))
                # What is small enough is as it was.
                again, report, said = self.convert(name, "--max-size", str(whole_size))
                self.assertEqual(again.stat().st_size, whole_size)
                self.assertNotIn("once more", said)
                out.unlink()
                _, _, said = self.convert(name, "--max-size", str(max(fixed // 2, 1)), code=4)
                self.assertIn("--begin", said)
                self.assertEqual([each.name for each in self.folder.glob(name + "*")], [])

    def test_a_size_needs_what_can_be_read_again(self):
        out = self.folder / "t.pftrace"
        for args in (["-o", out, "-"], ["-o", out, "--follow", self.trace], ["-o", out, "tcp-listen://:0"]):
            said = self.check(run("convert", "--max-size", "1M", *args), 2).stderr.decode()
            self.assertIn("can be read once", said)
        said = self.check(run("convert", "--max-size", "1M", "--to", "perfetto", "-o", "-", self.trace), 2).stderr.decode()
        self.assertIn("OUT has to be a file", said)
        fifo = self.folder / "fifo"
        subprocess.run(["mkfifo", fifo], check=True)
        self.assertIn("can be read once", self.check(run("convert", "--max-size", "1M", "-o", out, fifo), 2).stderr.decode())
        self.assertIn("can be read once", self.check(run("view", "--max-size", "1M", "-"), 2).stderr.decode())

    def test_usage(self):
        for args in (["--min-duration", "soon", "-o", "t.pftrace"], ["--min-duration", "-5us", "-o", "t.pftrace"], ["--max-size", "0", "-o", "t.html"],
                     ["--min-duration", "1us", "-o", "t.folded"], ["--max-size", "1M", "-o", "t.jsonl"]):
            self.assertIn("--help", self.check(run("convert", *args, self.trace), 2).stderr.decode(), args)

    @needs_traces
    def test_a_real_service(self):
        self.trace = TRACES / "dial9/tokio-demo.bin.gz"
        self.table = self.file("none.toml", TABLE.encode())
        short, stays = self.latency("duration < 100000"), self.latency("duration >= 100000")
        out, report, _ = self.convert("demo.pftrace", "--min-duration", "100us")
        self.assertEqual(self.left_out(report, "100us"), short[0])
        self.assertLess(out.stat().st_size, self.convert("whole.pftrace")[0].stat().st_size)
        if PROCESSOR_RUNS:
            counted = "select sum(most) from (select max(value) as most from counter join counter_track on track_id = counter_track.id where name = 'below 100us{}' group by track_id)"
            wrong, *found = answers(
                out,
                "select name, value from stats where severity != 'info' and value > 0",
                *(counted.format(what) for what in (" (count)", "")),
            )
            self.assertEqual(wrong, [])
            found = [int(float(one[0][0])) for one in found]
            self.assertEqual(tuple(found), short)
        index = Page(self.convert("demo.html", "--min-duration", "100us")[0].read_text("utf-8")).index
        self.assertEqual(sum(t["count"] for t in index["tallies"] if t["kind"] == 0), short[0] + stays[0])


if __name__ == "__main__":
    unittest.main()

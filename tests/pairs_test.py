"""Pairs by their names: which of several an end is of where begins and ends are of several threads and processors."""

import json
import unittest

from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf

MS = 1_000_000
JOBS = {"req_begin": ("req_id",), "req_end": ("req_id",), "io_begin": ("key",), "io_end": ("key",)}


class PairsTest(CommandTest):
    def latency(self, *events, threads=False, lost=()):
        """`events`: (ms, processor or thread, name, number). `lost`: of these (ms, processor) one event is lost behind."""
        trace = Ctf(JOBS, threads)
        for time, place, name, number in events:
            trace.event(0 if threads else place, time * MS, name, {JOBS[name][0]: number}, 10 + 2 * place)
            if (time, place) in lost:
                trace.packet(place, discarded=1)
        path = self.folder / f"trace{len(list(self.folder.iterdir()))}"
        trace.write(path)
        self.result = self.check(run("latency", path), 0)
        answer = json.loads(run("latency", "-q", "--json", path).stdout)
        (row,) = answer["rows"]
        self.counts = answer["counts"]
        return {key: row.get(key, 0) for key in ("count", "total", "left_out", "open")}

    def both(self, *events):
        """The same on two processors and of two threads."""
        rows = [self.latency(*events, threads=threads) for threads in (False, True)]
        self.assertEqual(rows[0], rows[1])
        return rows[0]

    def test_what_has_a_number_may_end_elsewhere(self):
        events = [each for i in range(6) for each in ((10 * i, 0, "req_begin", i), (10 * i + 12, 1, "req_end", i))]
        self.assertEqual(self.both(*sorted(events)), {"count": 6, "total": 72 * MS, "left_out": 0, "open": 0})
        self.assertEqual((self.counts["unmatched_ends"], self.counts["began_before"]), (0, 0))

    def test_equal_numbers_of_several_threads(self):
        """As where each processor has numbers of its own: an end is of what began there."""
        events = [(1, 0, "req_begin", 7), (2, 1, "req_begin", 7), (4, 0, "req_end", 7), (9, 1, "req_end", 7)]
        self.assertEqual(self.both(*events), {"count": 2, "total": 10 * MS, "left_out": 0, "open": 0})

    def test_equal_numbers_that_end_elsewhere(self):
        """What is open on two threads at once may end on either."""
        first = [(1, 0, "req_begin", 7), (2, 1, "req_end", 7)]
        then = [(3, 0, "req_begin", 8), (4, 1, "req_begin", 8), (6, 0, "req_end", 8), (9, 1, "req_end", 8)]
        self.assertEqual(self.both(*first, *then), {"count": 1, "total": MS, "left_out": 2, "open": 0})
        self.assertIn("none of the fields that both have (`req_id`) is known to say which of them `req_end` ends", self.result.stderr.decode())
        then = [(3, 0, "req_begin", 8), (4, 1, "req_begin", 8), (6, 0, "req_end", 8), (9, 0, "req_end", 8)]
        self.assertEqual(self.both(*then), {"count": 1, "total": 3 * MS, "left_out": 1, "open": 0})

    def test_losses_of_where_it_may_have_ended(self):
        events = [(1, 0, "req_begin", 1), (2, 1, "req_begin", 2), (3, 1, "req_end", 2), (5, 1, "req_begin", 3), (6, 1, "req_end", 3), (9, 0, "req_end", 1)]
        self.assertEqual(self.latency(*events)["count"], 3)
        self.assertEqual(self.latency(*events, lost=[(3, 1)]), {"count": 1, "total": MS, "left_out": 2, "open": 0})

    def test_a_number_of_a_processor_pairs_nothing(self):
        trace = Ctf({"req_begin": ("req_id", "cpu_id"), "req_end": ("req_id", "cpu_id")}, False)
        for time, cpu, name, number in ((0, 0, "req_begin", 1), (1, 1, "req_end", 1), (2, 1, "req_begin", 2), (3, 0, "req_end", 2)):
            trace.event(cpu, time * MS, name, {"req_id": number, "cpu_id": cpu}, 0)
        trace.write(self.folder / "numbers")
        (row,) = json.loads(self.check(run("latency", "--json", self.folder / "numbers"), 0).stdout)["rows"]
        self.assertEqual((row["count"], row["total"]), (2, 2 * MS))

    def test_without_a_number_a_processor_is_no_thread(self):
        events = [each for i in range(6) for each in ((10 * i, 0, "io_begin", i), (10 * i + 2, 1, "io_end", i))]
        self.assertEqual(self.latency(*events), {"count": 0, "total": 0, "left_out": 6, "open": 0})
        self.assertEqual((self.counts["unmatched_ends"], self.counts["began_before"]), (6, 0))
        text = self.result.stdout.decode()
        self.assertIn("6 have an end that may be another's", text)
        self.assertNotIn("still open", text)
        self.assertIn("none of the fields that both have (`key`) is known to say which of them `io_end` ends", self.result.stderr.decode())
        # What ends where it began is known, up to an end of another processor.
        events = [(0, 0, "io_begin", 1), (2, 0, "io_end", 1), (3, 1, "io_begin", 1), (4, 0, "io_begin", 1), (6, 1, "io_end", 1), (9, 0, "io_end", 1)]
        self.assertEqual(self.latency(*events), {"count": 3, "total": 10 * MS, "left_out": 0, "open": 0})
        self.assertEqual(self.latency(*events[:2], (3, 0, "io_begin", 1), (4, 1, "io_end", 1), (5, 0, "io_end", 1)), {"count": 1, "total": 2 * MS, "left_out": 1, "open": 0})

    def test_the_key_in_an_explained_table(self):
        trace = Ctf(JOBS, False)
        for i in range(4):
            trace.event(i % 2, i * MS, ("req_begin", "req_end")[i % 2], {"req_id": i // 2}, 0)
        trace.write(self.folder / "explained")
        explained = self.check(run("latency", "--explain", self.folder / "explained"), 0).stdout
        self.assertIn(b'match = ".req_id"\nagain = "mix"\nby_track = true\n', explained)
        table = self.file("t.toml", explained)
        answers = [json.loads(self.check(run("latency", "--json", *more, self.folder / "explained"), 0).stdout)["rows"] for more in ((), ("--table", table))]
        self.assertEqual(*answers)
        wrong = self.file("wrong.toml", explained.replace(b'again = "mix"\n', b""))
        self.assertIn(b"with `by_track`, `again` is `mix`", self.check(run("tables", "--table", wrong), 2).stderr)

    def test_self_of_slices_that_overlap(self):
        """One that goes on when another ends was not inside it."""
        events = [(1, 0, "req_begin", 1), (2, 0, "req_begin", 2), (3, 0, "req_end", 1), (10, 0, "req_end", 2)]
        self.assertEqual(self.latency(*events)["total"], 10 * MS)
        self.assertNotIn(b"SELF", self.result.stdout)

    def test_no_pairs(self):
        """Where nothing begins and ends the first line says of no pairs."""
        trace = Ctf({"tick": ("n",)}, False)
        trace.event(0, MS, "tick", {"n": 1}, 0)
        trace.write(self.folder / "ticks")
        self.assertIn(b"; no table is about these events\n", self.check(run("latency", self.folder / "ticks"), 0).stdout)
        self.assertEqual(json.loads(run("latency", "--json", self.folder / "ticks").stdout)["tables"], [])


if __name__ == "__main__":
    unittest.main()

"""A data stream whose clock steps back: no duration joins what began before the step and what ended behind it."""

import json
import unittest

import perfetto_decoder
from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf

JOBS = {"job_begin": ("kind",), "job_end": ("kind",)}
US = 1000


class ClockStepTest(CommandTest):
    def jobs(self, step, packets=False, streams=1):
        """60 jobs of 2 ms, one each 5 ms; the clock steps back between two of them, and within a job."""
        trace = Ctf(JOBS, False)
        back = 0
        for number in range(60):
            if number == 30:
                back = step
                if packets:
                    trace.packet(0)
            begin = 10_000_000 * US + number * 5000 * US
            if number == 45:
                trace.event(0, begin - back, "job_begin", {"kind": 1}, 0)
                back += step
                trace.event(0, begin + 2000 * US - back, "job_end", {"kind": 1}, 0)
                continue
            for name, time in (("job_begin", begin), ("job_end", begin + 2000 * US)):
                trace.event(0, time - back, name, {"kind": 1}, 0)
        if streams > 1:
            trace.event(1, 10_000_100 * US, "job_begin", {"kind": 1}, 0)
            trace.event(1, 10_000_200 * US, "job_end", {"kind": 1}, 0)
        path = self.folder / f"jobs{len(list(self.folder.iterdir()))}"
        trace.write(path)
        return path

    def test_pairs_of_a_query(self):
        for path, across in ((self.jobs(3500 * US), 1), (self.jobs(103_500 * US), 1), (self.jobs(0), 0)):
            stages = "pair job_begin job_end | count, min(duration), max(duration)"
            lines = self.check(run("query", "--output", "jsonl", stages, path), 0).stdout.decode().splitlines()
            row, answer = json.loads(lines[0]), json.loads(lines[-1])["answer"]["pairs"]
            self.assertEqual((row["min(duration)"], row["max(duration)"]), (2000 * US, 2000 * US))
            self.assertEqual((row["count"], answer["complete"], answer["across_clock_step"]), (60 - across, 60 - across, across))
            text = self.check(run("query", stages, path), 0).stdout.decode()
            self.assertEqual("1 across a step back of the clock" in text, across == 1)

    def row(self, path):
        answer = json.loads(self.check(run("latency", "--json", path), 0).stdout)
        (row,) = answer["rows"]
        return answer, row

    def test_nothing_is_joined_across_a_step(self):
        for step in (3500 * US, 103_500 * US, 2_000_000 * US):
            for packets in (False, True):
                with self.subTest(f"{step} {packets}"):
                    answer, row = self.row(self.jobs(step, packets))
                    self.assertEqual((row["count"], row["total"], row["max"]), (59, 59 * 2000 * US, 2000 * US))
                    self.assertEqual((row["left_out"], row.get("open", 0)), (1, 0))
                    counts = answer["counts"]
                    self.assertEqual((counts["sections"], counts["inferred_ends"], counts["unmatched_ends"], counts["began_before"]), (2, 1, 1, 0))

    def test_other_streams_go_on(self):
        _, row = self.row(self.jobs(103_500 * US, streams=2))
        self.assertEqual((row["count"], row["total"]), (60, (59 * 2000 + 100) * US))

    def test_all_commands_agree(self):
        path = self.jobs(103_500 * US)
        spans = self.check(run("query", "--output", "jsonl", "spans | count, max(duration)", path), 0).stdout
        self.assertIn({"count": 59, "max(duration)": 2000 * US}, [json.loads(line) for line in spans.splitlines()])
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "-o", out, path), 0)
        decoded = perfetto_decoder.Trace(out.read_bytes())
        self.assertEqual(decoded.problems, [])

    def test_disorder_is_no_step(self):
        """Events that are out of order again and again are sorted."""
        trace = Ctf(JOBS, False)
        for number in range(40):
            begin = 10_000_000 * US + number * 5000 * US
            trace.event(0, begin + 2000 * US, "job_end", {"kind": 1}, 0)
            trace.event(0, begin, "job_begin", {"kind": 1}, 0)
        trace.write(self.folder / "disorder")
        answer, row = self.row(self.folder / "disorder")
        self.assertEqual((row["count"], row["total"], answer["counts"]["sections"]), (40, 40 * 2000 * US, 0))


if __name__ == "__main__":
    unittest.main()

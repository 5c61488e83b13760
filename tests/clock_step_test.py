"""A data stream whose clock steps back: no duration joins what began before the step and what ended behind it."""

import json
import unittest

import dial9_writer as w
import perfetto_decoder
from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf
from worlds.rtos_tband import frame

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

    def test_pairs_of_a_query_as_recorded(self):
        """Far steps are steps of the clock, near ones disorder."""
        stages = "pair job_begin job_end | count, max(duration)"
        for order in ("recorded", "merged"):
            lines = self.check(run("query", "--order", order, "--output", "jsonl", stages, self.jobs(2_000_000 * US)), 0).stdout.decode().splitlines()
            row, answer = json.loads(lines[0]), json.loads(lines[-1])["answer"]["pairs"]
            self.assertEqual((row["count"], row["max(duration)"], answer["across_clock_step"]), (59, 2000 * US, 1))

    def test_many_far_steps(self):
        """A clock that steps back far again and again is no disorder."""
        trace = Ctf(JOBS, False)
        for number in range(100):
            begin = (10_000_000 + number % 5 * 3_000_000) * US
            trace.event(0, begin, "job_begin", {"kind": 1}, 0)
            trace.event(0, begin + 2000 * US, "job_end", {"kind": 1}, 0)
        trace.event(0, 10_000_000 * US, "job_begin", {"kind": 1}, 0)
        trace.write(self.folder / "many")
        _, row = self.row(self.folder / "many")
        self.assertEqual((row["count"], row["max"], row.get("open")), (100, 2000 * US, 1))
        # It began with the last event.
        self.assertEqual(row["oldest_open"], 0)
        lines = self.check(run("query", "--output", "jsonl", "pair job_begin job_end | count, max(duration)", self.folder / "many"), 0).stdout.decode().splitlines()
        self.assertEqual(json.loads(lines[0]), {"count": 100, "max(duration)": 2000 * US})

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

    def test_waits_across_a_step_are_counted(self):
        text = 'table = "w"\n[[track]]\nid = "a"\nname = "all"\n[[wait]]\nname = "asked"\nfrom = "job_begin"\nto = "job_end"\nmatch = ["kind"]\ntrack = "a"\n'
        table = self.file("w.toml", text.encode())
        for step, left_out in ((0, 0), (103_500 * US, 1)):
            path = self.jobs(step)
            (row,) = json.loads(self.check(run("latency", "--json", "--table", table, path), 0).stdout)["rows"]
            self.assertEqual((row["count"], row["max"]), (60 - left_out, 2000 * US))
            self.assertEqual((row.get("left_out", 0), row.get("across_clock_step", 0), row.get("open", 0)), (left_out, left_out, 0))
            said = self.check(run("latency", "--table", table, path), 0).stdout
            self.assertEqual(b"1 wait in no figure above, as the clock stepped back meanwhile" in said, left_out == 1)

    def test_states_of_a_processor_across_a_step(self):
        """Those of both sections are one row, and who was woken before the step waits for nothing known."""
        members = ("prev_tid", "prev_prio", "prev_state", "next_tid", "next_prio")
        trace = Ctf({"sched_switch": ("prev_comm:s", "next_comm:s", *members), "sched_waking": ("comm:s", "tid", "prio", "target_cpu")}, False)

        def switch(time, before, after):
            trace.event(0, time, "sched_switch", {"prev_comm": "a", "next_comm": "a", "prev_tid": before, "prev_prio": 20, "prev_state": 1, "next_tid": after, "next_prio": 20}, 0)

        for number in range(20):
            begin = 10_000_000 * US + number * 5000 * US
            back = 53_000 * US if number >= 10 else 0
            trace.event(0, begin - back, "sched_waking", {"comm": "a", "tid": 7, "prio": 20, "target_cpu": 0}, 0)
            back = 53_000 * US if number >= 9 else 0
            switch(begin + 100 * US - back, 0, 7)
            switch(begin + 2000 * US - back, 7, 0)
        trace.write(self.folder / "sched")
        result = self.check(run("latency", self.folder / "sched"), 0).stdout.decode()
        self.assertIn("1 wait in no figure above, as the clock stepped back meanwhile", result)
        (line,) = [line for line in result.splitlines() if line.startswith("cpu 0: ")]
        self.assertEqual(line.count("idle"), 1, line)
        answer = json.loads(run("latency", "-q", "--json", self.folder / "sched").stdout)
        (row,) = [row for row in answer["rows"] if row["kind"] == "wait"]
        self.assertEqual((row["count"], row["max"], row["left_out"], row["across_clock_step"]), (19, 100 * US, 1, 1))

    # A wall clock that is set back: UTC shows times twice.

    def polls(self, anchors=None):
        """35 polls of 1 ms, one each 10 ms; the wall clock is set back by 2 s at 201 ms."""
        utc = 1_700_000_000_000_000_000
        data = w.header() + w.schema(0, "ClockSyncEvent", [("realtime_ns", w.VARINT)])
        for kind, name in ((1, "PollStartEvent"), (2, "PollEndEvent")):
            fields = [("worker_id", w.VARINT)] + [("task_id", w.VARINT), ("spawn_loc", w.STRING)] * (kind == 1)
            data += w.schema(kind, name, fields)
        anchors = anchors or ((1000, 0), (101_000, 100_000), (201_000, -1_800_000))
        events = [(time * US, 0, w.varint(utc + since * US)) for time, since in anchors]
        for number in range(1, 36):
            begin = number * 10_000 * US
            events += [(begin, 1, w.varint(0) + w.varint(7) + w.string("src/main.rs:1:1")), (begin + 1000 * US, 2, w.varint(0))]
        last = 0
        for time, kind, values in sorted(events):
            data += w.event(kind, values, time - last)
            last = time
        return self.file("polls.bin", data)

    def test_bounds_in_utc_of_a_wall_clock_that_is_set_back(self):
        path = self.polls()
        date = "2023-11-14T22:13:{}Z".format
        for bounds, count, again in (
            (("--begin", date("20.05"), "--end", date("20.1")), 6, True),
            (("--end", date("20.1")), 10, True),
            (("--begin", date("20.05")), 15, True),
            (("--begin", date("18.25"), "--end", date("18.3")), 6, False),
            (("--begin", date("18.25")), 19, True),
        ):
            with self.subTest(bounds):
                result = run("latency", "--clock", "wall", "--json", *bounds, path)
                answer = json.loads(self.check(result, 0).stdout)
                (row,) = [row for row in answer["rows"] if row["kind"] == "slice"]
                self.assertEqual((row["count"], row["max"]), (count, 1000 * US))
                self.assertEqual(b"its wall clock was set back, and times between the bounds may come again" in result.stderr, again, result.stderr)
                for stages in ("spans | where category == 'poll' | count, max(duration)", "pair PollStartEvent PollEndEvent on worker_id | count, max(duration)"):
                    lines = self.check(run("query", "--output", "jsonl", "--clock", "wall", *bounds, stages, path), 0).stdout.splitlines()
                    self.assertEqual(json.loads(lines[0])["max(duration)"], 1000 * US, stages)

    def test_what_lies_before_the_first_anchor_is_left_out_aloud(self):
        """Polls from 40 to 80 ms come before the first anchor, and those behind the step are of the same UTC."""
        path = self.polls(((100_000, 0), (201_000, -49_000)))
        result = self.check(run("latency", "--json", "--begin", "2023-11-14T22:13:19.94Z", "--end", "2023-11-14T22:13:19.98Z", path), 0)
        (row,) = [row for row in json.loads(result.stdout)["rows"] if row["kind"] == "slice"]
        self.assertEqual(row["count"], 3)  # one ends at the step
        self.assertIn(b"times before its first clock anchor may be between the bounds, too: what lies before 2023-11-14T22:13:19.951", result.stderr)

    def test_steps_of_the_wall_clock_are_findings(self):
        self.assertIn(b"dial9/clock-step", self.check(run("info", self.polls()), 0).stdout)

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

    # A device of Tonbandgerät that restarts: its clock begins anew in the same stream.

    @staticmethod
    def run_of_device(wait, cores=1, first=1000):
        """30 waits of task 2 of so many us, one each 300 us from `first` on; and interrupts, each of which is written before what it came into."""
        content = frame(2, 1000) + frame(0x5F, 1, b"IDLE") + frame(0x5F, 2, b"w")
        for number in range(30):
            begin = first + 300 * number
            if cores == 2:
                content += frame(0, begin - 5, 1) + frame(0x55, begin, 2) + frame(0, begin + 1, 0)
            content += frame(0x04, begin + 3, 9) + frame(0x05, begin + 8, 9)
            content += (frame(0x55, begin, 2) if cores == 1 else b"") + frame(0x54, begin + wait, 2)
            content += frame(0x59, begin + 200, 1) + frame(0x54, begin + 205, 1)
        return content + frame(0x55, first + 300 * 30, 2)

    def from_file_and_pipe(self, content, *args):
        """Both answer the same."""
        answers = [
            self.check(run(*args, self.file("device.tband", content)), 0).stdout,
            self.check(run(*args, "--format", "tband", "-", stdin=content), 0).stdout,
        ]
        self.assertEqual(*[answer.replace(str(self.folder).encode() + b"/device.tband", b"(stdin)") for answer in answers])
        return answers[0].decode()

    def test_a_device_that_restarts(self):
        for cores in (1, 2):
            content = self.run_of_device(50, cores) + self.run_of_device(80, cores)
            with self.subTest(cores):
                spans = self.from_file_and_pipe(content, "query", "--output", "jsonl", "spans | count by label, duration")
                rows = [line for line in map(json.loads, spans.splitlines()) if "label" in line]
                self.assertEqual(
                    sorted((row["label"], row["duration"], row["count"]) for row in rows if not row["label"].startswith("isr")),
                    [("ready -> run", 50_000, 30), ("ready -> run", 80_000, 30)],
                )
                answer = json.loads(self.from_file_and_pipe(content, "latency", "--output", "json"))
                self.assertEqual(answer["counts"]["sections"], 1)
                (wait,) = [row for row in answer["rows"] if row["name"] == "ready -> run"]
                self.assertEqual((wait["count"], wait["max"]), (60, 80_000))
                self.assertIn("1 clock stepping back, from where on all begins anew", self.from_file_and_pipe(content, "latency"))

    def test_pairs_of_a_device_that_restarts(self):
        content = self.run_of_device(50) + frame(0x54, 990, 2) + self.run_of_device(80)
        stages = "pair task_to_rdy_state task_switched_in on task_id | count, min(duration), max(duration)"
        lines = [json.loads(line) for line in self.from_file_and_pipe(content, "query", "--output", "jsonl", stages).splitlines()]
        self.assertEqual((lines[0]["count"], lines[0]["min(duration)"], lines[0]["max(duration)"]), (60, 50_000, 80_000))
        pairs = lines[-1]["answer"]["pairs"]
        self.assertEqual((pairs["complete"], pairs["across_clock_step"], pairs["without_end"]), (60, 1, 1))

    def test_events_of_a_device_that_restarts_in_the_order_of_time(self):
        """Those of each run are sorted, and those of two not mixed."""
        content = self.run_of_device(50) + self.run_of_device(80)
        printed = self.from_file_and_pipe(content, "print", "-q", "--output", "jsonl", "--order", "time")
        times = [event["time"] for event in map(json.loads, printed.splitlines()) if event.get("time") is not None]
        half = len(times) // 2
        self.assertEqual(times[:half], sorted(times[:half]))
        self.assertEqual(times[half:], times[:half][:0] + sorted(times[half:]))
        self.assertEqual((times[half - 1], times[half]), (10_000_000, 1_000_000))

    def test_a_picture_of_a_device_that_restarts(self):
        content = self.run_of_device(50) + self.run_of_device(80)
        out = self.folder / "device.pftrace"
        self.check(run("convert", "-q", "-o", out, self.file("device.tband", content)), 0)
        self.assertEqual(perfetto_decoder.Trace(out.read_bytes()).problems, [])

    def test_a_stream_that_is_started_again(self):
        """Its clock goes on; only the core is said at the time 0."""
        content = self.run_of_device(50) + frame(0, 0, 0) + self.run_of_device(80, first=20_000)
        answer = json.loads(self.from_file_and_pipe(content, "latency", "--output", "json"))
        self.assertEqual(answer["counts"]["sections"], 0)
        (wait,) = [row for row in answer["rows"] if row["name"] == "ready -> run"]
        self.assertEqual((wait["count"], wait["max"]), (60, 10_080_000))
        # And so where the device restarts behind it.
        content = self.run_of_device(50) + frame(0, 0, 0) + self.run_of_device(80)
        answer = json.loads(self.from_file_and_pipe(content, "latency", "--output", "json"))
        (wait,) = [row for row in answer["rows"] if row["name"] == "ready -> run"]
        self.assertEqual((answer["counts"]["sections"], wait["count"], wait["max"]), (1, 60, 80_000))

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

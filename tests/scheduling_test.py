"""What is known of threads and processors by the kernel's switches: before the first of them, and why a thread left."""

import json
import unittest

import perfetto_decoder
from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf
from timeline_oracle.random_traces import KERNEL

SLEEPING, UNINTERRUPTIBLE, IDLE = 1, 2, 1026  # of prev_state
RUNNING = 3  # of Perfetto
CLASSES = {
    **KERNEL,
    "sched_migrate_task": ("comm:s", "tid", "prio", "orig_cpu", "dest_cpu"),
    "sched_wakeup_new": ("comm:s", "tid", "prio", "target_cpu"),
}


class SchedulingTest(CommandTest):
    def trace(self, *events, lost=0, until=0):
        trace = Ctf(CLASSES, False)
        for cpu, time, name, values in sorted(events, key=lambda event: event[1]):
            trace.event(cpu, time, name, values, 0)
            if lost and time in (500, 1000):
                trace.packet(cpu, lost if time == 1000 else 0)
        trace.end = max(trace.end, until)
        path = self.folder / f"kernel{len(list(self.folder.iterdir()))}"
        trace.write(path)
        return path

    @staticmethod
    def switch(cpu, time, before, state, after):
        names = {"prev_comm": f"t{before}", "next_comm": f"t{after}", "prev_prio": 0, "next_prio": 0}
        return cpu, time, "sched_switch", {**names, "prev_tid": before, "prev_state": state, "next_tid": after}

    @staticmethod
    def interrupt(cpu, time):
        return cpu, time, "irq_handler_entry", {"irq": 1, "name": "eth0"}

    @staticmethod
    def waking(cpu, time, tid):
        return cpu, time, "sched_waking", {"comm": f"t{tid}", "tid": tid, "prio": 0, "target_cpu": cpu}

    @staticmethod
    def woken(cpu, time, tid, kind="wakeup"):
        return cpu, time, f"sched_{kind}", {"comm": f"t{tid}", "tid": tid, "prio": 0, "target_cpu": cpu}

    def latency(self, trace):
        answer = json.loads(self.check(run("latency", "--json", trace), 0).stdout)
        tasks = {one["track"]: {state["name"]: state["time"] for state in one["states"]} for one in answer["tracks"] if one["group"] == "task"}
        return tasks, answer["counts"]["inferred_states"]

    def test_what_ran_before_the_first_switch(self):
        # Thread 5 holds cpu 0 from before the trace on, and thread 6 cpu 1, which its wake does not change.
        trace = self.trace(
            self.interrupt(0, 1000),
            self.waking(1, 1200, 7),
            self.interrupt(1, 2000),
            self.waking(1, 2500, 6),
            self.switch(1, 3000, 6, SLEEPING, 0),
            self.switch(0, 5000, 5, SLEEPING, 7),
            self.switch(0, 6000, 7, SLEEPING, 5),
            self.switch(0, 8000, 5, SLEEPING, 0),
        )
        tasks, inferred = self.latency(trace)
        self.assertEqual(inferred, 2)
        self.assertEqual(tasks["t5"], {"running": 4000 + 2000, "sleeping": 1000})
        self.assertEqual(tasks["t6"], {"running": 1800, "sleeping": 0})
        text = self.check(run("latency", trace), 0).stdout.decode()
        self.assertIn("2 states before the first switch of a processor, of what that took off", text)
        why = self.check(run("why", "--slice", "wake -> run", "--rank", "1", trace), 0).stdout.decode()
        self.assertIn("  ran        cpu 0: t5 5 for 3.80us (inferred)\n", why)
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "-o", out, trace), 0)
        decoded = perfetto_decoder.Trace(out.read_bytes())
        self.assertEqual(decoded.problems, [])
        self.assertEqual([(one.time, one.cpu) for one in decoded.tasks if one.tid == 5 and one.state == RUNNING], [(1000, 0), (6000, 0)])

    def test_not_where_something_was_lost(self):
        tasks, inferred = self.latency(self.trace(self.interrupt(0, 1000), self.switch(0, 5000, 5, SLEEPING, 7), self.switch(0, 6000, 7, 0, 5), lost=3))
        self.assertEqual((tasks["t5"], inferred), ({"sleeping": 1000}, 0))

    def test_what_a_packet_lost_lies_anywhere_until_its_end(self):
        """Of the wakes within the packet that says that events were lost, none is a wait whose length is known."""
        events = []
        for begin in range(1_000, 11_000, 1_000):
            events += [self.woken(0, begin, 6), self.switch(0, begin + 20, 0, 0, 6), self.switch(0, begin + 500, 6, SLEEPING, 0)]
        trace = Ctf(CLASSES, False)
        for cpu, time, name, values in events:
            trace.event(cpu, time, name, values, 0)
            if time in (3_500, 6_500):
                trace.packet(cpu, 4 if time == 6_500 else 0, end=6_900 if time == 6_500 else 0)
        path = self.folder / "packet"
        trace.write(path)
        answer = json.loads(self.check(run("latency", "--json", path), 0).stdout)
        (waits,) = [row for row in answer["rows"] if row["name"] == "wake -> run"]
        self.assertEqual((waits["count"], waits["max"]), (6, 20), "3 before the packet, and behind its end those of which it is known what the thread did before")
        pairs = self.check(run("query", "-q", "--output", "csv", "pair sched_wakeup sched_switch on a.tid == b.next_tid | count, max(duration)", path), 0)
        self.assertEqual(pairs.stdout.split()[-1], b"7,20")

    def test_a_wake_of_which_only_the_second_event_is_recorded(self):
        """The kernel has sched_waking, so that the thread was woken before the trace began: how long it waited is not known."""
        events = [self.woken(0, 1000, 7), self.switch(0, 1500, 0, 0, 7), self.switch(0, 2000, 7, SLEEPING, 0)]
        events += [self.waking(0, 3000, 7), self.woken(0, 3100, 7), self.switch(0, 3500, 0, 0, 7)]
        answer = json.loads(self.check(run("latency", "--json", self.trace(*events)), 0).stdout)
        self.assertEqual([(row["count"], row["total"]) for row in answer["rows"] if row["name"] == "wake -> run"], [(1, 500)])

    def test_wakes_of_which_only_the_second_events_are_recorded(self):
        """The trace describes sched_waking and has none: after the second wake of a thread nothing can have come before each."""
        for lost, waits in ((0, [(2, 500)]), (3, [])):
            events = [self.woken(0, 400, 7), self.interrupt(0, 500), self.interrupt(0, 1000)]
            events += [self.switch(0, 1500, 0, 0, 7), self.switch(0, 2000, 7, SLEEPING, 0)]
            events += [self.woken(0, 3000, 7), self.switch(0, 3400, 0, 0, 7), self.switch(0, 3600, 7, SLEEPING, 0)]
            events += [self.woken(0, 4000, 8), self.switch(0, 4100, 0, 0, 8)]
            answer = json.loads(run("latency", "--json", self.trace(*events, lost=lost)).stdout)
            self.assertEqual([(row["count"], row["total"]) for row in answer["rows"] if row["name"] == "wake -> run" and row["count"]], waits)

    def test_a_new_thread_is_ready_though_nothing_is_known_of_its_processor(self):
        tasks, _ = self.latency(self.trace(self.switch(0, 1000, 0, 0, 5), self.woken(1, 1500, 8, "wakeup_new"), self.interrupt(0, 2500)))
        self.assertEqual(list(tasks["t8"]), ["runnable"])

    def ends_early(self, name, last):
        """Thread 6 runs on cpu 1, whose data stream ends at 2 us; the other one has `last` and ends at 10 us."""
        other = self.trace(self.switch(1, 1100, 0, 0, 6), self.interrupt(1, 2000))
        path = self.trace(self.switch(0, 1000, 0, 0, 5), last, until=10_000)
        (other / "channel0_1").replace(path / "channel0_1")
        return path.rename(self.folder / name)

    def test_a_stream_that_ends_early_behind_which_no_rule_is_about_an_event(self):
        tasks, _ = self.latency(self.ends_early("silent", (0, 10_000, "timer_start", {"timer": 1})))
        self.assertEqual(tasks["t6"], {"running": 900})

    def test_a_stream_that_ends_early_by_the_packets_of_others_alone(self):
        tasks, _ = self.latency(self.ends_early("quiet", self.interrupt(0, 2010)))
        self.assertEqual(tasks["t6"], {"running": 900})

    def test_a_stream_that_ends_early_while_only_another_trace_goes_on(self):
        path = self.ends_early("early", self.switch(0, 10_000, 5, SLEEPING, 0))
        beside = self.trace(*(self.switch(0, time, 0, 0, 9) for time in range(1000, 9000, 500)))
        answer = json.loads(self.check(run("latency", "--json", path, beside), 0).stdout)
        states = {one["track"]: {s["name"]: s["time"] for s in one["states"]} for one in answer["tracks"] if one["group"] == "task"}
        self.assertEqual(next(each for name, each in states.items() if "t6" in name), {"running": 900})

    def test_beyond_the_most_tracks(self):
        # Each thread runs for 10 ns and sleeps; the last one is waked as it runs, and again as it sleeps.
        count = 17_000
        events = [self.interrupt(0, 0)]
        for tid in range(1, count + 1):
            events.append(self.switch(0, tid * 10, tid - 1, SLEEPING, tid))
        last = count * 10
        events += [self.waking(1, last + 5, count), self.switch(0, last + 10, count, SLEEPING, 0)]
        events += [self.waking(1, last + 100, count), self.switch(0, last + 130, 0, 0, count)]
        events += [self.switch(0, last + 150, count, SLEEPING, 1), self.switch(0, last + 200, 1, SLEEPING, 0)]
        trace = self.trace(*events)
        tasks, _ = self.latency(trace)
        answer = json.loads(self.check(run("latency", "--json", trace), 0).stdout)
        others = [one for one in answer["tracks"] if one["track"] == "(others)"]
        self.assertEqual(len(others), 1)
        states = {}
        for track in [one for one in answer["tracks"] if one["group"] == "task"] + others:
            for state in track["states"]:
                states[state["name"]] = states.get(state["name"], 0) + state["time"] + state.get("open", 0)
        end = last + 200
        slept = sum(end - (tid + 1) * 10 for tid in range(1, count)) - 50
        slept += 90 + 50
        self.assertEqual(states, {"running": count * 10 + 20 + 50, "runnable": 30, "sleeping": slept})
        said = self.check(run("latency", trace), 0).stderr.decode()
        self.assertIn(f"`latency` adds up the states of {count - len(tasks)} others as `(others)`, and no picture shows them", said)
        self.assertEqual([row["count"] for row in answer["rows"] if row["name"] == "wake -> run"], [1])

    def waits(self, *, queue, moves_at=None):
        """Thread 7 waits once for 90 us, in which thread 5 runs on cpu 0, where it runs then."""
        events = [self.switch(0, 900, 0, 0, 5)]
        for time in range(1000, 20_000, 1000):
            events += [self.waking(0, time, 7), self.switch(0, time + 100, 5, 0, 7), self.switch(0, time + 200, 7, SLEEPING, 5)]
        events += [(1, 30_000, "sched_waking", {"comm": "t7", "tid": 7, "prio": 0, "target_cpu": queue})]
        if moves_at is not None:
            events += [(1, moves_at, "sched_migrate_task", {"comm": "t7", "tid": 7, "prio": 0, "orig_cpu": queue, "dest_cpu": 0})]
        events += [self.switch(0, 120_000, 5, 0, 7), self.switch(0, 130_000, 7, SLEEPING, 5)]
        return json.loads(self.check(run("why", "--json", "--longest", "wake -> run", self.trace(*events)), 0).stdout)

    def test_a_task_on_another_queue_was_not_in_the_way(self):
        self.assertRegex(self.waits(queue=0)["so"], "t5.* ran on the same processor for 90.0us of it")
        self.assertIsNone(self.waits(queue=1).get("so"))
        self.assertIsNone(self.waits(queue=1, moves_at=60_000).get("so"))
        self.assertIsNotNone(self.waits(queue=1, moves_at=31_000).get("so"))

    def test_why_a_thread_left(self):
        tasks, _ = self.latency(
            self.trace(
                self.switch(0, 1000, 0, 0, 5),
                self.switch(0, 2000, 5, IDLE, 6),
                self.switch(0, 4000, 6, UNINTERRUPTIBLE, 5),
                self.switch(0, 5000, 5, 1024, 6),
                self.switch(0, 6000, 6, SLEEPING, 5),
            )
        )
        self.assertEqual(tasks["t5"], {"running": 2000, "idle": 2000, "runnable": 1000})
        self.assertEqual(tasks["t6"], {"running": 3000, "uninterruptible": 1000})


if __name__ == "__main__":
    unittest.main()

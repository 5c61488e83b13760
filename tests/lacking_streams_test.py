"""What data streams lack: a begin, a part that cannot be read, switches that are not recorded, a trace that ended before."""

import dataclasses
import json
import unittest

import perfetto_decoder
from command import CommandTest, run
from worlds import ctf, linux, loss

WAIT = "wake -> run"


def switch(time, cpu, before, after, state=1):
    fields = {"prev_comm": f"t{before}", "prev_tid": before, "prev_prio": 20, "prev_state": state}
    return cpu, time, "sched_switch", {**fields, "next_comm": f"t{after}", "next_tid": after, "next_prio": 20}


def wake(time, cpu, tid, kind="waking"):
    return cpu, time, f"sched_{kind}", {"comm": f"t{tid}", "tid": tid, "prio": 20, "target_cpu": cpu}


@dataclasses.dataclass
class Stream:
    events: list
    sequence: int = 0
    begin: int | None = None
    discarded: int = 0


class LackingStreams(CommandTest):
    def trace(self, name, *events, packets=None, end=0, host="box"):
        """`packets`: {cpu: [(first time, sequence, lost before)]}; without it one for each processor."""
        made = sorted(events, key=lambda event: event[1])
        end = max(end, made[-1][1] + 100)
        streams = {}
        for cpu in sorted({event[0] for event in made}):
            cuts = (packets or {}).get(cpu, [(made[0][1], 0, 0)])
            of_cpu = [ctf.Event(time, cpu, kind, fields, {}, 0) for at, time, kind, fields in made if at == cpu]
            streams[cpu] = []
            for i, (begin, sequence, lost) in enumerate(cuts):
                until = cuts[i + 1][0] if i + 1 < len(cuts) else end
                inside = [event for event in of_cpu if begin <= event.time < until or (i + 1 == len(cuts) and event.time >= begin)]
                streams[cpu].append(loss.Packet(inside, sequence, lost, begin, until))
        env = {"hostname": host, "domain": "kernel", "tracer_name": "lttng-modules", "tracer_major": 2, "tracer_minor": 13}
        return ctf.Trace(linux.CLASSES, env=env).write(self.folder / name, streams)

    def latency(self, *paths, args=(), code=0):
        return json.loads(self.check(run("latency", "--json", *args, *paths), code).stdout)

    def waits(self, answer):
        return {key: sum(row.get(key, 0) for row in answer["rows"] if row["name"] == WAIT) for key in ("count", "total", "left_out")}

    def states(self, answer, track):
        return {
            state["name"]: state["time"] + state.get("open", 0)
            for one in answer["tracks"] if one["track"] == track for state in one["states"]
        }  # fmt: skip

    def test_a_data_stream_that_begins_late_lacks_its_begin(self):
        """Of processor 1 the first packets were overwritten: thread 10 ran there meanwhile."""
        events = [
            switch(1_000, 0, 0, 11), wake(3_000, 0, 10), switch(17_000, 0, 11, 10), wake(18_000, 0, 12), switch(18_500, 0, 10, 12),
            switch(19_000, 1, 0, 13), wake(25_000, 0, 14), switch(26_000, 1, 13, 14),
        ]  # fmt: skip
        late = self.trace("late", *events, packets={1: [(18_900, 5, 0)]})
        answer = self.latency(late)
        self.assertEqual(self.waits(answer), {"count": 1, "total": 1_000, "left_out": 2})
        self.assertEqual(answer["counts"]["ended_early"], 1)
        text = self.check(run("latency", late), 0).stdout.decode()
        self.assertIn("1 data stream began long after the trace or ended long before it", text)
        self.assertNotIn("no losses", text)
        whole = self.trace("whole", *events, packets={1: [(1_000, 0, 0)]})
        self.assertEqual(self.waits(self.latency(whole)), {"count": 3, "total": 14_000 + 500 + 1_000, "left_out": 0})
        # Its first packet is there, and empty.
        empty = self.latency(self.trace("empty", *events, packets={1: [(1_000, 0, 0), (18_900, 1, 0)]}))
        self.assertEqual((self.waits(empty)["count"], empty["counts"]["ended_early"]), (3, 0))
        for begin, counts in (("+15us", (0, 1)), ("+18us", (0, 0))):
            of_range = self.latency(late, args=("--begin", begin))["counts"]
            self.assertEqual((of_range["gaps"], of_range["ended_early"]), counts, begin)

    def test_damage_lasts_until_the_next_event_of_its_data_stream(self):
        events = [
            switch(1_000, 0, 0, 10), switch(2_000, 0, 10, 0), wake(2_300, 1, 14), switch(2_500, 1, 0, 20), switch(2_600, 0, 0, 14),
            switch(7_000, 1, 20, 14), switch(9_000, 0, 14, 0), wake(9_500, 1, 15), switch(9_900, 0, 0, 15),
        ]  # fmt: skip
        path = self.trace("damage", *events, packets={0: [(900, 0, 0), (2_550, 1, 0), (9_800, 2, 0)]})
        data = bytearray((path / "channel0_0").read_bytes())
        at = data.index((2_600).to_bytes(8, "little")) - 2
        data[at : at + 2] = b"\xe7\x03"
        (path / "channel0_0").write_bytes(data)
        answer = self.latency(path, code=4)
        # Where 14 ran first, cannot be read.
        self.assertEqual(self.waits(answer)["count"], 0)
        self.assertEqual(self.waits(answer)["left_out"], 2)

    def test_a_range_within_a_loss_has_losses(self):
        events = [switch(1_000, 0, 0, 10), switch(3_000, 0, 10, 0), switch(3_600, 0, 0, 11), switch(5_000, 1, 0, 20), switch(9_000, 0, 11, 0)]
        path = self.trace("loss", *events, packets={0: [(1_000, 0, 0), (3_500, 1, 4)]}, end=10_000)
        for begin in ("+2500ns", "+3us"):
            bounds = ("--begin", begin, "--end", "+4500ns")
            self.assertGreater(self.latency(path, args=bounds)["counts"]["gaps"], 0, begin)
            self.check(run("latency", *bounds, "--require", 'absent("irq *")', path), 1)

    def test_switches_that_are_not_recorded(self):
        """Of a recording of thread 10 alone: what it is taken off for, but not what puts it on."""
        path = self.trace("tracked", switch(2_000, 0, 10, 0), switch(5_000, 0, 10, 20), switch(8_000, 0, 10, 0), switch(11_000, 0, 10, 0))
        answer = self.latency(path)
        self.assertEqual(answer["counts"]["missing_switches"], 3)
        self.assertEqual([self.states(answer, name) for name in ("t10", "t20", "cpu 0")], [{"sleeping": 0}, {"running": 0}, {}])
        self.assertIn("at least 3 switches of a processor are not recorded", self.check(run("latency", path), 0).stdout.decode())
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "-o", out, path), 0)
        self.assertEqual([task for task in perfetto_decoder.Trace(out.read_bytes()).tasks if task.state == 3 and task.tid == 20][1:], [])

    def test_a_session_ends_before_the_next(self):
        """Nothing is known of what a thread did between two sessions of one host."""
        second = 1_000_000_000
        first = self.trace("a", switch(1_000, 0, 0, 10), switch(2_000, 0, 10, 31), wake(4_000, 0, 10), switch(5_000, 1, 0, 12))
        later = self.trace("b", switch(second, 0, 0, 20), switch(second + 5_000, 0, 20, 10), switch(second + 9_000, 0, 10, 0))
        answer = self.latency(first, later)
        self.assertEqual(self.states(answer, "t31"), {"running": 3_000})
        self.assertEqual(self.states(answer, "t10"), {"running": 1_000 + 4_000, "sleeping": 2_000, "runnable": 1_000})
        self.assertEqual(self.waits(answer)["count"], 0)

    def test_the_first_wait_of_a_new_thread_counts(self):
        path = self.trace(
            "new", switch(1_000, 0, 0, 10), wake(1_500, 0, 11), switch(2_000, 0, 10, 11), wake(2_100, 0, 30, "wakeup_new"), switch(9_500, 0, 11, 30)
        )
        self.assertEqual(self.waits(self.latency(path)), {"count": 2, "total": 500 + 7_400, "left_out": 0})


if __name__ == "__main__":
    unittest.main()

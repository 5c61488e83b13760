"""What a recording of a Tokio runtime lacks (`info --quality`, the head of `latency`), and which of its tasks are stuck."""

import json
import unittest

import dial9_writer as w
import jsonschema
import tband_test as t
from command import ROOT, TRACES, CommandTest, needs_traces, run

NAMES = ("PollStartEvent", "PollEndEvent", "WakeEventEvent", "TaskSpawnEvent", "TaskTerminateEvent", "CpuSampleEvent", "SymbolTableEntry",
         "ClockSyncEvent", "AllocEvent", "SegmentMetadataEvent")
FIELDS = (
    [("worker_id", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)],
    [("worker_id", w.VARINT)],
    [("waker_task_id", w.VARINT), ("woken_task_id", w.VARINT), ("target_worker", w.U8)],
    [("task_id", w.VARINT), ("spawn_loc", w.STRING), ("instrumented", w.BOOL)],
    [("task_id", w.VARINT)],
    [("worker_id", w.VARINT), ("tid", w.U32), ("source", w.U8), ("callchain", w.STACK)],
    [("addr", w.VARINT), ("size", w.VARINT), ("symbol_name", w.STRING), ("inline_depth", w.VARINT)],
    [("realtime_ns", w.VARINT)],
    [("tid", w.U32), ("size", w.VARINT), ("addr", w.VARINT), ("callchain", w.STACK)],
    [("entries", w.STRING_MAP)],
)
MS = 1_000_000


class Recording:
    """Events at times of their own, in the order of time."""

    def __init__(self):
        self.events = []

    def at(self, time, name, *values):
        self.events.append((time, len(self.events), NAMES.index(name), b"".join(values)))
        return self

    def poll(self, time, task, place="src/a.rs:1:1", worker=0, lasting=100):
        self.at(time, "PollStartEvent", w.varint(worker), w.varint(task), w.string(place))
        return self.at(time + lasting, "PollEndEvent", w.varint(worker)) if lasting else self

    def wake(self, time, task, waker=0):
        return self.at(time, "WakeEventEvent", w.varint(waker), w.varint(task), w.u8(0))

    def spawn(self, time, task, place="src/s.rs:1:1", instrumented=1):
        return self.at(time, "TaskSpawnEvent", w.varint(task), w.string(place), w.u8(instrumented))

    def end(self, time, task):
        return self.at(time, "TaskTerminateEvent", w.varint(task))

    def sample(self, time, *stack):
        return self.at(time, "CpuSampleEvent", w.varint(0), w.u32(7), w.u8(0), w.stack(*stack))

    def symbol(self, address, depth=0):
        return self.at(0, "SymbolTableEntry", w.varint(address), w.varint(16), w.string(f"f{address}"), w.varint(depth))

    def anchor(self, time, utc):
        return self.at(time, "ClockSyncEvent", w.varint(utc))

    def busy(self, task=9, until=100 * MS):
        """A healthy task, so that wakes are recorded and time goes on."""
        self.spawn(0, task, "src/busy.rs:1:1")
        for time in range(MS, until, MS):
            self.wake(time, task).poll(time + 1000, task, "src/busy.rs:1:1", worker=3)
        return self

    def content(self, damage=b""):
        frames = [w.header()] + [w.schema(i, name, FIELDS[i]) for i, name in enumerate(NAMES)]
        now = 0
        for time, _, kind, values in sorted(self.events):
            if time - now >= 1 << 24:
                frames.append(w.reset(time))
                now = time
            frames.append(w.event(kind, values, time - now))
            now = time
        return b"".join(frames) + damage


def poor():
    """As of a program that spawns by itself, without frame pointers and symbols."""
    recording = Recording()
    for task in range(50):
        recording.spawn(task * MS, task, instrumented=0).poll(task * MS + 500, task).sample(task * MS + 550, 0x1000 + task)
    return recording


class QualityTest(CommandTest):
    def info(self, recording, *args, code=0):
        trace = self.file("t.bin", recording if isinstance(recording, bytes) else recording.content())
        answer = json.loads(self.check(run("info", "--quality", "--json", *args, trace), code).stdout)
        jsonschema.validate(answer, json.loads((ROOT / "docs/json/info.schema.json").read_text()))
        return answer

    def latency(self, recording, code=0):
        trace = self.file("t.bin", recording if isinstance(recording, bytes) else recording.content())
        answer = json.loads(self.check(run("latency", "--json", trace), code).stdout)
        jsonschema.validate(answer, json.loads((ROOT / "docs/json/latency.schema.json").read_text()))
        return answer, self.check(run("latency", trace), code).stdout.decode()

    def ids(self, recording):
        return [each["id"] for each in self.info(recording)["quality"]["findings"]]


class FindingsTest(QualityTest):
    def test_what_a_poor_recording_lacks(self):
        self.assertEqual(self.ids(poor()), ["no-wakes", "not-instrumented", "shallow", "no-symbols", "no-clock-anchor"])
        text = run("info", "--quality", self.folder / "t.bin").stdout.decode()
        for part in ("no wake is recorded of 50 tasks that were polled", "50 of 50 tasks that were spawned are not instrumented",
                     "50 of 50 stacks of samples are 1 or 2 addresses deep", "none of the addresses in 50 stacks has a name",
                     "force-frame-pointers=yes", "nothing relates the clock to UTC"):
            self.assertIn(part, text)
        self.assertEqual(text.count("remedy: "), 5)

    def test_the_head_of_latency_names_the_worst(self):
        answer, text = self.latency(poor())
        self.assertEqual([each["id"] for each in answer["quality"]], ["no-wakes", "not-instrumented", "shallow", "no-symbols"])
        self.assertTrue(text.splitlines()[1].startswith("quality: no wake is recorded of 50 tasks"), text)
        self.assertIn("(and 3 more: 'tracedeck info --quality')", text.splitlines()[1])

    def test_a_good_one_lacks_nothing(self):
        recording = Recording().busy().anchor(10, 1_700_000_000_000_000_000).symbol(0x1000).symbol(0x2000).symbol(0x3000)
        for time in range(20):
            recording.sample(time * MS, 0x1000, 0x2000, 0x3000)
        self.assertEqual(self.ids(recording), [])
        self.assertIn("nothing is missing of what is looked for", run("info", "--quality", self.folder / "t.bin").stdout.decode())
        answer, text = self.latency(recording)
        self.assertNotIn("quality", answer)
        self.assertNotIn("quality", text)
        self.assertNotIn("quality", self.check(run("info", self.folder / "t.bin"), 0).stdout.decode())

    def test_few_addresses_may_be_many_frames(self):
        """Where functions are inlined."""
        for depth, found in ((0, ["shallow"]), (1, [])):
            recording = Recording().busy().anchor(10, 10**18).symbol(0x1000).symbol(0x1000, depth)
            for time in range(20):
                recording.sample(time * MS, 0x1000, 0x1000)
            self.assertEqual(self.ids(recording), found)

    def test_some_addresses_without_names(self):
        recording = Recording().busy().anchor(10, 10**18).symbol(0x1000)
        for time in range(20):
            recording.sample(time * MS, 0x1000, 0x1000, 0x1000, 0x7000)
        self.assertEqual(self.ids(recording), ["few-symbols"])
        self.assertIn("20 of 80 addresses in stacks have no name", run("info", "--quality", self.folder / "t.bin").stdout.decode())

    def test_of_few_nothing_is_said(self):
        recording = Recording().anchor(0, 10**18)
        for task in range(9):
            recording.poll(task * MS, task).sample(task * MS, 0x1000)
        self.assertEqual(self.ids(recording), [])

    def test_allocations(self):
        recording = Recording().busy().anchor(10, 10**18)
        recording.at(20, "AllocEvent", w.u32(7), w.varint(64), w.varint(0), w.stack(1, 2, 3))
        self.assertEqual(self.ids(recording), ["no-sample-rate", "no-frees"])
        recording.at(15, "SegmentMetadataEvent", w.string_map(("memory.sample_rate_bytes", "1024")))
        self.assertEqual(self.ids(recording), ["no-frees"])

    def test_clock_steps(self):
        recording = Recording().busy().anchor(10, 10**18).anchor(50 * MS, 10**18 + 3_600_000 * MS)
        self.assertEqual(self.ids(recording), ["clock-steps"])

    def test_damage(self):
        answer = self.info(Recording().busy().anchor(10, 10**18).content(damage=b"\xff\xff"), code=4)
        self.assertEqual([each["id"] for each in answer["quality"]["findings"]], ["lost"])

    def test_of_another_format_that_is_said(self):
        trace = self.file("d.tband", t.event(2, 1) + t.event(0x54, 10, 1) + t.event(0x54, 20, 2))
        text = self.check(run("info", "--quality", "--format", "tband", trace), 0).stdout.decode()
        self.assertIn("of this format losses and damage alone are looked for", text)


class StuckTest(QualityTest):
    def stuck(self, recording):
        said = self.latency(recording)[0].get("stuck", {})
        self.assertEqual(self.info(recording).get("stuck", {}), said)
        return {kind: [(each["task"], each.get("count", each.get("age"))) for each in tasks["tasks"]] for kind, tasks in said.items()}

    def test_each_kind(self):
        recording = Recording().busy().spawn(10 * MS, 2, "src/b.rs:1:1").poll(20 * MS, 3, "src/c.rs:1:1", worker=1, lasting=3 * MS).wake(30 * MS, 4)
        for time in range(30):
            at = 40 * MS + time * 10_000
            recording.wake(at, 1).poll(at + 100, 1, "src/a.rs:1:1", worker=2)
            if time != 29:
                recording.wake(at + 150, 1, waker=1)
        end = 99 * MS + 1100
        self.assertEqual(self.stuck(recording), {"never_polled": [(2, end - 10 * MS)], "woken": [(4, end - 30 * MS)],
                                                 "never_woken": [(3, end - 20 * MS - 3 * MS)], "self_woken": [(1, 29)]})
        text = self.latency(recording)[1]
        for line in ("never polled: 1 task, spawned and not polled or ended until the trace's end: task 2 of src/b.rs:1:1 for 89ms",
                     "woken and not polled: 1 task, until the trace's end: task 4 for 69ms",
                     "pending, and no wake is recorded: 1 task, polled once and not ended until the trace's end: task 3 of src/c.rs:1:1 for 76ms",
                     "woke itself: task 1 of src/a.rs:1:1 29 times in 30 polls"):
            self.assertIn(line, text)

    def test_healthy_tasks_are_not(self):
        recording = Recording().busy().spawn(0, 1).poll(10, 1).end(20, 1)
        recording.spawn(98 * MS, 2)  # just now
        recording.wake(99 * MS, 3)
        recording.poll(5 * MS, 4).wake(6 * MS, 4).poll(7 * MS, 4)  # waits for what may come
        recording.poll(50 * MS, 5, worker=6, lasting=0)  # still polled
        recording.spawn(0, 6, instrumented=0).poll(10, 6, worker=7)  # nothing says whether it is woken
        self.assertEqual(self.stuck(recording), {})

    def test_what_comes_behind_the_end_of_a_task_is_none_of_it(self):
        recording = Recording().busy().spawn(10, 2).poll(20, 2).end(30, 2).wake(40, 2, waker=7)
        self.assertEqual(self.stuck(recording), {})
        # As recorded: what one thread wrote lies before what another one wrote earlier.
        end = w.header() + w.schema(0, "TaskTerminateEvent", FIELDS[4]) + w.event(0, w.varint(2), 30)
        content = end + Recording().busy().spawn(10, 2).content()
        self.assertNotIn("stuck", self.info(content))
        self.assertNotIn("stuck", self.latency(content)[0])

    def test_nothing_is_said_where_events_were_lost(self):
        content = Recording().busy().spawn(10 * MS, 2).content(damage=b"\xff\xff")
        self.assertNotIn("stuck", self.latency(content, code=4)[0])

    def test_more_than_are_shown(self):
        recording = Recording().busy()
        for task in range(100, 108):
            recording.spawn(task * 1000, task)
        said = self.latency(recording)[0]["stuck"]["never_polled"]
        self.assertEqual((said["count"], [each["task"] for each in said["tasks"]]), (8, [100, 101, 102, 103, 104]))
        self.assertIn("and 3 more", self.latency(recording)[1])


@needs_traces
class DemoTest(QualityTest):
    def test_the_demo(self):
        answer = json.loads(self.check(run("info", "--quality", "--json", TRACES / "dial9/tokio-demo.bin.gz"), 0).stdout)
        self.assertTrue(answer["quality"]["surveyed"])
        self.assertNotIn("no-wakes", [each["id"] for each in answer["quality"]["findings"]])


if __name__ == "__main__":
    unittest.main()

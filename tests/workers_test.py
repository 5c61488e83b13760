"""Workers and tasks of dial9: which thread a worker is, what that says of samples and CPU time, and tasks without wakes."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

CLASSES = {
    "PollStartEvent": [("worker_id", w.VARINT), ("local_queue", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)],
    "PollEndEvent": [("worker_id", w.VARINT)],
    "WorkerParkEvent": [("worker_id", w.VARINT), ("cpu_time_ns", w.VARINT), ("tid", w.VARINT)],
    "WorkerUnparkEvent": [("worker_id", w.VARINT), ("cpu_time_ns", w.VARINT), ("tid", w.VARINT)],
    "CpuSampleEvent": [("worker_id", w.VARINT), ("tid", w.VARINT), ("source", w.VARINT), ("thread_name", w.STRING), ("callchain", w.STACK)],
    "WakeEventEvent": [("waker_task_id", w.VARINT), ("woken_task_id", w.VARINT), ("target_worker", w.VARINT)],
    "TaskSpawnEvent": [("task_id", w.VARINT), ("spawn_loc", w.STRING), ("instrumented", w.BOOL)],
    "TaskTerminateEvent": [("task_id", w.VARINT)],
}
SYMBOL = [("addr", w.VARINT), ("size", w.VARINT), ("symbol_name", w.STRING), ("inline_depth", w.VARINT)]
NAMES = {0x1000: "futex_wait", 0x2000: "app::compress"}
FUTEX, COMPRESS = (w.stack(address) for address in NAMES)
WRITERS = {w.VARINT: w.varint, w.STRING: w.string, w.BOOL: w.u8, w.STACK: bytes}
US, MS = 1_000, 1_000_000


def recording(*events):
    """A trace of (time, class, values)."""
    trace = w.header()
    for number, (name, fields) in enumerate(CLASSES.items()):
        trace += w.schema(number, name, fields)
    now = 0
    for time, name, *values in events:
        fields = CLASSES[name]
        body = b"".join(WRITERS[kind](value) for (_, kind), value in zip(fields, values, strict=True))
        trace += w.event(list(CLASSES).index(name), body, time - now)
        now = time
    trace += w.schema(len(CLASSES), "SymbolTableEntry", SYMBOL)
    for address, name in NAMES.items():
        trace += w.event(len(CLASSES), w.varint(address) + w.varint(0) + w.string(name) + w.varint(0), 0)
    return trace


def poll(begin, end, task=1, worker=0):
    return (begin, "PollStartEvent", worker, 0, task, "src/a.rs:1:1"), (end, "PollEndEvent", worker)


def short_polls():
    return [event for number in range(9) for event in poll(number * 10 * US + US, number * 10 * US + 2 * US)]


class Workers(CommandTest):
    def asked(self, command, *args):
        return json.loads(self.check(run(command, "--json", *args), 0).stdout)

    def why(self, *events):
        return self.asked("why", "--longest", "poll", self.file("t.bin", recording(*events)))

    def states(self, group, *events):
        answer = self.asked("latency", "--top", "0", self.file("t.bin", recording(*events)))
        return {track["track"]: {state["name"]: state for state in track["states"]} for track in answer["tracks"] if track["group"] == group}

    def long_poll(self, cpu, sampled=FUTEX, source=1, tid=100, thread=100):
        """A poll of 10 ms of the worker's thread 100, in 10.2 ms between unpark and park, `cpu` of them on the processor."""
        begin, end = poll(MS + 100 * US, 11 * MS + 100 * US)
        return self.why(
            *short_polls(),
            (MS, "WorkerUnparkEvent", 0, 500, 100),
            begin,
            (5 * MS, "CpuSampleEvent", 0, tid, source, "tokio", sampled),
            end,
            (11 * MS + 200 * US, "WorkerParkEvent", 0, 500 + cpu, thread),
        )

    def test_a_poll_whose_end_is_not_known_is_in_no_share(self):
        """An end is missing, and which of the two polls the other one is of is not known; that of another worker is whole."""
        events = (
            (10 * MS, "PollStartEvent", 0, 0, 1, b"a.rs:1:1"), (20 * MS, "PollStartEvent", 0, 0, 2, b"a.rs:1:1"), (25 * MS, "PollEndEvent", 0),
            (30 * MS, "PollStartEvent", 1, 0, 3, b"a.rs:1:1"), (33 * MS, "PollEndEvent", 1),
        )  # fmt: skip
        answer = json.loads(self.check(run("latency", "--json", self.file("polls.bin", recording(*events))), 0).stdout)
        self.assertEqual(answer["counts"]["inferred_ends"], 2)
        self.assertEqual([track["busy"] for track in answer["tracks"] if track.get("busy")], [3 * MS])

    def test_cpu_time_contradicts_a_thread_that_is_switched_out(self):
        self.assertIn("switched out in futex_wait", self.long_poll(cpu=3 * MS)["so"])
        # It was off the processor for half of it at least, and perhaps for less.
        self.assertIn("switched out in futex_wait", self.long_poll(cpu=5 * MS)["so"])
        self.assertNotIn("so", self.long_poll(cpu=5 * MS + 100 * US))
        answer = self.long_poll(cpu=10 * MS)
        self.assertEqual(answer["on_processor"], 10 * MS - 200 * US)
        self.assertNotIn("so", answer)

    def test_a_worker_that_is_taken_over(self):
        (a, end_a), (b, end_b) = poll(MS, 9 * MS), poll(2 * MS, 3 * MS, task=2)
        rows = lambda answer: [(row["count"], row.get("total"), row.get("left_out", 0)) for row in answer["rows"] if row["category"] == "poll"]
        # Each thread records its own.
        self.assertEqual(rows(self.asked("latency", self.file("t.bin", recording(a, end_a) + recording(b, end_b)))), [(2, 9 * MS, 0)])
        # In one data stream either end may be of either poll.
        result = self.check(run("latency", "--json", self.file("t.bin", recording(a, b, end_b, end_a))), 0)
        self.assertEqual(rows(json.loads(result.stdout)), [(0, None, 2)])
        self.assertIn("of several `poll` that are open at once", result.stderr.decode())

    def test_damage_reaches_to_the_end_of_its_file(self):
        first = recording(*poll(MS, 2 * MS), *poll(3 * MS, 4 * MS)) + b"\xee" * 7
        broken = self.file("a.bin", first + recording(*poll(5 * MS, 6 * MS)))
        later = self.file("b.bin", recording(*poll(7 * MS, 8 * MS)))
        result = run("latency", "--json", broken, later)
        self.assertEqual(result.returncode, 4)
        rows = [row for row in json.loads(result.stdout)["rows"] if row["category"] == "poll"]
        self.assertEqual([(row["count"], row["left_out"]) for row in rows], [(3, 1)])

    def test_cpu_time_of_two_threads_proves_nothing(self):
        answer = self.long_poll(cpu=10 * MS, thread=102)
        self.assertNotIn("on_processor", answer)
        self.assertNotIn("so", answer)

    def test_cpu_time_is_of_one_thread(self):
        park = lambda time, cpu, tid: (time, "WorkerParkEvent", 0, cpu, tid)
        unpark = lambda time, cpu, tid: (time, "WorkerUnparkEvent", 0, cpu, tid)
        states = self.states(
            "worker state", unpark(0, 100, 7), park(10, 105, 7), unpark(20, 106, 7), park(40, 9000, 8), unpark(50, 9001, 8), park(60, 9011, 8)
        )["state"]
        self.assertEqual((states["active"]["time"], states["active"]["spent"]), (40, 15))
        self.assertEqual(states["parked"]["spent"], 2)

    def test_samples_belong_to_threads(self):
        answer = self.long_poll(cpu=10 * MS, sampled=COMPRESS, source=0)
        self.assertEqual([(each["track"], each["count"]) for each in answer["samples"]], [("worker 0", 1)])
        self.assertEqual(self.long_poll(cpu=10 * MS, sampled=COMPRESS, source=0, tid=99)["samples"], [])

    def test_threads_of_two_hosts_are_two(self):
        paths = []
        for host in ("web1", "web2"):
            metadata = w.header() + w.schema(0, "SegmentMetadataEvent", [("entries", w.STRING_MAP)])
            metadata += w.event(0, w.string_map(("host", host), ("boot_id", f"{host}-1")), 0)
            begin, end = poll(MS + 100 * US, 11 * MS)
            sample = (5 * MS, "CpuSampleEvent", 0, 99, 0, "tokio", COMPRESS)
            events = [(MS, "WorkerUnparkEvent", 0, 500, 100), begin, sample, end]
            paths.append(self.file(f"{host}.bin", metadata + recording(*events)))
        out = self.folder / "out.json"
        self.check(run("convert", "-o", out, *paths), 0)
        events = json.loads(out.read_text())["traceEvents"]
        names = sorted(event["args"]["name"] for event in events if event.get("name") == "thread_name" and "99" in event["args"]["name"])
        self.assertEqual(names, ["web1: thread 99", "web2: thread 99"])

    def test_a_task_that_is_over_is_not_runnable(self):
        for end in (30, 25):  # behind its last poll, and within
            events = [(0, "TaskSpawnEvent", 1, "src/a.rs:1:1", 1), *poll(20, 28), (end, "TaskTerminateEvent", 1), (26, "WakeEventEvent", 0, 1, 0)]
            events += [(50, "WakeEventEvent", 0, 1, 0), (90, "WorkerParkEvent", 0, 0, 1)]
            states = self.states("task", *sorted(events, key=lambda event: event[0]))["task 1"]
            self.assertEqual(states.get("runnable", {}).get("time", 0), 2 if end == 30 else 0, end)

    def test_a_task_without_wakes_is_not_waiting(self):
        end = (100, "WorkerParkEvent", 0, 0, 1)
        for instrumented, name in ((0, "not running"), (1, "waiting")):
            states = self.states("task", (0, "TaskSpawnEvent", 1, "src/a.rs:1:1", instrumented), *poll(20, 30), *poll(60, 70), end)["task 1"]
            self.assertEqual({key: state["time"] for key, state in states.items()}, {"spawned": 20, "polling on worker 0": 20, name: 30})


if __name__ == "__main__":
    unittest.main()

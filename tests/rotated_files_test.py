"""Which files are one process's, and what its trace is, however its files are named; from a simulator that knows it."""

import collections
import gzip
import itertools
import json
import random
import shutil
import unittest

import dial9_writer as wire
from command import CommandTest, parse_lines, run

V, S, M = wire.VARINT, wire.STRING, wire.STRING_MAP
CLASSES = {
    "SegmentMetadataEvent": [("entries", M)],
    "ClockSyncEvent": [("realtime_ns", V)],
    "PollStartEvent": [("worker_id", V), ("local_queue", wire.U8), ("task_id", V), ("spawn_loc", S)],
    "PollEndEvent": [("worker_id", V)],
    "WorkerParkEvent": [("worker_id", V), ("local_queue", wire.U8), ("cpu_time_ns", V), ("tid", wire.U32)],
    "WorkerUnparkEvent": [("worker_id", V), ("local_queue", wire.U8), ("cpu_time_ns", V), ("sched_wait_ns", V), ("tid", wire.U32)],
}
EPOCH = 1_778_364_000_000_000_000


def encoded(kind, value):
    if kind == M:
        return wire.string_map(*value)
    return {V: wire.varint, S: wire.string, wire.U8: wire.u8, wire.U32: wire.u32}[kind](value)


class Process:
    """A runtime of one worker that polls task after task, and the recorder of its events.

    `polls`: (where the task was spawned, begin, end). Each lies in one file or goes over a border.
    """

    def __init__(self, seed, host="h1", boot="abcd-11", service="svc", files=3, polls=10, begin=10**9, says=True):
        rng = random.Random(seed)
        self.host, self.boot, self.service, self.says = host, boot, service, says
        self.polls, self.begin = [], begin
        events, now = [], begin
        self.borders = []
        for file in range(files):
            for number in range(polls):
                start = now + rng.randrange(1_000, 40_000)
                end = start + rng.randrange(1_000, 90_000)
                where = f"src/{'abc'[rng.randrange(3)]}.rs:{rng.randrange(1, 4)}:5"
                self.polls.append((where, start, end))
                fields = {"worker_id": 0, "local_queue": 0, "task_id": len(self.polls), "spawn_loc": where}
                events += [(start, "PollStartEvent", fields), (end, "PollEndEvent", {"worker_id": 0})]
                now = end
            # Every other border lies within the last poll.
            self.borders.append(self.polls[-1][1] + 500 if file % 2 == 0 and file + 1 < files else now + 300)
        self.events = events

    def file(self, number):
        """The bytes of a file."""
        low = self.borders[number - 1] if number else 0
        events = [event for event in self.events if low <= event[0] < self.borders[number]]
        first = events[0][0] - 10
        head = [(first, "ClockSyncEvent", {"realtime_ns": EPOCH + first})]
        if self.says:
            entries = (("service", self.service), ("host", self.host), ("boot_id", self.boot), ("dial9.version", "0.5.1"))
            head.insert(0, (first, "SegmentMetadataEvent", {"entries": entries}))
        frames, numbers, base = [wire.header()], {}, 0
        for time, name, fields in head + events:
            if name not in numbers:
                numbers[name] = len(numbers)
                frames.append(wire.schema(numbers[name], name, CLASSES[name]))
            if time - base > 0xFFFFFF:
                frames.append(wire.reset(time))
                base = time
            values = b"".join(encoded(kind, fields[field]) for field, kind in CLASSES[name])
            frames.append(wire.event(numbers[name], values, time - base))
            base = time
        return b"".join(frames)

    def count(self):
        return len(self.borders)

    def write(self, folder, name="trace.{}.bin.gz", kept=None, active=False):
        """The files, written as a recorder does; the last one still open where `active`."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for number in range(self.count()) if kept is None else kept:
            data = self.file(number)
            if active and number == self.count() - 1:
                path = folder / name.format(number).replace(".gz", ".active")
                path.write_bytes(data)
            else:
                path = folder / name.format(number)
                path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
            paths.append(path)
        return paths


class RotatedFiles(CommandTest):
    def polls(self, *args, code=0):
        """The finished polls as `spans` lists them: {(trace, where): [(begin, duration)]}."""
        stages = 'spans | where category == "poll" | select time, duration, name, trace'
        result = self.check(run("query", "--output", "jsonl", "--clock", "trace", stages, *args), code)
        found = collections.defaultdict(list)
        for line in list(map(json.loads, result.stdout.splitlines()))[:-1]:
            found[line["trace"], line["name"]].append((line["time"], line["duration"]))
        return found, result.stderr.decode()

    def truth(self, *processes, names=None):
        found = collections.defaultdict(list)
        for i, process in enumerate(processes):
            for where, begin, end in process.polls:
                found[names[i] if names else "", where].append((begin, end - begin))
        return found

    def check_polls(self, got, want):
        self.assertEqual({key: sorted(value) for key, value in got.items()}, {key: sorted(value) for key, value in want.items()})

    def test_files_of_a_process_are_one_trace_however_they_are_named(self):
        process = Process(1, files=4)
        paths = process.write(self.folder / "p")
        want = self.truth(process)
        ways = [[self.folder / "p"], paths, paths[::-1], [*paths, paths[0]], [paths[2], self.folder / "p"]]
        ways += [list(order) for order in itertools.islice(itertools.permutations(paths), 5, 24, 6)]
        for way in ways:
            with self.subTest(way=[path.name for path in way]):
                self.check_polls(self.polls(*way)[0], want)

    def test_the_same_bytes_in_one_file(self):
        process = Process(2, files=3)
        whole = self.file("whole.bin", b"".join(process.file(i) for i in range(3)))
        self.check_polls(self.polls(whole)[0], self.truth(process))

    def test_a_file_that_is_still_written_may_be_cut_anywhere(self):
        process = Process(3, files=2, polls=4)
        sealed, active = process.write(self.folder / "p", active=True)
        data = active.read_bytes()
        for size in range(0, len(data), 7):
            active.write_bytes(data[:size])
            result = self.check(run("info", "--strict", self.folder / "p"), 0)
            self.assertNotIn("damage", result.stdout.decode())
        self.assertIn("still being written", self.check(run("validate", sealed, active), 0).stdout.decode())

    def test_processes_and_hosts_are_told_apart(self):
        processes = [
            Process(4, host="h1", boot="abcd-11"), Process(5, host="h2", boot="efgh-22"), Process(6, host="h3", boot="ijkl-33"),
        ]
        for process in processes:
            place = f"version=1/date=2026-05-09/service=svc/time=22-08/instance={process.host}/boot={process.boot}"
            process.write(self.folder / "store" / place, "177836448{0}-{0}.bin.gz")
        got, _ = self.polls(self.folder / "store")
        self.check_polls(got, self.truth(*processes, names=["h1", "h2", "h3"]))

    def test_processes_of_one_host_go_by_their_ids(self):
        processes = [Process(7, boot="abcd-11"), Process(8, boot="efgh-22")]
        for process in processes:
            process.write(self.folder / process.boot)
        got, _ = self.polls(self.folder)
        self.check_polls(got, self.truth(*processes, names=["abcd-11", "efgh-22"]))

    def test_files_that_do_not_say_their_process_go_by_their_names(self):
        process = Process(9, says=False)
        process.write(self.folder / "p")
        self.check_polls(self.polls(self.folder / "p")[0], self.truth(process))

    def test_names_alone_do_not_join_runs(self):
        late, early = Process(10, says=False, begin=10**10), Process(11, says=False)
        late.write(self.folder / "p", kept=[0])
        data = gzip.compress(early.file(1), mtime=0)
        (self.folder / "p" / "trace.1.bin.gz").write_bytes(data)
        (self.folder / "p" / "trace.2.bin.gz").write_bytes(gzip.compress(late.file(1), mtime=0))
        _, said = self.polls(self.folder / "p")
        self.assertIn("times do not go on", said)

    def test_a_file_that_is_missing_is_a_loss(self):
        process = Process(12, files=4)
        process.write(self.folder / "p", kept=[0, 1, 3])
        got, said = self.polls(self.folder / "p")
        self.assertIn("the file before it is not there", said)
        known = self.truth(process)
        low, high = process.borders[1], process.borders[2]
        for (trace, where), polls in got.items():
            for poll in polls:
                self.assertIn(poll, known[trace, where])
                self.assertFalse(low <= poll[0] < high)
        self.assertEqual(
            sum(map(len, got.values())),
            sum(end < low or begin >= high for _, begin, end in process.polls),
        )
        info = json.loads(self.check(run("info", "--json", self.folder / "p"), 0).stdout)
        self.assertEqual(info["losses"]["places"], 1)

    def test_damage_costs_its_file(self):
        process = Process(13, files=4)
        paths = process.write(self.folder / "p", "trace.{}.bin")
        for offset in (0, 3, 200):
            with self.subTest(offset=offset):
                data = bytearray(process.file(1))
                data[offset : offset + 400] = b"\xee" * 400
                paths[1].write_bytes(data)
                got, said = self.polls(self.folder / "p", code=4)
                self.assertIn("trace.1.bin", said)
                known = self.truth(process)
                for key, polls in got.items():
                    self.assertLessEqual(set(polls), set(known[key]))
                # What lies in whole files.
                whole = sum(end < process.borders[0] or begin >= process.borders[1] for _, begin, end in process.polls)
                self.assertGreaterEqual(sum(map(len, got.values())), whole - 1)
                self.check_polls(self.polls(*paths, code=4)[0], got)

    def test_copies_are_read_once(self):
        process = Process(14)
        paths = process.write(self.folder / "p")
        (self.folder / "q").mkdir()
        shutil.copy(paths[1], self.folder / "q")
        got, said = self.polls(self.folder / "p", self.folder / "q")
        self.check_polls(got, self.truth(process))
        self.assertIn("holds the same", said)

    def test_one_process_converts_to_itself_as_a_whole(self):
        process = Process(15)
        process.write(self.folder / "p")
        out = self.folder / "out.dial9"
        self.check(run("convert", "-o", out, self.folder / "p"), 0)
        self.check_polls(self.polls(out)[0], self.truth(process))


if __name__ == "__main__":
    unittest.main()

"""Which files are one process's, and what its trace is, however its files are named; from a simulator that knows it."""

import collections
import gzip
import itertools
import json
import random
import shutil
import unittest

import dial9_writer as wire
import heph_writer as heph
from command import CommandTest, run
from worlds.rtos_tband import frame

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
        self.assertIn("the file before it, is not there", said)
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
        self.assertEqual(info["losses"]["records"], 1)

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

    def test_a_file_that_fails_is_the_one_that_is_named(self):
        process = Process(31, files=3)
        for active in (False, True):
            for how in ("cut", "damaged", "empty"):
                with self.subTest(how, active=active):
                    folder = self.folder / f"{how}{active}"
                    paths = process.write(folder, active=active)
                    data = bytearray(paths[1].read_bytes())
                    if how == "damaged":
                        data[len(data) // 2 : len(data) // 2 + 8] = b"\xee" * 8
                    paths[1].write_bytes({"cut": data[:-9], "damaged": data, "empty": b""}[how])
                    said = self.check(run("validate", folder), 1).stdout.decode()
                    self.assertIn(f"{paths[1]}:", said)
                    self.assertNotIn(str(paths[0]), said)
                    self.assertNotIn(str(paths[2]), said)
                    self.assertIn("the file is empty" if how == "empty" else "input/damaged", said)
                    # What goes over its borders is not known.
                    low, high = process.borders[0], process.borders[1]
                    got = {(where, begin, begin + took) for (_, where), polls in self.polls(folder, code=4)[0].items() for begin, took in polls}
                    self.assertLessEqual({poll for poll in process.polls if poll[2] < low or poll[1] >= high}, got)
                    self.assertLessEqual(got, set(process.polls))

    def test_numbers_that_times_contradict_miss_nothing(self):
        for name, numbers in (("swap", (1, 0, 2)), ("moved", (0, 7, 2))):
            folder = self.folder / name
            process = Process(32, files=3)
            for file, path in enumerate(process.write(folder, name="was.{}.bin")):
                path.rename(folder / f"trace.{numbers[file]}.bin")
            got, said = self.polls(folder)
            self.check_polls(got, self.truth(process))
            self.assertNotIn("not there", said)
            self.assertIn("the numbers in their names say another one", said)
            (info,) = map(json.loads, self.check(run("info", "--json", folder), 0).stdout.splitlines())
            self.assertEqual(info["losses"]["records"], 0)

    def test_copies_are_read_once(self):
        process = Process(14)
        paths = process.write(self.folder / "p")
        (self.folder / "q").mkdir()
        shutil.copy(paths[1], self.folder / "q")
        got, said = self.polls(self.folder / "p", self.folder / "q")
        self.check_polls(got, self.truth(process))
        self.assertIn("holds the same", said)

    def test_what_files_were_put_together_is_read_once(self):
        process = Process(14, files=4)
        for name in ("all.bin", "whole.bin"):
            for first, last in ((0, 4), (0, 3), (1, 3)):
                folder = self.folder / f"{name}{first}{last}"
                process.write(folder)
                (folder / name).write_bytes(b"".join(process.file(i) for i in range(first, last)))
                got, said = self.polls(folder)
                self.check_polls(got, self.truth(process))
                self.assertEqual(said.count("it is not read, as"), last - first, said)

    def test_a_damaged_copy_is_told(self):
        process = Process(14)
        paths = process.write(self.folder / "p", name="trace.{}.bin")
        data = bytearray(paths[1].read_bytes())
        data[-1] ^= 1
        (self.folder / "p/trace.1.copy.bin").write_bytes(data)
        self.assertIn("so that what both hold counts twice", self.polls(self.folder / "p")[1])

    def test_a_file_that_was_copied_while_it_was_written(self):
        """Others follow it: what it lacks is damage, not what is still to be written."""
        process = Process(12, files=3)
        paths = process.write(self.folder / "p", name="trace.{}.bin")
        paths[1].rename(self.folder / "p/trace.1.bin.active")
        (self.folder / "p/trace.1.bin.active").write_bytes(process.file(1)[:-3])
        said = self.polls(self.folder / "p", code=4)[1]
        self.assertIn("trace.1.bin.active:", said)
        self.assertIn("frame-truncated", said)

    def test_a_conversion_to_the_same_format_says_what_is_missing(self):
        process = Process(12, files=4)
        paths = process.write(self.folder / "p", kept=[0, 1, 3], active=True)
        paths[-1].write_bytes(paths[-1].read_bytes()[:-2])
        for options, code in (([], 0), (["--strict"], 4)):
            out = self.folder / f"out{code}.dial9"
            result = self.check(run("convert", *options, "-o", out, self.folder / "p"), code)
            self.assertIn("trace.2, the file before it, is not there", result.stderr.decode())
            self.assertIn("losses, of files that are missing (1): left out", result.stderr.decode())
            self.assertNotIn("error: dial9", result.stderr.decode())
            self.check(run("validate", out), 0)

    def test_one_process_converts_to_itself_as_a_whole(self):
        process = Process(15)
        process.write(self.folder / "p")
        out = self.folder / "out.dial9"
        self.check(run("convert", "-o", out, self.folder / "p"), 0)
        self.check_polls(self.polls(out)[0], self.truth(process))


class OtherFormats(CommandTest):
    def names(self, *args):
        """The events by trace, in their order."""
        result = self.check(run("print", "--output", "jsonl", *args), 0)
        found = collections.defaultdict(list)
        for line in map(json.loads, result.stdout.splitlines()):
            found[line.get("trace", "")].append((line["name"], line.get("time")))
        return dict(found), result.stderr.decode()

    def heph(self, name, epoch, *times, counter=0):
        events = [heph.event(b"span", counter=counter + i, start=time, end=time + 5) for i, time in enumerate(times)]
        return self.file(name, b"".join([heph.epoch(epoch), *events]))

    def test_heph_logs_of_one_epoch(self):
        folder = self.folder / "logs"
        folder.mkdir()
        self.heph("logs/app.0.heph", EPOCH, 10, 20)
        self.heph("logs/app.1.heph", EPOCH, 30, 40, counter=2)
        got, said = self.names(folder)
        self.assertEqual(got, {"": [("span", EPOCH + time) for time in (10, 20, 30, 40)]})
        self.assertEqual(said, "")
        self.heph("logs/app.2.heph", EPOCH + 7, 50)
        got, said = self.names(folder)
        self.assertEqual({name: len(events) for name, events in got.items()}, {"app.0.heph": 4, "app.2.heph": 1})
        self.assertIn("read as 2 traces", said)

    def tband(self, name, *times):
        frames = [frame(0x03, 1, b"main"), frame(0x02, 1000), *(frame(0x54, time, 1) for time in times)]
        return self.file(name, b"".join(frames))

    def test_tonbandgeraet_files_whose_times_go_on(self):
        folder = self.folder / "band"
        folder.mkdir()
        self.tband("band/t.0.bin", *range(10, 30))
        self.tband("band/t.1.bin", *range(30, 50))
        got, _ = self.names(folder)
        self.assertEqual(len(got), 1)
        self.assertEqual(sum(name == "task_switched_in" for name, _ in got[""]), 40)
        self.tband("band/t.2.bin", *range(5, 25))
        got, said = self.names(folder)
        self.assertEqual(len(got), 2)
        self.assertIn("read as 2 traces", said)


class Fleet(CommandTest):
    """20 processes on 5 hosts, 500 files: some damaged, some missing, some still written."""

    BROKEN = {3: "damaged", 7: "missing", 11: "cut", 12: "still written", 16: "damaged"}

    def record(self):
        self.processes = []
        for number in range(20):
            host = f"web{number % 5}"
            boot = f"{'abcdefghij'[number // 2] * 4}-{100 + number}"
            process = Process(100 + number, host, boot, files=25, polls=20, begin=(number % 5 + 1) * 10**12 + number * 7_000)
            self.processes.append(process)
            date, folder = "date=2026-05-09", f"service=svc/time=22-08/instance={host}/boot={boot}"
            place = self.folder / "store/version=1" / date / folder
            how = self.BROKEN.get(number)
            kept = [i for i in range(25) if how != "missing" or i not in (9, 10)]
            paths = process.write(place, f"1778364{number:02}{{0}}-{{0}}.bin.gz", kept, active=how == "still written")
            if how == "damaged":
                data = bytearray(process.file(12))
                data[len(data) // 2 : len(data) // 2 + 50] = b"\xee" * 50
                paths[12].write_bytes(gzip.compress(data, mtime=0))
            elif how == "cut":
                paths[5].write_bytes(paths[5].read_bytes()[:-300])
            elif how == "still written":
                paths[-1].write_bytes(paths[-1].read_bytes()[:-5])
        return self.folder / "store"

    def test_every_poll_counts_once(self):
        store = self.record()
        stages = 'spans | where category == "poll" | select time, duration, name, process, host'
        result = self.check(run("query", "--output", "jsonl", "--clock", "trace", stages, store), 4)
        *lines, _ = map(json.loads, result.stdout.splitlines())
        found = collections.defaultdict(list)
        for line in lines:
            found[line["host"], line["process"]].append((line["name"], line["time"], line["time"] + line["duration"]))
        self.assertEqual(len(found), 20)
        for number, process in enumerate(self.processes):
            with self.subTest(process=process.boot, how=self.BROKEN.get(number)):
                polls = found[process.host, process.boot]
                self.assertEqual(len(polls), len(set(polls)))
                self.assertLessEqual(set(polls), set(process.polls))
                missing = set(process.polls) - set(polls)
                if number not in self.BROKEN:
                    self.assertEqual(missing, set())
                elif self.BROKEN[number] == "still written":
                    self.assertLessEqual(missing, {process.polls[-1]})
                elif self.BROKEN[number] == "missing":
                    low, high = process.borders[8], process.borders[10]
                    self.assertEqual(missing, {poll for poll in process.polls if poll[2] >= low and poll[1] < high})
                else:
                    # What is damaged was written before the next file was begun.
                    file = 12 if self.BROKEN[number] == "damaged" else 5
                    low, high = process.borders[file - 1], process.borders[file]
                    self.assertLess(set(), missing)
                    self.assertLessEqual(missing, {poll for poll in process.polls if poll[2] >= low and poll[1] < high})
        # Each loss and each damaged range is told once.
        traces = [json.loads(line) for line in self.check(run("info", "--json", store), 4).stdout.splitlines()]
        self.assertEqual(len(traces), 20)
        self.assertEqual(sum(trace["losses"]["records"] for trace in traces), 1)
        self.assertEqual(sum(trace["problems"]["count"] for trace in traces), 3)
        self.assertEqual({trace["recorder"]["boot_id"] for trace in traces}, {process.boot for process in self.processes})

    def test_any_partition_and_order_is_the_whole(self):
        store = self.record()
        question = ["query", "--output", "jsonl", "-q", "count, min(time), max(time) by trace, name"]
        whole = self.check(run(*question, store), 4).stdout
        files = sorted(path for path in store.rglob("*") if path.is_file())
        folders = sorted({path.parent for path in files})
        rng = random.Random(5)
        for _ in range(6):
            named = []
            for folder in folders:
                named += [folder] if rng.random() < 0.5 else [path for path in files if path.parent == folder]
            if rng.random() < 0.3:
                named += rng.sample(files, 10)
            rng.shuffle(named)
            with self.subTest(named=len(named)):
                self.assertEqual(self.check(run(*question, *named), 4).stdout, whole)


if __name__ == "__main__":
    unittest.main()

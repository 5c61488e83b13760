"""Each sentence of an answer is in the table, is said where its condition holds, and is not said elsewhere.

The table is that of docs/timeline.md. Which sentences hold is decided from the JSON of the same answer (worlds/sentences.py), whose
truth tests/worlds is about. Answers are those about the worlds and their incidents, and about inputs made here.
"""

import contextlib
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import tempfile
import unittest

import dial9_writer as w
import diff_test
import heph_writer as heph
import pprof_test as pprof
import quality_test
import tband_test as tband
import workers_test as workers
import worlds
import zephyr_test as zephyr
from command import BIN, ROOT, CommandTest, run
from diff_test import trace as slices_of
from quality_test import MS, Recording
from rotated_files_test import Process
from timeline_oracle.ctf_trace import Ctf
from timeline_oracle.random_traces import KERNEL
from trace_parts_test import packet, tsdl
from why_test import TABLE as POOL
from worlds import incidents, notices, sentences
from zephyr_test import IN, OUT, TAKE, TAKEN

STATES = POOL + """
[[track]]
id = "state"
kind = "state"
name = "of {worker}"
key = "worker"
[[state]]
event = "Start"
track = "state"
name = "{job}"
[[track]]
id = "job"
kind = "counter"
name = "job of {worker}"
key = "worker"
[[counter]]
event = "Start"
track = "job"
value = "job"
"""
START, END, QUEUE, OTHER = range(4)
# Slices that may overlap, from Start to Queue of the same job, and how many are open.
JOBS = """
table = "jobs"
applies = { class = "Start" }
[[track]]
id = "worker"
kind = "KIND"
name = "jobs"
[[slice]]
begin = "Start"
end = "Queue"
match = "job"
track = "worker"
category = "run"
name = "job"
"""
# Numbers, by data streams that are recorded until the same time.
TICKS = """
table = "ticks"
streams_end_together = true
applies = { class = "tick" }
[[track]]
id = "n"
kind = "counter"
name = "n"
[[counter]]
event = "tick"
track = "n"
value = "n"
"""
# Several that ask for one job, and what serves one of them.
WAITS = """
table = "waits"
applies = { class = "Start" }
[[track]]
id = "job"
kind = "thread"
name = "job {job}"
key = "job"
[[wait]]
name = "asked"
from = "Start"
to = "Other"
match = ["a.job == b.job"]
check = ["a.worker == b.worker"]
track = "job"
"""
# Tasks that wait for a queue, and its length.
QUEUES = """
table = "queues"
applies = { class = "Start" }
[[track]]
id = "task"
kind = "state"
name = "task {worker}"
key = "worker"
[[track]]
id = "queue"
kind = "counter"
name = "q: length"
[[state]]
event = "Start"
track = "task"
name = "blocked: receive q"
[[state]]
event = "End"
track = "task"
name = "running"
[[counter]]
event = "Other"
track = "queue"
value = "job"
"""
# A data stream of which the first packets are missing.
LATE_STREAM = b"""/* CTF 1.8 */
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; byte_order = le; };
stream { packet.context := struct { u64 packet_seq_num; u64 events_discarded; }; event.header := struct { integer { size = 8; } id; }; };
event { id = 0; name = "tick"; };
"""
SECOND = 1_000_000_000
EPOCH = 1_700_000_000 * SECOND
# Worlds of which more is asked, for places that end alike, flows, and queues.
WHY = {("tokio", 7), ("ros2", 2), ("rtos", 0), ("rtos", 2)}
# What it takes minutes to make.
RARE = {"query/not-held", "query/allocations-not-held"}
# What `diff` says in other places than its doubts.
BESIDE_DOUBTS = {"diff/verdict", "diff/too-little", "diff/dependent", "diff/rows-left-out", "diff/across-losses", "diff/not-ended"}
BY_SECTION = {"why/busy", "why/busy-with-one", "why/ran"}
# Said each time, or of words that other sentences have too.
ALWAYS = {"diff/verdict", "query/read", "stuck/task"}
# Of what a text alone says.
LINES = re.compile(r"^tracedeck: (?:error: |note: )?(.*)$", re.MULTILINE)


def pool(*events):
    """A dial9 trace of (time, class, values)."""
    fields = {"Start": ["worker", "job"], "End": ["worker"], "Queue": ["job"], "Other": ["job"]}
    data = w.header() + b"".join(w.schema(i, name, [(f, w.VARINT) for f in each]) for i, (name, each) in enumerate(fields.items()))
    now = 0
    for time, kind, values in sorted(events, key=lambda event: event[0]):
        data += w.reset(time) if time - now >= 1 << 24 else b""
        now = time if time - now >= 1 << 24 else now
        data += w.event(kind, b"".join(map(w.varint, values)), time - now)
        now = time
    return data


def job(number, worker, begin, end):
    return [(begin, START, (worker, number)), (end, END, (worker,))]


class Sentences(CommandTest):
    maxDiff = None
    said = None  # by `saying`

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.table, cls.seen = sentences.table(BIN), sentences.Seen()
        cls.made = set()  # what an input was made for, so that it has to be said

    def one(self, name):
        return self.table[name]

    # ---- Answers, as text and as JSON

    def both(self, command, *args, codes=(0, 1, 3, 4)):
        text, answer = run(command, *args), run(command, *args, "--output", "json")
        self.assertIn(text.returncode, codes, text.stderr)
        self.assertEqual(answer.returncode, text.returncode, answer.stderr)
        self.look_at_notices(text.stderr.decode(errors="replace"))
        if text.stdout:
            self.assertTrue(answer.stdout, f"{command} {args}")
        return text.stdout.decode(errors="replace"), json.loads(answer.stdout) if answer.stdout else None

    @contextlib.contextmanager
    def saying(self, *names):
        """What is asked within says these notices and reasons, each time, and no others."""
        before, self.said = self.said, {name if "/" in name else f"notice/{name}" for name in names}
        self.made.update(self.said)
        yield
        self.said = before

    def look_at_notices(self, text):
        said = notices.said(self.table, text)
        if self.said is not None:
            self.assertEqual({name for name in said if not name.startswith("losses/")}, self.said, text)
        for name in self.table:
            if name.startswith(("notice/", "require/", "losses/")):
                self.seen.note(name, name in said)

    def latency(self, *args, where=""):
        text, answer = self.both("latency", "--top", "0", *args)
        if answer:
            self.assertEqual(sentences.differences(self.table, text, sentences.of_latency(self.table, answer, where), self.seen), [], f"{args}\n{text}")
        return text

    def why(self, *args):
        text, answer = self.both("why", *args)
        if not answer:
            return
        if answer["found"]:
            self.assertEqual(sentences.counted(self.table, text, sentences.of_why(answer), self.seen), [], f"{args}\n{text}")
            self.conclusion(text, answer)
            for name, said, true in sentences.of_sections(self.table, text, answer):
                self.assertEqual(said, true, f"{name} {args}\n{text}")
                self.seen.note(name, said > 0)
        self.reason("" if answer["found"] else answer["reason"])

    def conclusion(self, text, answer):
        said = next((line[13:] for line in text.splitlines() if line.startswith("  so  ")), None)
        self.assertEqual(said, answer.get("so"))
        matching = [name for name in self.table if name.startswith("so/") and said and self.one(name).pattern.fullmatch(said)]
        self.assertEqual(len(matching) >= 1, said is not None, said)
        for name in self.table:
            if name.startswith("so/"):
                self.seen.note(name, name in matching[:1])
            elif name.startswith("why/") and name not in {*sentences.of_why(answer), *BY_SECTION}:
                self.seen.note(name, self.one(name).pattern.search(text) is not None)

    def reason(self, reason):
        names = ("why/no-track", "why/no-name", "why/nothing-lasts", "why/not-in-trace", "why/none-known", "why/few-known")
        said = [name for name in names if self.one(name).pattern.fullmatch(reason)]
        self.assertEqual(len(said), bool(reason), (reason, said))
        for name in names:
            self.seen.note(name, name in said)

    def diff(self, *args):
        text, answer = self.both("diff", *args)
        for side in ("a", "b"):
            line = next(line for line in text.splitlines() if line.startswith(side.upper() + " "))
            self.assertEqual(sentences.differences(self.table, line, sentences.of_summary(answer[side]), self.seen), [])
        for name in self.table:
            if name.startswith("diff/"):
                found = [match.group(0) for match in sentences.found(self.one(name), text)]
                self.seen.note(name, bool(found))
                doubts = [each for each in found if each in answer["doubts"]]
                if name not in BESIDE_DOUBTS:
                    self.assertEqual(found, doubts)
        return answer

    def query(self, *args):
        result = run("query", *args, "--output", "jsonl")
        shown = run("query", *args)
        self.look_at_notices(shown.stderr.decode(errors="replace"))
        answer = json.loads(result.stdout.decode().splitlines()[-1])["answer"]
        last = shown.stdout.decode().splitlines()[-1]
        self.assertEqual(sentences.differences(self.table, last, sentences.of_query(answer), self.seen), [], last)

    def require(self, text, *paths, command="latency"):
        result = run(command, "--require", text, *paths)
        self.assertIn(result.returncode, (0, 1))
        self.look_at_notices(result.stderr.decode())

    # ---- What is asked

    def test_table(self):
        """The documentation shows it as it is."""
        self.assertIn(run("generate", "sentences").stdout.decode(), (ROOT / "docs/timeline.md").read_text())
        self.assertGreater(len(self.table), 100)

    def test_each_is_said_and_withheld(self):
        for ask in (self.of_worlds, self.of_incidents):
            with self.subTest(ask.__name__):
                ask()
        for ask in (self.of_pools, self.of_differences, self.of_quality, self.of_queries, self.of_allocations, self.of_samples, self.of_notices):
            with self.subTest(ask.__name__), self.saying():
                ask()
        self.assertEqual(self.seen.lacking(set(self.table) - RARE, ALWAYS), [])
        # Notices and reasons, whose conditions no JSON has.
        checked = {name for name in self.table if name.startswith(("notice/", "require/"))}
        self.assertEqual(set(notices.NOT_BY_WORLDS) - checked, set())
        self.assertEqual(checked - self.made, set())

    def of_worlds(self):
        for family in worlds.FAMILIES:
            for seed in range(10):
                with tempfile.TemporaryDirectory() as folder:
                    truth = worlds.sample(family, seed, pathlib.Path(folder))
                    options = [*map(str, truth.options), *map(str, truth.paths)]
                    self.latency(*options)
                    said = notices.said(self.table, run("latency", *options).stderr.decode(errors="replace"))
                    for name, true in notices.conditions(truth).items():
                        self.assertEqual(name in said, true, f"{family} {seed}: {name}")
                    self.query("spans | count", *options)
                    self.look_at_notices(run("stats", *options).stderr.decode())
                    if (family, seed) in WHY:
                        answer = json.loads(run("latency", "--json", *options).stdout)
                        states = sorted({state["name"] for track in answer["tracks"] for state in track.get("states", ())})
                        blocked = [name for name in states if name.startswith("blocked")]
                        for name in ("poll lib.rs:10", *map(sentences.title, answer["rows"][:4]), *blocked):
                            self.why("--longest", name, *options)

    def of_incidents(self):
        for kind in [*incidents.KINDS, *incidents.HEALTHY]:
            for seed in range(2):
                with tempfile.TemporaryDirectory() as folder:
                    case = incidents.made(kind, seed, folder)
                    for ask in case.ask:
                        self.why(*ask, *map(str, case.paths))

    def of_pools(self):
        """Of a table and traces made for what is rare."""
        table = self.file("pool.toml", POOL.encode())

        def asked(*events, ask=(), name="pool.bin"):
            path = self.file(name, pool(*events))
            self.latency("--table", table, path)
            for options in ask:
                self.why(*options, "--table", table, path)
            return path

        served = [event for i in range(30) for event in [(1000 * i, QUEUE, (i,)), *job(i, 0, 1000 * i + 10 * (i + 1), 1000 * i + 400)]]
        untaken = [(1000 * i + 600, QUEUE, (100 + i,)) for i in range(25)]
        longest = ["--longest", "queued"]
        asked(*served, *untaken, ask=[longest, ["--longest", "run 25"], ["--at", "700"], ["--at", "600"]])
        asked(*served, (4500, QUEUE, (100,)), ask=[longest, ["--longest", "run 25"]])
        # Several that wait for long, of which few have not been served when it ends.
        waiting = [(50_000 + i, QUEUE, (200 + i,)) for i in range(6)]
        taken = [event for i in range(5) for event in job(200 + i, 1, 90_000 + 20 * i, 90_010 + 20 * i)]
        asked(*served, *waiting, *taken, *job(300, 0, 50_100, 89_000), ask=[["--longest", "run 300"], ["--at", "50100"]])
        # Slices that go on, the only one of a name, none that ended, and one with many inside.
        inside = [event for i in range(6) for event in job(20 + i, 0, 2000 + 100 * i, 2050 + 100 * i)]
        busy = [event for k in range(1, 20) for i in range(8) for event in job(40 + i, k, 2000 + 100 * i, 2090 + 100 * i)]
        nested = asked(
            (1000, START, (0, 10)), *inside, (5000, END, (0,)), *busy, (6000, START, (1, 11)), (7000, START, (2, 12)), (8000, OTHER, (1,)),
            ask=[["--longest", "run 10"], ["--longest", "run 11"], ["--longest", "run 2?"], ["--at", "6000"], ["--longest", "run 4?"]],
        )
        asked(*job(1, 0, 0, 1000), (2000, START, (0, 2)), ask=[["--longest", "run 2"], ["--longest", "run"]])
        asked(*job(1, 0, 0, 900), *(event for i in range(9) for event in job(1, 0, 1000 + 100 * i, 1010 + 100 * i)), ask=[["--longest", "run 1"]])
        # What is asked for and not there.
        for ask in (["--longest", "rum 1"], ["--longest", "run", "--track", "nobody"], ["--at", "99999999"], ["--slice", "run 1", "--rank", "99"]):
            self.why(*ask, "--table", table, nested)
        asked((10, END, (0,)), (500, START, (1, 1)), ask=[["--longest", "run*"]], name="begun.bin")
        self.latency("--table", table, self.file("none.bin", pool((10, OTHER, (1,)))))
        condition = "duration > 1h"
        self.latency("--table", table, "--where", condition, nested, where=condition)
        with self.saying("lacks"):
            self.latency("--table", table, self.file("lacks.bin", w.header() + w.schema(0, "Start") + w.event(0, delta=1)))
        # Too many at a time.
        self.latency("--table", table, self.file("asked.bin", pool(*((i, QUEUE, (i,)) for i in range(140_000)), *job(1, 0, 140_000, 140_001))))
        for length in (50, 5_000_000_000):
            path = self.file("back.bin", pool() + w.reset(length + 100) + w.event(START, w.varint(0) * 2, 0) + w.reset(100) + w.event(END, w.varint(0), 0))
            self.latency("--order", "recorded", "--table", table, path)
        self.latency(self.file("alone.bin", w.header() + w.schema(0, "Tick") + w.event(0, delta=1)))
        self.query('spans | where kind == "wait" | count', "--table", table, self.file("other.bin", pool((10, START, (0, 1)))))
        # A poll that goes over the border of two segments, the second of which has nothing else.
        start = w.schema(0, "PollStartEvent", [("worker_id", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)])
        end = w.schema(0, "PollEndEvent", [("worker_id", w.VARINT)])
        polled = w.header() + start + w.event(0, w.varint(0) * 2 + w.string("lib.rs:10"), 10)
        with self.saying("perhaps-older"):
            self.latency(self.file("border.bin", polled + w.header() + end + w.event(0, w.varint(0), 20)))
        lanes = POOL.replace('again = "nest"', "").replace('kind = "thread"', 'kind = "lanes"').replace('match = "worker"', 'match = ["worker"]')
        self.latency("--table", self.file("lanes.toml", lanes.replace('key = "worker"', "").replace("{worker}", "s").encode()),
                     self.file("many.bin", pool(*((i, START, (i, 1)) for i in range(300)), *((1000 + i, END, (i,)) for i in range(300)))))
        # Slices that overlap, on a track and on lanes; more than ended go on.
        overlapping = [(10, START, (0, 1)), (20, START, (0, 2)), (30, QUEUE, (1,)), (40, QUEUE, (2,))]
        jobs = {kind: self.file(f"{kind}.toml", JOBS.replace("KIND", kind).encode()) for kind in ("thread", "lanes")}
        self.latency("--table", jobs["thread"], self.file("overlap.bin", pool(*overlapping)))
        ended = [event for i in range(30) for event in ((100 * i, START, (0, i)), (100 * i + 90, QUEUE, (i,)))]
        going_on = self.file("on.bin", pool(*ended, *((100 * i + 50, START, (0, 100 + i)) for i in range(25))))
        self.why("--longest", "run job", "--table", jobs["lanes"], going_on)
        # Served before it was asked for, as recorded.
        early = pool() + w.reset(100) + w.event(QUEUE, w.varint(7)) + w.reset(50) + w.event(START, w.varint(0) + w.varint(7))
        self.latency("--order", "recorded", "--table", table, self.file("early.bin", early))
        self.query("spans | count", "--table", table, self.folder / "asked.bin")
        lengths = [(10 * i, OTHER, (7 - i,)) for i in range(1, 6)]
        received = self.file("queue.bin", pool(*lengths, (100, START, (0, 1)), (200, OTHER, (0,)), (300, OTHER, (1,)), (400, END, (0,))))
        self.why("--longest", "blocked*", "--table", self.file("queues.toml", QUEUES.encode()), received)
        self.latency(*self.missing_switches())
        waits = self.file("waits.toml", WAITS.encode())
        self.latency("--table", waits, self.file("waits.bin", pool((100, START, (0, 1)), (200, START, (1, 1)), (300, OTHER, (1,)))))
        ticks, early = self.file("ticks.toml", TICKS.encode()), self.folder / "early"
        early.mkdir()
        (early / "metadata").write_text(tsdl())
        (early / "long").write_bytes(packet(0, *((10 * i, i) for i in range(100))))
        (early / "short").write_bytes(packet(0, (0, 0), (10, 1), instance=1))
        self.latency("--table", ticks, early)
        with self.saying("no-span-ends"):
            self.query("spans | count", "--table", ticks, early)
        span = heph.event(b"work", start=2000, end=1000)
        self.latency(self.file("early.heph", heph.epoch(0) + span))
        self.some_left_out(table)

    def missing_switches(self):
        """A recording of one thread alone: it leaves a processor on which nothing was put since it left."""
        trace = Ctf(KERNEL, False)
        for time in (1000, 2000):
            names = {"prev_comm": "a", "next_comm": "", "prev_prio": 0, "next_prio": 0}
            trace.event(0, time, "sched_switch", {**names, "prev_tid": 1, "prev_state": 1, "next_tid": 0}, 0)
        trace.write(self.folder / "tracked")
        return [self.folder / "tracked"]

    def some_left_out(self, table):
        """Of tables that are cut, and of ranges, the text alone says so."""
        rows = [event for k in range(8) for i in range(4) for event in job(k, k, 1000 * k + 100 * i, 1000 * k + 100 * i + 50)]
        path = self.file("rows.bin", pool(*rows))
        shown = [
            self.check(run("latency", "--table", given, *options, path), 0).stdout.decode()
            for given in (table, self.file("states.toml", STATES.encode()))
            for options in (["--top", "2"], ["--top", "0"], ["--begin", "1h"])
        ]
        names = [name for name in self.table if name.startswith("latency/") and name.endswith("-left-out")]
        names += ["latency/empty-range", "trace/no-losses-in-range"]
        for text in shown:
            for name in set(names) - {"latency/slices-left-out", "latency/waits-left-out", "latency/begins-left-out"}:
                self.seen.note(name, bool(sentences.found(self.one(name), text)))

    def of_differences(self):
        def made(name, slices, **more):
            return self.file(name, slices_of(slices, **more))

        few = made("few.bin", [(10 * i, 5, "a") for i in range(5)])
        many = made("many.bin", [(1000 * i, 100 + i % 7, "a") for i in range(400)])
        slow = made("slow.bin", [(1000 * i, 300 + i % 7, "a") for i in range(400)])
        levels = made("levels.bin", [(1000 * i, 100 + (500 if i % 400 < 200 else 0) + i % 5, "a") for i in range(800)])
        other = made("other.bin", [(1000 * i, 100, "b") for i in range(50)])
        damaged = made("damaged.bin", [(1000 * i, 100, "a") for i in range(50)], damage=[20_050])
        opened = made("open.bin", [(1000 * i, 100, "a") for i in range(50)], marks=[(60_000, "c_begin")])
        once = made("once.bin", [(100, 0, "a")])
        self.latency(made("far.bin", [(10, 5, "a")], marks=[(2**63 + 5, "a_begin")]))
        with self.saying("mixed"):
            unclear = w.header() + w.schema(0, "m_begin", [("x", w.VARINT)]) + w.schema(1, "m_end", [("y", w.VARINT)])
            self.latency(self.file("unclear.bin", unclear + b"".join(w.event(kind, w.varint(0), 10) for kind in (0, 0, 1))))
        with self.saying("mixed", "require/unclear"):
            self.require('count("m") < 5', self.folder / "unclear.bin")
        nothing = made("nothing.bin", [], marks=[(10, "x"), (20, "x")])
        for pair in ((few, many), (many, slow), (levels, levels), (many, other), (many, damaged), (opened, many), (once, many), (nothing, nothing)):
            self.diff(*pair)
        # Two lines of a source, and the spans in them, each of which moved.
        self.diff(*[self.file(f"moved{i}.bin", diff_test.MovedPlaces.polls(i, *lines)) for i, lines in enumerate(((10, 20), (13, 25)))])
        with self.saying("require/is-and-was"):
            self.require('max("a") <= 1 * A', many, slow, command="diff")
        with self.saying("require/one-time"):
            self.require('rate("a") <= 1', once, once, command="diff")
        self.require('max("a") < 1h', many)
        with self.saying("require/is"):
            self.require('max("a") < 1ns', many)
        with self.saying("require/exists"):
            self.require('absent("a")', many)
        with self.saying("require/nothing"):
            self.require('max("aa") < 1h', many)
        with self.saying("require/lost-within"):
            self.require('count("a") < 1000', damaged)
        with self.saying("require/lost"):
            self.require('count("a") < 1000', made("behind.bin", [(1000 * i, 100, "a") for i in range(50)], marks=[(60_000, "x")], damage=[55_000]))

        pools = self.file("pools.bin", pool(*job(1, 0, 100, 200), (300, START, (0, 2)), (400, OTHER, (1,))))
        self.diff("--table", self.file("pool.toml", POOL.encode()), pools, many)
        self.diff("--top", "1", "--table", self.file("pool.toml", POOL.encode()), pools, many)
        with self.saying("require/none-known"):
            self.require('max("run 2") < 1h', "--table", self.file("pool.toml", POOL.encode()), pools)

    def of_quality(self):
        """What recordings lack, and who is stuck in them."""
        few = Recording().busy().anchor(10, 10**18).symbol(0x1000)
        for time in range(20):
            few.sample(time * MS, 0x1000, 0x1000, 0x1000, 0x7000)
        memory = Recording().busy().at(20, "AllocEvent", w.u32(7), w.varint(64), w.varint(0), w.stack(1, 2, 3))
        steps = Recording().busy().anchor(10, 10**18).anchor(50 * MS, 10**18 + 3_600_000 * MS)
        good = Recording().busy().anchor(10, 10**18)
        stuck = Recording().busy().poll(20 * MS, 3, "src/c.rs:1:1", worker=1).wake(30 * MS, 4)
        for task in range(100, 108):
            stuck.spawn(task * 1000, task)
        for time in range(40 * MS, 60 * MS, MS):
            stuck.wake(time, 1).poll(time + 100, 1, worker=2).wake(time + 150, 1, waker=1)
        one = Recording().busy().spawn(10, 5, instrumented=0)
        contents = [each.content() for each in (quality_test.poor(), few, memory, steps, good, stuck, one)] + [good.content(damage=b"\xff\xff")]
        for number, content in enumerate(contents):
            self.quality(self.file(f"quality{number}.bin", content))
        self.quality("--format", "tband", self.file("quality.tband", tband.event(2, 1) + tband.event(0x54, 10, 1) + tband.event(0x54, 20, 2)))

    def quality(self, *args):
        info, answer = self.both("info", "--quality", *args)
        head, measured = self.both("latency", *args)
        said = answer["quality"]["findings"]
        for each in said:
            self.assertIn(each["text"], info)
            self.assertIn("remedy: " + each["remedy"], info)
        self.assertEqual(info.count("remedy: "), len(said))
        for each in measured.get("quality", [])[:1]:
            self.assertIn("quality: " + each["text"], head)
        for name in self.table:
            if name.startswith(("quality/", "stuck/")):
                self.seen.note(name, bool(sentences.found(self.one(name), info + head)))

    def of_queries(self):
        fields = [("n", w.VARINT)]
        data = w.header() + w.schema(0, "a", fields) + w.schema(1, "b", fields) + w.schema(2, "a", []) + w.schema(3, "b", fields, 0)
        for kind, number in ((0, 1), (1, 1), (0, 2), (0, 2), (1, 3), (0, 4)):
            data += w.event(kind, w.varint(number), 10)
        path = self.file("q.bin", data + w.event(2, b"", 10) + w.event(3, w.varint(4), None))
        self.query("count", path)
        self.query("pair a b on n | count", path)
        self.query("pair a b on n within 1ns | count", path)
        self.query("pair a b on n | count", self.file("cut.bin", data[:-1] + b"\xff"))
        self.query("pair a b on c | count", path)
        stepping = self.stepping()
        self.query("pair tick tick on n | count", stepping)
        asked = 'table = "asked"\n[[track]]\nid = "a"\nname = "all"\n[[wait]]\nname = "asked"\nfrom = "tick"\nto = "never"\nmatch = ["n"]\ntrack = "a"\n'
        self.latency("--table", self.file("asked.toml", asked.encode()), stepping)
        lost = [heph.event(name, counter=counter, start=time, end=time) for name, counter, time in ((b"a", 0, 1000), (b"b", 5, 3000))]
        with self.saying("lost"):
            self.query("pair a b | count", self.file("lost.heph", heph.epoch(0) + b"".join(lost)))
        part = self.folder / "part"
        self.check(run("query", "count", "--partial", part, path), 0)
        self.query("--merge", part)
        self.of_late_events()
        self.query("distinct(n)", self.file("d.bin", w.header() + w.schema(0, "a", fields) + b"".join(w.event(0, w.varint(i), 1) for i in range(30_000))))

    def of_allocations(self):
        """Sampled allocations, of which all is known, or something is not."""
        rate = pprof.META
        known = self.allocations("known.bin", rate, pprof.alloc(64, 0x100, 1), pprof.alloc(64, 0x200, 2), pprof.free(0x100))
        self.query("allocations | count", known)
        with self.saying("no-allocations"):
            self.query("allocations | count", self.allocations("none.bin", rate))
        with self.saying("unscaled-allocations"):
            self.query("allocations | count", self.allocations("unscaled.bin", pprof.alloc(64, 0x100, 1), pprof.free(0x300)))
        with self.saying("untracked-allocations"):
            self.query("allocations | count", self.allocations("untracked.bin", rate, pprof.alloc(64, 0, 1)))
        lost = w.schema(7, "HeapOverflow", [("dropped_frees", w.VARINT)]) + w.event(7, w.varint(3), 10)
        with self.saying("lost", "frees-lost"):
            self.query("allocations | count", self.allocations("lost.bin", rate, pprof.alloc(64, 0x100, 1), lost))
        stacks = (pprof.alloc(64, 0x100 + i, *range(i << 16, (i << 16) + 2000)) for i in range(500))
        with self.saying("stacks-not-held"):
            self.query("allocations | count by stack | count", self.allocations("stacks.bin", rate, *stacks))

    def of_samples(self):
        """Sampled stacks, of which all is known, or something is not."""
        stack = workers.FUTEX
        start, end = workers.poll(1000, 2000)
        sample = lambda time: (time, "CpuSampleEvent", 0, 100, 1, "a", stack)
        self.query("samples | count", self.file("samples.bin", workers.recording(start, sample(1500), end)))
        with self.saying("no-samples"):
            self.query("samples | count", self.file("none.bin", workers.recording(start, end)))
        with self.saying("samples-before"):
            self.query("samples | count", self.file("before.bin", workers.recording(sample(500), end, sample(2500))))
        lost = workers.recording(start, end) + b"\xff\xff" * 4 + workers.recording(sample(3000), *workers.poll(4000, 5000))
        self.query("samples | count", self.file("lost.bin", lost))

    def allocations(self, name, *frames):
        return self.file(name, pprof.HEADER + b"".join(frames))

    def stepping(self):
        """One whose clock steps back."""
        trace = Ctf({"tick": ("n",)}, False)
        for time in (5000, 6000, 5500):
            trace.event(0, time, "tick", {"n": 1}, 0)
        trace.write(self.folder / "stepping")
        return self.folder / "stepping"

    def of_late_events(self):
        """Of a trace that grows: an event behind later ones that have been counted."""
        fields = [("n", w.VARINT)]
        lines = []
        for form in ("text", "jsonl"):
            path = self.file("grows.bin", w.header() + w.schema(0, "Tick", fields) + w.reset(3000) + w.event(0, w.varint(1)))
            command = [BIN, "query", "select n", "--output", form, "--slack", "100ms", "--follow", path]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                for _ in range(2 if form == "text" else 1):
                    process.stdout.readline()
                with open(path, "ab") as file:
                    file.write(w.reset(1000) + w.event(0, w.varint(2)))
                process.stdout.readline()
                process.send_signal(signal.SIGINT)
                lines.append(process.stdout.read().decode().splitlines()[-1])
        answer = json.loads(lines[1])["answer"]
        self.assertEqual(answer["late"], 1)
        self.assertEqual(sentences.differences(self.table, lines[0], sentences.of_query(answer), self.seen), [])

    def set_back(self):
        """Two events, between which the wall clock is set back by 2 s."""
        utc = 1_700_000_000_000_000_000
        data = w.header() + w.schema(0, "ClockSyncEvent", [("realtime_ns", w.VARINT)]) + w.schema(1, "Tick")
        data += w.event(0, w.varint(utc), 10) + w.event(1, delta=10) + w.event(0, w.varint(utc - 2_000_000_000), 10_000_000)
        return self.file("set_back.bin", data + w.event(1, delta=10))

    def late_anchor(self):
        """An event 2 s before the first anchor, and one behind a step back by 2 s."""
        utc = 1_700_000_000_000_000_000
        data = w.header() + w.schema(0, "ClockSyncEvent", [("realtime_ns", w.VARINT)]) + w.schema(1, "Tick") + w.event(1, delta=10)
        data += w.event(0, w.varint(utc), 2_000_000_000) + w.event(0, w.varint(utc - 2_000_000_000), 10_000_000)
        return self.file("late_anchor.bin", data + w.event(1, delta=10))

    def of_notices(self):
        self.of_clocks()
        self.of_processors()
        self.of_late_stream()
        self.of_live_events()
        self.of_streams()
        told = self.file("told.bin", pool(*job(1, 0, 100, 200)))
        with self.saying("lacks"):
            self.latency("--table", self.file("pool.toml", POOL.encode()), self.file("lacks.bin", w.header() + w.schema(0, "Start") + w.event(0, delta=1)))
        threadless = Ctf({"lttng_ust_tracef:event": ("msg:s",), "lttng_ust_cyg_profile:func_entry": ("addr",)}, False)
        threadless.event(0, 10, "lttng_ust_cyg_profile:func_entry", {"addr": 1}, 0)
        threadless.write(self.folder / "threadless")
        with self.saying("lacks-thread"):
            self.latency(self.folder / "threadless")
        with self.saying("utc-again", "clock-step", "clock-drift"):
            self.latency("--clock", "wall", "--end", "2023-11-14T22:13:20.005Z", self.set_back())
        with self.saying("utc-before", "clock-step"):
            self.latency("--begin", "2023-11-14T22:13:18Z", "--end", "2023-11-14T22:13:18.5Z", self.late_anchor())
        pairs = w.header() + w.schema(0, "RunBegin") + w.schema(1, "RunEnd")
        with self.saying("mixed"):
            self.latency(self.file("mixed.bin", pairs + b"".join(w.event(kind, delta=10) for kind in (0, 0, 1, 1))))
        polls = w.header() + w.schema(0, "PollStartEvent", [("worker_id", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)])
        polls += w.schema(1, "PollEndEvent", [("worker_id", w.VARINT)])
        polls += b"".join(w.event(0, w.varint(0) + w.varint(task) + w.string("a.rs:1:1"), delta=10) for task in (1, 2))
        with self.saying("not-told-apart"):
            self.latency(self.file("polls.bin", polls + w.event(1, w.varint(0), delta=10) * 2))
        many = STATES.encode()
        with self.saying("many-tracks"):
            self.latency("--table", self.file("many.toml", many), self.file("tracks.bin", pool(*((i, START, (i, i)) for i in range(17_000)))))
        with self.saying("many-tracks", "more-tracks"):
            self.latency("--table", self.file("many.toml", many), self.file("more.bin", pool(*((i, START, (i, i)) for i in range(82_000)))))
        with self.saying("no-spans"):
            self.query("spans | count", self.file("spans.bin", w.header() + w.schema(0, "Tick") + w.event(0, delta=1)))
        counts = 'table = "counts"\napplies = { class = "Start" }\n' + STATES[STATES.index('[[track]]\nid = "job"') :]
        with self.saying("no-span-ends"):
            self.query("spans | count", "--table", self.file("counts.toml", counts.encode()), self.file("counts.bin", pool((10, START, (0, 1)))))
        self.query("spans | count", "--table", self.file("ends.toml", POOL.encode()), told)
        switches = [(100, IN, 1), (110, TAKE, 7), (200, IN, 2), (210, TAKE, 7), (300, TAKEN, 7), (400, OUT, 1), (500, OUT, 2)]
        stream = self.file("channel0_0", b"".join(zephyr.event(*each) for each in switches))
        with self.saying("no-processor"):
            self.latency("--metadata", self.file("zephyr.metadata", zephyr.METADATA), stream)

    def of_late_stream(self):
        stream = self.file("late_stream", struct.pack("<QQB", 3, 5, 0))
        with self.saying("lost"):
            self.look_at_notices(run("stats", "--metadata", self.file("late.metadata", LATE_STREAM), stream).stderr.decode())

    def of_streams(self):
        """Data streams with and without a time in common, and losses of which one says how many, and one does not."""
        for name, times, discarded in (("common", (5, 12), 2), ("apart", (50, 60), 0)):
            folder = self.folder / name
            folder.mkdir()
            (folder / "metadata").write_text(tsdl())
            (folder / "ch_0").write_bytes(packet(0, (1, 1), (9, 2)) + packet(1, (20, 3), discarded=discarded))
            (folder / "ch_1").write_bytes(packet(0, *((time, 1) for time in times), instance=1) + packet(3, (70, 1), instance=1))
            selected = ("no-common-time",) if name == "apart" else ("lost", "common-time")
            with self.saying("lost"):
                self.look_at_notices(run("stats", folder).stderr.decode())
            with self.saying(*selected):
                self.look_at_notices(run("stats", "--stream-intersection", folder).stderr.decode())
        Process(1).write(self.folder / "files", kept=[0, 2])
        with self.saying("lost"):
            self.look_at_notices(run("stats", self.folder / "files").stderr.decode())
            self.look_at_notices(run("stats", self.folder / "files", self.folder / "common").stderr.decode())

    def of_live_events(self):
        """Of what a peer sends whose times go back, or do not."""
        for name, times in (("back", (3000, 1000)), ("forth", (1000, 3000))):
            path = self.file(name, w.header() + w.schema(0, "Tick") + b"".join(w.reset(time) + w.event(0) for time in times))
            with subprocess.Popen([BIN, "latency", "tcp-listen://127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                port = int(re.search(rb":(\d+)\n", process.stderr.readline())[1])
                with socket.create_connection(("127.0.0.1", port)) as peer:
                    peer.sendall(path.read_bytes())
                    peer.shutdown(socket.SHUT_WR)
                    peer.recv(1)
                process.send_signal(signal.SIGINT)
                with self.saying(*(["live-steps-back"] if name == "back" else [])):
                    self.look_at_notices(process.stderr.read().decode())

    def of_processors(self):
        """A thread that the first switch takes off, and an interrupt while another processor's events are lost."""
        trace = Ctf(KERNEL, False)
        for cpu, time, name in ((0, 1000, "entry"), (1, 2000, "entry"), (1, 2500, "exit"), (1, 8000, "entry"), (0, 9000, "exit")):
            trace.event(cpu, time, f"irq_handler_{name}", {"irq": 1 + cpu, "name": f"eth{cpu}"} if name == "entry" else {"irq": 1 + cpu, "ret": 1}, 0)
            if time == 2500:
                trace.packet(1, 7)
        names = {"prev_comm": "t5", "next_comm": "t7", "prev_prio": 0, "next_prio": 0}
        trace.event(0, 9500, "sched_switch", {**names, "prev_tid": 5, "prev_state": 1, "next_tid": 7}, 0)
        trace.write(self.folder / "kernel")
        with self.saying("lost"):
            self.latency(self.folder / "kernel")
            self.why("--longest", "irq eth0", self.folder / "kernel")

    def of_host(self, number):
        """A trace whose clock has an offset from the Unix epoch, and that UUID."""
        folder = self.folder / f"host{number}"
        folder.mkdir(exist_ok=True)
        (folder / "metadata").write_text(
            "/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n"
            f"clock {{ name = c; uuid = \"00000000-0000-0000-0000-00000000000{number}\"; offset_s = 1700000000; }};\n"
            "typealias integer { size = 64; align = 8; map = clock.c.value; } := t;\n"
            "stream { event.header := struct { t time; }; };\nevent { name = Tick; };\n"
        )
        (folder / "stream").write_bytes(struct.pack("<Q", 1000))
        return folder

    def of_clocks(self):
        def looked(*args, says=()):
            with self.saying(*says):
                self.look_at_notices(run(*args).stderr.decode())

        def anchored(name, *anchors):
            """Ticks each 10 s, and at some seconds what UTC is more than the clock."""
            data = w.header() + w.schema(0, "Tick", [("n", w.VARINT)]) + w.schema(1, "ClockSyncEvent", [("realtime_ns", w.VARINT)])
            events = [(10 * i * SECOND, 0, i) for i in range(8)] + [(at * SECOND, 1, at * SECOND + offset) for at, offset in anchors]
            return self.file(name, data + b"".join(w.reset(time) + w.event(kind, w.varint(value)) for time, kind, value in sorted(events)))

        steps = anchored("steps.bin", *((5 + 10 * i, EPOCH + i * SECOND) for i in range(6)))
        drift = anchored("drift.bin", (5, EPOCH), (35, EPOCH + 1_000_000))
        stepped = ("clock-step", "more-clock-steps")
        for trace, says in ((steps, stepped), (drift, ())):
            looked("print", "--clock", "wall", trace, says=says)
            looked("latency", "--clock", "wall", trace, says=(*says, "clock-drift"))
        silent = self.file("silent.bin", w.header() + w.schema(0, "Tick") + w.reset(SECOND) + w.event(0))
        looked("print", "--order", "time", drift, silent, says=["unrelated-order"])
        with self.saying("unrelated-clocks"):
            self.latency(drift, silent)
        looked("print", *(self.of_host(number) for number in (1, 2)), says=["other-hosts"])
        looked("print", *(self.of_host(1) for _ in range(2)))
        back = w.header() + w.schema(0, "Tick") + w.event(0, delta=9) + w.reset(2) + w.event(0)
        looked("print", "--order", "recorded", self.file("back.bin", back), says=["steps-back"])


if __name__ == "__main__":
    unittest.main()

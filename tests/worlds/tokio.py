"""A Tokio runtime, and what dial9's recorder writes of it.

Workers poll tasks from one queue. A wake makes an idle task ready, marks one that is polled to be ready when that poll
ends, and does nothing to one that is ready, or over. `block_in_place` leaves the worker to another thread; what is left of that
poll goes on without it, and its events still name the worker. The recorder has one batch, with a header of its own, for each thread
and each time that it is flushed; what it samples stands in a batch of its own.
"""

import collections
import dataclasses
import heapq
import json
import random

import dial9_writer as wire

from . import statements
from .truth import BEFORE, OPEN, WHOLE, Counter, Loss, Span, State, Timeline, Track, Truth, overlap, touched

NONE, BEGIN, END, HOLE = "none", "begin", "end", "hole"
LOSSES = (BEGIN, END, HOLE)
VARIANTS = ("plain", "spans", "block_in_place", "samples", "clock", "jobs", "uninstrumented", "places")

V, S, K = wire.VARINT, wire.POOLED_STRING, wire.POOLED_STACK
CLASSES = {
    "ClockSyncEvent": [("realtime_ns", V)],
    "SegmentMetadataEvent": [("entries", wire.STRING_MAP)],
    "PollStartEvent": [("worker_id", V), ("local_queue", wire.U8), ("task_id", V), ("spawn_loc", S)],
    "PollEndEvent": [("worker_id", V)],
    "WorkerParkEvent": [("worker_id", V), ("local_queue", wire.U8), ("cpu_time_ns", V), ("tid", wire.U32)],
    "WorkerUnparkEvent": [
        ("worker_id", V), ("local_queue", wire.U8), ("cpu_time_ns", V), ("sched_wait_ns", V), ("tid", wire.U32),
    ],
    "TaskSpawnEvent": [("task_id", V), ("spawn_loc", S), ("instrumented", wire.BOOL)],
    "TaskTerminateEvent": [("task_id", V)],
    "WakeEventEvent": [("waker_task_id", V), ("woken_task_id", V), ("target_worker", wire.U8)],
    "TaskDumpEvent": [("task_id", V), ("callchain", K)],
    "SpanCloseEvent": [("span_id", V)],
    "CpuSampleEvent": [
        ("worker_id", V), ("tid", wire.U32), ("source", wire.U8), ("thread_name", wire.OPTIONAL | S), ("callchain", K),
        ("cpu", wire.OPTIONAL | V),
    ],
    "SymbolTableEntry": [
        ("addr", V), ("size", V), ("symbol_name", S), ("inline_depth", V), ("source_file", S), ("source_line", V),
    ],
    "JobStart": [("job", V), ("worker", V)],
    "JobEnd": [("job", V), ("worker", V)],
}
ENTER = [("worker_id", V), ("span_id", V), ("parent_span_id", wire.OPTIONAL | V), ("span_name", S)]
EXIT = [("worker_id", V), ("span_id", V), ("span_name", S)]

# Functions by address; stacks are innermost first.
FUNCTIONS = {
    0x1000: "app::compute", 0x1100: "app::compress", 0x1200: "app::hash",
    0x2000: "tokio::runtime::task::harness::poll",
    0xFFFFFFFF81000000: "schedule", 0xFFFFFFFF81001000: "futex_wait_queue", 0xFFFFFFFF81002000: "futex_wait",
    0xFFFFFFFF81003000: "do_futex", 0xFFFFFFFF81004000: "do_nanosleep", 0xFFFFFFFF81005000: "hrtimer_nanosleep",
    0xFFFFFFFF81006000: "preempt_schedule_irq", 0xFFFFFFFF81007000: "asm_sysvec_apic_timer_interrupt",
    0x3000: "parking_lot::lock", 0x3100: "std::thread::sleep",
}
ADDRESS = {name: address for address, name in FUNCTIONS.items()}
OFF_STACKS = {
    "futex": ("schedule", "futex_wait_queue", "futex_wait", "do_futex", "parking_lot::lock", "app::compute"),
    "sleep": ("schedule", "do_nanosleep", "hrtimer_nanosleep", "std::thread::sleep", "app::compute"),
    "preempted": ("schedule", "preempt_schedule_irq", "asm_sysvec_apic_timer_interrupt", "app::compute"),
}
PLACES = ("src/main.rs:5:9", "src/server.rs:20:5", "src/worker.rs:7:13", "src/pool.rs:31:9")
ALIKE = ("crates/a/src/lib.rs:10:5", "crates/b/src/lib.rs:10:5", "crates/a/src/main.rs:3:9")
SPANS = (  # (path, place): path's last part is the span's name
    ("app::routes::get", "src/routes.rs:10"), ("app::ddb::get", "src/ddb.rs:20"),
    ("app::routes::put", "src/routes.rs:44"), ("app::cache::fill", "src/cache.rs:8"),
)
NO_WORKER = 255


@dataclasses.dataclass
class Event:
    time: int
    name: str
    fields: dict
    thread: int


@dataclasses.dataclass
class Thread:
    tid: int
    cpu: int = 0
    since: int | None = None  # on a processor since; None: it is not on one

    def run(self, now):
        if self.since is None:
            self.since = now

    def stop(self, now):
        if self.since is not None:
            self.cpu += now - self.since
            self.since = None

    def cpu_at(self, now):
        return self.cpu + (now - self.since if self.since is not None else 0)


@dataclasses.dataclass
class Poll:
    worker: int
    task: "Task"
    thread: Thread
    begin: int
    end: int | None = None
    woken_at: int | None = None  # the wake that it serves
    handed_over: bool = False
    off: list = dataclasses.field(default_factory=list)  # (why, begin, end)
    samples: list = dataclasses.field(default_factory=list)


class Task:
    def __init__(self, number, place, instrumented, rounds):
        self.number, self.place, self.instrumented, self.rounds = number, place, instrumented, rounds
        self.state = "idle"  # idle, ready, polled, over
        self.again = False  # woken while it is polled
        self.woken_at = None  # the wake that made it ready
        self.spawned_at = self.terminated_at = None
        self.timeline = Timeline()
        self.spans = []  # (span id, index in SPANS) that it is in
        self.polls = 0
        self.wait = None  # index of the task whose wake it waits for


class Worker:
    def __init__(self, number, thread):
        self.number, self.thread = number, thread
        self.doing = "start"  # start, looking, polling, parked
        self.timeline = Timeline()
        self.poll = None


class Runtime:
    """The simulation: `events` as they are recorded, `polls`, `spans`, and what is true besides."""

    def __init__(self, rng, variant):
        self.rng, self.variant = rng, variant
        self.now = rng.randrange(10**9, 10**13)
        self.started = self.now
        self.heap, self.order = [], 0
        self.events, self.polls, self.slices, self.waits = [], [], [], []
        self.ready = collections.deque()
        self.workers = [Worker(n, Thread(31700 + n)) for n in range(rng.randrange(1, 4))]
        self.pool, self.next_tid = [], 31800
        self.tasks = []
        self.next_task = rng.randrange(2, 20)
        self.free_span_ids, self.next_span_id = [], rng.choice((1, 1 << 55))
        self.open_spans = {}  # span id → (index, first enter)
        self.samples = []  # (time, tid, worker said, source, stack, poll or None)
        self.spent = collections.defaultdict(int)  # worker → CPU time between unpark and park of one thread
        self.unparked = {}
        self.last_time = 0
        self.places = ALIKE + PLACES if variant == "places" else PLACES
        self.polled_at = rng.choice((200_000, 1_000_000))  # ns of CPU time between samples

    # Times of events are all different, so that their order is known.
    def at(self, delay, what, *arguments):
        self.order += 1
        heapq.heappush(self.heap, (self.now + max(1, delay), self.order, what, arguments))

    def record(self, name, fields, thread):
        if self.now <= self.last_time:
            self.now = self.last_time + 1
        self.last_time = self.now
        self.events.append(Event(self.now, name, fields, thread))
        return self.now

    def queue(self):
        return min(255, len(self.ready))

    def run(self, most):
        for worker in self.workers:
            worker.thread.run(self.now)
            self.at(self.rng.randrange(500, 5000), self.look, worker)
        count = self.rng.randrange(2, 6)
        for _ in range(count):
            self.spawn(self.workers[0].thread, NO_WORKER)
        while self.heap and len(self.events) < most:
            time, _, what, arguments = heapq.heappop(self.heap)
            self.now = max(time, self.last_time)
            what(*arguments)

    def spawn(self, thread, worker):
        rng = self.rng
        instrumented = self.variant != "uninstrumented" or rng.random() < 0.4
        task = Task(self.next_task, rng.choice(self.places), instrumented, rng.randrange(1, 9))
        self.next_task += rng.randrange(1, 3)
        self.tasks.append(task)
        task.spawned_at = self.record(
            "TaskSpawnEvent", {"task_id": task.number, "spawn_loc": task.place, "instrumented": instrumented}, thread.tid
        )
        task.state = "ready"
        task.timeline.set(task.spawned_at, "new")
        self.ready.append(task)
        self.look_for_worker()

    def look_for_worker(self):
        parked = [worker for worker in self.workers if worker.doing == "parked"]
        if parked and self.ready:
            worker = self.rng.choice(parked)
            worker.doing = "unparking"
            self.at(self.rng.randrange(1000, 30_000), self.unpark, worker)

    def unpark(self, worker):
        worker.thread.run(self.now)
        self.now += self.rng.randrange(100, 500)
        cpu = worker.thread.cpu_at(self.now)
        time = self.record(
            "WorkerUnparkEvent",
            {"worker_id": worker.number, "local_queue": self.queue(), "cpu_time_ns": cpu, "sched_wait_ns": 0,
             "tid": worker.thread.tid},
            worker.thread.tid,
        )
        self.unparked[worker.number] = (worker.thread.tid, cpu, time)
        worker.timeline.set(time, "active")
        worker.doing = "looking"
        self.at(self.rng.randrange(200, 2000), self.look, worker)

    def look(self, worker):
        if self.ready:
            self.poll(worker, self.ready.popleft())
            return
        cpu = worker.thread.cpu_at(self.now)
        time = self.record(
            "WorkerParkEvent",
            {"worker_id": worker.number, "local_queue": 0, "cpu_time_ns": cpu, "tid": worker.thread.tid},
            worker.thread.tid,
        )
        tid, before, _ = self.unparked.pop(worker.number, (None, 0, 0))
        if tid == worker.thread.tid:
            self.spent[worker.number] += cpu - before
        worker.thread.stop(self.now)
        worker.timeline.set(time, "parked")
        worker.doing = "parked"

    def poll(self, worker, task):
        rng = self.rng
        thread = worker.thread
        thread.run(self.now)
        time = self.record(
            "PollStartEvent",
            {"worker_id": worker.number, "local_queue": self.queue(), "task_id": task.number, "spawn_loc": task.place},
            thread.tid,
        )
        if worker.timeline.at(time) is None:
            worker.timeline.set(time, "active")
        poll = Poll(worker.number, task, thread, time, woken_at=task.woken_at)
        if task.woken_at is not None:
            self.waits.append((task, task.woken_at, time, worker.number, task.woken_in))
        worker.doing, worker.poll = "polling", poll
        task.state, task.again, task.woken_at = "polled", False, None
        task.polls += 1
        task.timeline.set(time, f"polling {worker.number}")
        task.poll = poll
        self.polls.append(poll)
        if rng.random() < 0.3:
            self.events.append(Event(time, "TaskDumpEvent", {"task_id": task.number, "callchain": (0x1000, 0x2000)}, thread.tid))
        # What it does: steps one behind the other, each of some CPU time.
        steps = []
        if self.variant == "spans":
            if not task.spans and rng.random() < 0.6:
                outer = rng.randrange(len(SPANS))
                task.spans = [(self.span_id(), outer)]
                if rng.random() < 0.5:
                    task.spans.append((self.span_id(), rng.choice([i for i in range(len(SPANS)) if i != outer])))
            for place, (number, index) in enumerate(task.spans):
                steps.append((self.enter, (poll, number, index, task.spans[place - 1][0] if place else None)))
        last = task.polls >= task.rounds
        for _ in range(rng.randrange(0, 3)):
            other = rng.choice(self.tasks)
            if other.polls or other.state != "ready":
                steps.append((self.wake, (other, thread, task.number, worker.number)))
        if rng.random() < 0.15 and len(self.tasks) < 12:
            steps.append((self.spawn, (thread, worker.number)))
        if self.variant == "samples" and rng.random() < 0.5:
            long = rng.random() < 0.5
            steps.append((self.off, (poll, rng.choice(list(OFF_STACKS)), rng.randrange(300_000, 5_000_000) if long else 2000)))
            if not long and rng.random() < 0.5:
                steps.append((self.compute, (rng.randrange(500_000, 6_000_000),)))
        if self.variant == "block_in_place" and rng.random() < 0.4:
            steps.append((self.block, (poll, rng.randrange(100_000, 4_000_000))))
        rng.shuffle(steps[len(task.spans):])
        closing = last or rng.random() < 0.3
        for number, index in reversed(task.spans):
            steps.append((self.exit, (poll, number, index)))
        if task.spans and closing:
            for number, index in reversed(task.spans):
                steps.append((self.close, (number, index, thread)))
            task.spans = []
        if last:
            steps.append((self.terminate, (task, thread)))
        steps.append((self.end, (poll,)))
        self.step(steps, 0)

    def step(self, steps, place):
        if place:
            what, arguments = steps[place - 1]
            delay = what(*arguments) or 0
            self.now = max(self.now, self.last_time)
        else:
            delay = 0
        if place < len(steps):
            big = self.rng.random() < 0.08
            self.at(delay + self.rng.randrange(200, 400_000 if big else 20_000), self.step, steps, place + 1)

    def compute(self, time):
        return time

    def span_id(self):
        if self.free_span_ids and self.rng.random() < 0.7:
            return self.free_span_ids.pop()
        self.next_span_id += 1
        return self.next_span_id

    def enter(self, poll, number, index, parent):
        path, place = SPANS[index]
        time = self.record(
            f"SpanEnter:{path}:{place}",
            {"worker_id": poll.worker, "span_id": number, "parent_span_id": parent, "span_name": path.split("::")[-1]},
            poll.thread.tid,
        )
        self.open_spans.setdefault(number, (index, time))
        self.entered = getattr(self, "entered", {})
        self.entered[number] = time

    def exit(self, poll, number, index):
        path, place = SPANS[index]
        time = self.record(
            f"SpanExit:{path}:{place}",
            {"worker_id": poll.worker, "span_id": number, "span_name": path.split("::")[-1]}, poll.thread.tid,
        )
        self.slices.append(("segment", index, self.entered.pop(number), time, number))

    def close(self, number, index, thread):
        time = self.record("SpanCloseEvent", {"span_id": number}, thread.tid)
        _, begin = self.open_spans.pop(number)
        self.slices.append(("span", index, begin, time, number))
        self.free_span_ids.append(number)

    def wake(self, task, thread, waker, worker):
        """Called by whoever has the task's waker; a task that is over may be woken too."""
        if task.instrumented:
            time = self.record(
                "WakeEventEvent", {"waker_task_id": waker, "woken_task_id": task.number, "target_worker": worker}, thread.tid
            )
        else:
            time = self.now
        if task.state == "idle":
            task.state, task.woken_at, task.woken_in = "ready", time, None
            task.timeline.set(time, "runnable")
            self.ready.append(task)
            self.look_for_worker()
        elif task.state == "polled":
            task.again = True

    def timer(self, task):
        """The timer driver, on a worker that is parked on it, or on another thread."""
        if task.state != "over":
            self.wake(task, self.workers[0].thread if self.rng.random() < 0.5 else Thread(1), 0, NO_WORKER)

    def off(self, poll, why, time):
        begin = self.now
        poll.thread.stop(begin)
        poll.off.append((why, begin, begin + time))
        if self.rng.random() < 0.8:
            self.sample(poll.thread.tid, poll.worker, 1, OFF_STACKS[why], poll)
        self.at(time, poll.thread.run, begin + time)
        return time

    def sample(self, tid, worker, source, stack, poll):
        time = self.record(
            "CpuSampleEvent",
            {"worker_id": worker, "tid": tid, "source": source, "thread_name": "tokio-rt-worker" if self.rng.random() < 0.5 else None,
             "callchain": tuple(ADDRESS[name] for name in stack), "cpu": self.rng.choice((None, 0, 1))},
            -1,
        )
        self.samples.append((time, tid, worker, source, stack, poll))

    def block(self, poll, time):
        """`block_in_place`: another thread takes the worker over, unless it comes too late."""
        worker = self.workers[poll.worker]
        for k in range(self.rng.randrange(0, 4)):
            self.at(time * (k + 1) // 5, self.sample, poll.thread.tid, poll.worker, 0, ("app::compress", "tokio::runtime::task::harness::poll"), poll)
        if worker.poll is poll and not poll.handed_over:
            self.at(self.rng.randrange(5_000, 200_000), self.take_over, worker, poll)
        return time

    def take_over(self, worker, poll):
        if poll.end is not None or worker.poll is not poll:
            return
        poll.handed_over = True
        if self.pool:
            worker.thread = self.pool.pop()
        else:
            worker.thread = Thread(self.next_tid)
            self.next_tid += 1
        worker.thread.run(self.now)
        worker.poll, worker.doing = None, "looking"
        self.at(self.rng.randrange(200, 2000), self.look, worker)

    def terminate(self, task, thread):
        task.terminated_at = self.record("TaskTerminateEvent", {"task_id": task.number}, thread.tid)
        task.timeline.set(task.terminated_at, "ending")

    def end(self, poll):
        task, worker = poll.task, self.workers[poll.worker]
        poll.end = self.record("PollEndEvent", {"worker_id": poll.worker}, poll.thread.tid)
        if task.terminated_at is not None:
            task.state = "over"
            task.timeline.set(poll.end, None)
        elif task.again:
            task.state, task.again, task.woken_at, task.woken_in = "ready", False, poll.end, poll
            task.timeline.set(poll.end, "runnable")
            self.ready.append(task)
            self.look_for_worker()
        else:
            task.state = "idle"
            task.timeline.set(poll.end, "waiting")
            if self.rng.random() < 0.9:  # else nobody wakes it but other tasks
                self.at(self.rng.randrange(2_000, 3_000_000), self.timer, task)
        if poll.handed_over:
            poll.thread.stop(poll.end)
            self.pool.append(poll.thread)
        else:
            worker.poll, worker.doing = None, "looking"
            self.at(self.rng.randrange(100, 2000), self.look, worker)


def choose_loss(seed):
    """Every second round of the variants loses nothing."""
    turn = seed // len(VARIANTS)
    return LOSSES[turn // 2 % len(LOSSES)] if turn % 2 else NONE


def encoded(kind, value, strings, stacks):
    if kind & wire.OPTIONAL:
        return wire.ABSENT if value is None else wire.present(encoded(kind & ~wire.OPTIONAL, value, strings, stacks))
    if kind == S:
        return wire.u32(strings.setdefault(value, len(strings)))
    if kind == K:
        return wire.u32(stacks.setdefault(value, len(stacks)))
    if kind == wire.STRING_MAP:
        return wire.string_map(*value)
    return {V: wire.varint, wire.U8: wire.u8, wire.U32: wire.u32, wire.BOOL: wire.u8}[kind](value)


def fields_of(name):
    return ENTER if name.startswith("SpanEnter:") else EXIT if name.startswith("SpanExit:") else CLASSES[name]


def batch(events):
    """The frames of a batch: [(bytes, event or None)]."""
    frames, numbers, strings, stacks, base = [(wire.header(), None)], {}, {}, {}, 0
    for event in events:
        fields = fields_of(event.name)
        if event.name not in numbers:
            numbers[event.name] = len(numbers)
            frames.append((wire.schema(numbers[event.name], event.name, fields), None))
        known = len(strings), len(stacks)
        values = b"".join(encoded(kind, event.fields[field], strings, stacks) for field, kind in fields)
        if len(strings) > known[0]:
            frames.append((wire.string_pool(*((i, text) for text, i in list(strings.items())[known[0] :])), None))
        if len(stacks) > known[1]:
            frames.append((wire.stack_pool(*((i, stack) for stack, i in list(stacks.items())[known[1] :])), None))
        if not 0 <= event.time - base <= 0xFFFFFF:
            frames.append((wire.reset(event.time), None))
            base = event.time
        frames.append((wire.event(numbers[event.name], values, event.time - base), event))
        base = event.time
    return frames


def identities(label):
    """The full names of what a label can be called: of a place with and without its column, of a span by path and place."""
    category, _, rest = label.partition(" ")
    if category in ("poll", "task"):
        return [rest, rest.rpartition(":")[0]]
    path, _, place = rest.partition(" ")
    return [path, place, f"{path}:{place}", rest, f"{path} ({place})"]


def ends_with(full, short):
    return full == short or full.endswith("/" + short) or full.endswith("::" + short)


class World:
    """One run of a runtime and its wall clock."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variant = VARIANTS[seed % len(VARIANTS)]
        self.runtime = Runtime(self.random, self.variant)
        if self.variant == "jobs":
            self.jobs()
        else:
            self.runtime.run(self.random.randrange(120, 400))
            self.anchor()
        self.runtime.events.sort(key=lambda event: event.time)

    def jobs(self):
        """Events that no table is about: jobs of several workers at once, each with its number."""
        rng, runtime = self.random, self.runtime
        self.intervals, number = [], rng.randrange(100)
        for worker in range(rng.randrange(1, 4)):
            now = runtime.started + rng.randrange(100_000)
            for _ in range(rng.randrange(10, 40)):
                now += rng.randrange(1000, 200_000)
                end = now + rng.randrange(1000, 500_000)
                number += 1
                self.intervals.append((now, end))
                fields = {"job": number, "worker": worker}
                runtime.events += [Event(now, "JobStart", fields, worker), Event(end, "JobEnd", fields, worker)]
                now = end

    def anchor(self):
        """Clock anchors at each rotation; between them the wall clock drifts, is set, or the machine is suspended."""
        rng, events = self.random, self.runtime.events
        first, last = min(e.time for e in events), max(e.time for e in events)
        offset = 1_778_000_000_000_000_000 + rng.randrange(10**15)
        times = sorted({first - 10, *(rng.randrange(first, last) for _ in range(rng.randrange(0, 4)))})
        taken = {event.time for event in events}
        self.anchors = []
        for number, time in enumerate(times):
            while time in taken:
                time += 1
            if number:
                offset += rng.choice(
                    (rng.randrange(-900_000, 900_000), 3600 * 10**9 + 7, -rng.randrange(2_000_000, 10**10), rng.randrange(2_000_000, 10**9))
                    if self.variant == "clock"
                    else (0,)
                )
            self.anchors.append((time, offset))
            events.append(Event(time, "ClockSyncEvent", {"realtime_ns": time + offset}, -2))
            events.append(
                Event(time, "SegmentMetadataEvent", {"entries": (("service", "demo"), ("host", "web1"), ("boot_id", "abcd-4242"))}, -2)
            )
        if any(event.name == "CpuSampleEvent" for event in events):
            for address, name in FUNCTIONS.items():
                events.append(
                    Event(last, "SymbolTableEntry", {
                        "addr": address, "size": 0, "symbol_name": name, "inline_depth": 0, "source_file": "", "source_line": 0,
                    }, -3)
                )

    def record(self, folder, loss=NONE):
        rng = random.Random(self.runtime.started)
        events = self.runtime.events
        first, last = events[0].time, events[-1].time
        begin_at = None
        if loss == BEGIN:  # older files were deleted; samples and anchors of that time with them
            begin_at = first + (last - first) * rng.randrange(20, 60) // 100
            events = [event for event in events if event.time >= begin_at]
        # Threads flush at times of their own.
        batches = collections.defaultdict(list)
        length = max(1, (last - first) // rng.randrange(1, 6))
        for event in events:
            batches[((event.time - first + event.thread % 7 * 1000) // length, event.thread)].append(event)
        order = sorted(batches, key=lambda key: (key[0], key[1] % 5))
        framed = [batch(batches[key]) for key in order]
        kept, lost, data, broken, known = [], [], [], None, 0
        if loss in (END, HOLE):
            broken = rng.choice([i for i, one in enumerate(framed) if sum(e is not None for _, e in one) > 2] or [None])
            if loss == END and broken is not None:  # what one thread wrote last
                framed.append(framed.pop(broken))
                broken = len(framed) - 1
        for number, one in enumerate(framed):
            places = [i for i, (_, event) in enumerate(one) if event]
            cut = rng.choice(places[1:]) if number == broken else len(one)
            data += [frame for frame, _ in one[:cut]]
            if cut < len(one):
                data.append(one[cut][0][:2] if loss == END else b"\xee" * 7)
                known = max(event.time for _, event in one[:cut] if event)
            kept += [event for _, event in one[:cut] if event]
            lost += [event for _, event in one[cut:] if event]
        path = folder / "trace.bin"
        path.write_bytes(b"".join(data))
        losses, doubt = [], []
        if lost:
            # A reader knows where the loss begins. Until when events are missing from that batch nothing says.
            losses.append(Loss(None, known, max(e.time for e in lost)))
            doubt = [Loss(None, known, last)]
        if begin_at is not None:
            losses.append(Loss(None, first, begin_at, declared=False))
        return self.truth(path, kept, losses, doubt or losses, loss)

    def truth(self, path, kept, losses, doubt, how):
        runtime = self.runtime
        begin, end = min(e.time for e in kept), max(e.time for e in kept)
        classes = collections.Counter(event.name for event in kept)
        common = {"losses": losses, "variant": f"{self.variant}, {how}", "exits": (0, 4) if how in (END, HOLE) else (0,)}
        if self.variant == "jobs":
            intervals = set(self.intervals)
            return Truth(
                [path], [], [], begin, end, len(kept), dict(classes), unchecked=lambda label: True,
                further=lambda command: check_jobs(command, intervals), **common,
            )
        spans = self.spans(end)
        seen = []
        if how == BEGIN:
            spans += self.from_the_begin(spans, kept, begin)
        for span in spans:
            if span.end is not None and span.end < begin or span.begin > end:
                continue
            since = span.task if isinstance(span.task, int) else span.begin
            sure = span.sure and not touched(since, span.end or end, doubt)
            fate, until, since = span.fate, span.end, span.begin
            if until is not None and until > end:
                fate, until = OPEN, None
            if since < begin:
                fate, sure = BEFORE, False
            seen.append(dataclasses.replace(span, sure=sure, fate=fate, begin=since, end=until))
        labels = {span.label for span in spans}

        def means(label):
            if label in labels:
                return (label,)
            if label in ("poll", "span", "segment", "task"):
                return tuple(sorted(name for name in labels if name.startswith(label + " ")))
            category, _, short = label.partition(" ")
            return tuple(
                sorted(
                    name for name in labels
                    if name.startswith(category + " ") and any(ends_with(full, short) for full in identities(name))
                )
            )

        return Truth(
            [path], seen, self.tracks(begin, end, doubt), begin, end, len(kept), dict(classes), counters=self.counters(kept, losses),
            means=means, judge=lambda truth, answer: self.judge(answer), witness=lambda truth, answer: self.witness(answer),
            further=lambda command: self.further(command, kept), ask=("poll", "wake -> poll"), **common,
        )

    def from_the_begin(self, spans, kept, begin):
        """Of what had been asked for, or entered, before the trace began, the first event in it is all that is known."""
        result = []
        for span in spans:
            if span.end is None or span.end < begin:
                continue
            if span.kind == "wait":
                task, during = span.by
                since = span.begin if during is None else during.begin
                times = [e.time for e in kept if e.name == "WakeEventEvent" and e.fields["woken_task_id"] == task]
            elif span.label.startswith("span "):
                since = span.begin
                times = [e.time for e in kept if e.name.startswith("SpanEnter:") and e.fields["span_id"] == span.by]
            else:
                continue
            times = [time for time in times if since < time < span.end]
            if since < begin and times:
                result.append(dataclasses.replace(span, begin=min(times), sure=False))
        return result

    def uncertain(self):
        """Polls whose end may be that of another, as one of them went on without its worker."""
        polls = self.runtime.polls
        result = set()
        for poll in polls:
            if poll.handed_over:
                result.add(id(poll))
                until = poll.end if poll.end is not None else 1 << 64
                result.update(id(p) for p in polls if p.worker == poll.worker and p.begin < until and (p.end or 1 << 64) > poll.begin)
        return result

    def spans(self, end):
        runtime, unsure = self.runtime, self.uncertain()
        result = []
        before = {}
        for poll in runtime.polls:
            task = poll.task
            result.append(
                Span("slice", f"poll {task.place}", poll.begin, poll.end, WHOLE if poll.end else OPEN, id(poll) not in unsure,
                     f"worker {poll.worker}", by=poll)
            )
        for task, asked, served, worker, during in runtime.waits:
            # Whether a wake is the first one is known from the poll before.
            earlier = max((p.begin for p in runtime.polls if p.task is task and p.begin < served), default=task.spawned_at)
            sure = task.instrumented and (during is None or id(during) not in unsure)
            sure = sure and not any(id(p) in unsure for p in runtime.polls if p.task is task and p.begin == earlier)
            if task.instrumented:
                result.append(
                    Span("wait", "wake -> poll", asked, served, WHOLE, sure, f"worker {worker}", task=earlier, by=(task.number, during))
                )
        for task in runtime.tasks:
            # What is asked for and not served at the end goes on as a state of the task.
            result.append(
                Span("slice", f"task {task.place}", task.spawned_at, task.terminated_at, WHOLE if task.terminated_at else OPEN)
            )
        for kind, index, begin, until, number in runtime.slices:
            result.append(Span("slice", f"{kind} {' '.join(SPANS[index])}", begin, until, by=number))
        for number, begin in getattr(runtime, "entered", {}).items():
            result.append(Span("slice", f"segment {' '.join(SPANS[runtime.open_spans[number][0]])}", begin, None, OPEN))
        for index, begin in runtime.open_spans.values():
            result.append(Span("slice", f"span {' '.join(SPANS[index])}", begin, None, OPEN))
        return result

    def tracks(self, begin, end, losses):
        runtime, unsure = self.runtime, self.uncertain()
        tracks = []
        for task in runtime.tasks:
            states, doubtful = [], False
            # What a task did when the trace began is known from its first poll on; until then a wake tells no more than itself.
            first = begin
            if losses and not losses[0].declared:
                first = min((p.begin for p in runtime.polls if p.task is task and p.begin >= begin), default=end)
            for since, until, name in task.timeline.pieces(task.spawned_at, end):
                if name.startswith("polling"):
                    poll = next(p for p in runtime.polls if p.task is task and p.begin == since)
                    doubtful = id(poll) in unsure
                    words = (f"polling on worker {poll.worker}",)
                elif name == "ending":  # the poll goes on for a moment after the task is over
                    words, doubtful = (*words, "ended", "terminated"), True
                elif name == "new":
                    words = ("runnable", "spawned")
                else:
                    words = (name,)
                sure = not doubtful and (task.instrumented or name == "new" or name.startswith("polling"))
                known = max(since, begin)
                if known < first and until > known:
                    states.append(State((*words, "runnable", "waiting"), known, min(until, first), False))
                    known = first
                if until > known:
                    states.append(State(words, known, until, sure and not touched(begin if losses else known, until, losses)))
            if first > begin and (not states or states[-1].end < first):  # over before it began, and woken all the same
                states.append(State(("runnable",), states[-1].end if states else begin, end, False))
            if states:
                tracks.append(Track(f"task {task.number}", "task", states))
        for worker in runtime.workers:
            pieces = worker.timeline.pieces(begin, end)
            states = [State((name,), a, b, not losses) for a, b, name in pieces]
            if states and states[0].begin > begin:
                states.insert(0, State(("active",), begin, states[0].begin, False))
            tracks.append(Track("state", "worker state", states, parent=f"worker {worker.number}"))
        return tracks

    def counters(self, kept, losses):
        result = []
        for worker in self.runtime.workers:
            values = [e.fields["local_queue"] for e in sorted(kept, key=lambda e: e.time) if e.name == "PollStartEvent" and e.fields["worker_id"] == worker.number]
            if values:
                result.append(
                    Counter("local queue", len(values), min(values), max(values), values[-1], not losses, f"worker {worker.number}")
                )
        return result

    def poll_of(self, answer):
        return next((p for p in self.runtime.polls if p.begin == answer["begin"] and answer["name"].startswith("poll ")), None)

    def judge(self, answer):
        poll = self.poll_of(answer)
        if poll is None or poll.end is None:
            return None
        so = answer["so"]
        why = "futex" if "futex" in so else "sleep" if "nanosleep" in so else "preempted" if "taken" in so else None
        time = sum(until - since for what, since, until in poll.off if what == why)
        if why and time * 2 < poll.end - poll.begin:
            return so, f"so for {time} of {poll.end - poll.begin}; off the processor {[(w, b - a) for w, a, b in poll.off]}"
        return None

    def witness(self, answer):
        """Samples are evidence of a poll only if they are of the thread that ran it."""
        poll = self.poll_of(answer)
        if poll is None or poll.end is None:
            return
        for sample in answer["samples"]:
            if sample["track"] != f"worker {poll.worker}" or not poll.begin <= sample["first"] <= poll.end:
                continue
            mine = [
                s for s in self.runtime.samples
                if s[1] == poll.thread.tid and poll.begin <= s[0] <= poll.end and (s[3] == 0) == ("on cpu" in sample["name"])
                and list(s[4])[-len(sample["stack"]) :] == sample["stack"]  # the kernel's innermost functions may be left out
            ]
            if sample["count"] > len(mine):
                yield (
                    "samples of another thread", f"{sample['count']} {sample['name']} in {answer['name']} from {answer['begin']}",
                    f"{len(mine)} of thread {poll.thread.tid}",
                )

    def further(self, command, kept):
        self.check_clock(command, kept)
        self.check_spent(command, kept)
        statements.check_pictures(command)
        if command.truth.events % 3 == 0:
            statements.check_gates(command)

    def check_clock(self, command, kept):
        """Each anchor is at its own time; between two, the clock drifts or was set at the later one."""
        anchors = [(e.time, e.fields["realtime_ns"] - e.time) for e in kept if e.name == "ClockSyncEvent"]
        answer = command.json("info") if anchors else None
        if not answer or "utc" not in answer:
            return
        for which, time in (("first", command.truth.begin), ("last", command.truth.end)):
            low, high = wall(anchors, time)
            if not low <= answer["utc"][which] <= high:
                command.say(f"clock: utc of the {which} event", answer["utc"][which], (low, high))
        output = command.run("print", "--clock", "wall", "--output", "jsonl").stdout
        worst = None
        for line in output.decode().splitlines():
            event = json.loads(line)
            said, text = event.get("time"), event
            if event.get("event") != "ClockSyncEvent" and event.get("name") != "ClockSyncEvent":
                continue
            want = (event.get("fields") or {}).get("realtime_ns")
            if want is not None and isinstance(said, int) and said != want:
                worst = worst or (said, want)
        if worst:
            command.say("clock: an anchor at another time", *worst)

    def check_spent(self, command, kept):
        """CPU time of a worker between unpark and park is the difference of one thread's counter, never of two."""
        if command.truth.lossy:
            return
        answer = command.json("latency", "--top", "0")
        open_, spent, known = {}, collections.Counter(), collections.defaultdict(bool)
        for event in sorted(kept, key=lambda e: e.time):
            if event.name == "WorkerUnparkEvent":
                open_[event.fields["worker_id"]] = event.fields
            elif event.name == "WorkerParkEvent":
                before = open_.pop(event.fields["worker_id"], None)
                if before and before["tid"] == event.fields["tid"]:
                    spent[event.fields["worker_id"]] += event.fields["cpu_time_ns"] - before["cpu_time_ns"]
        for row in (answer or {}).get("tracks", ()):
            if row["group"] != "worker state":
                continue
            for state in row["states"]:
                number = int(row["parent"].split()[-1])
                if state["name"] == "active" and "spent" in state and state["spent"] != spent[number]:
                    command.say("worker state: CPU time", f"{row['parent']}: active, on CPU {state['spent']}", spent[number])


def wall(anchors, time):
    """Bounds of the wall clock's time."""
    before = [a for a in anchors if a[0] <= time]
    after = [a for a in anchors if a[0] > time]
    if not before or not after:
        offset = (before[-1] if before else after[0])[1]
        return time + offset, time + offset
    a, b = before[-1][1], after[0][1]
    if abs(b - a) > 1_000_000:
        return time + a, time + a
    return time + min(a, b), time + max(a, b)


def check_jobs(command, intervals):
    """A pair is of one job. To have no figure is right too."""
    said = collections.Counter()
    for line in command.run("query", "--output", "jsonl", "spans").stdout.decode().splitlines():
        row = json.loads(line)
        if "answer" in row or "Job" not in row["name"]:
            continue
        key = (row["time"], row["time"] + row["duration"])
        said[key] += 1
        if key not in intervals or said[key] > 1:
            command.say("pairs by name: of different jobs", f"{row['name']} from {key[0]} to {key[1]}", "no job did")
            return

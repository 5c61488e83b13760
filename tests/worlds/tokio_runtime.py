"""The simulation of a Tokio runtime: who polled what, when, on which thread, and who woke whom.

Workers poll tasks from one queue. A wake makes an idle task ready, marks one that is polled to be ready when that poll ends, and does
nothing to one that is ready or over. `block_in_place` hands the worker to another thread; the poll goes on without it, and its events
still name the worker.
"""

import collections
import dataclasses
import heapq

from .truth import Timeline

# Functions by address; stacks are innermost first.
FUNCTIONS = {
    0x1000: "app::compute", 0x1100: "app::compress", 0x1200: "app::hash",
    0x2000: "tokio::runtime::task::harness::poll",
    0xFFFFFFFF81000000: "schedule", 0xFFFFFFFF81001000: "futex_wait_queue", 0xFFFFFFFF81002000: "futex_wait",
    0xFFFFFFFF81003000: "do_futex", 0xFFFFFFFF81004000: "do_nanosleep", 0xFFFFFFFF81005000: "hrtimer_nanosleep",
    0xFFFFFFFF81006000: "preempt_schedule_irq", 0xFFFFFFFF81007000: "asm_sysvec_apic_timer_interrupt",
    0x3000: "parking_lot::lock", 0x3100: "std::thread::sleep",
    0xFFFFFFFF81008000: "synchronize_rcu", 0xFFFFFFFF81009000: "expand_fdtable", 0xFFFFFFFF8100A000: "alloc_fd",
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

    def __init__(self, rng, variant, now):
        self.rng, self.variant = rng, variant
        self.now = now
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
        self.entered = {}  # span id → when, of those that are entered now
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
        self.step([*self.steps(poll), (self.end, (poll,))], 0)

    def steps(self, poll):
        """What a poll does: steps one behind the other, each of some CPU time."""
        rng, task, thread, worker = self.rng, poll.task, poll.thread, poll.worker
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
                steps.append((self.wake, (other, thread, task.number, worker)))
        if rng.random() < 0.15 and len(self.tasks) < 12:
            steps.append((self.spawn, (thread, worker)))
        if self.variant == "samples" and rng.random() < 0.5:
            long = rng.random() < 0.5
            steps.append((self.off, (poll, rng.choice(list(OFF_STACKS)), rng.randrange(300_000, 5_000_000) if long else 2000)))
            if not long and rng.random() < 0.5:
                steps.append((self.compute, (rng.randrange(500_000, 6_000_000),)))
        if self.variant == "block_in_place" and rng.random() < 0.4:
            steps.append((self.block, (poll, rng.randrange(100_000, 4_000_000))))
        closing = last or rng.random() < 0.3
        for number, index in reversed(task.spans):
            steps.append((self.exit, (poll, number, index)))
        if task.spans and closing:
            for number, index in reversed(task.spans):
                steps.append((self.close, (number, index, thread)))
            task.spans = []
        if last:
            steps.append((self.terminate, (task, thread)))
        return steps

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

    def sleep(self, task):
        if self.rng.random() < 0.9:  # else nobody wakes it but other tasks
            self.at(self.rng.randrange(2_000, 3_000_000), self.timer, task)

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
        stack = ("app::compress", "tokio::runtime::task::harness::poll")
        for k in range(self.rng.randrange(0, 4)):
            self.at(time * (k + 1) // 5, self.sample, poll.thread.tid, poll.worker, 0, stack, poll)
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
            self.sleep(task)
        if poll.handed_over:
            poll.thread.stop(poll.end)
            self.pool.append(poll.thread)
        else:
            worker.poll, worker.doing = None, "looking"
            self.at(self.rng.randrange(100, 2000), self.look, worker)

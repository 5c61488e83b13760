"""Incidents of a Tokio runtime (tokio_runtime.py), recorded as dial9 does."""

import heapq

from .. import tokio
from ..tokio_runtime import OFF_STACKS, Runtime, Task, Thread, Worker
from .case import MS, Case, Facts, longest

US = 1_000
HANDLER, REFRESH, REPORT, COLLECT = "src/handlers.rs:31:5", "src/refresh.rs:12:5", "src/report.rs:77:5", "src/gc.rs:9:9"
# Where the table of file descriptors grows (fs/file.c, expand_fdtable).
STACKS = {**OFF_STACKS, "rcu": ("schedule", "synchronize_rcu", "expand_fdtable", "alloc_fd", "app::compute")}
ON_STACK = ("app::hash", "app::compute", "tokio::runtime::task::harness::poll")


class Planned(Runtime):
    """Tasks that handle requests every now and then, and what is planted. No poll is longer than it is said to be by more than 40 us."""

    def __init__(self, rng, workers, length):
        super().__init__(rng, "plain", rng.randrange(10**9, 10**13))
        self.workers = [Worker(n, Thread(31700 + n)) for n in range(workers)]
        self.length, self.plans, self.planted = length, [], []

    def add(self, place, period, body, when=None, first=None):
        """`body`: (poll) → steps of each poll; of the first from `when` on alone, if that is given. `first`: the time of the first wake."""
        self.plans.append((place, period, body, when, first))

    def go(self):
        for worker in self.workers:
            worker.thread.run(self.now)
            self.at(self.rng.randrange(500, 5000), self.look, worker)
        for place, period, body, when, first in self.plans:
            task = Task(self.next_task, place, True, 0)
            self.next_task += self.rng.randrange(1, 3)
            task.period, task.body, task.when = period, body, when
            self.tasks.append(task)
            task.spawned_at = self.record(
                "TaskSpawnEvent", {"task_id": task.number, "spawn_loc": place, "instrumented": True}, self.workers[0].thread.tid)
            task.timeline.set(task.spawned_at, "waiting")
            self.at(self.rng.randrange(10, period // US) * US if first is None else first - self.now, self.timer, task)
        self.end_at = self.now + self.length
        while self.heap and self.heap[0][0] < self.end_at:
            time, _, what, arguments = heapq.heappop(self.heap)
            self.now = max(time, self.last_time)
            what(*arguments)

    def steps(self, poll):
        task = poll.task
        if task.when is None:
            return task.body(poll)
        if not task.polls or poll.begin < task.when or task.number in self.planted:
            return [(self.compute, (self.rng.randrange(20, 60) * US,))]
        self.planted.append(task.number)
        return task.body(poll)

    def step(self, steps, place):
        delay = 0
        if place:
            what, arguments = steps[place - 1]
            delay = what(*arguments) or 0
            self.now = max(self.now, self.last_time)
        if place < len(steps):
            self.at(delay + self.rng.randrange(200, 9_000), self.step, steps, place + 1)

    def sleep(self, task):
        delay = task.period * self.rng.randrange(80, 120) // 100
        if task.when and task.number not in self.planted and self.now < task.when < self.now + 2 * delay:
            delay = task.when - self.now
        self.at(delay, self.timer, task)

    def computes(self, poll, time, samples):
        """CPU time with samples of the profiler."""
        for k in range(samples):
            yield self.compute, (time // (samples + 1),)
            yield self.sample, (poll.thread.tid, poll.worker, 0, ON_STACK, poll)
        yield self.compute, (time // (samples + 1),)

    def switched_out(self, poll, why, time):
        """The kernel's sample is taken as the thread leaves the processor."""
        begin = self.now
        poll.thread.stop(begin)
        poll.off.append((why, begin, begin + time))
        self.sample(poll.thread.tid, poll.worker, 1, STACKS[why], poll)
        self.at(time, poll.thread.run, begin + time)
        return time


class PollFacts(Facts):
    def __init__(self, runtime):
        self.runtime = runtime

    def off(self, answer):
        poll = next((p for p in self.runtime.polls if p.begin == answer["begin"] and answer["name"].startswith("poll")), None)
        if poll is None:
            return None
        off = {}
        for why, begin, end in poll.off:
            off[why] = off.get(why, 0) + end - begin
        return off


def runtime_of(rng, workers=None, handlers=True):
    runtime = Planned(rng, workers or rng.randrange(2, 4), rng.randrange(100, 220) * MS)
    for _ in range(rng.randrange(3, 7) if handlers else 0):
        runtime.add(HANDLER, rng.randrange(2, 6) * MS, lambda poll: [(runtime.compute, (rng.randrange(20, 60) * US,))])
    return runtime


def planted_at(rng, runtime):
    return runtime.now + runtime.length * rng.randrange(35, 60) // 100


def case(runtime, folder, when, **more):
    world = tokio.World.__new__(tokio.World)
    world.host, world.boot, world.random, world.variant, world.runtime, world.other = "web1", "abcd-4242", runtime.rng, "plain", runtime, None
    runtime.go()
    world.anchor()
    runtime.events.sort(key=lambda event: event.time)
    world.record_one(folder, tokio.NONE)
    return Case([folder / "web1.bin"], facts=PollFacts(runtime), when=when, **more)


def bad_poll(rng, folder, body, place=REFRESH, **more):
    """A poll that does `body`, a function of (runtime, poll, how long), at some time."""
    runtime, lasts = runtime_of(rng), rng.randrange(10, 40) * MS
    when = planted_at(rng, runtime)
    runtime.add(place, 8 * MS, lambda poll: list(body(runtime, poll, lasts)), when)
    return case(runtime, folder, (when - MS, when + lasts + 2 * MS), ask=longest("poll"), **more)


def noise(runtime, poll):
    """Samples that say nothing about the cause: a moment off the processor, some work."""
    rng = runtime.rng
    if rng.random() < 0.5:
        yield from runtime.computes(poll, rng.randrange(50, 400) * US, 0)


def off_processor(rng, folder, where, **more):
    """A poll whose thread is switched out there."""
    def body(runtime, poll, lasts):
        yield from noise(runtime, poll)
        yield runtime.switched_out, (poll, where, lasts)

    return bad_poll(rng, folder, body, **more)


def blocking_poll(rng, seed, folder):
    return off_processor(rng, folder, "sleep", cause="the poll sleeps", concludes=r"the thread was switched out in nanosleep")


def lock_in_poll(rng, seed, folder):
    return off_processor(rng, folder, "futex", cause="the poll waits for a lock", concludes=r"the thread was switched out in futex_wait")


def preempted_poll(rng, seed, folder):
    return off_processor(rng, folder, "preempted", cause="the kernel takes the processor", concludes=r"the kernel took the processor")


def file_descriptors(rng, seed, folder):
    return off_processor(
        rng, folder, "rcu", cause="the kernel enlarges the table of file descriptors", concludes=r"the kernel enlarged the process's table")


def computing_poll(rng, seed, folder):
    """It computes. That it was off the processor for a moment was sampled, what it computed perhaps not."""
    samples = rng.choice((0, 0, 3))

    def body(runtime, poll, lasts):
        for _ in range(rng.randrange(1, 3)):
            yield runtime.switched_out, (poll, rng.choice(list(OFF_STACKS)), rng.randrange(2, 60) * US)
        yield from runtime.computes(poll, lasts, samples)

    return bad_poll(rng, folder, body, place=REPORT, cause="the poll computes",
                    leads=lambda answer: answer.get("on_processor", 0) * 2 > answer["duration"] or any("on cpu" in s["name"] for s in answer["samples"]))


def busy_worker(rng, seed, folder):
    """It computes, and its worker, which has been asleep in other polls, is not parked: how its CPU time divides nothing says."""
    runtime, lasts = runtime_of(rng, workers=1), rng.randrange(10, 40) * MS
    when = planted_at(rng, runtime)

    def waits(poll):
        yield runtime.switched_out, (poll, rng.choice(list(OFF_STACKS)), rng.randrange(1_000, 3_000) * US)
        if runtime.now < when + lasts + 20 * MS:
            yield runtime.wake, (poll.task, poll.thread, poll.task.number, poll.worker)

    def computes(poll):
        yield runtime.switched_out, (poll, rng.choice(list(OFF_STACKS)), rng.randrange(2, 60) * US)
        yield from runtime.computes(poll, lasts, 0)

    runtime.add(HANDLER, 4 * MS, lambda poll: list(waits(poll)))
    runtime.add(REPORT, 8 * MS, lambda poll: list(computes(poll)), when)
    return case(runtime, folder, (when - MS, when + lasts + 8 * MS), ask=longest("poll *report*"), cause="the poll computes")


def other_thread(rng, seed, folder):
    """A poll computes; the samples that name its worker are of a thread that has handed it over."""
    def body(runtime, poll, lasts):
        for k in range(rng.randrange(1, 4)):
            yield runtime.compute, (lasts // 5,)
            yield runtime.sample, (31999, poll.worker, 1, OFF_STACKS[rng.choice(("futex", "sleep"))], poll)
        yield runtime.compute, (lasts // 2,)

    return bad_poll(rng, folder, body, place=REPORT, cause="the poll computes, and the samples are of another thread",
                    leads=lambda answer: answer.get("on_processor", 0) * 2 > answer["duration"])


def behind_poll(rng, seed, folder):
    runtime, lasts = runtime_of(rng, workers=1), rng.randrange(10, 40) * MS
    when = planted_at(rng, runtime)
    runtime.add(REPORT, 8 * MS, lambda poll: list(runtime.computes(poll, lasts, rng.randrange(0, 5))), when)
    return case(runtime, folder, (when - MS, when + lasts + 2 * MS), ask=longest("wake -> poll"), cause="a poll of report.rs keeps the only worker",
                leads=lambda answer: any("report.rs" in m["name"] for m in answer["meanwhile"]))


def herd_of_tasks(rng, seed, folder):
    """Many tasks become ready at once."""
    runtime, count = runtime_of(rng), rng.randrange(60, 150)
    when = planted_at(rng, runtime)
    for _ in range(count):
        runtime.add(REPORT, 900 * MS, lambda poll: [(runtime.compute, (rng.randrange(200, 500) * US,))], first=when)
    return case(runtime, folder, (when - MS, when + count * MS), ask=longest("wake -> poll"), cause=f"{count} tasks are woken at once",
                leads=lambda answer: any(level["most"] * 2 > count for level in answer["counted"])
                or sum(m["count"] for m in answer["meanwhile"] if "report.rs" in m["name"]) * 4 > count)


def stop_of_all(rng, seed, folder):
    """Each worker is kept by a poll of the same place at the same time."""
    runtime, lasts = runtime_of(rng), rng.randrange(10, 40) * MS
    when = planted_at(rng, runtime)
    for _ in runtime.workers:
        runtime.add(COLLECT, 7 * MS, lambda poll: list(runtime.computes(poll, lasts, rng.randrange(0, 3))), when)
    workers = len(runtime.workers)
    return case(runtime, folder, (when - MS, when + lasts + 5 * MS), ask=longest("wake -> poll"), cause="polls of gc.rs keep all workers",
                leads=lambda answer: len({m["track"] for m in answer["meanwhile"] if "gc.rs" in m["name"]}) >= workers)


def cold_start(rng, seed, folder):
    """The first poll of a place loads what later ones have."""
    runtime, lasts = runtime_of(rng), rng.randrange(10, 40) * MS
    done = []

    def body(poll):
        first, _ = not done, done.append(1)
        return [(runtime.compute, (lasts if first else rng.randrange(30, 90) * US,))]

    begin = runtime.now
    runtime.add(REFRESH, 6 * MS, body)
    return case(runtime, folder, (begin, begin + 10 * MS + lasts), ask=longest("poll"), cause="the first poll of refresh.rs",
                leads=lambda answer: answer.get("longest_later", answer["duration"]) * 2 <= answer["duration"])


def healthy_runtime(rng, seed, folder):
    runtime = Planned(rng, 3, 150 * MS)
    for _ in range(3):
        runtime.add(HANDLER, rng.randrange(2, 6) * MS, lambda poll: [(runtime.compute, (rng.randrange(20, 60) * US,))])
    return case(runtime, folder, (0, 0), ask=longest("poll", "wake -> poll"))


KINDS = {
    "blocking poll": blocking_poll, "lock in a poll": lock_in_poll, "preempted poll": preempted_poll,
    "file descriptors": file_descriptors, "computing poll": computing_poll, "busy worker": busy_worker,
    "samples of another thread": other_thread, "behind a poll": behind_poll, "herd of tasks": herd_of_tasks,
    "stop of all workers": stop_of_all, "cold start": cold_start,
}
HEALTHY = {"healthy runtime": healthy_runtime}

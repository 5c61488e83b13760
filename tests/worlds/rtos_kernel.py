"""The simulation of a real-time kernel: tasks with priorities, nested interrupts, queues, semaphores and mutexes, on one or two cores.

The order of events is that of the kernels' own code. FreeRTOS (tasks.c, queue.c) reports a task as ready each time that it is put into a
ready list, which also happens to one that is ready or runs already, as its priority changes (xTaskPriorityInherit,
xTaskPriorityDisinherit); what a task blocks on is reported before it is switched out. Zephyr (mutex.c, sem.c) gives a mutex or a
semaphore to the thread that waits at once, and the call returns after that thread has run, if it is more urgent.
"""

import collections
import dataclasses
import heapq

from .truth import Timeline

QUEUE, BINARY, MUTEX = 0, 2, 3  # as Tonbandgerät numbers them


@dataclasses.dataclass
class Event:
    time: int  # in ticks of the recorder
    name: str
    fields: dict
    core: int


class Object:
    """A queue, a semaphore or a mutex."""

    def __init__(self, number, name, kind, length):
        self.number, self.name, self.kind, self.length = number, name, kind, length
        self.level = 1 if kind == MUTEX else 0
        self.holder = None
        self.waiting = []  # tasks that wait to take or receive
        self.sending = []  # tasks that wait to send
        self.holds = Timeline()
        self.locked = []  # of Zephyr: from the end of one call to the begin of the other


class Task:
    def __init__(self, number, name, priority, cores):
        self.number, self.name, self.base, self.priority, self.cores = number, name, priority, priority, cores
        self.state = "new"  # new, ready, running, blocked, over
        self.core = None
        self.steps, self.left = [], 0
        self.timeline = Timeline()
        self.ready_at = None
        self.wake = 0  # counts sleeps, so that a timer of an older one is none
        self.woken_by_timeout = False
        self.held = []
        self.call = None  # [object, begin, begin of blocking]
        self.giving = None  # (object, begin)
        self.given = False  # what it waited for is its own already
        self.marker = None
        self.idle = False
        self.deleted_at = None
        self.lives = None  # rounds until it deletes itself; None: never


class Core:
    def __init__(self, number):
        self.number = number
        self.task = None
        self.since = self.token = 0
        self.isrs = []  # (id, begin)
        self.wanted = False  # a more urgent task is ready
        self.left_at = 0  # when the task before was left
        self.idle = None


class Kernel:
    """`events` in the order of time; waits, interrupts, calls and markers as they were."""

    def __init__(self, rng, cores, *, equal_names=False, zephyr=False, slow=False):
        self.rng, self.zephyr, self.slow = rng, zephyr, slow
        self.now = rng.randrange(1000, 100_000)
        self.heap, self.order, self.last, self.until = [], 0, 0, 1 << 62
        self.events = []
        self.cores = [Core(n) for n in range(cores)]
        self.waits, self.isrs, self.markers, self.calls, self.ran = [], [], [], [], [Timeline() for _ in range(cores)]
        self.priorities = collections.defaultdict(list)
        number = 0x20000000 if zephyr else 0
        step = 0x100 if zephyr else 1
        self.tasks, self.step_of_numbers = [], step
        for core in self.cores:
            number += step
            core.idle = Task(number, ("idle" if zephyr else "IDLE") + (f" {core.number:02}" if cores > 1 else ""), 0, {core.number})
            core.idle.idle = True
            self.tasks.append(core.idle)
        names = ["logger", "motor", "alarm", "sensor", "radio", "ui"]
        for place in range(rng.randrange(2, 6)):
            number += step
            name = "worker" if equal_names and place < 3 else names[place]
            where = set(range(cores)) if cores > 1 and rng.random() < 0.4 else {rng.randrange(cores)}
            self.tasks.append(Task(number, name, rng.randrange(1, 6), where))
        self.objects = []
        for place in range(rng.randrange(2, 5)):
            kind = (MUTEX, MUTEX, QUEUE, BINARY)[place]
            name = "lock" if kind == MUTEX and equal_names else ("bus", "flash", "samples", "go")[place]
            self.objects.append(Object(place + 1 if not zephyr else 0x20008000 + 0x40 * place, name, kind, 4 if kind == QUEUE else 1))

    def at(self, delay, what, *arguments):
        self.order += 1
        heapq.heappush(self.heap, (self.now + max(1, delay), self.order, what, arguments))

    def record(self, name, core, **fields):
        """Kernel code takes time: each event is some ticks behind the one before."""
        self.now = max(self.now, self.last) + self.code_time()
        self.last = self.now
        self.events.append(Event(self.now, name, fields, core))
        return self.now

    def code_time(self):
        return self.rng.randrange(1, 6)

    def run(self, most):
        for task in self.tasks:
            core = min(task.cores)
            time = self.record("created", core, task=task, priority=task.priority)
            task.timeline.set(time, ("created", "runnable"))
            self.make_ready(task, core, False)
            task.timeline.values[-1] = ("runnable", "created")
        for core in self.cores:
            self.schedule(core)
        for core in self.cores:
            self.at(self.rng.randrange(50_000, 300_000), self.interrupt, core, True)
        while self.heap and len(self.events) < most and self.heap[0][0] < self.until:
            time, _, what, arguments = heapq.heappop(self.heap)
            self.now = max(time, self.last + 1)
            what(*arguments)

    # Scheduling.
    def make_ready(self, task, core, reschedule=True, at_once=False):
        """`at_once`: with the event before."""
        task.ready_at = self.record("ready", core, task=task)
        if at_once:
            task.ready_at = self.now = self.last = self.events[-1].time = self.events[-2].time
        task.timeline.set(task.ready_at, ("runnable",))
        task.state = "ready"
        if not reschedule:
            return
        free = [self.cores[n] for n in task.cores if self.cores[n].task.priority < task.priority]
        if free:
            chosen = min(free, key=lambda c: (c.task.priority, c.number != core))
            if chosen.number == core:
                chosen.wanted = True
            else:
                self.at(self.rng.randrange(5, 50), self.schedule, chosen)

    def schedule(self, core):
        """Switches to the most urgent task that may run here. In an interrupt, that waits for its end."""
        if core.isrs:
            return
        core.wanted = False
        current = core.task
        ready = [t for t in self.tasks if t.state == "ready" and core.number in t.cores]
        best = max(ready, key=lambda t: (t.priority, -t.ready_at if t.ready_at else 0), default=None)
        if current is not None and current.state == "running" and (best is None or best.priority <= current.priority):
            self.resume(core)
            return
        out = None
        if current is not None:
            self.pause(core)
            if self.zephyr:
                out = self.record("switched_out", core.number, task=current)
                self.ran[core.number].set(out, None)
        time = self.record("switched_in", core.number, task=best)
        core.left_at = out or time
        if current is not None and current.state == "running":  # another one is more urgent
            current.state, current.ready_at = "ready", None
            current.timeline.set(core.left_at, ("runnable",))
        if best.ready_at is not None:
            self.waits.append((best, best.ready_at, time, core.number))
        best.ready_at = None
        best.state, best.core = "running", core.number
        best.timeline.set(time, ("running",))
        self.ran[core.number].set(time, best)
        core.task, core.since = best, None
        if best.idle and self.zephyr:
            self.record("idle", core.number)
        self.resume(core)

    def pause(self, core):
        core.token += 1
        if core.since is not None:
            core.task.left = max(1, core.task.left - (self.now - core.since))
            core.since = None

    def resume(self, core):
        task = core.task
        if task is None or core.isrs or core.since is not None:
            return
        core.token += 1
        core.since = self.now
        if task.idle:
            return
        if not task.left:
            task.left = self.rng.randrange(500, 30_000)
        self.at(task.left, self.step, core, core.token)

    # What tasks do.
    def step(self, core, token):
        if token != core.token or core.isrs:
            return
        task = core.task
        self.pause(core)
        task.left = 0
        if not task.steps:
            task.steps = self.program(task)
            if task.lives is not None:
                task.lives -= 1
                if task.lives < 0:
                    task.steps = [(self.mark, True)] if not self.zephyr and self.rng.random() < 0.5 else []
                    task.steps.append((self.delete,))
        what, *arguments = task.steps.pop(0)
        what(core, task, *arguments)
        if core.task is task and task.state == "running":
            if core.wanted or self.more_urgent(core):
                self.schedule(core)
            else:
                self.resume(core)

    def more_urgent(self, core):
        return any(t.state == "ready" and core.number in t.cores and t.priority > core.task.priority for t in self.tasks)

    def program(self, task):
        rng = self.rng
        steps = []
        mutexes = [o for o in self.objects if o.kind == MUTEX]
        others = [o for o in self.objects if o.kind != MUTEX]
        kind = rng.random()
        if kind < 0.55 and mutexes:
            mutex = rng.choice(mutexes)
            steps.append((self.take, mutex, True))
            steps += [(self.compute, rng.randrange(1000, rng.choice((50_000, 400_000))))]
            if rng.random() < 0.3:
                steps.append((self.delay, rng.randrange(5_000, 300_000)))
            steps.append((self.give, mutex))
        elif kind < 0.7 and others:
            steps.append((self.take, rng.choice(others), rng.random() < 0.5))
        elif kind < 0.85 and others:
            steps.append((self.give, rng.choice(others)))
        elif not self.zephyr and kind < 0.92:
            steps += [(self.mark, True), (self.compute, rng.randrange(1000, 40_000)), (self.mark, False)]
        else:
            steps.append((self.compute, rng.randrange(1000, 100_000)))
        if rng.random() < 0.08 and len(self.tasks) < 10:
            steps.append((self.create,))
        if rng.random() < 0.06:
            steps.append((self.suspend,))
        if rng.random() < 0.4:
            steps.append((self.resume_another,))
        steps.append((self.delay, rng.randrange(10_000, 900_000) * (rng.choice((1, 1, 3000)) if self.slow else 1)))
        return steps

    def compute(self, core, task, time):
        task.left = time

    def mark(self, core, task, begin):
        time = self.record("marker_begin" if begin else "marker_end", core.number, task=task)
        if begin:
            task.marker = time
        elif task.marker is not None:
            self.markers.append((task, task.marker, time))
            task.marker = None

    def block(self, core, task, since, names):
        """From the event that says so to the switch it still runs, in the kernel."""
        task.state = "blocked"
        task.timeline.set(since, ("running", *names))
        task.wake += 1
        task.woken_by_timeout = False
        self.schedule(core)
        task.timeline.set(core.left_at, names)

    def create(self, core, task):
        """A task that does a little and deletes itself."""
        child = Task(self.tasks[-1].number + self.step_of_numbers, f"child{len(self.tasks)}", self.rng.randrange(1, 6), {core.number})
        child.lives = self.rng.randrange(1, 4)
        self.tasks.append(child)
        time = self.record("created", core.number, task=child, priority=child.priority)
        child.timeline.set(time, ("created", "runnable"))
        self.make_ready(child, core.number)
        child.timeline.values[-1] = ("runnable", "created")

    def delete(self, core, task):
        task.deleted_at = self.record("deleted", core.number, task=task)
        task.state = "over"
        task.timeline.set(task.deleted_at, ("running", "deleted"))
        self.schedule(core)
        task.timeline.set(core.left_at, ("deleted",))

    def suspend(self, core, task):
        since = self.record("suspended", core.number, task=task)
        self.block(core, task, since, ("suspended",))

    def resume_another(self, core, task):
        asleep = [t for t in self.tasks if t.state == "blocked" and t.timeline.values[-1] == ("suspended",)]
        if asleep:
            other = self.rng.choice(asleep)
            self.record("resumed", core.number, task=other)
            self.make_ready(other, core.number, at_once=True)

    def delay(self, core, task, time):
        ticks = max(1, time // 1000)
        since = self.record("delay", core.number, task=task, ticks=ticks)
        self.at(time, self.expire, task, task.wake + 1)
        self.block(core, task, since, ("delay", f"delay {ticks} tick{'' if ticks == 1 else 's'}"))

    def expire(self, task, wake):
        """The tick interrupt finds that a delay or a timeout is over."""
        if task.state != "blocked" or task.wake != wake:
            return
        core = self.cores[min(task.cores)]
        if core.isrs:
            self.at(self.rng.randrange(100, 2000), self.expire, task, wake)
            return
        for thing in self.objects:
            if task in thing.waiting:
                thing.waiting.remove(task)
        task.woken_by_timeout = True
        self.pause(core)
        self.make_ready(task, core.number)
        self.schedule(core)

    def verb(self, thing):
        return "take" if thing.kind != QUEUE else "receive"

    def take(self, core, task, thing, forever):
        if self.zephyr:
            time = self.record("take_enter", core.number, thing=thing, task=task)
            task.call = [thing, time, None]
        self.try_take(core, task, thing, forever)

    def try_take(self, core, task, thing, forever):
        if thing.level > 0 or task.given:
            thing.level -= not task.given
            task.given = False
            if not self.zephyr:
                time = self.record("took", core.number, thing=thing, task=task)
            else:
                time = self.now
            if thing.kind == MUTEX:
                thing.holder = task
                thing.holds.set(time, task)
                task.held.append(thing)
            if self.zephyr:
                time = self.record("take_exit", core.number, thing=thing, task=task, ret=0)
                self.calls.append((task, thing, *task.call[1:], time))
                task.call = None
                thing.locked.append([time, None])
            return
        names = (f"blocked: {self.verb(thing)} {thing.name}", thing)
        time = self.record("block_take", core.number, thing=thing, task=task)
        if self.zephyr:
            task.call[2] = time
        holder = thing.holder
        if holder is not None and holder.priority < task.priority:
            self.inherit(core, holder, task.priority)
        thing.waiting.append(task)
        since = time
        if self.zephyr:
            since = self.record("pending", core.number, task=task)
        task.steps.insert(0, (self.woken, thing, forever))
        if not forever:
            self.at(self.rng.randrange(20_000, 500_000), self.expire, task, task.wake + 1)
        self.block(core, task, since, names)

    def inherit(self, core, holder, priority):
        """A task in a ready list is put into another one; that is reported as if it had become ready."""
        holder.priority = priority
        if holder.state in ("ready", "running") and not self.zephyr:
            self.record("ready", core.number, task=holder)
        self.record("inherit", core.number, task=holder, priority=priority)

    def woken(self, core, task, thing, forever):
        if task.woken_by_timeout:
            task.steps = [(self.delay, self.rng.randrange(10_000, 100_000))] if thing.kind == MUTEX else task.steps
            if self.zephyr:
                time = self.record("take_exit", core.number, thing=thing, task=task, ret=-11)
                self.calls.append((task, thing, *task.call[1:], time))
                task.call = None
            return
        self.try_take(core, task, thing, forever)

    def give(self, core, task, thing, from_isr=False):
        if thing.kind == MUTEX and thing.holder is not task:
            return
        if self.zephyr and not from_isr:
            begin = self.record("give_enter", core.number, thing=thing, task=task)
            if thing.kind == MUTEX:
                thing.locked[-1][1] = begin
        if thing.level < thing.length:
            thing.level += 1
            time = self.now
            if not self.zephyr:
                time = self.record("gave_isr" if from_isr else "gave", core.number, thing=thing, task=task)
            if thing.kind == MUTEX:
                thing.holder = None
                thing.holds.set(time, "available")
                task.held.remove(thing)
                if task.priority != task.base and not task.held:
                    self.record("disinherit", core.number, task=task, priority=task.base)
                    task.priority = task.base
                    if not self.zephyr:
                        self.record("ready", core.number, task=task)  # into the ready list of its own priority
            if thing.waiting:
                best = max(thing.waiting, key=lambda t: t.priority)
                thing.waiting.remove(best)
                if self.zephyr:  # what is given is the waiting thread's at once (mutex.c, sem.c)
                    thing.level -= 1
                    best.given = True
                    if thing.kind == MUTEX:
                        thing.holder = best
                self.make_ready(best, core.number)
        if self.zephyr and not from_isr:
            # A more urgent thread runs before the call returns.
            task.giving = (thing, begin)
            task.steps.insert(0, (self.gave, thing, begin))
            task.left = 1

    def gave(self, core, task, thing, begin):
        time = self.record("give_exit", core.number, thing=thing, task=task)
        task.giving = None
        self.calls.append((task, thing, begin, "give", time))

    # Interrupts.
    def interrupt(self, core, again):
        if again:
            self.at(self.rng.randrange(20_000, 1_500_000) * (20 if self.slow else 1), self.interrupt, core, True)
        if len(core.isrs) > 1:
            return
        self.pause(core)
        number = 9 + len(core.isrs)
        core.isrs.append((number, self.record("isr_enter", core.number, isr=number)))
        length = self.rng.randrange(200, 6000)
        if len(core.isrs) == 1 and self.rng.random() < 0.25:
            self.at(length // 2, self.interrupt, core, False)
        self.at(length, self.leave, core, len(core.isrs))

    def leave(self, core, depth):
        if len(core.isrs) > depth:  # a more urgent one is not over yet
            self.at(self.rng.randrange(50, 500), self.leave, core, depth)
            return
        others = [o for o in self.objects if o.kind != MUTEX]
        if others and self.rng.random() < 0.4:
            self.give(core, None, self.rng.choice(others), True)
        number, begin = core.isrs.pop()
        self.isrs.append((core.number, number, begin, self.record("isr_exit", core.number, isr=number)))
        if not core.isrs:
            self.schedule(core)

"""A Linux machine: processors, threads, the scheduler's decisions, and what each thread does.

It knows the state of each thread at each time, each wait from wake to run, each system call, and emits neutral events
where the kernel has tracepoints. Rules come from kernel/sched/core.c and include/trace/events/sched.h of the kernels:
a wake of a thread that runs changes nothing (ttwu_state_match); the switch is traced while the run queue is locked, so
states change at its time; a preempted thread stays runnable.
"""

import dataclasses
import heapq
import itertools
import random

from .ctf import Event
from .truth import Timeline

RUNNING, RUNNABLE, NEW, DEAD = "R", "W", "N", "X"
SLEEPS = ("S", "D", "T", "t", "P", "I")  # interruptible, uninterruptible, stopped, traced, parked, idle worker
US = 1_000
GONE = 400 * US  # after its last switch a thread is freed


@dataclasses.dataclass
class Thread:
    tid: int
    pid: int
    comm: str
    prio: int
    program: object = None
    state: str = NEW
    cpu: int = 0
    leader: bool = True
    states: Timeline = dataclasses.field(default_factory=Timeline)
    places: Timeline = dataclasses.field(default_factory=Timeline)  # on whose run queue it is, or was last
    left: int = 0  # of what it computes now
    born: int | None = None  # time of the fork, if that was in the world
    exiting: int | None = None  # time of its sched_process_exit
    ended: int | None = None  # time of its last switch
    asked: Event | None = None  # the wake that it has not run since
    about_to_sleep: bool = False
    waits_for: object = None
    token: int = 0
    calls: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Span:
    """Between two events; `end` None: it goes on at the end of the world."""

    label: str
    begin: Event | None
    end: Event | None
    thread: Thread | None = None
    cpu: int | None = None
    cut: bool = False  # its thread ended within it
    optional: bool = False  # whether that is such a span is a matter of words


class Machine:
    def __init__(self, seed, *, cpus, has_waking, idle_workers, length):
        self.random = random.Random(seed)
        self.has_waking, self.idle_workers = has_waking, idle_workers
        self.now = self.last = 1_000_000
        self.end = self.now + length
        self.queue, self.sequence = [], itertools.count()
        self.events, self.spans, self.threads = [], [], []
        self.idle = [Thread(0, 0, f"swapper/{cpu}", 20, state=RUNNING, cpu=cpu) for cpu in range(cpus)]
        self.current = list(self.idle)
        self.ready = [[] for _ in range(cpus)]
        self.on_cpu = [Timeline() for _ in range(cpus)]
        self.next_tid = 100
        for cpu in range(cpus):
            self.on_cpu[cpu].set(self.now, self.idle[cpu])

    # Time and events

    def at(self, delay, action):
        heapq.heappush(self.queue, (self.now + delay, next(self.sequence), action))

    def emit(self, cpu, name, /, **fields):
        self.last = max(self.now, self.last + 1)
        event = Event(self.last, cpu, name, fields, {"tid": self.current[cpu].tid}, len(self.events))
        self.events.append(event)
        return event

    def run(self):
        while self.queue and self.queue[0][0] < self.end:
            time, _, action = heapq.heappop(self.queue)
            self.now = max(time, self.last)
            action()
        return self

    # Threads

    def start(self, comm, program, *, parent=None, new_process=True, prio=20, state="S"):
        tid = self.choose_tid()
        thread = Thread(tid, tid if new_process or parent is None else parent.pid, comm, prio)
        thread.leader = thread.pid == tid
        thread.cpu = self.random.randrange(len(self.current))
        thread.places.set(self.now, thread.cpu)
        thread.program = program(self, thread)
        self.threads.append(thread)
        if parent is None:
            thread.state = state
            thread.states.set(self.now, state)
            self.at(self.random.randrange(1, 3_000) * US, lambda: self.wake(thread, thread.cpu))
        return thread

    def choose_tid(self):
        """Numbers of threads that are gone come again, as where few are left (/proc/sys/kernel/pid_max)."""
        free = {thread.tid for thread in self.threads if thread.ended is not None and thread.ended + GONE <= self.now}
        free -= {thread.tid for thread in self.threads if thread.ended is None or thread.ended + GONE > self.now}
        free -= {thread.pid for thread in self.threads if thread.ended is None}
        if free and self.random.random() < 0.4:
            return self.random.choice(sorted(free))
        tid = self.next_tid
        self.next_tid += self.random.randrange(1, 4)
        return tid

    def fork(self, parent, comm, program, new_process):
        child = self.start(comm, program, parent=parent, new_process=new_process, prio=parent.prio)
        event = self.emit(parent.cpu, "fork", parent=parent, child=child)
        child.born = event.time
        child.states.set(event.time, NEW)
        child.cpu = self.choose_cpu(child)
        child.places.set(event.time, child.cpu)
        woken = self.emit(parent.cpu, "wakeup_new", thread=child, target=child.cpu)
        child.states.set(woken.time, RUNNABLE)
        child.asked = woken
        self.enqueue(child)
        return child

    def choose_cpu(self, thread):
        if self.current[thread.cpu] is self.idle[thread.cpu] or self.random.random() < 0.4:
            return thread.cpu
        free = [cpu for cpu, now in enumerate(self.current) if now is self.idle[cpu]]
        return self.random.choice(free) if free else thread.cpu

    def wake(self, thread, cpu):
        """Somebody on `cpu` wakes it: a thread, or an interrupt."""
        if thread.state == RUNNING and thread.about_to_sleep:
            # It has set its state but still runs: it is set back to runnable, and that is all.
            thread.about_to_sleep = False
            if self.has_waking:
                self.emit(cpu, "waking", thread=thread, target=thread.cpu)
            self.emit(thread.cpu, "wakeup", thread=thread, target=thread.cpu)
            return
        if thread.state not in SLEEPS:
            return
        old, thread.cpu = thread.cpu, self.choose_cpu(thread)
        thread.state, thread.waits_for = RUNNABLE, None
        thread.token += 1
        asked = self.emit(cpu, "waking", thread=thread, target=old) if self.has_waking else None
        if thread.cpu != old:
            self.emit(cpu, "migrate", thread=thread, origin=old, target=thread.cpu)
        thread.places.set(self.last, thread.cpu)
        if asked:
            thread.asked = asked
            thread.states.set(asked.time, RUNNABLE)

        def arrive():
            event = self.emit(self.random.choice((cpu, thread.cpu)), "wakeup", thread=thread, target=thread.cpu)
            if thread.asked is None:
                thread.asked = event
                thread.states.set(event.time, RUNNABLE)
            self.enqueue(thread)

        self.at(self.random.randrange(200, 3_000), arrive)

    def enqueue(self, thread):
        thread.state = RUNNABLE
        cpu = thread.cpu
        self.ready[cpu].append(thread)
        if self.current[cpu] is self.idle[cpu]:
            self.at(self.random.randrange(300, 9_000), lambda: self.schedule(cpu))
        elif thread.prio < self.current[cpu].prio:
            self.at(self.random.randrange(300, 4_000), lambda: self.preempt(cpu, True))
        else:
            self.at(self.random.randrange(500, 2_500) * US, lambda: self.preempt(cpu, False))

    def schedule(self, cpu):
        """An idle processor takes what is ready there, or elsewhere."""
        if self.current[cpu] is not self.idle[cpu]:
            return
        if not self.ready[cpu]:
            self.pull(cpu)
        if self.ready[cpu]:
            self.switch(cpu, RUNNING, False)

    def pull(self, cpu):
        for other, queue in enumerate(self.ready):
            if other != cpu and queue and self.current[other] is not self.idle[other] and self.random.random() < 0.6:
                self.migrate(queue.pop(), other, cpu)
                return

    def migrate(self, thread, origin, cpu):
        """Puts a thread that waits for a processor, out of the queue of another, behind those that wait for this one."""
        self.emit(cpu, "migrate", thread=thread, origin=origin, target=cpu)
        thread.cpu = cpu
        thread.places.set(self.last, cpu)
        self.ready[cpu].append(thread)

    def preempt(self, cpu, in_kernel):
        thread = self.current[cpu]
        if thread is self.idle[cpu] or not self.ready[cpu]:
            return
        thread.left = max(1, thread.left - (self.now - thread.since))
        thread.token += 1
        self.ready[cpu].append(thread)
        self.switch(cpu, RUNNABLE, in_kernel)

    def switch(self, cpu, state, in_kernel):
        """What runs gives up the processor and is in `state` then."""
        previous = self.current[cpu]
        queue = self.ready[cpu]
        if not queue:
            self.pull(cpu)
        others = [thread for thread in queue if thread is not previous]
        following = min(others, key=lambda thread: thread.prio) if others else self.idle[cpu]
        if others:
            queue.remove(following)
        event = self.emit(cpu, "switch", previous=previous, state=state, in_kernel=in_kernel, following=following)
        if previous is not self.idle[cpu]:
            previous.state = state
            previous.about_to_sleep = False
            previous.states.set(event.time, state)
            if state == DEAD:
                previous.ended = event.time
        self.current[cpu] = following
        self.on_cpu[cpu].set(event.time, following)
        if following is not self.idle[cpu]:
            following.state = RUNNING
            following.states.set(event.time, RUNNING)
            if following.asked is not None:
                begin = following.asked
                self.spans.append(
                    Span("wake -> run", begin, event, following, cpu, optional=begin.name == "wakeup_new")
                )
                following.asked = None
            following.since = event.time
            self.resume(following)
        elif queue:
            self.at(1_000, lambda: self.schedule(cpu))

    def resume(self, thread):
        """It goes on with what it computes, or with the next thing it does."""
        thread.token += 1
        token = thread.token
        if thread.left > 0:
            def done():
                if thread.token == token and thread.state == RUNNING:
                    thread.left = 0
                    self.proceed(thread)

            self.at(thread.left, done)
        else:
            self.at(0, lambda: self.proceed(thread) if thread.token == token and thread.state == RUNNING else None)

    def proceed(self, thread):
        try:
            what, value = next(thread.program)
        except StopIteration:
            self.exit(thread)
            return
        if what == "run":
            thread.left, thread.since = value, self.now
            self.resume(thread)
        elif what == "sleep":
            state, delay = value
            cpu = thread.cpu
            self.switch(cpu, state, False)
            if delay is not None:
                token = thread.token
                self.at(delay, lambda: self.timer(thread) if thread.token == token else None)

    def timer(self, thread):
        """An interrupt wakes it, on the processor where it slept."""
        cpu = thread.cpu
        if self.random.random() < 0.5:
            name = self.random.choice(("nvme0q1", "eth0"))
            begin = self.emit(cpu, "irq_entry", irq=30, name=name)
            self.wake(thread, cpu)
            end = self.emit(cpu, "irq_exit", irq=30)
            self.spans.append(Span(f"irq {name}", begin, end, None, cpu))
        else:
            self.wake(thread, cpu)

    def exit(self, thread):
        cpu = thread.cpu
        call = "exit_group" if thread.leader else "exit"
        begin = self.emit(cpu, "enter", call=call)
        self.spans.append(Span(f"syscall {call}", begin, None, thread, cpu, cut=True))
        event = self.emit(cpu, "exit", thread=thread)
        thread.exiting = event.time
        self.switch(cpu, DEAD, False)
        self.at(self.random.randrange(5, GONE // US) * US, lambda: self.emit(self.random.randrange(len(self.current)), "free", thread=thread))

    # What programs do

    def enter(self, thread, call):
        thread.calls.append((call, self.emit(thread.cpu, "enter", call=call)))

    def leave(self, thread, result=0):
        call, begin = thread.calls.pop()
        end = self.emit(thread.cpu, "leave", call=call, result=result)
        self.spans.append(Span(f"syscall {call}", begin, end, thread, thread.cpu))


def worker(machine, thread):
    """Computes, reads, writes to disk, sleeps, waits for others."""
    rng = machine.random
    for _ in range(rng.randrange(3, 14)):
        yield "run", rng.randrange(5, 900) * US
        kind = rng.random()
        if kind < 0.35:
            machine.enter(thread, "read")
            yield "run", rng.randrange(1, 5) * US
            yield "sleep", ("S", rng.randrange(20, 4_000) * US)
            yield "run", rng.randrange(1, 5) * US
            machine.leave(thread, 64)
        elif kind < 0.5:
            machine.enter(thread, "fsync")
            yield "run", rng.randrange(2, 9) * US
            yield "sleep", ("D", rng.randrange(100, 6_000) * US)
            yield "run", rng.randrange(1, 5) * US
            machine.leave(thread)
        elif kind < 0.65:
            machine.enter(thread, "nanosleep")
            yield "sleep", ("S", rng.randrange(50, 3_000) * US)
            machine.leave(thread)
        elif kind < 0.75:
            # It is woken before it is off the processor: a read that finds its data in the last moment.
            machine.enter(thread, "read")
            yield "run", rng.randrange(1, 3) * US
            thread.about_to_sleep = True
            others = [cpu for cpu in range(len(machine.current)) if cpu != thread.cpu] or [thread.cpu]
            cpu = rng.choice(others)
            machine.at(rng.randrange(100, 500), lambda cpu=cpu: machine.wake(thread, cpu))
            yield "run", 2 * US
            thread.about_to_sleep = False
            machine.leave(thread, 64)
            yield "run", rng.randrange(500, 4_000) * US
        elif kind < 0.85:
            yield from wait_for_peer(machine, thread)
        elif kind < 0.9:
            yield "sleep", (rng.choice("Tt"), rng.randrange(100, 2_000) * US)
        else:
            machine.enter(thread, "getpid")
            machine.leave(thread, thread.pid)


def wait_for_peer(machine, thread):
    """A futex: another thread wakes it, or nobody does and the time is up."""
    rng = machine.random
    machine.enter(thread, "futex")
    peers = [t for t in machine.threads if t is not thread and t.state == RUNNING]
    if peers and rng.random() < 0.7:
        peer = rng.choice(peers)
        machine.at(rng.randrange(20, 2_000) * US, lambda: machine.wake(thread, peer.cpu))
        yield "sleep", ("S", 20_000 * US)
    else:
        yield "sleep", ("S", rng.randrange(100, 2_500) * US)
    machine.leave(thread)


def parent(machine, thread):
    """Forks threads and processes; they begin with its name."""
    rng = machine.random
    for _ in range(rng.randrange(1, 4)):
        yield "run", rng.randrange(20, 500) * US
        machine.enter(thread, "clone")
        child = machine.fork(thread, thread.comm, rng.choice((worker, short)), rng.random() < 0.4)
        machine.leave(thread, child.tid)
        yield "run", rng.randrange(5, 200) * US
        yield "sleep", ("S", rng.randrange(100, 4_000) * US)


def short(machine, thread):
    rng = machine.random
    # It comes out of a call that its parent made: an exit without an entry of its own.
    machine.emit(thread.cpu, "leave", call="clone", result=0)
    yield "run", rng.randrange(5, 1_500) * US


def kernel_worker(machine, thread):
    """A worker of the kernel: idle, not asleep, since 4.14."""
    rng = machine.random
    state = "I" if machine.idle_workers else "S"
    while True:
        yield "run", rng.randrange(3, 80) * US
        yield "sleep", (state, rng.randrange(300, 9_000) * US)


def parked(machine, thread):
    """A kernel thread of a processor: parks once, as where that goes off line."""
    rng = machine.random
    yield "run", rng.randrange(3, 20) * US
    yield "sleep", ("P", rng.randrange(2_000, 9_000) * US)
    while True:
        yield "run", rng.randrange(3, 20) * US
        yield "sleep", ("S", rng.randrange(2_000, 9_000) * US)

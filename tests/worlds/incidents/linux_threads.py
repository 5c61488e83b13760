"""Threads of a Linux machine (linux_machine.py) that do what an incident plants, and pthread mutexes of theirs.

They may be bound to a processor, and more urgent ones are not preempted by others. Where a mutex is unlocked its first waiter is woken, and
takes it if nobody was faster (glibc's normal mutex). Calls are written as linux_locks.py says.
"""

import dataclasses

from .. import ctf, linux, linux_locks, loss as losses
from ..linux_locks import ACQ, EBUSY, REQ, TRY, UNLOCK
from ..linux_machine import RUNNABLE, US, Machine
from ..truth import Timeline, overlap
from .case import Facts

OFFSET = linux.OFFSET
PROCESS = 4242
NORMAL, URGENT, MORE_URGENT, MOST_URGENT = 20, -31, -51, -71  # as sched_switch writes them: the smaller, the more urgent


@dataclasses.dataclass
class Mutex:
    address: int
    pid: int
    owner: object = None
    waiting: list = dataclasses.field(default_factory=list)
    owners: Timeline = dataclasses.field(default_factory=Timeline)
    waits: list = dataclasses.field(default_factory=list)  # (thread, begin, end)


class Threads(Machine):
    def __init__(self, rng, *, cpus, length, begins=0):
        self.kernel = rng.choice(linux.KERNELS)
        recent = tuple(map(int, self.kernel[0].split(".")))[:2] >= (4, 14)
        super().__init__(rng.randrange(1 << 32), cpus=cpus, has_waking=self.kernel[2], idle_workers=recent, length=length)
        self.calls, self.mutexes = [], []
        self.now, self.last, self.end = self.now + begins, self.last + begins, self.end + begins

    def add(self, comm, program, *, cpu=None, prio=NORMAL, pid=PROCESS):
        thread = self.start(comm, program, prio=prio)
        thread.pinned, thread.process, thread.timed_out = cpu, pid, []
        if cpu is not None:
            thread.cpu = cpu
            thread.places.set(self.now, cpu)
        return thread

    def choose_cpu(self, thread):
        return super().choose_cpu(thread) if thread.pinned is None else thread.pinned

    def pull(self, cpu):
        for other, queue in enumerate(self.ready):
            for thread in queue if other != cpu and self.current[other] is not self.idle[other] else ():
                if thread.pinned is None:
                    queue.remove(thread)
                    self.migrate(thread, other, cpu)
                    return

    def preempt(self, cpu, in_kernel):
        if self.ready[cpu] and min(thread.prio for thread in self.ready[cpu]) <= self.current[cpu].prio:
            super().preempt(cpu, in_kernel)

    # Mutexes

    def mutex(self, address=None, pid=0):
        address = address or 0x7F0000001000 + 0x40 * len(self.mutexes)
        self.mutexes.append(Mutex(address, pid))
        return self.mutexes[-1]

    def call(self, thread, name, mutex, status=0):
        """Writes an event of the wrapper of pthread calls."""
        self.last = max(self.now, self.last + 1)
        context = {"vpid": thread.process, "vtid": thread.tid, "procname": thread.comm}
        fields = {"mutex": mutex.address, "status": status}
        self.calls.append(ctf.Event(self.last, thread.cpu, name, fields, context, len(self.calls)))
        return self.last

    def taken(self, thread, mutex):
        mutex.owner = thread
        mutex.owners.set(self.last, thread)

    def lock(self, thread, mutex):
        begin = self.call(thread, REQ, mutex)
        while mutex.owner is not None:
            mutex.waiting.append(thread)
            yield "sleep", ("S", None)
        self.taken(thread, mutex)
        yield "run", self.random.randrange(100, 1_000)
        mutex.waits.append((thread, begin, self.call(thread, ACQ, mutex)))

    def try_lock(self, thread, mutex):
        """Whether it has got it."""
        free = mutex.owner is None
        self.call(thread, TRY, mutex, 0 if free else EBUSY)
        if free:
            self.taken(thread, mutex)
        return free

    def unlock(self, thread, mutex):
        mutex.owner = None
        mutex.owners.set(max(self.now, self.last), None)
        if mutex.waiting:
            self.wake(mutex.waiting.pop(0), thread.cpu)
        self.call(thread, UNLOCK, mutex)

    # What is written

    def write(self, folder, seed, *, kernel=True, calls=True, back=None, loss=None):
        """The paths of its traces. `back`: (time, ns) of a step back of the clock of calls. `loss`: [begin, end) of lost calls."""
        paths = []
        if kernel:
            world = linux.World(seed)
            world.recorder, world.kernel = linux.LTTNG, self.kernel
            world.machine = lambda _: self
            world.one(folder / "kernel", seed, "", losses.NONE)
            paths.append(folder / "kernel")
        if calls and self.calls:
            streams = {}
            for event in self.calls:
                streams.setdefault(event.cpu, []).append(event)
            packets = {}
            for cpu, events in sorted(streams.items()):
                packets[cpu] = []
                for events in self.runs(events, back, loss):
                    dropped = [e for e in events if loss and loss[0] <= e.time < loss[1]]
                    events = [e for e in events if e not in dropped]
                    for number, part in enumerate(losses.packets_of(events, 40)):
                        packet = losses.Packet(part, len(packets[cpu]), len(dropped) if number == 0 else 0)
                        packets[cpu].append(packet)
            for parts in packets.values():
                for packet in parts:
                    if back:
                        for event in packet.events:
                            event.time -= back[1] if event.time >= back[0] else 0
                    packet.begin, packet.end = packet.events[0].time, packet.events[-1].time
            env = {"hostname": "box", "domain": "ust", "tracer_name": "lttng-ust", "tracer_major": 2, "tracer_minor": 13,
                   "tracer_buffering_scheme": "uid", "tracer_buffering_id": 1000, "architecture_bit_width": 64}
            number = f"{seed:012x}"
            trace = ctf.Trace(linux_locks.CLASSES, env=env, offset=OFFSET, contexts=linux_locks.CONTEXTS,
                              uuid=f"22222222-2222-4333-8444-{number}", clock_uuid=f"aaaaaaaa-bbbb-4ccc-8ddd-{number}")
            paths.append(trace.write(folder / "ust", packets))
        return paths

    @staticmethod
    def runs(events, back, loss):
        """Parts that no packet joins: a full buffer is lost with what follows it, and a clock steps between packets."""
        edges = sorted(filter(None, (back and back[0], loss and loss[0])))
        for begin, end in zip([0, *edges], [*edges, 1 << 62]):
            part = [e for e in events if begin <= e.time < end]
            if part:
                yield part

    def threads_named(self, who):
        return [t for t in self.threads if who in (t.comm, f"{t.comm} {t.tid}")]


class ThreadFacts(Facts):
    def __init__(self, machine, recorded=True, back=None):
        self.machine = machine
        self.recorded = recorded  # whether the scheduler's events are
        self.back = back  # (time, ns) of a step back of the clock

    def bounds(self, answer):
        """When it was: of times that the clock had twice, the one at which there is what the answer is about."""
        begin = answer["begin"] - OFFSET
        bounds = begin, begin + answer["duration"]
        if self.back is None or any((b, e) == bounds and e < self.back[0] for m in self.machine.mutexes for _, b, e in m.waits):
            return bounds
        return bounds[0] + self.back[1], bounds[1] + self.back[1]

    def waited(self, answer):
        """(thread, mutex) of who waited, as the answer says from when to when."""
        bounds = self.bounds(answer)
        return next(((t, m) for m in self.machine.mutexes for t, *span in m.waits if tuple(span) == bounds), (None, None))

    def subject(self, answer):
        thread, _ = self.waited(answer)
        bounds = self.bounds(answer)
        return thread or next(
            (s.thread for s in self.machine.spans if s.label == answer["name"] and s.end and (s.begin.time, s.end.time) == bounds), None
        )

    def held(self, answer, who, what):
        begin, end = self.bounds(answer)
        _, mutex = self.waited(answer)
        if mutex is None or what != f"mutex {mutex.address:#x}":
            return None
        pieces = mutex.owners.pieces(begin, end)
        return sum(e - b for b, e, owner in pieces if owner in self.machine.threads_named(who)) or None

    def was_held(self, answer, piece):
        _, mutex = self.waited(answer)
        if mutex is None or answer["not_known"]:
            return True
        begin = self.bounds(answer)[0] + piece["begin"] - answer["begin"]
        end = begin + piece["duration"]
        said = piece.get("arguments", "")
        return any(
            overlap(b - SLOW, e + SLOW, begin, end) * 2 >= end - begin and ("vtid=" not in said or f"vtid={owner.tid}" in said)
            for b, e, owner in mutex.owners.pieces(0, self.machine.end + 1_000_000)
        )

    def beside(self, answer, who):
        thread = self.subject(answer)
        return None if thread is None else self.stopped_by(thread, who, *self.bounds(answer))

    def stopped(self, answer, who, other):
        begin, end = self.bounds(answer)
        return sum(self.stopped_by(t, other, begin, end) for t in self.machine.threads_named(who))

    def stopped_by(self, thread, who, begin, end):
        machine, time = self.machine, 0
        others = machine.threads_named(who)
        for since, until, state in thread.states.pieces(begin, end):
            for b, e, cpu in thread.places.pieces(since, until) if state == RUNNABLE else ():
                time += sum(y - x for x, y, other in machine.on_cpu[cpu].pieces(b, e) if other in others)
        return time

    def nobody_woke(self, answer):
        thread = self.subject(answer)
        return thread is not None and self.bounds(answer) in thread.timed_out

    def inversion(self, answer, who, other):
        if not self.recorded:
            return None
        waiter, _ = self.waited(answer)
        holder, other = self.machine.threads_named(who)[0], self.machine.threads_named(other)[0]
        return waiter.prio < other.prio < holder.prio


SLOW = 30 * US  # by which an event may be behind what it says


def idles(machine, thread):
    """A thread that does a little every now and then."""
    rng = machine.random
    while True:
        yield "run", rng.randrange(20, 150) * US
        yield "sleep", ("S", rng.randrange(2_000, 4_000) * US)


def once(when, usual, planted):
    """A program that does `planted` when that time has come, and `usual` else. Both are generators of (machine, thread)."""
    def program(machine, thread):
        done = False
        while True:
            if not done and machine.now >= when:
                done = True
                yield from planted(machine, thread)
            else:
                yield from usual(machine, thread)
            yield "sleep", ("S", machine.random.randrange(1_500, 3_500) * US)

    return program

"""Threads that lock mutexes, as LTTng's user space tracer records them (liblttng-ust-pthread-wrapper).

Of its source: pthread_mutex_lock writes a request before and an acquisition with the result behind; pthread_mutex_trylock
one event with the result; pthread_mutex_unlock one behind the unlock, so the next owner may be seen first.
pthread_mutex_timedlock is not wrapped: of a lock taken by it only the unlock is recorded.
"""

import dataclasses
import heapq
import itertools
import random
import re

from . import ctf, loss as losses
from .ctf import Event
from .statements import check_more
from .truth import BEFORE, OPEN, UNKNOWN, WHOLE, Span, Timeline, Truth, touched

OFFSET = 1_700_000_000_000_000_000
EBUSY, EDEADLK = 16, 35
MUTEX = {"mutex": "x64"}
RESULT = {"mutex": "x64", "status": "i32"}
REQ, ACQ, TRY, UNLOCK = (f"lttng_ust_pthread:pthread_mutex_{name}" for name in ("lock_req", "lock_acq", "trylock", "unlock"))
CLASSES = {REQ: MUTEX, ACQ: RESULT, TRY: RESULT, UNLOCK: RESULT}
CONTEXTS = {"vpid": "i32", "vtid": "i32", "procname": "string"}


@dataclasses.dataclass
class Mutex:
    address: int
    owner: object = None
    since: Event | None = None  # None: taken by a call that is not recorded
    waiting: list = dataclasses.field(default_factory=list)
    tids: list = dataclasses.field(default_factory=list)  # of the process
    owners: Timeline = dataclasses.field(default_factory=Timeline)


@dataclasses.dataclass
class Thread:
    pid: int
    tid: int
    name: str
    cpu: int
    mutexes: list
    left: int


class World:
    def __init__(self, seed):
        self.random = rng = random.Random(seed)
        self.seed, self.now, self.last = seed, 1_000_000, 0
        self.queue, self.sequence = [], itertools.count()
        self.events, self.spans, self.waits, self.asked = [], [], [], {}
        # The clock of a machine that was suspended may step back: once, of all that is written from then on.
        self.back = rng.randrange(1, 30) * rng.choice((100_000, 4_000_000, 100_000_000)) if seed % 3 == 0 and seed % 2 == 0 else 0
        self.now += 4_000_000_000
        cpus = 1 if self.back else rng.randrange(1, 5)
        self.mutexes = []
        for process in range(rng.randrange(1, 3)):
            # Processes of one program have their mutexes at the same addresses.
            mutexes = [Mutex(0x7F0000001000 + 0x40 * n) for n in range(rng.randrange(1, 4))]
            self.mutexes += mutexes
            pid = 1000 + 50 * process
            for number in range(rng.randrange(2, 5)):
                for mutex in mutexes:
                    mutex.tids.append(pid + number)
                thread = Thread(pid, pid + number, "app", rng.randrange(cpus), mutexes, rng.randrange(5, 18))
                self.at(rng.randrange(1, 900_000), lambda thread=thread: self.step(thread))
        self.cpus = cpus
        while self.queue:
            time, _, action = heapq.heappop(self.queue)
            self.now = max(time, self.last)
            action()
        self.spans += [(f"wait mutex {m:#x}", begin, None, False) for m, begin in self.asked.values()]

    def at(self, delay, action):
        heapq.heappush(self.queue, (self.now + delay, next(self.sequence), action))

    def emit(self, thread, name, mutex, status=0):
        self.last = max(self.now, self.last + 1)
        context = {"vpid": thread.pid, "vtid": thread.tid, "procname": thread.name}
        event = Event(self.last, thread.cpu, name, {"mutex": mutex.address, "status": status}, context, len(self.events))
        self.events.append(event)
        return event

    def step(self, thread):
        rng = self.random
        if thread.left == 0:
            return
        thread.left -= 1
        if rng.random() < 0.1:
            thread.cpu = rng.randrange(self.cpus)
        mutex = rng.choice(thread.mutexes)
        kind = rng.random()
        if kind < 0.25:
            free = mutex.owner is None
            event = self.emit(thread, TRY, mutex, 0 if free else EBUSY)
            if free:
                self.take(thread, mutex, event)
            else:
                self.at(rng.randrange(5_000, 300_000), lambda: self.step(thread))
        elif kind < 0.35:  # pthread_mutex_timedlock: nothing is recorded, and it gives up where the mutex is not free
            if mutex.owner is None:
                self.take(thread, mutex, None)
            else:
                self.at(rng.randrange(50_000, 400_000), lambda: self.step(thread))
        else:
            self.asked[thread.tid] = (mutex.address, self.emit(thread, REQ, mutex))
            if mutex.owner is None:
                self.acquire(thread, mutex)
            else:
                mutex.waiting.append(thread)

    def acquire(self, thread, mutex):
        """After a lock call, at once or when it was given up."""
        mutex.owner = thread
        address, begin = self.asked[thread.tid]

        def done():
            event = self.emit(thread, ACQ, mutex)
            self.spans.append((f"wait mutex {address:#x}", begin, event, False))
            self.waits.append((thread.tid, address, begin, event))
            del self.asked[thread.tid]
            self.take(thread, mutex, event)

        self.at(self.random.randrange(100, 3_000), done)

    def take(self, thread, mutex, event):
        rng = self.random
        mutex.owner, mutex.since = thread, event
        mutex.owners.set(max(self.now, self.last), thread)
        if event is not None and rng.random() < 0.05:
            self.again(thread, mutex)
        if rng.random() < 0.02:
            return  # it never gives it up
        self.at(rng.choice((1, 1, 1, 60)) * rng.randrange(1_000, 40_000), lambda: self.release(thread, mutex))

    def again(self, thread, mutex):
        """An error-checking mutex: who has it and asks again is told so, and has it no more than before."""
        begin = self.emit(thread, REQ, mutex)
        end = self.emit(thread, ACQ, mutex, EDEADLK)
        self.spans.append((f"wait mutex {mutex.address:#x}", begin, end, False))

    def release(self, thread, mutex):
        rng, since = self.random, mutex.since
        label = f"hold mutex {mutex.address:#x}"
        mutex.owner = mutex.since = None
        mutex.owners.set(max(self.now, self.last), None)
        overtaken = mutex.waiting and rng.random() < 0.08
        if overtaken:  # the next owner writes its event first
            following = mutex.waiting.pop(0)
            self.acquire(following, mutex)
            self.at(5_000, lambda: self.unlocked(thread, mutex, label, since, True))
            return
        self.unlocked(thread, mutex, label, since, False)
        if mutex.waiting:
            following = mutex.waiting.pop(0)
            mutex.owner = following
            self.at(rng.randrange(1_000, 20_000), lambda: self.acquire(following, mutex))

    def unlocked(self, thread, mutex, label, since, overtaken):
        event = self.emit(thread, UNLOCK, mutex)
        self.spans.append((label, since, event, overtaken))
        self.at(self.random.randrange(1_000, 400_000), lambda: self.step(thread))

    def record(self, folder, loss=None):
        streams = {}
        for event in self.events:
            streams.setdefault(event.cpu, []).append(event)
        middle = self.middle = len(self.events) // 2 if self.back else 0
        if middle:  # a step that is shorter than the time without an event is not to be seen
            self.back = max(self.back, self.events[middle].time - self.events[middle - 1].time + 1)
        for event in self.events[middle:]:
            event.time -= self.back
        packets = {
            cpu: [
                *losses.packets_of([e for e in events if e.order < middle], 20),
                *losses.packets_of([e for e in events if e.order >= middle], 20),
            ]
            for cpu, events in sorted(streams.items())
        }
        kept, lost = losses.lose(loss, random.Random(self.seed), packets)
        for packet in kept[0] if self.back else ():
            packet.begin, packet.end = packet.events[0].time, packet.events[-1].time
        env = {"hostname": "box", "domain": "ust", "tracer_name": "lttng-ust", "tracer_major": 2, "tracer_minor": 13,
               "tracer_buffering_scheme": "uid", "tracer_buffering_id": 1000, "architecture_bit_width": 64}
        trace = ctf.Trace(CLASSES, env=env, offset=OFFSET, contexts=CONTEXTS, uuid=f"22222222-2222-4333-8444-{self.seed:012x}")
        path = trace.write(folder / "ust", kept)
        return self.truth(path, kept, lost, loss)

    def truth(self, path, kept, lost, how):
        written = {event.order for packets in kept.values() for packet in packets for event in packet.events}
        times = [self.events[order].time for order in written]
        begin, end = min(times), max(times)
        classes = {}
        for order in written:
            name = self.events[order].name
            classes[name] = classes.get(name, 0) + 1
        held = {id(m.since): m for m in self.mutexes if m.owner is not None and m.since is not None}
        spans = [s for span in self.spans for s in self.shown(*span, written, lost, begin, end)]
        for mutex in held.values():
            spans += self.shown(f"hold mutex {mutex.address:#x}", mutex.since, None, False, written, lost, begin, end)
        spans = [
            dataclasses.replace(
                s,
                begin=None if s.begin is None else s.begin + OFFSET,
                end=None if s.end is None else s.end + OFFSET,
            )
            for s in spans
        ]
        lost = [dataclasses.replace(x, begin=x.begin + OFFSET, end=x.end + OFFSET) for x in lost]
        return Truth(
            [path], spans, [], begin + OFFSET, end + OFFSET, len(written), classes, losses=lost,
            judge=lambda truth, answer: self.judge(answer), further=check_more, variant=f"locks, loss {how}",
            trait="clock steps back" if self.back else "",
        )

    def judge(self, answer):
        """Who held the mutex, and for how long."""
        said = re.match(r"(\S+) (\d+) held mutex (0x[0-9a-f]+) for ([0-9.]+)(ns|us|ms|s) of it", answer["so"])
        if not said:
            return None
        begin, end = answer["begin"] - OFFSET, answer["begin"] + answer["duration"] - OFFSET
        tid, address = int(said[2]), int(said[3], 16)
        claimed = float(said[4]) * {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}[said[5]]
        waits = [(tid, first, last) for tid, where, first, last in self.waits if (where, first.time, last.time) == (address, begin, end)]
        waiting = [tid for tid, _, _ in waits]
        process = next((m for m in self.mutexes if m.address == address and any(w in m.tids for w in waiting)), None)
        if process is None:
            return answer["so"], "no such wait"
        moved = self.back if self.middle and waits[0][1].order >= self.middle else 0  # by the step
        held = sum(e - b for b, e, owner in process.owners.pieces(begin + moved, end + moved) if owner is not None and owner.tid == tid)
        # The unlock is recorded a moment after it happened.
        if abs(held - claimed) > 0.02 * claimed + 10_000:
            return answer["so"], f"{tid} held it for {held}"
        return None

    def is_contradicted(self, label, first, last):
        """Whether another thread had the mutex for a whole while meanwhile, by what is recorded."""
        return any(
            name == label and begin is not None and end is not None and first.order < begin.order and end.order < last.order
            for name, begin, end, _ in self.spans
        )

    def shown(self, label, first, last, overtaken, written, lost, begin, end):
        began = first is not None and first.order in written
        ended = last is not None and last.order in written
        if began and ended:
            if first.order < self.middle <= last.order:  # the clock stepped back meanwhile: how long it was is not recorded
                yield Span("slice", label, first.time, None, UNKNOWN, False)
                yield Span("slice", label, None, last.time, UNKNOWN, False)
                return
            sure = not touched(first.time, last.time, lost) and not (overtaken and self.is_contradicted(label, first, last))
            yield Span("slice", label, first.time, last.time, WHOLE, sure)
        elif began and (last is None or last.time > end):
            if first.order < self.middle:  # for how long, its clock does not say
                yield Span("slice", label, first.time, None, UNKNOWN, False)
            else:
                yield Span("slice", label, first.time, None, OPEN, not touched(first.time, end, lost))
        elif ended and first is None:
            # Taken by a call that is not recorded: when is not known, but not before the trace.
            yield Span("slice", label, None, last.time, UNKNOWN, False)
        elif ended and first.time < begin and label.startswith("hold "):
            # For what the trace says it may have been taken by a call that is not recorded.
            yield Span("slice", label, None, last.time, UNKNOWN, False)
        elif ended and first.time < begin:
            yield Span("slice", label, None, last.time, BEFORE, not touched(begin, last.time, lost))
        elif first is not None and last is not None and first.time <= end and last.time >= begin:
            yield Span("slice", label, first.time, last.time, WHOLE, False)

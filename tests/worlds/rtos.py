"""A real-time kernel with tasks, priorities, interrupts, queues and mutexes on one or several cores, and two recorders of it.

Tonbandgerät writes FreeRTOS's hooks: a task that is made ready is reported each time that it is put into a ready list, which also happens
to a task that is ready or runs already, as its priority changes (tasks.c: xTaskPriorityInherit, xTaskPriorityDisinherit). What a task blocks
on is reported before it is switched out; that a task is switched out is said only by what is switched in.

Zephyr writes CTF without packets and without a clock: a 32-bit time in ns that wraps, and an id, before each event's fields
(subsys/tracing/ctf). A thread is switched out and the next one in; why it does not run is known only by the hooks for pending and ready.
Nothing says which processor an event is of, unless the board adds a cpu_id.
"""

import collections
import dataclasses
import heapq
import json
import random
import struct

from . import statements
from .truth import BEFORE, OPEN, WHOLE, Counter, Loss, Span, State, Timeline, Track, Truth, overlap, sure_parts, touched

NONE, BEGIN, END, DROP = "none", "begin", "end", "drop"
TBAND = ("tband one core", "tband two cores, one stream", "tband two cores, two files", "tband equal names")
ZEPHYR = (
    "zephyr hooks", "zephyr no hooks", "zephyr wraps", "zephyr two cpus, none said", "zephyr two cpus, payload",
    "zephyr two cpus, context", "zephyr time falls",
)
VARIANTS = TBAND + ZEPHYR
QUEUE, BINARY, MUTEX = 0, 2, 3


def choose_loss(seed):
    """Every second round of the variants loses nothing."""
    turn = seed // len(VARIANTS)
    ways = (DROP, BEGIN, DROP, END) if VARIANTS[seed % len(VARIANTS)] in TBAND else (BEGIN, END)
    return ways[turn // 2 % len(ways)] if turn % 2 else NONE


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


class Core:
    def __init__(self, number):
        self.number = number
        self.task = None
        self.since = self.token = 0
        self.isrs = []  # (id, begin)
        self.idle = None


class Kernel:
    """`events` in the order of time; waits, interrupts, calls and markers as they were."""

    def __init__(self, rng, cores, *, equal_names=False, zephyr=False, slow=False):
        self.rng, self.zephyr, self.slow = rng, zephyr, slow
        self.now = rng.randrange(1000, 100_000)
        self.heap, self.order, self.last = [], 0, 0
        self.events = []
        self.cores = [Core(n) for n in range(cores)]
        self.waits, self.isrs, self.markers, self.calls, self.ran = [], [], [], [], [Timeline() for _ in range(cores)]
        self.priorities = collections.defaultdict(list)
        number = 0x20000000 if zephyr else 0
        step = 0x100 if zephyr else 1
        self.tasks = []
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
        self.now = max(self.now, self.last) + self.rng.randrange(1, 6)
        self.last = self.now
        self.events.append(Event(self.now, name, fields, core))
        return self.now

    def run(self, most):
        for task in self.tasks:
            core = min(task.cores)
            time = self.record("created", core, task=task, priority=task.priority)
            task.timeline.set(time, ("created", "runnable"))
            self.make_ready(task, core, False)
            task.timeline.values[-1] = ("runnable", "created")
        for core in self.cores:
            self.schedule(core)
            self.at(self.rng.randrange(50_000, 300_000), self.interrupt, core, True)
        while self.heap and len(self.events) < most:
            time, _, what, arguments = heapq.heappop(self.heap)
            self.now = max(time, self.last + 1)
            what(*arguments)

    # Scheduling.
    def make_ready(self, task, core, reschedule=True):
        task.ready_at = self.record("ready", core, task=task)
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
        what, *arguments = task.steps.pop(0)
        what(core, task, *arguments)
        if core.task is task and task.state == "running":
            if getattr(core, "wanted", False) or self.more_urgent(core):
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

    def delay(self, core, task, time):
        since = self.record("delay", core.number, task=task, ticks=max(1, time // 1000))
        self.at(time, self.expire, task, task.wake + 1)
        self.block(core, task, since, ("delay",))

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


# Tonbandgerät.
def varint(value):
    result = bytearray()
    while True:
        result.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(result)


def cobs(payload):
    result = bytearray()
    for block in payload.split(b"\0"):
        while len(block) >= 254:
            result += b"\xff" + block[:254]
            block = block[254:]
        result += bytes([len(block) + 1]) + block
    return bytes(result) + b"\0"


def frame(number, *values):
    return cobs(bytes([number]) + b"".join(v if isinstance(v, bytes) else varint(v) for v in values))


ISR_NAMES = {9: "UART", 10: "DMA"}


def tband_frames(event):
    """The frames of an event: a creation is several."""
    time, fields = event.time, event.fields
    task, thing = fields.get("task"), fields.get("thing")
    name = event.name
    if name == "created":
        return [frame(0x5E, time, task.number), frame(0x5B, time, task.number, fields["priority"])]
    one = {
        "ready": lambda: frame(0x55, time, task.number),
        "switched_in": lambda: frame(0x54, time, task.number),
        "delay": lambda: frame(0x59, time, fields["ticks"]),
        "took": lambda: frame(0x6A, time, thing.number, fields["level"]),
        "gave": lambda: frame(0x66, time, thing.number, fields["level"]),
        "gave_isr": lambda: frame(0x67, time, thing.number, fields["level"]),
        "block_take": lambda: frame(0x6F, time, thing.number, 0xFFFFFFFF),
        "inherit": lambda: frame(0x5C, time, task.number, fields["priority"]),
        "disinherit": lambda: frame(0x5D, time, task.number, fields["priority"]),
        "isr_enter": lambda: frame(0x04, time, fields["isr"]),
        "isr_exit": lambda: frame(0x05, time, fields["isr"]),
        "marker_begin": lambda: frame(0x7C, time, 0, b"go"),
        "marker_end": lambda: frame(0x7D, time, 0),
        "dropped": lambda: frame(0x01, time, fields["count"]),
        "core": lambda: frame(0x00, time, event.core),
    }[name]
    return [one()]


TBAND_CLASSES = {
    "created": ("task_created", "task_priority_set"), "ready": ("task_to_rdy_state",), "switched_in": ("task_switched_in",),
    "delay": ("curtask_delay",), "took": ("queue_receive",), "gave": ("queue_send",), "gave_isr": ("queue_send_from_isr",),
    "block_take": ("curtask_block_on_queue_receive",), "inherit": ("task_priority_inherit",),
    "disinherit": ("task_priority_disinherit",), "isr_enter": ("isr_enter",), "isr_exit": ("isr_exit",),
    "marker_begin": ("task_evtmarker_begin",), "marker_end": ("task_evtmarker_end",), "dropped": ("dropped_evt_cnt",),
    "core": ("core_id",),
}

# Zephyr: the classes that are written here, as its metadata has them; {cpu} is put in where a board adds the processor.
ZEPHYR_HEAD = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = false; encoding = ASCII; } := ctf_bounded_string_t;

"""
THREAD = "uint32_t thread_id; ctf_bounded_string_t name[20];"
ZEPHYR_CLASSES = {
    "thread_switched_out": (0x10, THREAD), "thread_switched_in": (0x11, THREAD),
    "thread_priority_set": (0x12, THREAD + " int8_t prio;"), "thread_create": (0x13, THREAD), "thread_abort": (0x14, THREAD),
    "thread_ready": (0x17, THREAD), "thread_pending": (0x18, THREAD),
    "isr_enter": (0x1B, ""), "isr_exit": (0x1C, ""), "idle": (0x1E, ""),
    "semaphore_give_enter": (0x22, "uint32_t id;"), "semaphore_give_exit": (0x23, "uint32_t id;"),
    "semaphore_take_enter": (0x24, "uint32_t id; uint32_t timeout;"),
    "semaphore_take_blocking": (0x25, "uint32_t id; uint32_t timeout;"),
    "semaphore_take_exit": (0x26, "uint32_t id; uint32_t timeout; int32_t ret;"),
    "mutex_lock_enter": (0x29, "uint32_t id; uint32_t timeout;"),
    "mutex_lock_blocking": (0x2A, "uint32_t id; uint32_t timeout;"),
    "mutex_lock_exit": (0x2B, "uint32_t id; uint32_t timeout; int32_t ret;"),
    "mutex_unlock_enter": (0x2C, "uint32_t id;"), "mutex_unlock_exit": (0x2D, "uint32_t id; int32_t ret;"),
}


def zephyr_class(event):
    """The class that an event is written as, or None."""
    thing = event.fields.get("thing")
    call = "mutex_lock" if thing is not None and thing.kind == MUTEX else "semaphore_take"
    back = "mutex_unlock" if thing is not None and thing.kind == MUTEX else "semaphore_give"
    return {
        "created": "thread_create", "ready": "thread_ready", "pending": "thread_pending", "switched_in": "thread_switched_in",
        "switched_out": "thread_switched_out", "isr_enter": "isr_enter", "isr_exit": "isr_exit", "idle": "idle",
        "take_enter": call + "_enter", "block_take": call + "_blocking", "take_exit": call + "_exit",
        "give_enter": back + "_enter", "give_exit": back + "_exit", "inherit": "thread_priority_set",
        "disinherit": "thread_priority_set",
    }.get(event.name)


def thread_fields(task):
    return struct.pack("<I", task.number) + task.name.encode().ljust(20, b"\0")


# Words that are true of a thread that waits for something, and of one that does not run for a reason that nobody recorded.
NOT_RUNNING = ("not running", "not running (reason not recorded)", "not running, reason not recorded")
BLOCKED = ("blocked", "pending", "waiting", *NOT_RUNNING)


class World:
    def __init__(self, seed):
        self.random = rng = random.Random(seed)
        self.variant = VARIANTS[seed % len(VARIANTS)]
        self.zephyr = self.variant in ZEPHYR
        cores = 2 if "two" in self.variant else 1
        self.kernel = Kernel(
            rng, cores, equal_names=self.variant == "tband equal names", zephyr=self.zephyr,
            slow=self.variant in ("zephyr wraps", "zephyr time falls"),
        )
        self.kernel.run(rng.randrange(100, 400))
        self.events = self.kernel.events
        self.hooks = self.variant not in ("zephyr no hooks", "zephyr time falls") and (cores == 1 or rng.random() < 0.5)
        # A queue's level behind each of its events.
        levels = {o.number: 1 if o.kind == MUTEX else 0 for o in self.kernel.objects}
        for event in self.events:
            if event.name in ("took", "gave", "gave_isr"):
                levels[event.fields["thing"].number] += -1 if event.name == "took" else 1
                event.fields["level"] = levels[event.fields["thing"].number]

    def record(self, folder, loss=NONE):
        return (self.record_zephyr if self.zephyr else self.record_tband)(folder, loss, random.Random(len(self.events)))

    # Tonbandgerät.
    def record_tband(self, folder, loss, rng):
        scale = rng.choice((1, 1, 25))
        events = [e for e in self.events if e.name in TBAND_CLASSES]
        first, last = events[0].time, events[-1].time
        doubt, losses, extra = [], [], collections.Counter()
        files = 2 if "two files" in self.variant else 1
        if loss == BEGIN:
            since = first + (last - first) * rng.randrange(20, 60) // 100
            events = [e for e in events if e.time >= since]
            losses = doubt = [Loss(None, first * scale, since * scale, declared=False)]
        if loss != BEGIN and rng.random() < 0.7:
            events, losses = self.drop(events, rng, scale, loss == DROP)
            doubt = losses
        metadata = [frame(0x02, scale)]
        for task in self.kernel.tasks:
            metadata.append(frame(0x5F, task.number, task.name.encode()))
            metadata.append(frame(0x7A, 0, task.number, b"work"))
        for core in self.kernel.cores:
            metadata.append(frame(0x60, core.idle.number, core.number))
        for thing in self.kernel.objects:
            metadata += [frame(0x64, thing.number, thing.name.encode()), frame(0x65, thing.number, bytes([thing.kind]))]
        # Names of interrupts are those of the core that writes them.
        isr_names = [frame(0x03, number, name.encode()) for number, name in ISR_NAMES.items()]
        classes = collections.Counter(
            ["ts_resolution_ns"] + ["task_name", "task_evtmarker_name"] * len(self.kernel.tasks)
            + ["task_is_idle_task"] * len(self.kernel.cores) + ["queue_name", "queue_kind"] * len(self.kernel.objects)
            + ["isr_name"] * len(ISR_NAMES) * len(self.kernel.cores)
        )
        streams, core, named = [[] for _ in range(files)], [None] * files, set()
        for event in events:
            where = event.core if files == 2 else 0
            if files == 1 and len(self.kernel.cores) > 1 and core[0] != event.core:
                streams[0].append((frame(0x00, event.time, event.core), Event(event.time, "core", {}, event.core)))
                core[0] = event.core
            if event.core not in named:
                named.add(event.core)
                streams[where] += [(one, None) for one in isr_names]
            for place, one in enumerate(tband_frames(event)):
                streams[where].append((one, event if place == 0 else None))
                classes[TBAND_CLASSES[event.name][place]] += 1
        classes["core_id"] = sum(e is not None and e.name == "core" for s in streams for _, e in s)
        if not classes["core_id"]:
            del classes["core_id"]
        exits = (0,)
        if loss == END:
            stream = rng.choice([s for s in streams if len(s) > 20] or [streams[0]])
            cut = rng.randrange(len(stream) // 2, len(stream))
            while stream[cut][1] is None or stream[cut][1].name == "core":
                cut -= 1
            gone = {id(e) for _, e in stream[cut:] if e is not None}
            for one, event in stream[cut:]:
                if event is not None:
                    for name in TBAND_CLASSES[event.name]:
                        classes[name] -= 1
            known = max((e.time for _, e in stream[:cut] if e is not None), default=first)
            stream[cut:] = [(stream[cut][0][:-1], None)]
            events = [e for e in events if id(e) not in gone]
            exits = (0, 4)
            losses = doubt = [Loss(None, known * scale, max(e.time for e in events) * scale)]
        paths = []
        for number, stream in enumerate(streams):
            path = folder / f"core{number}.bin"
            path.write_bytes((b"".join(metadata) if number == 0 else b"") + b"".join(one for one, _ in stream))
            paths.append(f"{path}@{number}" if files == 2 else path)
        return self.truth(
            paths, events, losses, doubt, classes, scale, loss, exits=exits, means=lambda label: (label,),
            further=self.further, judge=lambda truth, answer: self.ran_instead(answer, scale),
        )

    def further(self, command):
        statements.check_pictures(command)
        if command.truth.events % 3 == 0:
            statements.check_gates(command)
        if not command.truth.losses:
            self.explain(command)
        decoded = statements.picture(command)
        marks = sum(s.name == "events dropped" for s in decoded.slices) if decoded else 0
        grown = sum(loss.events is not None for loss in command.truth.losses)
        if marks > grown:
            command.say("perfetto: a drop counter that did not grow is a mark", marks, grown)

    def ran_instead(self, answer, scale):
        """The task that ran on the processor while another one was ready."""
        so = answer["so"]
        wait = next((w for w in self.kernel.waits if w[1] * scale == answer["begin"]), None)
        if " ran on the same processor" not in so or wait is None:
            return None
        _, asked, served, core = wait
        who = so.split(" ran on")[0].split("(")[0].strip()
        time = sum(b - a for a, b, task in self.kernel.ran[core].pieces(asked, served) if task.name == who)
        return (so, f"{who} ran for {time} of {served - asked}") if time * 2 < served - asked else None

    def drop(self, events, rng, scale, losing):
        """A buffer that is full drops events and counts them. The count is written from time to time, mostly unchanged."""
        kept, losses, count, before = [], [], 0, events[0].time
        places = sorted(rng.sample(range(20, max(21, len(events) - 10)), min(rng.randrange(1, 4), max(1, len(events) - 40))))
        gone = set()
        for place in places if losing else ():
            gone |= set(range(place, min(len(events) - 2, place + rng.randrange(1, 12))))
        said = 0
        for place, event in enumerate(events):
            if place in gone:
                count += 1
                continue
            if place and place % 15 == 0 or (count > said and rng.random() < 0.5):
                # It stands between two events of the core that it is written on.
                kept.append(Event(event.time, "dropped", {"count": count}, event.core))
                if count > said:
                    losses.append(Loss(None, before * scale, event.time * scale, count - said))
                    said = count
                before = event.time
            kept.append(event)
        if count > said:
            time = kept[-1].time
            kept.append(Event(time, "dropped", {"count": count}, kept[-1].core))
            losses.append(Loss(None, before * scale, time * scale, count - said))
        return kept, losses

    # Zephyr.
    def record_zephyr(self, folder, loss, rng):
        variant = self.variant
        events = [e for e in self.events if zephyr_class(e) and (self.hooks or e.name not in ("ready", "pending"))]
        shift = 0
        if variant == "zephyr wraps":  # begins shortly before a wrap
            shift = (1 << 32) - rng.randrange(1, 2_000_000)
        if variant == "zephyr time falls":  # 10 ns a cycle of a 32-bit counter
            shift = 10 * (1 << 32) - (events[-1].time + events[0].time) // 2
        first, last = events[0].time, events[-1].time
        losses = []
        if loss == BEGIN:
            since = first + (last - first) * rng.randrange(20, 60) // 100
            events = [e for e in events if e.time >= since]
            losses = [Loss(None, first + shift, since + shift, declared=False)]
        if events[0].time + shift >= 1 << 32:  # how often a counter had wrapped before the trace is nowhere
            cycle = (10 if variant == "zephyr time falls" else 1) << 32
            less = (events[0].time + shift) // cycle * cycle
            shift -= less
            losses = [dataclasses.replace(one, begin=one.begin - less, end=one.end - less) for one in losses]
        wide = variant == "zephyr time falls" or "two" in variant and rng.random() < 0.5
        payload, context = "payload" in variant, "context" in variant
        lines = [ZEPHYR_HEAD, f"struct event_header {{ {'uint64_t' if wide else 'uint32_t'} timestamp; uint8_t id; }};"]
        lines.append("trace { major = 1; minor = 8; byte_order = le; };")
        more = " event.context := struct { uint8_t cpu_id; };" if context else ""
        lines.append(f"stream {{ event.header := struct event_header;{more} }};")
        for name, (number, fields) in ZEPHYR_CLASSES.items():
            if payload and name.startswith("thread_switched"):
                fields += " uint8_t cpu_id;"
            body = f" fields := struct {{ {fields} }};" if fields else ""
            lines.append(f"event {{ name = {name}; id = {number:#x};{body} }};")
        (folder / "metadata").write_text("\n".join(lines) + "\n", encoding="utf-8")
        data, classes = [], collections.Counter()
        for event in events:
            name = zephyr_class(event)
            time = event.time + shift
            if not wide:
                time %= 1 << 32
            elif variant == "zephyr time falls":
                time %= 10 * (1 << 32)
            fields = event.fields
            body = struct.pack("<QB" if wide else "<IB", time, ZEPHYR_CLASSES[name][0])
            if context:
                body += bytes([event.core])
            if name.startswith("thread_"):
                body += thread_fields(fields["task"])
                if name == "thread_priority_set":
                    body += struct.pack("<b", -fields["priority"])
            if name.startswith("thread_switched") and payload:
                body += bytes([event.core])
            if "thing" in fields:
                body += struct.pack("<I", fields["thing"].number)
                if "_take_" in name or "_lock_" in name:
                    body += struct.pack("<I", 0xFFFFFFFF)
                if name.endswith(("take_exit", "lock_exit")) and "unlock" not in name:
                    body += struct.pack("<i", fields.get("ret", 0))
                if name == "mutex_unlock_exit":
                    body += struct.pack("<i", 0)
            data.append(body)
            classes[name] += 1
        exits = (0,)
        if loss == END:
            cut = rng.randrange(len(events) // 2, len(events))
            for event in events[cut:]:
                classes[zephyr_class(event)] -= 1
            data = data[:cut] + [data[cut][:4]]
            events, exits = events[:cut], (0, 4)
        (folder / "channel0_0").write_bytes(b"".join(data))
        return self.truth(
            [folder], events, losses, losses, classes, 1, loss, shift=shift, exits=exits,
            further=lambda command: (self.check_holds(command, shift), statements.check_pictures(command)),
        )

    # What is true.
    def truth(self, paths, events, losses, doubt, classes, scale, how, shift=0, **more):
        begin, end = events[0].time, events[-1].time
        spans, tracks = [], []

        def time(value):
            return value * scale + shift

        def span(kind, label, since, until, sure=True, **rest):
            """As far as the trace reaches."""
            if since > end or until is not None and until < begin:
                return
            fate = WHOLE
            if until is None or until > end:
                fate, until = OPEN, None
            if since < begin:
                fate, sure = BEFORE, False
            until = None if until is None else time(until)
            spans.append(
                Span(kind, label, time(since), until, fate, sure and not touched(time(since), until or time(end), doubt), **rest)
            )

        self.spans(span)
        tracks = self.tracks(begin, end, time, doubt)
        classes = {name: count for name, count in classes.items() if count}
        return Truth(
            paths, spans, tracks, time(begin), time(end), sum(classes.values()), classes, losses=losses,
            counters=[] if self.zephyr else self.counters(events, doubt), unchecked=self.unchecked,
            variant=f"{self.variant}{', hooks' if self.zephyr and self.hooks else ''}, {how}", **more,
        )

    def unchecked(self, label):
        """When in the call a mutex is free nothing says: check_holds allows all of it."""
        return label.startswith("hold ")

    def check_holds(self, command, shift):
        output = command.run("query", "--output", "jsonl", "spans").stdout
        known = collections.defaultdict(dict)
        for thing in self.kernel.objects:
            for begin, end in thing.locked:
                known[f"mutex {thing.number:#x}"][begin + shift] = None if end is None else end + shift
        for line in output.decode().splitlines():
            row = json.loads(line)
            if row.get("category") != "hold":
                continue
            end = known[row["name"]].get(row["time"])
            said = row["time"] + row["duration"]
            if end is None or not end <= said <= end + 20:  # the call's own code
                command.say("hold: a duration that is not true", f"{row['name']} from {row['time']} to {said}", end or "no such hold")

    def spans(self, span):
        kernel = self.kernel
        several = len(kernel.cores) > 1
        told_apart = not self.zephyr or not several or "context" in self.variant
        for core, number, begin, end in kernel.isrs:
            span("slice", "isr isr" if self.zephyr else f"isr {ISR_NAMES[number]}", begin, end, told_apart)
        for core in kernel.cores:
            for number, begin in core.isrs:
                span("slice", "isr isr" if self.zephyr else f"isr {ISR_NAMES[number]}", begin, None, told_apart)
        if not self.zephyr:
            for task, asked, served, core in kernel.waits:
                span("wait", "ready -> run", asked, served)
            for task, begin, end in kernel.markers:
                span("slice", "task marker work", begin, end)
            for task in kernel.tasks:
                if task.marker is not None:
                    span("slice", "task marker work", task.marker, None)
            return
        for task, thing, begin, blocked, end in kernel.calls:
            name = "mutex_lock" if thing.kind == MUTEX else "semaphore_take"
            if blocked == "give":
                span("slice", f"call {'mutex_unlock' if thing.kind == MUTEX else 'semaphore_give'}", begin, end, told_apart)
                continue
            span("slice", f"call {name}", begin, end, told_apart)
            if blocked is not None:
                span("slice", f"blocking {name}", blocked, end, told_apart)
        for task in kernel.tasks:
            if task.giving:
                thing, begin = task.giving
                span("slice", f"call {'mutex_unlock' if thing.kind == MUTEX else 'semaphore_give'}", begin, None, told_apart)
            if task.call:
                name = "mutex_lock" if task.call[0].kind == MUTEX else "semaphore_take"
                span("slice", f"call {name}", task.call[1], None, told_apart)
                if task.call[2] is not None:
                    span("slice", f"blocking {name}", task.call[2], None, told_apart)

    def unique(self, task):
        same = [t for t in self.kernel.tasks if t.name == task.name]
        return task.name if len(same) == 1 else f"{task.name} {task.number}"

    def words(self, value, task):
        """Of a piece of a task's time line."""
        thing = value[-1] if isinstance(value[-1], Object) else None
        names = tuple(word for word in value if isinstance(word, str))
        if thing is not None:
            kinds = [o for o in self.kernel.objects if o.name == thing.name]
            told = names[-1]
            names += (f"{told} {thing.number}", f"{told} (queue {thing.number})", f"{told} ({thing.number})")
            if len(kinds) > 1 and not self.zephyr:
                names = tuple(word for word in names if word != told) + (told,)
        if not self.zephyr:
            return names
        result = []
        for name in names:
            if name.startswith("blocked") or name == "delay":
                result += BLOCKED if name.startswith("blocked") else NOT_RUNNING + ("sleeping", "waiting", "blocked")
                if thing is not None:
                    result += ["blocked: " + c for c in ("mutex_lock", "semaphore_take", "take")] + list(names)
            elif name == "runnable" and not self.hooks:
                result += ["runnable", *NOT_RUNNING]
            elif name == "created":
                result += ["created", "runnable", *NOT_RUNNING]
            elif name == "running" and task.idle:
                result += ["running", "idle"]
            else:
                result.append(name)
        return tuple(dict.fromkeys(result))

    def tracks(self, begin, end, time, doubt):
        kernel, tracks = self.kernel, []
        for task in kernel.tasks:
            states = []
            known, before = False, None
            for since, until, value in task.timeline.pieces(begin, end):
                # Events name the task that is switched in or made ready. What the current task does is known if that is.
                named = value[0] == "running" and value[1:] == () or value[0] in ("created", "runnable") and before != "running"
                known = named and since in task.timeline.times or known and since != begin
                parts = sure_parts(time(since), time(until), doubt) if known else [(time(since), time(until), False)]
                known = known and parts[-1][2]
                before = value[0]
                # Without hooks nothing says when a thread becomes ready.
                clear = not self.zephyr or value[0] != "created" and (self.hooks or value[0] == "running")
                states += [State(self.words(value, task), a, b, sure and clear) for a, b, sure in parts]
            if states:
                tracks.append(Track(task.name, "task", states, tid=task.number))
        for core in kernel.cores:
            states = []
            for since, until, task in kernel.ran[core.number].pieces(begin, end):
                names = (self.unique(task), f"{task.name} ({task.number})")
                if task.idle:
                    names += ("idle",)
                sure = not doubt and since >= min((t for t in kernel.ran[core.number].times if t >= begin), default=end)
                states.append(State(names, time(since), time(until), sure))
            if not self.zephyr:
                tracks.append(Track("running", "core state", states, parent=f"core {core.number}"))
            elif len(kernel.cores) == 1:
                tracks.append(Track("running", "cpu state", states))
        if not self.zephyr:
            for thing in kernel.objects:
                if thing.kind != MUTEX:
                    continue
                states = []
                for since, until, holder in thing.holds.pieces(begin, end):
                    word = "available" if holder == "available" else f"taken by {self.unique(holder)}"
                    states.append(State((word,), time(since), time(until), not doubt))
                if states and states[0].begin > time(begin):
                    states.insert(0, State(("available",), time(begin), states[0].begin, False))
                if states:
                    tracks.append(Track(thing.name, "mutex", states))
        return tracks

    def counters(self, events, doubt):
        values = collections.defaultdict(list)
        for event in events:
            if event.name in ("took", "gave", "gave_isr"):
                values[f"{event.fields['thing'].name}: length"].append(event.fields["level"])
            elif event.name in ("created", "inherit", "disinherit"):
                values[f"{event.fields['task'].name}: priority"].append(event.fields["priority"])
        names = collections.Counter([o.name for o in self.kernel.objects] + [t.name for t in self.kernel.tasks])
        return [
            Counter(name, len(v), min(v), max(v), v[-1], not doubt) for name, v in values.items() if names[name.split(":")[0]] == 1
        ]

    # Why a task was blocked.
    def explain(self, command):
        kernel, truth = self.kernel, command.truth
        scale = truth.begin // self.events[0].time if self.events[0].time else 1
        for name in sorted({o.name for o in kernel.objects}):
            verb = "receive" if any(o.name == name and o.kind == QUEUE for o in kernel.objects) else "take"
            state = f"blocked: {verb} {name}"
            pieces = [
                (task, since * scale, until * scale, value[-1])
                for task in kernel.tasks
                for since, until, value in task.timeline.pieces(self.events[0].time, self.events[-1].time)
                if value[0] == state
            ]
            if not pieces:
                continue
            answer = statements.asked(command, state)
            if not answer or not answer["found"]:
                command.say("why: no such state found", state, f"{len(pieces)} of them")
                continue
            begin, end = answer["begin"], answer["begin"] + answer["duration"]
            # It may be said to begin when the task says so, some ticks before it is switched out.
            mine = [p for p in pieces if p[2] == end and begin <= p[1] and p[1] - begin <= 40 * scale]
            if not mine:
                command.say("why: a state that was not", f"{state} from {begin} for {answer['duration']}", [p[1:3] for p in pieces[:3]])
                continue
            self.judge(command, answer, *mine[0], scale)

    def judge(self, command, answer, task, begin, end, thing, scale):
        for piece in answer["held"]:
            since, until = piece["begin"], piece["begin"] + piece["duration"]
            if not piece["name"].startswith("taken by "):
                continue
            holds = [
                (a * scale, b * scale) for a, b, who in thing.holds.pieces(0, self.events[-1].time)
                if who != "available" and piece["name"] in (f"taken by {self.unique(who)}", f"taken by {who.name}")
            ]
            if not any(a <= since and until <= b for a, b in holds):
                command.say("why: held by who did not", f"{piece['name']} {piece['track']} from {since} for {piece['duration']}", holds[:3])
        so = answer.get("so")
        if not so:
            return
        length = end - begin
        median = answer.get("median")
        if median and answer["duration"] <= 2 * median:
            command.say("why: a conclusion at the median", so, f"median {median}")
        if " held " in so:
            who = so.split(" held ")[0].split()[-1]
            time = sum(
                overlap(begin, end, a * scale, b * scale) for a, b, holder in thing.holds.pieces(0, self.events[-1].time)
                if holder != "available" and holder.name == who.split("(")[0]
            )
            if time * 2 < length - 80 * scale:
                command.say("why: a wrong conclusion", so, f"{who} held it for {time} of {length}")
        if "inversion" in so:
            holders = [h for a, b, h in thing.holds.pieces(0, self.events[-1].time) if h != "available" and overlap(begin, end, a * scale, b * scale) * 2 >= length]
            true = any(self.inverted(holder, task, begin, end, scale) for holder in holders)
            if not true:
                command.say("why: an inversion that was none", so, [(t.name, t.base) for t in (task, *holders)])

    def inverted(self, holder, task, begin, end, scale):
        """The holder was ready, and what ran instead of it was less urgent than the task that waits."""
        time = 0
        for since, until, value in holder.timeline.pieces(0, self.events[-1].time):
            if value != ("runnable",):
                continue
            for core in holder.cores:
                for a, b, other in self.kernel.ran[core].pieces(since, until):
                    if other is not holder and other.base < task.base:
                        time += overlap(begin, end, a * scale, b * scale)
        return time * 2 >= end - begin

"""Incidents of a real-time kernel (rtos_kernel.py) on one core, recorded as Tonbandgerät does."""

from .. import rtos
from ..rtos_kernel import BINARY, MUTEX, QUEUE, Kernel, Object, Task
from .case import MS, Case, Facts, longest

US = 1_000


class Planned(Kernel):
    """`bodies`: what each task does in each turn. `inherits`: whether who holds a mutex becomes as urgent as who waits."""

    def __init__(self, rng, tasks, objects, *, inherits=True):
        super().__init__(rng, 1)
        idle, self.inherits, self.bodies, self.missed, self.blocked = self.tasks[0], inherits, {}, [], []
        idle.name, self.tasks = "IDLE", [idle]
        for number, (name, priority, body) in enumerate(tasks, 2):
            self.tasks.append(Task(number, name, priority, {0}))
            self.bodies[number] = body
        self.objects = objects

    def code_time(self):
        """About the same each time, so that no wait is twice as long as most for that alone."""
        return self.rng.randrange(4, 6)

    def program(self, task):
        return self.bodies[task.number](self, task)

    def interrupt(self, core, again):
        """Those that come by themselves only take time."""
        if again:
            self.at(self.rng.randrange(400, 3_000) * US, self.interrupt, core, True)
            if not core.isrs:
                self.pause(core)
                core.isrs.append((9, self.record("isr_enter", core.number, isr=9)))
                self.at(self.rng.randrange(200, 3_000), self.leave, core, 1)

    def leave(self, core, depth):
        number, begin = core.isrs.pop()
        self.isrs.append((core.number, number, begin, self.record("isr_exit", core.number, isr=number)))
        if core.wanted:
            self.schedule(core)
        else:
            self.resume(core)

    def inherit(self, core, holder, priority):
        if self.inherits:
            super().inherit(core, holder, priority)

    def signal(self, thing, switches):
        """An interrupt gives, and asks for a switch or forgets to."""
        core = self.cores[0]
        if core.isrs:
            self.at(5 * US, self.signal, thing, switches)
            return
        self.pause(core)
        begin = self.record("isr_enter", 0, isr=10)
        self.give(core, None, thing, True)
        self.isrs.append((0, 10, begin, self.record("isr_exit", 0, isr=10)))
        if switches:
            self.schedule(core)
        else:
            self.missed.append(self.now)
            core.wanted = False
            self.resume(core)
            self.at(self.rng.randrange(600, 990) * US, self.tick)

    def tick(self):
        core = self.cores[0]
        if core.isrs:
            self.at(3 * US, self.tick)
        else:
            self.pause(core)
            self.schedule(core)

    def more_urgent(self, core):
        """Who is ready runs when a switch is asked for, not before."""
        missed = self.missed and self.now - self.missed[-1] < MS
        return False if missed else super().more_urgent(core)

    # A queue that is full keeps who sends.

    def send(self, core, task, thing):
        if thing.level < thing.length:
            self.give(core, task, thing)
            return
        time = self.record("block_send", core.number, thing=thing, task=task)
        thing.sending.append(task)
        task.steps.insert(0, (self.send, thing))
        self.blocked.append([task, thing, time, None])
        self.block(core, task, time, (f"blocked: send {thing.name}",))

    def try_take(self, core, task, thing, forever):
        super().try_take(core, task, thing, forever)
        if thing.sending and thing.level < thing.length:
            best = max(thing.sending, key=lambda t: t.priority)
            thing.sending.remove(best)
            self.make_ready(best, core.number)
            next(b for b in self.blocked if b[0] is best and b[3] is None)[3] = self.now


class KernelFacts(Facts):
    def __init__(self, kernel, scale, priorities=True):
        self.kernel, self.scale, self.priorities = kernel, scale, priorities

    def bounds(self, answer):
        return answer["begin"] // self.scale, (answer["begin"] + answer["duration"]) // self.scale

    def named(self, who):
        return [t for t in self.kernel.tasks if who in (t.name, f"{t.name} {t.number}")]

    def subject(self, answer):
        """Who waits, is ready, or has the marker."""
        begin, _ = self.bounds(answer)
        kernel = self.kernel
        known = [t for t, b, *_ in kernel.waits if b == begin] + [t for t, b, _ in kernel.markers if b == begin]
        known += [t for t, _, b, _ in kernel.blocked if b == begin]
        return next(iter(known), None) or next((t for t in kernel.tasks if answer["track"].split()[0] == t.name), None)

    def waits_for(self, answer):
        begin, end = self.bounds(answer)
        task = self.subject(answer)
        for since, until, words in task.timeline.pieces(begin, end) if task else ():
            if len(words) > 1 and isinstance(words[-1], Object):
                return words[-1]
        return None

    def held(self, answer, who, what):
        thing = self.waits_for(answer)
        if thing is None or what not in (thing.name, f"{thing.name} {thing.number}"):
            return None
        return sum(e - b for b, e, task in thing.holds.pieces(*self.bounds(answer)) if task in self.named(who)) * self.scale or None

    def was_held(self, answer, piece):
        thing = self.waits_for(answer)
        begin, end = piece["begin"] // self.scale, (piece["begin"] + piece["duration"]) // self.scale
        who = piece["name"].split("taken by ")[-1]
        if thing is None or "taken by" not in piece["name"]:
            return True
        return sum(e - b for b, e, task in thing.holds.pieces(begin, end) if task in self.named(who)) * 10 >= (end - begin) * 9

    def beside(self, answer, who):
        return self.stopped_by(self.subject(answer), who, *self.bounds(answer))

    def stopped(self, answer, who, other):
        return self.stopped_by(self.named(who)[0], other, *self.bounds(answer))

    def stopped_by(self, task, who, begin, end):
        time = 0
        for since, until, words in task.timeline.pieces(begin, end) if task else ():
            if words[0] == "runnable":
                time += sum(e - b for b, e, other in self.kernel.ran[0].pieces(since, until) if other in self.named(who))
        return time * self.scale

    def full(self, answer, what, level):
        begin, end = self.bounds(answer)
        things = [o for o in self.kernel.objects if what in (o.name, f"{o.name} {o.number}") and o.length == level]
        times = [(max(b, begin), min(e or end, end)) for _, thing, b, e in self.kernel.blocked if thing in things]
        return sum(e - b for b, e in times if b < e) * self.scale or None

    def inversion(self, answer, who, other):
        if not self.priorities:
            return None
        return self.named(who)[0].base < self.named(other)[0].base < self.subject(answer).base


def planned(rng, tasks, objects, **more):
    """A kernel that runs for some time, and when in it something is planted."""
    for name in rng.sample(("ui", "radio", "sensor"), rng.randrange(0, 3)):
        tasks = [*tasks, (name, rng.randrange(1, 3), turns(lambda kernel, task: [(kernel.compute, rng.randrange(10, 60) * US)]))]
    kernel = Planned(rng, tasks, objects, **more)
    kernel.until = kernel.now + rng.randrange(150, 300) * MS
    kernel.when = kernel.now + (kernel.until - kernel.now) * rng.randrange(30, 60) // 100
    return kernel


def turns(usual, planted=None, pause=(2_000, 5_000)):
    """A body: `planted` once, when its time has come, and `usual` else; then a rest. Both give steps."""
    def body(kernel, task):
        steps = usual
        if planted and kernel.now >= kernel.when and not getattr(task, "done", False):
            task.done, steps = True, planted
        return [*steps(kernel, task), (kernel.delay, kernel.rng.randrange(*pause) * US)]

    return body


def locks(thing, time):
    return lambda kernel, task: [(kernel.take, thing, True), (kernel.compute, time), (kernel.give, thing)]


def marked(steps):
    return lambda kernel, task: [(kernel.mark, True), *steps(kernel, task), (kernel.mark, False)]


def case(rng, folder, kernel, lasts, *, priorities=True, **more):
    kernel.run(10_000)
    if not priorities:
        kernel.events = [e for e in kernel.events if e.name not in ("inherit", "disinherit")]
        for event in kernel.events:
            if "priority" in event.fields:
                event.fields["priority"] = None
    world = rtos.World.__new__(rtos.World)
    world.zephyr, world.variant = False, "tband one core"
    world.see(kernel)
    truth = world.record_tband(folder, rtos.NONE, rng)
    scale = truth.begin // kernel.events[0].time
    when = (kernel.when - 2 * MS) * scale, (kernel.when + lasts + 8 * MS) * scale
    return Case(truth.paths, facts=KernelFacts(kernel, scale, priorities), when=when, **more)


def lock_held(rng, seed, folder):
    bus, lasts = Object(1, "bus", MUTEX, 1), rng.randrange(10, 50) * MS
    kernel = planned(rng, [
        ("control", 5, turns(marked(locks(bus, 20 * US)))), ("logger", 3, turns(locks(bus, 40 * US), locks(bus, lasts))),
    ], [bus])
    return case(rng, folder, kernel, lasts, ask=longest("task marker work", "blocked: take bus"), cause="logger holds the bus",
                concludes=r"logger( \d+)? held bus")


def two_locks(rng, seed, folder):
    """Two mutexes of one name: the other one is held longer, and around."""
    mine, other, lasts = Object(1, "lock", MUTEX, 1), Object(2, "lock", MUTEX, 1), rng.randrange(10, 30) * MS
    kernel = planned(rng, [
        ("control", 5, turns(marked(locks(mine, 20 * US)))), ("logger", 3, turns(locks(mine, 40 * US), locks(mine, lasts))),
        ("flash", 4, turns(locks(other, 30 * US), lambda kernel, task: [
            (kernel.take, other, True), (kernel.delay, lasts + rng.randrange(0, 9) * MS), (kernel.give, other)])),
    ], [mine, other])
    return case(rng, folder, kernel, lasts, ask=longest("task marker work", "blocked: take lock*"), cause="logger holds the lock that control wants",
                concludes=r"logger( \d+)? held lock")


def unproven(rng, seed, folder):
    """Who holds is kept from running by a third; how urgent they are is not recorded."""
    bus, lasts = Object(1, "bus", MUTEX, 1), rng.randrange(10, 50) * MS
    go = Object(2, "go", BINARY, 1)
    kernel = planned(rng, [
        ("control", 5, turns(marked(locks(bus, 20 * US)), pause=(1_000, 2_000))),
        ("logger", 1, turns(locks(bus, 30 * US), lambda kernel, task: [
            (kernel.take, bus, True), (kernel.compute, 50 * US), (kernel.give, go), (kernel.compute, 2_500 * US), (kernel.give, bus)])),
        ("network", rng.choice((3, 6)), lambda kernel, task: [(kernel.take, go, True), (kernel.delay, 2_000 * US), (kernel.compute, lasts)]),
    ], [bus, go], inherits=False)
    return case(rng, folder, kernel, lasts, priorities=False, ask=longest("task marker work", "blocked: take bus"),
                cause="logger holds the bus, and cannot run because of network",
                concludes=r"logger( \d+)? held bus, and could not run for \S+ of it because network( \d+)? did: a priority inversion, unless network")


def hogged_core(rng, seed, folder):
    lasts = rng.randrange(10, 50) * MS
    kernel = planned(rng, [
        ("codec", 5, turns(lambda kernel, task: [(kernel.compute, 50 * US)], lambda kernel, task: [(kernel.compute, lasts)])),
        ("display", 2, turns(lambda kernel, task: [(kernel.compute, 30 * US)])),
    ], [Object(1, "bus", MUTEX, 1)])
    return case(rng, folder, kernel, lasts, ask=longest("ready -> run"), cause="codec computes", concludes=r"codec( \d+)? ran on the same processor")


def missed_yield(rng, seed, folder):
    """An interrupt wakes a task and asks for no switch: what ran goes on until the next tick."""
    go = Object(1, "go", BINARY, 1)
    kernel = planned(rng, [("driver", 6, lambda kernel, task: [(kernel.take, go, True), (kernel.compute, 20 * US)])], [go])
    for time in range(kernel.now + MS, kernel.when - MS, rng.randrange(3, 9) * MS):
        kernel.at(time - kernel.now, kernel.signal, go, True)
    kernel.at(kernel.when - kernel.now, kernel.signal, go, False)
    return case(rng, folder, kernel, MS, ask=longest("ready -> run"), cause="the interrupt asked for no switch",
                concludes=r"\S+( \d+)? ran on the same processor", leads=lambda answer: not answer["ran"])


def full_queue(rng, seed, folder, others=()):
    samples, lasts = Object(1, "samples", QUEUE, rng.randrange(4, 9)), rng.randrange(20, 60) * MS
    receives = lambda kernel, task: [(kernel.take, samples, True), (kernel.compute, 20 * US)]
    tasks = [
        ("sensor", 5, turns(marked(lambda kernel, task: [(kernel.compute, 30 * US), (kernel.send, samples)]), pause=(700, 1_300))),
        ("upload", 4, lambda kernel, task: stands_still(kernel, task, receives, lasts)),
    ]
    for other in others:  # which somebody has filled
        tasks.append(("setup", 6, lambda kernel, task: [(kernel.send, other)] * (other.length - other.level) + [(kernel.delay, 900 * MS)]))
    kernel = planned(rng, tasks, [samples, *others])
    return case(rng, folder, kernel, lasts, ask=longest("task marker work", "blocked: send samples*"),
                cause="upload stands still until samples is full", concludes=rf"samples( 1)? was full, with {samples.length} in it")


def two_queues(rng, seed, folder):
    """Another queue of that name is full all the time, with another number in it."""
    return full_queue(rng, seed, folder, [Object(rng.choice((0, 2)), "samples", QUEUE, rng.randrange(9, 12))])


def stands_still(kernel, task, usual, lasts):
    if kernel.now >= kernel.when and not getattr(task, "done", False):
        task.done = True
        return [(kernel.delay, lasts)]
    return usual(kernel, task)


def healthy_kernel(rng, seed, folder):
    bus = Object(1, "bus", MUTEX, 1)
    kernel = Planned(rng, [("control", 5, turns(marked(locks(bus, 20 * US))))], [bus])
    kernel.until, kernel.when = kernel.now + 150 * MS, kernel.now
    return case(rng, folder, kernel, 0, ask=longest("task marker work", "ready -> run"))


KINDS = {
    "lock held": lock_held, "two mutexes of one name": two_locks, "inversion without proof": unproven, "hogged core": hogged_core,
    "missed yield": missed_yield, "back-pressure": full_queue,
    "two queues of one name": two_queues,
}
HEALTHY = {"healthy kernel": healthy_kernel}

"""Incidents of Linux machines: processors, locks, disks, wakes. Each makes a `Case` from a random.Random, a seed and a folder."""

from ..linux_machine import US
from .case import MS, Case, longest, ran
from .linux_threads import MORE_URGENT, MOST_URGENT, NORMAL, OFFSET, SLOW, URGENT, ThreadFacts, Threads, idles, once


def machine_of(rng, cpus=None, length=None, noise=3, **more):
    machine = Threads(rng, cpus=cpus or rng.randrange(2, 5), length=length or rng.randrange(120, 250) * MS, **more)
    for number in range(rng.randrange(min(1, noise), noise + 1)):
        machine.add(f"noise-{number}", idles)
    return machine


def planted_at(rng, machine, lasts):
    """(begin, end) of what lasts so long, somewhere in the middle."""
    free = machine.end - machine.now - lasts
    begin = machine.now + free * rng.randrange(30, 80) // 100
    return begin, begin + lasts


def shifted(when):
    return when[0] - SLOW + OFFSET, when[1] + SLOW + OFFSET


def case(machine, rng, seed, folder, when, *, recorded=True, **more):
    machine.run()
    calls = more.pop("write", {})
    paths = machine.write(folder, seed, kernel=recorded, **calls)
    return Case(paths, facts=ThreadFacts(machine, recorded, calls.get("back")), when=shifted(when), **more)


def computes(time):
    def program(machine, thread):
        yield "run", time

    return program


def rests(machine, thread):
    yield "run", machine.random.randrange(20, 60) * US


# Processors

def preempted_thread(rng, seed, folder):
    machine = machine_of(rng)
    cpu, lasts = rng.randrange(len(machine.current)), rng.randrange(15, 60) * MS
    when = planted_at(rng, machine, lasts)
    machine.add("rt-hog", once(when[0], rests, computes(lasts)), cpu=cpu, prio=MORE_URGENT)
    for number in range(rng.randrange(1, 3)):
        machine.add(f"player-{number}", idles, cpu=cpu)
    return case(machine, rng, seed, folder, (when[0], when[1] + 5 * MS), ask=longest("wake -> run"), cause="rt-hog keeps the processor",
                concludes=r"rt-hog( \d+)? ran on the same processor")


def starved_core(rng, seed, folder):
    """All of a program's threads are bound to one processor, and others have nothing to do."""
    machine = machine_of(rng, noise=1)

    def busy(machine, thread):
        while True:
            yield "run", machine.random.randrange(3_000, 15_000) * US
            yield "sleep", ("S", machine.random.randrange(500, 2_000) * US)

    for number in range(rng.randrange(3, 6)):
        machine.add(f"pinned-{number}", busy, cpu=0)
    return case(machine, rng, seed, folder, (0, machine.end), ask=longest("wake -> run"), cause="all pinned-* are bound to processor 0",
                concludes=r"pinned-\d( \d+)? ran on the same processor",
                leads=lambda answer: bool(answer["idle"]) or any("pinned" in who for who in ran(answer)))


def migration(rng, seed, folder):
    """Who is ready stands behind one task, and moves to a processor where another one ran meanwhile, to run at once."""
    machine = machine_of(rng, cpus=rng.randrange(2, 4), noise=0)
    lasts = rng.randrange(15, 50) * MS
    when = planted_at(rng, machine, lasts)
    machine.add("batch-a", once(when[0], rests, computes(2 * lasts)), cpu=0, prio=MORE_URGENT)
    for cpu in range(1, len(machine.current)):
        machine.add(f"batch-{'bcd'[cpu - 1]}", once(when[0], rests, computes(lasts + (cpu - 1) * MS)), cpu=cpu, prio=MORE_URGENT)
    victim = machine.add("mover", idles, cpu=0)

    def release():
        victim.pinned = None

    machine.at(when[0] + lasts - machine.now - MS, release)
    return case(machine, rng, seed, folder, when, ask=longest("wake -> run"), cause="batch-a kept the processor on whose queue it was",
                concludes=r"batch-a( \d+)? ran on the same processor",
                leads=lambda answer: any("batch-a" in who for who in ran(answer)[:1]))


def herd(rng, seed, folder):
    """Many threads are woken at once for what one of them gets."""
    machine = machine_of(rng, cpus=rng.randrange(1, 3))
    count, work = rng.randrange(10, 25), rng.randrange(800, 3_000) * US

    def waits(machine, thread):
        while True:
            yield "sleep", ("S", None)
            yield "run", work

    waiting = [machine.add(f"accept-{number}", waits, cpu=rng.choice((None, 0))) for number in range(count)]
    when = planted_at(rng, machine, count * work)

    def wakes(machine, thread):
        yield "run", 20 * US
        for other in waiting:
            machine.wake(other, thread.cpu)

    machine.add("listener", once(when[0], rests, wakes))
    return case(machine, rng, seed, folder, (when[0], when[1] + 20 * MS), ask=longest("wake -> run"), cause=f"{count} threads were woken at once",
                true_too=r".* ran on the same processor",
                leads=lambda answer: len({who for who in ran(answer) if "accept" in who}) >= 3)


# Calls

def lost_wakeup(rng, seed, folder):
    machine = machine_of(rng)
    lasts = rng.randrange(40, 100) * MS
    when = planted_at(rng, machine, lasts)

    def waits(timeout, told):
        def program(machine, thread):
            machine.enter(thread, "futex")
            begin = thread.calls[-1][1].time
            if told is not None:
                machine.at(told, lambda: machine.wake(thread, producer.cpu))
            yield "sleep", ("S", timeout)
            machine.leave(thread, 0 if told is not None else -110)
            if told is None:
                thread.timed_out.append((begin, machine.last))
            yield "run", 30 * US

        return program

    producer = machine.add("producer", idles)
    machine.add("consumer", once(when[0], waits(lasts, rng.randrange(300, 2_000) * US), waits(lasts, None)))
    if rng.random() < 0.4:  # whose futex is a clock
        machine.add("timer", once(0, waits(rng.randrange(1_000, 3_000) * US, None), rests))
    return case(machine, rng, seed, folder, (when[0], when[1] + 10 * MS), ask=longest("syscall futex"), cause="consumer was told before it waited",
                concludes=r"it ended by its timeout \(ret=-110\): nobody woke the thread")


def late_wakeup(rng, seed, folder):
    """It is woken, but late: who wakes computes."""
    machine = machine_of(rng)
    lasts = rng.randrange(20, 60) * MS
    when = planted_at(rng, machine, lasts)
    waiting = []

    def waits(machine, thread):
        machine.enter(thread, "futex")
        waiting.append(thread)
        yield "sleep", ("S", None)
        machine.leave(thread, 0)

    def tells(time):
        def program(machine, thread):
            yield "run", time
            while waiting:
                machine.wake(waiting.pop(), thread.cpu)

        return program

    machine.add("producer", once(when[0], tells(100 * US), tells(lasts)), prio=URGENT)
    machine.add("consumer", once(1 << 62, waits, rests))
    return case(machine, rng, seed, folder, (when[0] - 4 * MS, when[1] + 5 * MS), ask=longest("syscall futex"), cause="producer computes before it wakes",
                leads=lambda answer: any("producer" in f["track"] for f in answer["from"]) or
                any("producer" in f"{m['track']} {m['name']}" for m in answer["meanwhile"]))


def io_wait(rng, seed, folder):
    machine = machine_of(rng)
    lasts = rng.randrange(30, 90) * MS
    when = planted_at(rng, machine, lasts)

    def writes(time):
        def program(machine, thread):
            machine.enter(thread, "fsync")
            yield "run", 5 * US
            yield "sleep", ("D", time)
            machine.leave(thread)

        return program

    machine.add("db", once(when[0], writes(rng.randrange(300, 1_500) * US), writes(lasts)))
    return case(machine, rng, seed, folder, (when[0], when[1] + 5 * MS), ask=longest("syscall fsync"), cause="the disk took long",
                leads=lambda answer: answer["states"][:1] != [] and answer["states"][0]["name"] == "uninterruptible"
                and answer["states"][0]["time"] * 2 > answer["duration"])


# Locks

def locks(mutex, time, rests=0):
    """Takes a mutex and computes with it, at first or after some rest."""
    def program(machine, thread):
        yield from machine.lock(thread, mutex)
        if rests:
            yield "sleep", ("S", rests)
        yield "run", time
        machine.unlock(thread, mutex)

    return program


def users(rng, machine, mutex, most=4, **more):
    for number in range(rng.randrange(2, most + 1)):
        machine.add(f"app-{number}", once(1 << 62, locks(mutex, rng.randrange(5, 40) * US), rests), **more)


def mutex_held(rng, seed, folder):
    machine = machine_of(rng)
    mutex, lasts = machine.mutex(), rng.randrange(10, 60) * MS
    users(rng, machine, mutex)
    if rng.random() < 0.5:  # others wait for one that has nothing to do with it
        users(rng, machine, machine.mutex(), 2)
    when = planted_at(rng, machine, lasts)
    machine.add("reloader", once(when[0], locks(mutex, 20 * US), locks(mutex, MS, lasts) if rng.random() < 0.4 else locks(mutex, lasts)), prio=URGENT)
    return case(machine, rng, seed, folder, (when[0], when[1] + 8 * MS), recorded=rng.random() < 0.6, ask=longest(f"wait mutex {mutex.address:#x}"),
                cause="reloader holds the mutex", concludes=r"reloader( \d+)? held mutex")


def contended(rng):
    """A machine with a mutex that others use; how long it is to be held too long, and when."""
    machine = machine_of(rng)
    mutex, lasts = machine.mutex(), rng.randrange(10, 60) * MS
    users(rng, machine, mutex)
    return machine, mutex, lasts, planted_at(rng, machine, lasts)


def try_lock(rng, seed, folder):
    """Who holds it has taken it by pthread_mutex_trylock."""
    machine, mutex, lasts, when = contended(rng)

    def tries(time):
        def program(machine, thread):
            while not machine.try_lock(thread, mutex):
                yield "run", 5 * US
                yield "sleep", ("S", machine.random.randrange(50, 400) * US)
            yield "run", time
            machine.unlock(thread, mutex)

        return program

    machine.add("janitor", once(when[0], tries(10 * US), tries(lasts)), prio=URGENT)
    return case(machine, rng, seed, folder, (when[0], when[1] + 8 * MS), recorded=rng.random() < 0.6, ask=longest("wait mutex*"),
                cause="janitor holds the mutex since its try-lock", concludes=r"janitor( \d+)? held mutex")


def timed_lock(rng, seed, folder):
    """Who holds it has taken it by pthread_mutex_timedlock, which nothing records."""
    machine, mutex, lasts, when = contended(rng)

    def timed(machine, thread):
        while mutex.owner is not None:
            yield "sleep", ("S", 100 * US)
        machine.taken(thread, mutex)
        yield "run", lasts
        machine.unlock(thread, mutex)

    machine.add("janitor", once(when[0], rests, timed), prio=URGENT)
    return case(machine, rng, seed, folder, (when[0], when[1] + 8 * MS), recorded=rng.random() < 0.6, ask=longest("wait mutex*"),
                cause="janitor holds the mutex, taken by a call that is not recorded", concludes=r"janitor( \d+)? held mutex",
                leads=lambda answer: any("janitor" in p.get("arguments", "") for p in answer["held"]))


def two_processes(rng, seed, folder):
    """Two processes of one program have a mutex at the same address; that of the other one is held longer, and around."""
    machine = machine_of(rng)
    lasts = rng.randrange(10, 40) * MS
    mine, other = machine.mutex(pid=5001), machine.mutex(0x7F0000001000, pid=6001)
    when = planted_at(rng, machine, lasts)
    users(rng, machine, mine, pid=5001)
    machine.add("writer", once(when[0], locks(mine, 20 * US), locks(mine, lasts)), pid=5001, prio=URGENT)
    earlier, later = rng.randrange(1, 8) * MS, rng.randrange(-4, 8) * MS
    machine.add("index", once(when[0] - earlier, locks(other, 20 * US), locks(other, 50 * US, lasts + earlier + later)), pid=6001, prio=URGENT)
    return case(machine, rng, seed, folder, (when[0], when[1] + 8 * MS), recorded=rng.random() < 0.4, ask=longest("wait mutex*"),
                cause="writer holds the mutex of its process", concludes=r"writer( \d+)? held mutex")


def convoy(rng, seed, folder):
    """One is stopped while it holds; then all stand in a queue, each holds shortly, and the queue gets no shorter."""
    machine = machine_of(rng, cpus=rng.randrange(2, 4), noise=1)
    mutex, work = machine.mutex(), rng.randrange(150, 400) * US
    when = planted_at(rng, machine, 50 * MS)

    def member(machine, thread):
        while True:
            yield from locks(mutex, work)(machine, thread)
            # Until the convoy begins there is enough time for all.
            pause = 150 if when[0] <= machine.now < when[0] + 12 * MS else 12_000
            yield "sleep", ("S", machine.random.randrange(pause // 2, pause) * US)

    for number in range(rng.randrange(8, 14)):
        machine.add(f"member-{number}", member, prio=URGENT)
    return case(machine, rng, seed, folder, (when[0], when[0] + 20 * MS), recorded=rng.random() < 0.6, ask=longest("wait mutex*"),
                cause="many hold the mutex shortly, one behind the other", true_too=r"member-\d+( \d+)? held mutex",
                leads=lambda answer: len({p.get("arguments") for p in answer["held"]}) >= 3
                or sum(m["name"].startswith("wait mutex") for m in answer["meanwhile"]) >= 4)


def inversion(rng, seed, folder, network, elsewhere=False, **more):
    """Who holds is kept from running by a third, whose urgency decides what that is. `elsewhere`: who waits has another processor, which
    a fourth has all the while."""
    machine = machine_of(rng, cpus=2 if elsewhere else rng.randrange(1, 3), noise=0 if elsewhere else 1)
    mutex, lasts = machine.mutex(), rng.randrange(15, 50) * MS
    when = planted_at(rng, machine, lasts)
    machine.add("control", once(1 << 62, locks(mutex, 20 * US), rests), cpu=1 if elsewhere else None, prio=MORE_URGENT)
    if elsewhere:
        machine.add("batch", once(0, computes(1 << 40), rests), cpu=1, prio=NORMAL)
    begins = []

    def logs(machine, thread):
        yield from machine.lock(thread, mutex)
        begins.append(machine.now)
        machine.at(200 * US, lambda: machine.wake(other, 0))
        yield "run", 4 * MS
        machine.unlock(thread, mutex)

    def waits(machine, thread):
        while True:
            yield "run", 20 * US
            yield "sleep", ("S", None)
            yield "run", lasts

    machine.add("logger", once(when[0], locks(mutex, 30 * US), logs), cpu=0, prio=NORMAL)
    other = machine.add("network", waits, cpu=0, prio=network)
    return case(machine, rng, seed, folder, (when[0], when[1] + 12 * MS), ask=longest("wait mutex*"), **more)


def priority_inversion(rng, seed, folder):
    return inversion(rng, seed, folder, URGENT, cause="logger holds and cannot run because of network, which is less urgent than control",
                     concludes=r"logger( \d+)? held mutex \S+, and could not run for \S+ of it because network did: a priority inversion",
                     true_too=r"logger( \d+)? held mutex")


def inversion_elsewhere(rng, seed, folder):
    return inversion(rng, seed, folder, URGENT, elsewhere=True, cause="logger holds and cannot run because of network, on another processor",
                     concludes=r"logger( \d+)? held mutex \S+, and could not run for \S+ of it because network did: a priority inversion",
                     true_too=r"logger( \d+)? held mutex \S+ for")


def no_inversion(rng, seed, folder):
    """The most urgent of the three runs: that is what priorities are for."""
    return inversion(rng, seed, folder, MOST_URGENT, cause="logger holds and cannot run because of network, the most urgent",
                     concludes=r"logger( \d+)? held mutex (?!.*inversion)")


# What is not recorded

def loss_within(rng, seed, folder):
    """Two hold it one behind the other while a third waits; that the second one did was lost. The third holds it in other rounds."""
    machine = machine_of(rng)
    mutex, lasts = machine.mutex(), rng.randrange(10, 50) * MS
    when = planted_at(rng, machine, lasts)
    first = lasts * rng.randrange(2, 5) // 10
    cpu = 0
    machine.add("first", once(when[0], rests, locks(mutex, first)), cpu=cpu, prio=MORE_URGENT)
    machine.add("second", once(when[0] + first // 2, rests, locks(mutex, lasts - first)), cpu=1, prio=MORE_URGENT)
    machine.add("waits", once(when[0] + first * 3 // 4, locks(mutex, 20 * US), locks(mutex, 20 * US)), cpu=1, prio=MOST_URGENT)
    users(rng, machine, mutex, 2, cpu=1)
    lost = when[0] + first - 4 * US, when[0] + first + rng.randrange(1, 5) * MS
    begin = OFFSET + when[0] + first
    return case(machine, rng, seed, folder, (when[0], when[1] + 8 * MS), recorded=rng.random() < 0.4, write={"loss": lost},
                ask=[*longest("wait mutex*"), ["--at", str(begin), "--longest", "wait mutex*"]], cause="second holds the mutex, and that may be lost",
                concludes=r"second( \d+)? held mutex", true_too=r"(first|waits)( \d+)? held mutex",
                leads=lambda answer: bool(answer["not_known"]))


def clock_step(rng, seed, folder):
    """The clock is set back while a mutex is waited for: how long nothing says."""
    machine = machine_of(rng, cpus=1, length=300 * MS, begins=5_000 * MS)
    mutex, lasts = machine.mutex(), rng.randrange(10, 40) * MS
    when = planted_at(rng, machine, lasts)
    users(rng, machine, mutex)
    machine.add("reloader", once(when[0], locks(mutex, 20 * US), locks(mutex, MS, lasts)), prio=URGENT)
    # So far that what comes next is before what was recorded last.
    step = rng.randrange(1_500, 4_000) * MS if rng.random() < 0.5 else lasts + rng.randrange(2, 10) * MS
    # How long what was planted took is not recorded: no answer is about it.
    back = when[0] + lasts // 2, step
    return case(machine, rng, seed, folder, (0, 0), recorded=False, write={"back": back}, ask=longest("wait mutex*", "hold mutex*"),
                cause="the clock is set back within", notices=r"ctf/event-order", exits=(0, 1, 4))


# Healthy

def healthy_threads(rng, seed, folder):
    """Each thread has a processor of its own, or time enough on it."""
    machine = Threads(rng, cpus=4, length=150 * MS)
    for cpu in range(4):
        machine.add(f"worker-{cpu}", idles, cpu=cpu)
    return case(machine, rng, seed, folder, (0, machine.end), ask=longest("wake -> run"))


def healthy_locks(rng, seed, folder):
    machine = Threads(rng, cpus=4, length=150 * MS)
    for cpu in range(4):
        mutex = machine.mutex()
        machine.add(f"worker-{cpu}", once(1 << 62, locks(mutex, rng.randrange(5, 40) * US), rests), cpu=cpu)
    return case(machine, rng, seed, folder, (0, machine.end), recorded=rng.random() < 0.6, ask=longest("wait mutex*", "hold mutex*", "wake -> run"))


KINDS = {
    "preempted thread": preempted_thread, "starved core": starved_core, "migration": migration, "herd": herd,
    "lost wake-up": lost_wakeup, "late wake-up": late_wakeup, "I/O wait": io_wait, "mutex held": mutex_held, "try-lock": try_lock,
    "timed lock": timed_lock, "two locks of one name": two_processes, "convoy": convoy, "inversion with proof": priority_inversion,
    "inversion elsewhere": inversion_elsewhere, "no inversion": no_inversion, "loss within": loss_within, "clock step": clock_step,
}
HEALTHY = {"healthy threads": healthy_threads, "healthy locks": healthy_locks}

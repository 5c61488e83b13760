"""Linux machines as LTTng's kernel tracer, LTTng's user space tracer and `perf data convert --to-ctf` record them.

What is written comes from the recorders' own sources: lttng-modules' include/instrumentation/events/sched.h for fields and for
the `prev_state` of each kernel; lttng-ust's pthread wrapper for locks; perf's data-convert-bt.c. What it means comes from the
kernel: include/linux/sched.h for the bits of task states in each version.
"""

import dataclasses
import random

from . import ctf, linux_locks, loss as losses
from .linux_machine import DEAD, NEW, RUNNABLE, RUNNING, Machine, kernel_worker, parent, parked, worker
from .statements import check_more
from .truth import BEFORE, CUT, OPEN, UNKNOWN, WHOLE, Span, State, Track, Truth, sure_parts, touched

OFFSET = 1_700_000_000_000_000_000
LTTNG, PERF, HOSTS, LOCKS = "lttng", "perf", "hosts", "locks"

# Release, how states are written, whether sched_waking is there, whether preemption in the kernel is marked.
KERNELS = (
    ("2.6.38", "old", False, None),
    ("3.10.0", "old", False, 1024),
    ("4.4.0", "old", True, 2048),
    ("4.9.0", "old", True, 4096),
    ("4.14.0", "report", True, 256),
    ("4.15.0", "raw", True, None),
    ("5.4.0", "report", True, 256),
    ("5.15.0", "raw", True, None),
    ("6.1.0", "report", True, 256),
    ("6.8.0", "report", True, 256),
)
# include/linux/sched.h. Stopped and traced have TASK_WAKEKILL with them where values are raw.
CODES = {
    "old": {"S": 1, "D": 2, "T": 4 | 128, "t": 8 | 128, "X": 64, "P": 512, "I": 2 | 1024},
    "raw": {"S": 1, "D": 2, "T": 4 | 256, "t": 8 | 256, "X": 128, "P": 64, "I": 2 | 1024},
    "report": {"S": 1, "D": 2, "T": 4, "t": 8, "X": 16, "Z": 32, "P": 64, "I": 128},
}
WORDS = {
    RUNNING: ("running",),
    RUNNABLE: ("runnable",),
    NEW: ("new", "created", "runnable", "not running"),
    "S": ("sleeping",),
    "D": ("uninterruptible",),
    "T": ("stopped",),
    "t": ("traced", "stopped"),
    "P": ("parked",),
    "I": ("idle", "uninterruptible", "not running (128)", "not running (1026)"),
    DEAD: ("exited", "dead", "zombie", "not running (128)", "not running (64)"),
}
WHO = {"comm": "char16", "tid": "i32", "prio": "i32"}
WAKE = {**WHO, "target_cpu": "i32"}
CALLS = ("read", "fsync", "nanosleep", "futex", "getpid", "clone", "exit", "exit_group")
CLASSES = {
    "sched_switch": {
        "prev_comm": "char16", "prev_tid": "i32", "prev_prio": "i32", "prev_state": "i64",
        "next_comm": "char16", "next_tid": "i32", "next_prio": "i32",
    },
    "sched_waking": WAKE,
    "sched_wakeup": WAKE,
    "sched_wakeup_new": WAKE,
    "sched_migrate_task": {**WHO, "orig_cpu": "i32", "dest_cpu": "i32"},
    "sched_process_fork": {
        "parent_comm": "char16", "parent_tid": "i32", "parent_pid": "i32",
        "child_comm": "char16", "child_tid": "i32", "child_pid": "i32",
    },
    "sched_process_exit": WHO,
    "sched_process_free": WHO,
    "irq_handler_entry": {"irq": "i32", "name": "string"},
    "irq_handler_exit": {"irq": "i32", "ret": "i32"},
    **{f"syscall_entry_{call}": {"fd": "u32"} for call in CALLS},
    **{f"syscall_exit_{call}": {"ret": "i64"} for call in CALLS},
}
NAMES = {
    "switch": "sched_switch", "waking": "sched_waking", "wakeup": "sched_wakeup", "wakeup_new": "sched_wakeup_new",
    "migrate": "sched_migrate_task", "fork": "sched_process_fork", "exit": "sched_process_exit",
    "free": "sched_process_free", "irq_entry": "irq_handler_entry", "irq_exit": "irq_handler_exit",
}
PERF_COMMON = {
    "perf_ip": "x64", "perf_tid": "i32", "perf_pid": "i32", "perf_id": "u64", "perf_cpu": "u32", "perf_period": "u64",
    "common_type": "u32", "common_flags": "u32", "common_preempt_count": "u32", "common_pid": "i32",
}
PERF_FIELDS = {"tid": "pid", "prev_tid": "prev_pid", "next_tid": "next_pid"}
PERF_NAMES = ("switch", "waking", "wakeup", "wakeup_new", "migrate", "exit", "free", "irq_entry", "irq_exit")


class Record:
    """An event as a recorder writes it. `source` is the machine's."""

    def __init__(self, source, name, fields):
        self.time, self.cpu, self.name, self.fields, self.source = source.time, source.cpu, name, fields, source


def choose_loss(seed):
    return losses.choose(seed)


def recorder_of(seed):
    return (LTTNG, LTTNG, LOCKS, PERF, LTTNG, HOSTS, LTTNG)[seed % 7]


class World:
    def __init__(self, seed):
        self.seed, self.recorder = seed, recorder_of(seed)
        self.random = random.Random(seed)
        self.kernel = KERNELS[seed // 7 % len(KERNELS)]
        if self.recorder == PERF and self.kernel[1] == "raw":
            self.kernel = KERNELS[6]  # perf writes what ftrace's event says

    def machine(self, seed):
        rng = random.Random(seed)
        release, _, has_waking, _ = self.kernel
        recent = tuple(map(int, release.split(".")))[:2] >= (4, 14)
        machine = Machine(seed, cpus=rng.randrange(1, 5), has_waking=has_waking, idle_workers=recent, length=25_000_000)
        alike = rng.random() < 0.3  # threads of one name
        for number in range(rng.randrange(2, 6)):
            machine.start("worker" if alike else f"worker-{number}", worker, prio=rng.choice((20, 20, 20, 10)))
        if rng.random() < 0.7:
            machine.start("make", parent)
        machine.start("kworker/0:1", kernel_worker, state="I" if recent else "S")
        if rng.random() < 0.3:
            machine.start("migration/1", parked, prio=-100)
        return machine.run()

    def record(self, folder, loss=None):
        if self.recorder == LOCKS:
            return linux_locks.World(self.seed).record(folder, loss)
        if self.recorder == HOSTS:
            parts = [self.one(folder / name, self.seed * 2 + n, name, loss if n == 0 else None) for n, name in enumerate(("web1", "db1"))]
            return both(parts)
        return self.one(folder / "trace", self.seed * 2, "", loss)

    def one(self, folder, seed, host, loss):
        machine = self.machine(seed)
        perf = self.recorder == PERF
        records = [self.written(event, perf) for event in machine.events if not perf or event.name in PERF_NAMES]
        streams = {}
        for record in records:
            streams.setdefault(record.cpu, []).append(record)
        size = random.Random(seed).choice((12, 25, 40))
        packets = {cpu: losses.packets_of(events, size) for cpu, events in sorted(streams.items())}
        if perf and loss in (losses.PACKET, losses.STREAM):
            loss = losses.BURST  # its one writer loses no packets; the kernel's count of lost samples is kept
        kept, lost = losses.lose(loss, random.Random(seed), packets)
        release = self.kernel[0]
        # What a kernel does not have nobody can record.
        known = {name: fields for name, fields in CLASSES.items() if machine.has_waking or name != "sched_waking"}
        if perf:
            env = {"host": host or "box", "sysname": "Linux", "release": release, "version": "5.10", "machine": "x86_64",
                   "domain": "kernel", "tracer_name": "perf"}
            classes = {f"{'irq' if 'irq' in n else 'sched'}:{n}": {**PERF_COMMON, **perf_fields(known[n])} for n in map(NAMES.get, PERF_NAMES) if n in known}
            trace = ctf.Trace(classes, env=env, clock="perf_clock", sequence=False, prefix="")
            for packets in filter(None, kept.values()):  # they span their events, no more
                packets[0].begin, packets[-1].end = packets[0].events[0].time, packets[-1].events[-1].time
        else:
            env = {"hostname": host or "box", "domain": "kernel", "sysname": "Linux", "kernel_release": release,
                   "kernel_version": "#1 SMP", "tracer_name": "lttng-modules", "tracer_major": 2, "tracer_minor": 13,
                   "tracer_patchlevel": 9}
            number = f"{seed:012x}"
            trace = ctf.Trace(known, env=env, offset=OFFSET, uuid=f"11111111-2222-4333-8444-{number}",
                              clock_uuid=f"aaaaaaaa-bbbb-4ccc-8ddd-{number}")
        trace.write(folder, kept)
        return self.truth(folder, machine, kept, lost, trace, host, loss)

    def written(self, event, perf):
        f, name = event.fields, event.name
        thread = f.get("thread")
        if name == "switch":
            fields = {
                "prev_comm": f["previous"].comm, "prev_tid": f["previous"].tid, "prev_prio": f["previous"].prio,
                "prev_state": self.state_code(f), "next_comm": f["following"].comm, "next_tid": f["following"].tid,
                "next_prio": f["following"].prio,
            }
        elif name in ("enter", "leave"):
            fields = {"fd": 3} if name == "enter" else {"ret": f["result"]}
        elif name == "fork":
            fields = {f"{who}_{what}": getattr(f[who], what) for who in ("parent", "child") for what in ("comm", "tid", "pid")}
        elif thread:
            fields = {"comm": thread.comm, "tid": thread.tid, "prio": thread.prio, "target_cpu": f.get("target"),
                      "orig_cpu": f.get("origin"), "dest_cpu": f.get("target")}
        else:
            fields = {"irq": f["irq"], "name": f.get("name"), "ret": 1}
        if name in ("enter", "leave"):
            name = f"syscall_{'entry' if name == 'enter' else 'exit'}_{f['call']}"
        else:
            name = NAMES[name]
        if perf:
            name = f"{'irq' if 'irq' in name else 'sched'}:{name}"
            fields = {PERF_FIELDS.get(key, key): value for key, value in fields.items()}
            fields.update({
                "perf_ip": 0, "perf_tid": event.context["tid"], "perf_pid": event.context["tid"], "perf_id": 20 + event.cpu,
                "perf_cpu": event.cpu, "perf_period": 1, "common_type": 59, "common_flags": 1,
                "common_preempt_count": 3, "common_pid": event.context["tid"],
            })
        return Record(event, name, fields)

    def state_code(self, switch):
        _, coding, _, preempted = self.kernel
        if switch["previous"].tid == 0 or switch["state"] in (RUNNING, RUNNABLE):
            # Who is preempted on the way back to user space calls schedule() as anybody: only preemption in the kernel is marked.
            return preempted or 0 if switch["in_kernel"] and switch["previous"].tid else 0
        codes = CODES[coding]
        if switch["state"] == DEAD and coding == "report":
            return codes["Z" if switch["previous"].leader else "X"]
        return codes[switch["state"]]

    # What is true

    def truth(self, folder, machine, kept, lost, trace, host, how):
        written = {r.source.order: r for packets in kept.values() for packet in packets for r in packet.events}
        times = [record.time for record in written.values()]
        begin, end = min(times), max(times)
        classes = {}
        for record in written.values():
            classes[record.name] = classes.get(record.name, 0) + 1
        spans = [s for span in machine.spans for s in self.spans(span, written, lost, begin, end, host, machine)]
        opened = [
            Span("slice", f"syscall {call}", event.time, None, OPEN, self.sure(written, lost, (event,), end), host=host or None)
            for thread in machine.threads
            for call, event in thread.calls
            if event.order in written
        ]
        spans += opened
        spans += [
            Span("wait", "wake -> run", thread.asked.time, None, UNKNOWN, False, host=host or None)
            for thread in machine.threads
            if thread.asked is not None and thread.asked.order in written
        ]
        if self.recorder == PERF:
            spans = [span for span in spans if not span.label.startswith("syscall")]
        tracks = [self.task(thread, written, lost, begin, end, host, machine) for thread in machine.threads]
        tracks += [self.processor(cpu, machine, written, lost, begin, end, host) for cpu in range(len(machine.current)) if kept.get(cpu)]
        truth = Truth(
            [folder],
            spans,
            [track for track in tracks if track.states],
            begin,
            end,
            len(written),
            classes,
            losses=lost,
            variant=f"{self.recorder}, {self.kernel[0]} {self.kernel[1]}, loss {how}",
            judge=lambda truth, answer: judge(machine, trace.offset, answer),
            further=check_more,
        )
        return moved(truth, trace.offset)

    @staticmethod
    def sure(written, lost, events, end, streams=None):
        known = all(event.order in written for event in events)
        return known and not touched(events[0].time, end, lost, streams)

    def spans(self, span, written, lost, begin, end, host, machine):
        """How one span shows in the trace: none, one, or as one that is not whole."""
        host = host or None
        kind = "wait" if "->" in span.label else "slice"
        first, last = span.begin, span.end
        began = first.order in written
        if span.cut:
            if began:
                thread = span.thread
                streams = None
                until = thread.ended if thread.ended is not None and thread.ended <= end else None
                if until is None:
                    yield Span(kind, span.label, first.time, None, OPEN, False, host=host)
                else:
                    yield Span(kind, span.label, first.time, until, CUT, self.sure(written, lost, (first,), until, streams), host=host)
            return
        ended = last.order in written
        streams = {span.cpu} if kind == "slice" and span.thread is None else None
        if began and ended:
            sure = self.sure(written, lost, (first, last), last.time, streams) and not span.optional
            yield Span(kind, span.label, first.time, last.time, WHOLE, sure, host=host, task=span.thread)
        elif began and last.time > end:
            # A wait that has not ended is a state that goes on.
            fate = UNKNOWN if kind == "wait" else OPEN
            yield Span(kind, span.label, first.time, None, fate, self.sure(written, lost, (first,), end) and fate == OPEN, host=host)
        elif ended and first.time < begin:
            if kind == "slice":
                yield Span(kind, span.label, None, last.time, BEFORE, not touched(begin, last.time, lost), host=host)
        elif first.time <= end and last.time >= begin:
            # One of its ends, or both, were lost.
            yield Span(kind, span.label, first.time, last.time, WHOLE, False, host=host, task=span.thread)

    def task(self, thread, written, lost, begin, end, host, machine):
        decided = {event.time for event in machine.events if event.order in written}
        known = False
        states = []
        before = begin
        for since, until, state in thread.states.pieces(begin, end):
            words = WORDS[state]
            cpu = None
            was_known = known and not touched(before, since, lost)
            before = since
            if since in decided and since >= begin and (since > begin or self.begins(thread, machine, begin)):
                known = True
            elif lost:
                known = False
            streams = None
            if state == RUNNING:
                cpu = next((c for c, timeline in enumerate(machine.on_cpu) if timeline.at(since) is thread), None)
                streams = {cpu}
            certain = known and since in decided and state not in (NEW, DEAD)
            # Running threads are woken too (try_to_wake_up). What comes later shows that this one did not run, unless it is lost.
            certain = certain and not (lost and state == RUNNABLE and not was_known)
            if thread.exiting is not None and state == RUNNING and since < thread.exiting < until:
                states += self.parts((since, thread.exiting), words, certain, lost, streams)
                since, words = thread.exiting, ("running", *WORDS[DEAD])
            states += self.parts((since, until), words, certain, lost, streams)
        return Track(thread.comm, "task", states, host or None, thread.tid)

    @staticmethod
    def begins(thread, machine, begin):
        return any(e.time == begin and thread in e.fields.values() for e in machine.events)

    @staticmethod
    def parts(piece, words, certain, lost, streams):
        since, until = piece
        if not certain:
            return [State(words, since, until, False)]
        return [State(words, b, e, sure) for b, e, sure in sure_parts(since, until, lost, streams)]

    def processor(self, cpu, machine, written, lost, begin, end, host):
        decided = {event.time for event in machine.events if event.order in written and event.cpu == cpu and event.name == "switch"}
        states = []
        for since, until, thread in machine.on_cpu[cpu].pieces(begin, end):
            words = ("idle",) if thread.tid == 0 else (f"{thread.comm} {thread.tid}",)
            states += self.parts((since, until), words, since in decided, lost, {cpu})
        return Track("running", "cpu state", states, host or None, parent=f"cpu {cpu}")


def perf_fields(fields):
    return {PERF_FIELDS.get(key, key): "string" if kind == "char16" else kind for key, kind in fields.items()}


def moved(truth, offset):
    """The same with times since the origin of the trace's clock."""
    def later(time):
        return None if time is None else time + offset

    truth.spans = [dataclasses.replace(s, begin=later(s.begin), end=later(s.end)) for s in truth.spans]
    for track in truth.tracks:
        track.states = [dataclasses.replace(s, begin=s.begin + offset, end=s.end + offset) for s in track.states]
    truth.losses = [dataclasses.replace(x, begin=x.begin + offset, end=x.end + offset) for x in truth.losses]
    truth.begin, truth.end = later(truth.begin), later(truth.end)
    return truth


def both(parts):
    """Two machines whose traces are read together: nothing of one is of the other."""
    a, b = parts
    classes = {name: a.classes.get(name, 0) + b.classes.get(name, 0) for name in {*a.classes, *b.classes}}
    return Truth(
        [*a.paths, *b.paths],
        a.spans + b.spans,
        a.tracks + b.tracks,
        min(a.begin, b.begin),
        max(a.end, b.end),
        a.events + b.events,
        classes,
        losses=[dataclasses.replace(loss, host=host) for host, part in (("web1", a), ("db1", b)) for loss in part.losses],
        hosts=("web1", "db1"),
        clocks_of_hosts=True,
        variant=f"two hosts: {a.variant}",
        trait="two hosts",
        judge=lambda truth, answer: a.judge(truth, answer) and b.judge(truth, answer),
        further=check_more,
    )


def judge(machine, offset, answer):
    """Whether what `why` concludes contradicts what happened: (said, true), or None."""
    said = answer["so"]
    if "ran on the same processor" not in said:
        return (said, "each thread is woken, if by a timer") if "nobody woke" in said else None
    begin, end = answer["begin"] - offset, answer["begin"] + answer["duration"] - offset
    label = answer["name"]
    thread = next(
        (s.thread for s in machine.spans if s.label == label and s.thread and s.end and (s.begin.time, s.end.time) == (begin, end)), None
    )
    if thread is None:
        return None
    name = said.split(" ran on")[0]
    ready = [(b, e) for b, e, state in thread.states.pieces(begin, end) if state == RUNNABLE]
    beside = 0
    for since, until in ready:
        for b, e, cpu in thread.places.pieces(since, until):
            beside += sum(y - x for x, y, other in machine.on_cpu[cpu].pieces(b, e) if name in (other.comm, f"{other.comm} {other.tid}"))
    total = sum(e - b for b, e in ready)
    if beside < 0.8 * total:
        return said, f"of the {total} ns that it was ready, {name} ran {beside} on the processor on whose queue it was"
    return None

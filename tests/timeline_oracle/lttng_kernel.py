"""LTTng's kernel tracer: scheduling, interrupts, system calls, block requests."""

import re

from .sheet import Unclear
from .table import Base, in_context, is_integer, label, number, text

# Older names of the same events (LTTng 2.0).
ALIASES = {
    "softirq_entry": "irq_softirq_entry", "softirq_exit": "irq_softirq_exit", "softirq_raise": "irq_softirq_raise",
    "hrtimer_expire_entry": "timer_hrtimer_expire_entry", "hrtimer_expire_exit": "timer_hrtimer_expire_exit",
}
NEEDS = {
    "sched_switch": ("prev_tid", "next_tid"),
    "sched_waking": ("tid",), "sched_wakeup": ("tid",), "sched_wakeup_new": ("tid",), "sched_process_exit": ("tid",),
    "irq_handler_entry": ("irq",), "irq_handler_exit": ("irq",),
    "irq_softirq_entry": ("vec",), "irq_softirq_exit": ("vec",), "irq_softirq_raise": ("vec",),
    "block_rq_issue": ("dev", "sector"), "block_rq_complete": ("dev", "sector"),
    "timer_hrtimer_expire_entry": ("hrtimer",), "timer_hrtimer_expire_exit": ("hrtimer",),
    "cpu_frequency": ("state",), "power_cpu_frequency": ("state",),
}
WAIT = "wake -> run"


def applies(event):
    name = event.get("name") or ""
    return in_context(event, "cpu_id") is not None and (
        ALIASES.get(name, name) in NEEDS or name.startswith(("syscall_entry_", "syscall_exit_"))
    )


class States:
    """What a thread is that was switched out, by the bits of its kernel; what they are is learnt from the values."""

    def __init__(self, environment):
        release = environment.get("kernel_release") or environment.get("release") or ""
        numbers = re.match(r"(\d+)\.(\d+)", release)
        self.release = tuple(map(int, numbers.groups())) if numbers else None
        self.coding = "reported" if "release" in environment else None

    def __call__(self, value):
        if isinstance(value, dict) and value.get("labels"):
            return value["labels"][0]
        bits = number(value)
        if bits < 0:
            return str(bits)
        if self.is_recent and self.coding != "raw":
            if bits > 256 or bits & (bits - 1):
                self.coding = "raw"
            elif bits in (4, 8, 16, 32, 256):
                self.coding = "reported"
        return self.common(bits) or self.special(bits) or f"not running ({bits})"

    @property
    def is_recent(self):
        return self.release is not None and self.release >= (4, 14)

    @staticmethod
    def common(bits):
        """In all kernels and ways to write them alike."""
        if bits & 1:
            return "sleeping"
        if bits & 2:
            return "idle" if bits & 1024 else "uninterruptible"
        if bits & 12:
            return "stopped"
        return "exited" if bits & 48 else "" if bits else "runnable"

    def special(self, bits):
        if self.release is None:
            return "runnable" if bits in (256, 1024, 2048, 4096) else ""
        if not self.is_recent:
            if bits & 64:
                return "exited"
            if bits & 384:
                return ""
            return "parked" if bits & 512 else "runnable"
        if bits == 64:
            return "parked"
        if self.coding == "reported":
            return {128: "idle", 256: "runnable"}.get(bits, "")
        if self.coding == "raw":
            if bits & 128:
                return "exited"
            return "parked" if bits & 64 else "uninterruptible" if bits & 0x9000 else ""
        return ""


class Table(Base):
    NEEDS = NEEDS
    OF_STREAM = r"cpu \d+( interrupts| frequency)?"

    def prepare(self, events):
        self.current = {}  # cpu -> tid
        self.on = {}  # cpu -> tid, but a thread is on one cpu only
        self.early = set()  # cpus of which a call began before its thread was known
        self.switched = set()  # cpus
        self.stream_of = {}  # cpu -> the stream that its switches are in
        self.left = States(self.sheet.environment)
        self.refused = set()  # tids that were woken when they ran
        # Kernels before 4.3 have not.
        self.has_waking = any((event.get("name") or "").removeprefix("sched:") == "sched_waking" for event in events)
        self.waking_came = self.waking_missing = False
        self.deferred = {}  # tid -> whether something was lost since it was woken without a sched_waking
        self.exiting = set()  # tids
        self.born = {}  # tid -> whether something ended there since

    def event(self, event):
        self.cpu = in_context(event, "cpu_id")
        name = event.get("name") or ""
        if self.cpu is not None:
            super().event({**event, "name": ALIASES.get(name, name)})

    def rule(self, name):
        for prefix in ("syscall_entry_", "syscall_exit_"):
            if name.startswith(prefix):
                return getattr(self, prefix + "any")
        return super().rule(name)

    def lost(self, stream):
        self.deferred = dict.fromkeys(self.deferred, True)
        for cpu in [cpu for cpu, of in self.stream_of.items() if stream in (None, of)]:
            self.current.pop(cpu, None)
            self.on.pop(cpu, None)

    # Scheduling.

    def on_sched_switch(self, event, fields):
        before, after, sheet = fields["prev_tid"], fields["next_tid"], self.sheet
        if self.on.get(self.cpu) != before:
            self.leaves_unknown(before)
        if before != 0 and self.cpu not in self.switched:
            sheet.state_before(f"thread {before}", f"running on cpu {self.cpu}")
        self.switched.add(self.cpu)
        if before != 0:
            self.leave(before, self.left(fields.get("prev_state", 0)))
        self.current[self.cpu] = after
        if after != 0:
            for cpu in [cpu for cpu, tid in self.on.items() if tid == after]:
                del self.on[cpu]
            sheet.settle(f"thread {after}")
            sheet.drop_wait(WAIT, after, f"thread {after}")
        self.on[self.cpu] = after
        self.stream_of[self.cpu] = self.sheet.stream
        sheet.state(f"cpu {self.cpu}", "idle" if after == 0 else f"{text(fields.get('next_comm'))} {after}")
        if after != 0:
            sheet.state(f"thread {after}", f"running on cpu {self.cpu}", True)
            sheet.waited(WAIT, after, f"cpu {self.cpu}", {"tid": after})

    def leaves_unknown(self, tid):
        """A thread leaves the processor, and was not known to run there."""
        sheet = self.sheet
        sheet.bounds()
        if self.cpu not in self.on and self.cpu in self.early:
            self.early.discard(self.cpu)
            sheet.give("syscall", f"cpu {self.cpu}", f"thread {tid}")
        for track, one in list(sheet.unclear.items()):
            if one.kind == "runs" and (one.cpu == self.cpu or one.task == tid):
                del sheet.unclear[track]
                if one.task != tid:
                    sheet.put_clear(track, one)
        if tid != 0:
            sheet.ran[f"thread {tid}"] = sheet.order

    def leave(self, tid, state):
        if state.startswith("not running (") and tid in self.exiting:
            state = "exited"
        if state == "exited":
            self.exiting.discard(tid)
            self.ended(tid)
        else:
            self.sheet.state(f"thread {tid}", state)

    def ended(self, tid):
        """Its states end, and what it was about to do."""
        self.sheet.state(f"thread {tid}", None)
        self.sheet.end_all("syscall", f"thread {tid}")

    def runs(self, tid):
        state = self.sheet.known(f"thread {tid}")
        return state is not None and state.value.startswith("running")

    def woken(self, event, fields):
        tid = fields["tid"]
        state = self.sheet.known(f"thread {tid}")
        if event["name"] == "sched_wakeup_new":
            self.born[tid] = False
        was_refused = tid in self.refused
        self.refused.discard(tid)
        is_no_wait = state is not None and state.value.startswith("runn")
        if is_no_wait and event["name"] == "sched_waking":
            self.refused.add(tid)
        if tid == 0:
            return
        self.waking_came = self.waking_came or event["name"] == "sched_waking"
        is_alone = self.waking_came or (self.has_waking and not self.waking_missing)
        # Nothing else wakes who is new.
        is_cause = (
            event["name"] in ("sched_waking", "sched_wakeup_new") or not is_alone or was_refused or self.is_waking_missing(tid)
        )
        if self.runs(tid):
            return
        if is_cause and state is None:
            self.sheet.wait_in_doubt(WAIT, tid, f"thread {tid}")
        elif is_cause and not is_no_wait:
            self.sheet.wait(WAIT, tid, is_last=True)
        cpu = number(fields.get("target_cpu"))
        if state is None and event["name"] != "sched_wakeup_new" and is_integer(cpu) and cpu >= 0 and cpu not in self.on:
            self.sheet.bounds()
            self.sheet.note_unclear(f"thread {tid}", Unclear("runs", tid, cpu, "runnable"))
        else:
            self.sheet.state(f"thread {tid}", "runnable")

    def is_waking_missing(self, tid):
        """Each sched_wakeup follows a sched_waking of the thread, if that is recorded: between two of them one must have come."""
        if not self.waking_came:
            self.waking_missing = self.deferred.get(tid) is False
            self.deferred[tid] = False
        return self.waking_missing

    def on_sched_migrate_task(self, event, fields):
        """Who runs is not moved."""
        track = f"thread {fields.get('tid')}"
        if self.sheet.known(track) is None:
            self.sheet.settle(track)

    on_sched_waking = on_sched_wakeup = on_sched_wakeup_new = woken

    def on_sched_process_fork(self, event, fields):
        if "child_tid" in fields:
            self.born[fields["child_tid"]] = False

    def on_sched_process_exit(self, event, fields):
        self.exiting.add(fields["tid"])
        if not self.runs(fields["tid"]):
            self.ended(fields["tid"])

    # Slices on a CPU.

    def on_irq_handler_entry(self, event, fields):
        self.sheet.begin(
            "irq", (self.cpu, fields["irq"]), f"irq {fields.get('name', fields['irq'])}", f"cpu {self.cpu} interrupts"
        )

    def on_irq_handler_exit(self, event, fields):
        self.sheet.end("irq", (self.cpu, fields["irq"]), f"cpu {self.cpu} interrupts", f"irq {fields['irq']}")

    def on_irq_softirq_entry(self, event, fields):
        vec = fields["vec"]
        self.sheet.begin("softirq", (self.cpu, number(vec)), f"softirq {label(vec)}", f"cpu {self.cpu} interrupts")

    def on_irq_softirq_exit(self, event, fields):
        vec = fields["vec"]
        self.sheet.end("softirq", (self.cpu, number(vec)), f"cpu {self.cpu} interrupts", f"softirq {label(vec)}")

    def on_irq_softirq_raise(self, event, fields):
        self.sheet.instant("softirq raise", f"softirq {label(fields['vec'])}", f"cpu {self.cpu} interrupts")

    def on_timer_hrtimer_expire_entry(self, event, fields):
        self.sheet.begin("hrtimer", (self.cpu, fields["hrtimer"]), "hrtimer", f"cpu {self.cpu} interrupts")

    def on_timer_hrtimer_expire_exit(self, event, fields):
        self.sheet.end("hrtimer", (self.cpu, fields["hrtimer"]), f"cpu {self.cpu} interrupts", "hrtimer")

    # System calls: the thread that the CPU runs.

    def thread(self, event):
        tid = in_context(event, "tid")
        tid = self.current.get(self.cpu) if tid is None else tid
        return f"cpu {self.cpu}" if tid is None else f"thread {tid}"

    def syscall_entry_any(self, event, fields):
        thread = self.thread(event)
        self.sheet.begin("syscall", thread, event["name"].removeprefix("syscall_entry_"), thread + " calls")
        if thread.startswith("cpu ") and self.cpu not in self.on:
            self.early.add(self.cpu)

    def syscall_exit_any(self, event, fields):
        thread, name = self.thread(event), event["name"].removeprefix("syscall_exit_")
        tid = int(thread.removeprefix("thread ")) if thread.startswith("thread ") else None
        is_made = name in ("clone", "clone3", "fork", "vfork") and fields.get("ret") == 0 and not self.sheet.open["syscall", thread]
        if is_made:
            self.sheet.seen.add(("syscall", thread))
        elif tid in self.born and not self.sheet.open["syscall", thread]:
            if self.born[tid]:
                self.sheet.unmatched("syscall", name, thread + " calls")
            self.born[tid] = True
        else:
            self.sheet.end("syscall", thread, thread + " calls", name)

    # Requests and frequencies.

    # A flush is issued without a sector, and completed with another.
    def on_block_rq_issue(self, event, fields):
        if fields.get("nr_sector"):
            self.sheet.begin("block", (fields["dev"], fields["sector"]), "block rq", f"block {fields['dev']}")

    def on_block_rq_complete(self, event, fields):
        if fields.get("nr_sector"):
            self.sheet.end("block", (fields["dev"], fields["sector"]), f"block {fields['dev']}", "block rq")

    def on_cpu_frequency(self, event, fields):
        self.sheet.counter("frequency", f"cpu {fields.get('cpu_id', self.cpu)} frequency", fields["state"])

    on_power_cpu_frequency = on_cpu_frequency

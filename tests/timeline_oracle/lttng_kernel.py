"""LTTng's kernel tracer: scheduling, interrupts, system calls, block requests."""

from .table import Base, in_context, label, number, text

# Older names of the same events (LTTng 2.0).
ALIASES = {
    "softirq_entry": "irq_softirq_entry", "softirq_exit": "irq_softirq_exit", "softirq_raise": "irq_softirq_raise",
    "hrtimer_expire_entry": "timer_hrtimer_expire_entry", "hrtimer_expire_exit": "timer_hrtimer_expire_exit",
}
NEEDS = {
    "sched_switch": ("prev_tid", "next_tid"),
    "sched_waking": ("tid",), "sched_wakeup": ("tid",), "sched_wakeup_new": ("tid",),
    "irq_handler_entry": ("irq",), "irq_handler_exit": ("irq",),
    "irq_softirq_entry": ("vec",), "irq_softirq_exit": ("vec",), "irq_softirq_raise": ("vec",),
    "block_rq_issue": ("dev", "sector"), "block_rq_complete": ("dev", "sector"),
    "timer_hrtimer_expire_entry": ("hrtimer",), "timer_hrtimer_expire_exit": ("hrtimer",),
    "cpu_frequency": ("state",), "power_cpu_frequency": ("state",),
}
STATES = ((1, "sleeping"), (2, "uninterruptible"), (4, "stopped"), (8, "stopped"), (16, "dead"), (32, "dead"), (64, "sleeping"))
TASK_IDLE = 0x402  # of kernel threads: not interruptible, and no load
WAIT = "wake -> run"


def applies(event):
    name = event.get("name") or ""
    return in_context(event, "cpu_id") is not None and (
        ALIASES.get(name, name) in NEEDS or name.startswith(("syscall_entry_", "syscall_exit_"))
    )


def left(state):
    """What a thread is that was switched out: what is still runnable was pre-empted."""
    if number(state) & TASK_IDLE == TASK_IDLE:
        return "idle"
    for bit, name in STATES:
        if number(state) & bit:
            return name
    return "runnable"


class Table(Base):
    NEEDS = NEEDS

    def prepare(self, events):
        self.current = {}  # cpu -> tid
        self.switched = set()  # cpus
        self.stream_of = {}  # cpu -> the stream that its switches are in
        names = {event.get("name") for event in events}
        self.causes = ("sched_waking",) if "sched_waking" in names else ("sched_wakeup", "sched_wakeup_new")

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
        for cpu in [cpu for cpu, of in self.stream_of.items() if stream in (None, of)]:
            self.current.pop(cpu, None)

    # Scheduling.

    def on_sched_switch(self, event, fields):
        before, after, sheet = fields["prev_tid"], fields["next_tid"], self.sheet
        if before != 0 and self.cpu not in self.switched:
            sheet.state_before(f"thread {before}", f"running on cpu {self.cpu}")
        self.switched.add(self.cpu)
        if before != 0:
            sheet.state(f"thread {before}", left(fields.get("prev_state", 0)))
        self.current[self.cpu] = after
        self.stream_of[self.cpu] = self.sheet.stream
        sheet.state(f"cpu {self.cpu}", "idle" if after == 0 else f"{text(fields.get('next_comm'))} {after}")
        if after != 0:
            sheet.state(f"thread {after}", f"running on cpu {self.cpu}")
            sheet.waited(WAIT, after, f"cpu {self.cpu}", {"tid": after})

    def woken(self, event, fields):
        tid = fields["tid"]
        if event["name"] in self.causes and tid != 0:
            self.sheet.wait(WAIT, tid, is_last=True, is_shown_open=True)
        state = self.sheet.state_of.get(f"thread {tid}")
        if tid != 0 and (state is None or not state.value.startswith("running")):
            self.sheet.state(f"thread {tid}", "runnable")

    on_sched_waking = on_sched_wakeup = on_sched_wakeup_new = woken

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

    def syscall_exit_any(self, event, fields):
        thread = self.thread(event)
        self.sheet.end("syscall", thread, thread + " calls", event["name"].removeprefix("syscall_exit_"))

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

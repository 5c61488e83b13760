"""perf's events of the kernel: what LTTng's are, under other names, with the processor and the thread in the payload."""

from . import lttng_kernel

# perf's name -> LTTng's, and which fields are called otherwise there.
EVENTS = {
    "sched:sched_switch": ("sched_switch", {"prev_pid": "prev_tid", "next_pid": "next_tid"}),
    "sched:sched_waking": ("sched_waking", {"pid": "tid"}),
    "sched:sched_wakeup": ("sched_wakeup", {"pid": "tid"}),
    "sched:sched_wakeup_new": ("sched_wakeup_new", {"pid": "tid"}),
    "sched:sched_process_exit": ("sched_process_exit", {"pid": "tid"}),
    "sched:sched_process_fork": ("sched_process_fork", {"child_pid": "child_tid"}),
    "irq:irq_handler_entry": ("irq_handler_entry", {}),
    "irq:irq_handler_exit": ("irq_handler_exit", {}),
    "irq:softirq_entry": ("irq_softirq_entry", {}),
    "irq:softirq_exit": ("irq_softirq_exit", {}),
}
CALLS = {"syscalls:sys_enter_": "syscall_entry_", "syscalls:sys_exit_": "syscall_exit_"}
RAW_CALLS = {"raw_syscalls:sys_enter": "syscall_entry_", "raw_syscalls:sys_exit": "syscall_exit_"}


def translated(event):
    """The event as LTTng has it, or None."""
    name, fields = event.get("name") or "", event.get("fields") or {}
    renamed = {}
    if name in EVENTS:
        name, renamed = EVENTS[name]
    elif name in RAW_CALLS:
        name = f"{RAW_CALLS[name]}{fields.get('id')}"
    else:
        prefix = next((one for one in CALLS if name.startswith(one)), None)
        if prefix is None:
            return None
        name = CALLS[prefix] + name.removeprefix(prefix)
    context = {"packet": {"cpu_id": fields.get("perf_cpu")}, "common": {"tid": fields.get("perf_tid")}}
    return {**event, "name": name, "context": context, "fields": {renamed.get(key, key): value for key, value in fields.items()}}


def applies(event):
    return translated(event) is not None


class Table(lttng_kernel.Table):
    def prepare(self, events):
        super().prepare([one for one in map(translated, events) if one is not None])

    def event(self, event):
        event = translated(event)
        if event is not None:
            super().event(event)

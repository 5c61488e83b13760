"""Zephyr: threads, interrupts and kernel calls. There may be no clock, and no end of anything."""

import collections

from .table import Base, is_integer, member

STATES = {
    "thread_ready": "runnable",
    "thread_resume": "not running (reason not recorded)",
    "thread_suspend": "suspended",
    "thread_abort": "destroyed",
    "thread_create": "created",
}
NOT_RUNNING = "not running (reason not recorded)"


def applies(event):
    return event.get("name") in ("thread_switched_in", "thread_switched_out")


class Table(Base):
    OF_STREAM = r"cpu|interrupts"
    WIDE = True

    def prepare(self, events):
        self.on = {}  # processor -> the thread on it; None: none
        self.alone = set()  # threads that run on no known processor
        self.current = {}  # processor -> the thread that is switched in
        self.pending = {}  # thread that runs -> what it will be when it is switched out
        self.idle = set()  # idle threads
        self.early = collections.defaultdict(list)  # processor -> calls that began before its thread was known
        self.number, self.are_several, self.is_said = 0, False, False

    def event(self, event):
        name = event.get("name") or ""
        if event.get("time") is None:
            return
        fields = event.get("fields") or {}
        if name.startswith("thread_") and not is_integer(fields.get("thread_id")):
            return
        thread = fields.get("thread_id")
        if name in ("thread_switched_in", "thread_switched_out"):
            self.look(event, name, thread)
        cpu = self.processor(event)
        if name == "thread_switched_in":
            self.switch_in(cpu, thread, fields.get("name", hex(thread)))
        elif name == "thread_switched_out":
            self.switch_out(cpu, thread)
        elif name == "idle":
            if cpu in self.current:
                self.idle.add(self.current[cpu])
            if cpu is not None:
                self.sheet.state(f"cpu {cpu}", "idle")
        elif name == "thread_pending":
            self.become(thread, "pending")
        elif name in STATES:
            self.become(thread, STATES[name])
        elif cpu is None:
            self.sheet.bounds()
        elif name == "isr_enter":
            self.sheet.begin("isr", cpu, "isr", f"interrupts {cpu}", stacked=True)
        elif name in ("isr_exit", "isr_exit_to_scheduler"):
            self.sheet.end("isr", cpu, f"interrupts {cpu}", "isr")
        elif name.endswith("_enter"):
            self.call(cpu, name.removesuffix("_enter"), "enter", fields)
        elif name.endswith("_blocking"):
            self.call(cpu, name.removesuffix("_blocking"), "blocking", fields)
        elif name.endswith("_exit"):
            self.call(cpu, name.removesuffix("_exit"), "exit", fields)

    # Processors.

    def said(self, event):
        for key in ("cpu_id", "cpu"):
            if is_integer((event.get("fields") or {}).get(key)):
                return event["fields"][key]
        return member({**event, "fields": {}}, "cpu_id")

    def processor(self, event):
        said = self.said(event)
        return said if said is not None else None if self.are_several else self.number

    def look(self, event, name, thread):
        """Threads run at once where events say so, or one is switched in over another, or one leaves that did not run."""
        said = self.said(event)
        if self.are_several:
            return
        if said is not None:
            self.are_several = self.is_said and said != self.number
            self.number, self.is_said = said, True
            return
        if self.number not in self.on:
            return
        only = self.on[self.number]
        if only == thread or only is None and name == "thread_switched_in":
            return
        self.are_several = True
        for key in [key for key in self.sheet.open if key[0] in ("isr", "call", "blocking", "hold mutex")]:
            self.end(key)
        self.early.clear()
        self.sheet.state(f"cpu {self.number}", None)
        del self.on[self.number]
        if only is not None:
            self.alone.add(only)

    # Threads.

    def switch_in(self, cpu, thread, name):
        if cpu is None:
            self.leave_all(thread)
            self.alone.add(thread)
        else:
            self.know(cpu)
            self.sheet.state(f"cpu {cpu}", "idle" if thread in self.idle else name)
            before = self.on.get(cpu)
            if before not in (None, thread):
                self.sheet.state(f"thread {before}", self.pending.pop(before, NOT_RUNNING))
            self.leave_all(thread)
            self.on[cpu] = self.current[cpu] = thread
        self.pending.pop(thread, None)
        self.sheet.state(f"thread {thread}", "running")

    def switch_out(self, cpu, thread):
        is_known = cpu is not None and cpu in self.on
        runs_here = thread in self.alone if cpu is None else self.on.get(cpu) == thread
        if cpu is not None:
            self.know(cpu, thread)
            self.sheet.state(f"cpu {cpu}", None)
            if not is_known:
                self.sheet.state_before(f"thread {thread}", "running")
            self.on[cpu] = None
            self.current.pop(cpu, None)
        self.alone.discard(thread)
        if thread != 0:
            state = self.pending.pop(thread, None)
            self.sheet.state(f"thread {thread}", state if runs_here and state else NOT_RUNNING)

    def leave_all(self, thread):
        self.alone.discard(thread)
        for cpu in [cpu for cpu, other in self.on.items() if other == thread]:
            del self.on[cpu]

    def know(self, cpu, left=None):
        """What called there before is the thread that leaves; else it is not known, nor which end is its own."""
        if cpu in self.on:
            return
        for rule, key in self.early.pop(cpu, ()):
            if left is not None:
                self.sheet.give(rule, key, tuple(left if part == ("none", cpu) else part for part in key))
            else:
                self.end((rule, key))

    def end(self, key):
        """What is open of it ends, for how long it lasted is not known."""
        stack, sheet = self.sheet.open[key], self.sheet
        while stack:
            slice = stack.pop()
            time = sheet.time if slice.lost_at is None else min(sheet.time, slice.lost_at)
            sheet.last[slice.track] = time = max(time, slice.begin, sheet.last[slice.track])
            sheet.close(slice, time, {"inferred_end"})

    def runs(self, thread):
        return thread in self.alone or thread in self.on.values()

    def become(self, thread, state):
        self.sheet.bounds()
        known = self.sheet.state_of.get(f"thread {thread}")
        if self.runs(thread):
            if state in ("runnable", NOT_RUNNING):
                self.pending.pop(thread, None)
            else:
                self.pending[thread] = state
        if known is None or known.value != "running":
            self.sheet.state(f"thread {thread}", state)

    # Calls.

    def call(self, cpu, call, what, fields):
        if not is_integer(fields.get("id")):
            return
        thread = self.current.get(cpu, ("none", cpu))
        key, track, sheet = (call, thread, fields.get("id")), f"thread {thread} calls", self.sheet
        lock, mutex = ("hold mutex", (thread, fields.get("id"))), f"mutex {fields.get('id')}"
        if call.endswith("mutex_unlock") and what == "enter":
            if sheet.open[lock]:
                sheet.end(*lock, mutex)
            else:
                sheet.unmatched("hold mutex", f"mutex {fields.get('id'):#x}", mutex)
        if what == "enter":
            self.begin("call", key, call, track, cpu)
        elif what == "blocking":
            self.begin("blocking", key, call, track, cpu)
        else:
            if sheet.open["blocking", key]:
                sheet.end("blocking", key, track)
            if sheet.open["call", key]:
                sheet.end("call", key, track)
            else:
                sheet.unmatched("call", call, track)
            if call.endswith("mutex_lock") and fields.get("ret") == 0:
                self.begin(*lock, f"mutex {fields.get('id'):#x}", mutex, cpu, stacked=True)

    def begin(self, rule, key, name, track, cpu, stacked=False):
        self.sheet.begin(rule, key, name, track, stacked=stacked)
        if cpu not in self.current and cpu not in self.on:
            self.early[cpu].append((rule, key))

    def lost(self, stream):
        self.on.clear()
        self.alone.clear()
        self.current.clear()
        self.pending.clear()

"""Zephyr: threads, interrupts and kernel calls. There may be no clock, and no end of anything."""

from .table import Base, is_integer

STATES = {
    "thread_ready": "runnable",
    "thread_resume": "runnable",
    "thread_suspend": "suspended",
    "thread_abort": "destroyed",
    "thread_create": "created",
}


def applies(event):
    return event.get("name") in ("thread_switched_in", "thread_switched_out")


class Table(Base):
    WIDE = True  # one CPU

    def prepare(self, events):
        self.current = None
        self.pending = {}  # thread -> what it will be when it is switched out

    def event(self, event):
        name = event.get("name") or ""
        if event.get("time") is None:
            return
        fields = event.get("fields") or {}
        if name.startswith("thread_") and name != "thread_switched_out" and not is_integer(fields.get("thread_id")):
            return
        if name == "thread_switched_in":
            self.switch(fields["thread_id"], fields.get("name", hex(fields["thread_id"])))
        elif name == "thread_switched_out":
            self.switch(None)
        elif name == "idle":
            self.switch("idle", "idle")
        elif name == "thread_pending":
            self.become(fields["thread_id"], "pending")
        elif name in STATES:
            self.become(fields["thread_id"], STATES[name])
        elif name == "isr_enter":
            self.sheet.begin("isr", (), "isr", "interrupts", stacked=True)
        elif name in ("isr_exit", "isr_exit_to_scheduler"):
            self.sheet.end("isr", (), "interrupts", "isr")
        elif name.endswith("_enter"):
            self.call(name.removesuffix("_enter"), "enter", fields)
        elif name.endswith("_blocking"):
            self.call(name.removesuffix("_blocking"), "blocking", fields)
        elif name.endswith("_exit"):
            self.call(name.removesuffix("_exit"), "exit", fields)

    def switch(self, thread, name=None):
        self.sheet.state("cpu", name)
        before = self.current
        if before == thread:
            self.pending.pop(thread, None)
            return
        self.current = thread
        if before not in (None, "idle"):
            self.sheet.state(f"thread {before}", self.pending.pop(before, "runnable"))
        if thread not in (None, "idle"):
            self.pending.pop(thread, None)
            self.sheet.state(f"thread {thread}", "running")

    def become(self, thread, state):
        self.sheet.bounds()
        if thread != self.current:
            self.sheet.state(f"thread {thread}", state)
        elif state == "runnable":
            self.pending.pop(thread, None)
        else:
            self.pending[thread] = state

    def call(self, call, what, fields):
        thread = None if self.current == "idle" else self.current
        key, track, sheet = (call, thread, fields.get("id")), f"thread {thread} calls", self.sheet
        if what == "enter":
            sheet.begin("call", key, call, track)
        elif what == "blocking":
            sheet.begin("blocking", key, call, track)
        else:
            if sheet.open["blocking", key]:
                sheet.end("blocking", key, track)
            sheet.end("call", key, track, call)
            lock = ("mutex", fields.get("id"))
            if call.endswith("mutex_lock") and fields.get("ret") == 0:
                sheet.begin("hold mutex", lock, f"mutex {fields.get('id'):#x}", f"mutex {fields.get('id')}")
            elif call.endswith("mutex_unlock") and fields.get("ret", 0) == 0:
                sheet.end("hold mutex", lock, f"mutex {fields.get('id')}", f"mutex {fields.get('id'):#x}")

    def lost(self, stream):
        self.current = None
        self.pending.clear()

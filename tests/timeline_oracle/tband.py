"""Tonbandgerät: FreeRTOS tasks, interrupts, queues and markers."""

import collections

from .sheet import Unclear
from .table import Base, number

MUTEXES = (3, 4)
TAKEN = (1, 2, 3, 4)  # semaphores and mutexes
NEEDS = {
    **dict.fromkeys(
        (
            "task_switched_in", "task_to_rdy_state", "task_resumed", "task_resumed_from_isr", "task_suspended",
            "task_created", "task_deleted",
        ),
        ("task_id",),
    ),
    "isr_enter": ("isr_id",), "isr_exit": ("isr_id",),
    "evtmarker": ("evtmarker_id",), "evtmarker_begin": ("evtmarker_id",), "evtmarker_end": ("evtmarker_id",),
    "task_evtmarker": ("evtmarker_id",), "task_evtmarker_begin": ("evtmarker_id",), "task_evtmarker_end": ("evtmarker_id",),
    "valmarker": ("valmarker_id", "val"), "task_valmarker": ("valmarker_id", "val"),
}


def applies(event):
    return "core" in event.get("stream", {})


class Table(Base):
    NEEDS = NEEDS
    OF_STREAM = r"core \d+( interrupts)?"
    WIDE = True  # one counter of drops serves all cores
    ONE_CLOCK = True  # of the device, which restarts

    def prepare(self, events):
        self.lost_last = False  # something was, since the last event that a rule is about
        self.current = {}  # core -> task
        self.running = {}  # the same, but a task is on one core only
        self.named = {}  # the same, also after losses: names are those that `print` shows
        self.idles = set()  # cores on which an idle task runs
        self.pending = {}  # task -> what it will be when it is switched out
        self.early = collections.defaultdict(list)  # core -> markers that began before its task was known
        self.names = {}
        self.mutexes, self.taken, self.idle = set(), set(), set()
        for event in events:
            name, fields = event.get("name"), event.get("fields") or {}
            if name == "queue_kind":
                if number(fields["kind"]) in MUTEXES:
                    self.mutexes.add(fields["queue_id"])
                if number(fields["kind"]) in TAKEN:
                    self.taken.add(fields["queue_id"])
            elif name == "isr_name":
                self.names.setdefault(("isr", event["stream"]["core"], fields["isr_id"]), fields["name"])
            elif name in ("task_evtmarker_name", "task_valmarker_name"):
                kind = name[5:-5]
                self.names.setdefault((name[:-5], fields["task_id"], fields[kind + "_id"]), fields["name"])
            elif name in ("evtmarker_name", "valmarker_name", "task_name", "queue_name"):
                kind = name[:-5]
                self.names.setdefault((kind, fields[kind + "_id"]), fields["name"])

    def name(self, kind, *key):
        return self.names.get((kind, *key)) or f"{kind} {key[-1]}"

    def task(self, task):
        return "?" if task is None else self.name("task", task)

    def event(self, event):
        if event.get("time") is not None:
            self.core = event["stream"]["core"]
        elif event.get("name") == "task_is_idle_task":
            self.idle.add(event["fields"]["task_id"])
        super().event(event)
        if self.rule(event.get("name")) is not None and event.get("time") is not None:
            self.lost_last = False

    # Tasks.

    def track(self, task):
        return f"task {task}"

    def on_task_switched_in(self, event, fields):
        task, before = fields["task_id"], self.running.get(self.core)
        if before is not None and before != task and self.core not in self.idles:
            self.put(before, self.pending.pop(before, "runnable"))
        if self.core not in self.running:
            for key in self.early.pop(self.core, ()):
                self.sheet.end_unclear("task_evtmarker", key)
        self.sheet.settle(self.track(task))
        self.pending.pop(task, None)
        self.running = {core: one for core, one in self.running.items() if one != task}
        self.running[self.core] = self.current[self.core] = self.named[self.core] = task
        self.sheet.drop_wait("ready -> run", task, self.track(task))
        self.sheet.waited("ready -> run", task, self.track(task))
        self.idles.discard(self.core)
        if task in self.idle:  # where it runs nothing does
            self.idles.add(self.core)
            self.sheet.state(self.track(task), None)
            self.sheet.state(f"core {self.core}", "idle")
            return
        self.sheet.state(self.track(task), f"running on core {self.core}")
        self.sheet.state(f"core {self.core}", self.task(task))

    def runs(self, task):
        state = self.sheet.known(self.track(task))
        return state is not None and state.value.startswith("running")

    def ready(self, event, fields):
        task = fields["task_id"]
        if task in self.idle:  # which waits for nothing
            self.pending.pop(task, None)
            return
        track, sheet = self.track(task), self.sheet
        state = sheet.known(track)
        if self.runs(task):
            self.pending.pop(task, None)
            return
        if state is None:
            one = sheet.unclear.get(track)
            is_again = one is not None and one.kind == "again" and sheet.order == one.order + 1
            if is_again or self.lost_last:  # what says that it is nothing new may be lost
                sheet.unclear.pop(track, None)
                sheet.ran[track] = sheet.order
                one = None
            else:
                sheet.settle(track)
                state = sheet.known(track)
                if state is None:
                    sheet.note_unclear(track, Unclear("repeats", task, value="runnable"))
        if state is None:
            sheet.bounds()
            sheet.wait_in_doubt("ready -> run", task, track)
            return
        sheet.state(track, "runnable")
        if state.value != "runnable":
            sheet.wait("ready -> run", task)
            sheet.waits["ready -> run", task].is_doubtful = False

    on_task_to_rdy_state = on_task_resumed = on_task_resumed_from_isr = ready

    def become(self, task, state):
        if self.sheet.known(self.track(task)) is None:
            self.sheet.settle(self.track(task))
        if self.runs(task):
            self.pending[task] = state
        else:
            self.put(task, state)

    def put(self, task, state):
        if state != "destroyed":
            self.sheet.state(self.track(task), state)
            return
        self.sheet.state(self.track(task), None)
        for rule, key in [key for key in self.sheet.open if key[0] == "task_evtmarker" and key[1][0] == task]:
            self.sheet.end_all(rule, key)

    def on_task_suspended(self, event, fields):
        self.become(fields["task_id"], "suspended by " + self.by())

    def on_task_created(self, event, fields):
        self.become(fields["task_id"], "created")

    def on_task_deleted(self, event, fields):
        self.become(fields["task_id"], "destroyed")

    def by(self):
        """The task that runs, as it is named."""
        task = self.current.get(self.core)
        return "?" if task is None else self.task(task)

    def later(self, state):
        task = self.running.get(self.core)
        if task is not None:
            self.pending[task] = state

    def on_curtask_delay(self, event, fields):
        self.later("delay 1 tick" if fields["ticks"] == 1 else f"delay {fields['ticks']} ticks")

    def on_curtask_delay_until(self, event, fields):
        self.later("delay until")
        key, name, track = self.marker("task_evtmarker", 0)
        self.sheet.instant("delay", f"until tick {fields['time_to_wake']}", track)

    def on_curtask_block_on_queue_peek(self, event, fields):
        self.later("blocked: peek " + self.name("queue", fields["queue_id"]))

    def on_curtask_block_on_queue_send(self, event, fields):
        self.later("blocked: send " + self.name("queue", fields["queue_id"]))

    def on_curtask_block_on_queue_receive(self, event, fields):
        verb = "take" if fields["queue_id"] in self.taken else "receive"
        self.later(f"blocked: {verb} " + self.name("queue", fields["queue_id"]))

    def priority(self, event, fields):
        self.sheet.counter("priority", self.track(fields["task_id"]) + " priority", fields["priority"])

    on_task_priority_set = priority

    def on_task_priority_inherit(self, event, fields):
        """What was said right before is nothing new."""
        track, sheet = self.track(fields["task_id"]), self.sheet
        one = sheet.unclear.get(track)
        if sheet.known(track) is None and one is not None and one.kind == "repeats" and sheet.order == one.order + 1:
            del sheet.unclear[track]
            sheet.ran[track] = sheet.order
        self.priority(event, fields)

    def on_task_priority_disinherit(self, event, fields):
        """What is said right behind is nothing new."""
        track, sheet = self.track(fields["task_id"]), self.sheet
        if sheet.known(track) is None:
            sheet.settle(track)
            if sheet.known(track) is None:
                sheet.note_unclear(track, Unclear("again", fields["task_id"]))
        self.priority(event, fields)

    def finish(self):
        for track in list(self.sheet.unclear):
            self.sheet.settle(track)

    def on_dropped_evt_cnt(self, event, fields):
        pass  # the loss follows as a record of its own

    def began_anew(self, stream):
        self.current.clear()
        self.running.clear()
        self.pending.clear()

    def lost(self, stream):
        """Of all cores."""
        for core in list(self.current):
            self.current.pop(core, None)
            self.pending.pop(self.running.pop(core, None), None)
        self.lost_last = True
        self.pending.clear()
        for core in [core for core, task in self.running.items() if not self.runs(task)]:
            self.pending.pop(self.running.pop(core), None)

    # Interrupts.

    def on_isr_enter(self, event, fields):
        isr = fields["isr_id"]
        self.sheet.begin_once("isr", (self.core, isr), self.name("isr", self.core, isr), f"core {self.core} interrupts")

    def on_isr_exit(self, event, fields):
        isr = fields["isr_id"]
        self.sheet.end("isr", (self.core, isr), f"core {self.core} interrupts", self.name("isr", self.core, isr))

    # Queues.

    def length(self, queue, length, is_reset=False):
        track = f"queue {queue}"
        self.sheet.counter("length", track, length)
        if queue in self.mutexes and not is_reset:
            self.sheet.state(
                track + " state", "taken by " + self.task(self.current.get(self.core)) if length == 0 else "available"
            )

    def moved(self, event, fields):
        self.length(fields["queue_id"], fields["len_after"])

    on_queue_send = on_queue_send_from_isr = on_queue_overwrite = moved
    on_queue_overwrite_from_isr = on_queue_receive = on_queue_receive_from_isr = moved

    def on_queue_reset(self, event, fields):
        self.length(fields["queue_id"], 0, True)

    def on_queue_cur_length(self, event, fields):
        self.length(fields["queue_id"], fields["length"])

    # Markers.

    def marker(self, kind, id):
        """The key, name and track of a marker; those of tasks are the current task's."""
        if kind.startswith("task_"):
            task = self.current.get(self.core)
            name = self.names.get((kind, self.named.get(self.core), id)) or self.name(kind, 0, id)
            task = ("core", self.core) if task is None else task
            return (task, id), name, self.track(task) + " markers"
        return (id,), self.name(kind, id), f"markers {id}"

    def on_evtmarker(self, event, fields, kind="evtmarker"):
        key, name, track = self.marker(kind, fields["evtmarker_id"])
        self.sheet.instant(kind, name, track)

    def on_evtmarker_begin(self, event, fields, kind="evtmarker"):
        key, name, track = self.marker(kind, fields["evtmarker_id"])
        self.sheet.begin(kind, key, name, track, {"msg": fields.get("msg")}, stacked=True)
        if kind == "task_evtmarker" and key[0] == ("core", self.core) and self.core not in self.running:
            self.early[self.core].append(key)

    def on_evtmarker_end(self, event, fields, kind="evtmarker"):
        key, name, track = self.marker(kind, fields["evtmarker_id"])
        self.sheet.end(kind, key, track, name)

    def on_valmarker(self, event, fields, kind="valmarker"):
        key, name, track = self.marker(kind, fields["valmarker_id"])
        self.sheet.counter(name, track, fields["val"])

    def on_task_evtmarker(self, event, fields):
        self.on_evtmarker(event, fields, "task_evtmarker")

    def on_task_evtmarker_begin(self, event, fields):
        self.on_evtmarker_begin(event, fields, "task_evtmarker")

    def on_task_evtmarker_end(self, event, fields):
        self.on_evtmarker_end(event, fields, "task_evtmarker")

    def on_task_valmarker(self, event, fields):
        self.on_valmarker(event, fields, "task_valmarker")

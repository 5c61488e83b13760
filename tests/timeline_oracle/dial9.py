"""dial9: a Tokio runtime."""

import re

from .table import Base, is_integer

FLOW_NS = 1_000_000

WORKERS = {254: "blocking pool", 255: "no worker"}

NEEDS = {
    "PollStartEvent": ("worker_id", "task_id"),
    "PollEndEvent": ("worker_id",),
    "WorkerParkEvent": ("worker_id",),
    "WorkerUnparkEvent": ("worker_id",),
    "TaskSpawnEvent": ("task_id",),
    "TaskTerminateEvent": ("task_id",),
    "WakeEventEvent": ("woken_task_id",),
    "SpanCloseEvent": ("span_id",),
    "CpuSampleEvent": ("worker_id", "source"),
    "TaskDumpEvent": ("task_id",),
    "QueueSampleEvent": ("global_queue",),
    "AllocEvent": ("addr", "size"),
    "FreeEvent": ("addr",),
    "ClockSyncEvent": (),
}


def applies(event):
    name = event.get("name") or ""
    return "segment" in event.get("stream", {}) and (name in NEEDS or name.startswith(("SpanEnter:", "SpanExit:")))


def worker(number):
    return WORKERS.get(number, f"worker {number}")


def place(location):
    """What tells lines of source apart: `.../registry/src/INDEX/hyper-util-0.1.20/src/rt/tokio.rs:115:9` is the same on all machines."""
    if not isinstance(location, str):
        return "?"
    path = location.replace("\\", "/")
    for root, known in (
        (r"/registry/src/[^/]+/(?=.)", "~/.cargo/registry/"),
        (r"/git/checkouts/(?=.)", "~/.cargo/git/"),
        (r"/rustc/.*?/library/", "/rustc/library/"),
    ):
        found = re.search(root, path)
        if found:
            return known + path[found.end():]
    return path


class Table(Base):
    NEEDS = NEEDS

    def prepare(self, events):
        self.polling = {}  # worker -> task
        self.spans = {}  # span id -> track of the whole span
        self.spawned = set()
        self.gone = set()  # tasks that ended and were not polled since
        self.silent = set()  # tasks of which no wakes are recorded
        self.location = {}  # task -> where it was spawned, by its polls
        self.stretch = {}  # worker -> (begin, CPU time) of an active stretch
        self.live = {}  # address -> bytes

    def rule(self, name):
        if isinstance(name, str) and name.startswith("SpanEnter:"):
            return self.span_enter
        if isinstance(name, str) and name.startswith("SpanExit:"):
            return self.span_exit
        return super().rule(name)

    def needs(self, name):
        return ("span_id", "worker_id") if name.startswith(("SpanEnter:", "SpanExit:")) else super().needs(name)

    # Polls and wakes.

    def on_PollStartEvent(self, event, fields):
        number, task, sheet = fields["worker_id"], fields["task_id"], self.sheet
        self.leave(number)
        track = worker(number)
        name = place(fields.get("spawn_loc"))
        self.location.setdefault(task, name)
        sheet.begin("poll", number, name, track, {"task_id": task})
        self.polling[number] = task
        self.gone.discard(task)
        pair = sheet.waited("wake -> poll", task, track, {"task_id": task})
        if pair is not None and pair.duration >= FLOW_NS:
            sheet.flow("wake")
        if is_integer(fields.get("local_queue")):
            sheet.counter("local queue", track, fields["local_queue"])
        sheet.state(f"task {task}", f"polling on {track}")

    def on_PollEndEvent(self, event, fields):
        number = fields["worker_id"]
        self.sheet.end("poll", number, worker(number))
        self.leave(number)

    def leave(self, number):
        """A poll ended, or must have: a wake that fell into it counts from here."""
        task = self.polling.pop(number, None)
        if task is None or task in self.polling.values():
            return
        pair = self.sheet.waits.get(("wake -> poll", task))
        if pair is not None:
            pair.begin = max(pair.begin, self.sheet.time)
        idle = "not running" if task in self.silent else "waiting"
        self.sheet.state(f"task {task}", idle if pair is None else "runnable")

    def on_WakeEventEvent(self, event, fields):
        task = fields["woken_task_id"]
        if task in self.gone:
            return
        self.sheet.wait("wake -> poll", task)
        if task not in self.polling.values():
            self.sheet.state(f"task {task}", "runnable")

    # Tasks.

    def on_TaskSpawnEvent(self, event, fields):
        task = fields["task_id"]
        self.sheet.begin("task", task, place(fields.get("spawn_loc")), f"task {task}", {"task_id": task})
        self.sheet.state(f"task {task}", "spawned")
        if fields.get("instrumented") is False:
            self.silent.add(task)
        self.spawned.add(task)
        self.sheet.counter("tasks alive", "tasks", len(self.spawned))

    def on_TaskTerminateEvent(self, event, fields):
        task = fields["task_id"]
        if task in self.spawned or task in self.location:
            self.sheet.end("task", task, f"task {task}", self.location.get(task, "?"))
        else:
            self.sheet.unmatched("task", "?", f"task {task}")
            self.sheet.seen.add(("task", task))
        self.sheet.state(f"task {task}", None)
        self.sheet.waits.pop(("wake -> poll", task), None)
        self.gone.add(task)
        self.polling = {number: one for number, one in self.polling.items() if one != task}
        self.spawned.discard(task)
        self.location.pop(task, None)
        self.sheet.counter("tasks alive", "tasks", len(self.spawned))

    # Workers.

    def on_WorkerUnparkEvent(self, event, fields):
        number = fields["worker_id"]
        self.sheet.state(worker(number) + " state", "active")
        self.stretch[number] = fields.get("cpu_time_ns"), fields.get("tid")
        if is_integer(fields.get("sched_wait_ns")):
            self.sheet.counter("sched wait", worker(number), fields["sched_wait_ns"])

    def on_WorkerParkEvent(self, event, fields):
        number = fields["worker_id"]
        self.sheet.state(worker(number) + " state", "parked")
        (before, thread), after = self.stretch.pop(number, (None, None)), fields.get("cpu_time_ns")
        if thread == fields.get("tid") and is_integer(before) and is_integer(after) and self.sheet.is_shown:
            self.sheet.line.sums[worker(number), "on CPU"] += after - before

    def lost(self, stream):
        self.stretch.clear()

    # Spans.

    def span_enter(self, event, fields):
        span, number = fields["span_id"], fields["worker_id"]
        name = self.span_name(event, fields)
        args = {key: value for key, value in fields.items() if key not in ("worker_id", "span_id", "parent_span_id", "span_name")}
        if span not in self.spans:
            self.spans[span] = self.spans.get(fields.get("parent_span_id"), f"span {name}")
            self.sheet.begin("span", span, name, self.spans[span], dict(args))
        self.sheet.begin("segment", (span, number), name, worker(number), args)

    def span_exit(self, event, fields):
        span, number = fields["span_id"], fields["worker_id"]
        self.sheet.end("segment", (span, number), worker(number), self.span_name(event, fields))

    def on_SpanCloseEvent(self, event, fields):
        span = fields["span_id"]
        if span in self.spans:
            self.sheet.end("span", span, self.spans.pop(span))
        else:
            self.sheet.unmatched("span", "?", "spans")

    def span_name(self, event, fields):
        """All that the class says: `crate::module::name:file:line`."""
        return event["name"].split(":", 1)[1]

    # Instants and counters.

    def on_CpuSampleEvent(self, event, fields):
        name = {0: "on cpu", 1: "descheduled here"}.get(fields["source"], "sample")
        self.sheet.instant("sample", name, worker(fields["worker_id"]))

    def on_TaskDumpEvent(self, event, fields):
        self.sheet.instant("task dump", "task dump", f"task {fields['task_id']}")

    def on_QueueSampleEvent(self, event, fields):
        self.sheet.counter("global queue", "runtime", fields["global_queue"])

    def on_AllocEvent(self, event, fields):
        self.live[fields["addr"]] = fields["size"]
        self.sheet.counter("live bytes", "runtime", sum(self.live.values()))

    def on_FreeEvent(self, event, fields):
        if self.live.pop(fields["addr"], None) is not None:
            self.sheet.counter("live bytes", "runtime", sum(self.live.values()))

    def on_ClockSyncEvent(self, event, fields):
        pass  # the trace reaches to it

"""dial9: a Tokio runtime."""

import collections
import dataclasses
import json
import re

from .sheet import Slice
from .table import Base, is_integer

FLOW_NS = 1_000_000
MOST_AT_ONCE = 64

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


# What may be recorded later than it happens.
LATE = ("TaskDumpEvent", "CpuSampleEvent", "ClockSyncEvent", "QueueSampleEvent", "AllocEvent", "FreeEvent")


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


@dataclasses.dataclass(eq=False)
class Poll:
    slice: Slice
    task: int
    stream: object
    number: int  # of the event
    is_detached: bool = False  # another thread is the worker
    doubt: tuple | None = None  # time and stream of an end that may be another's


class Table(Base):
    NEEDS = NEEDS
    IN_PARTS = True

    def prepare(self, events):
        self.polls = collections.defaultdict(list)  # worker -> those that are open
        self.serving = collections.defaultdict(list)  # task -> polls
        self.over = {}  # task -> its state after the poll
        self.woken = set()  # tasks that ever were
        self.first = {}  # stream -> its first time, of events behind those of other streams that are not recorded late
        self.last = None  # the stream of the last event
        self.streams = set()  # that had events
        self.alternates = False  # one had events before and behind those of another
        self.spent, self.thread = {}, {}  # worker -> what was said last
        self.said = {}  # worker -> number of the last event that said its state
        self.spans = {}  # span id -> track of the whole span
        self.spawned = set()
        self.met = set()  # tasks that were spawned, or came otherwise
        self.is_late = False  # a task was there before the trace was
        self.gone = set()  # tasks that ended and were not polled since
        self.instrumented = {}  # task -> whether its wakes are recorded
        self.location = {}  # task -> where it was spawned, by its polls
        self.stretch = {}  # worker -> (begin, CPU time) of an active stretch
        self.live = {}  # address -> bytes

    def event(self, event):
        if self.rule(event.get("name")) is not None and event.get("time") is not None:
            stream, time = self.sheet.stream, event["time"]
            if stream != self.last and event["name"] not in LATE:
                self.first[stream] = min(time, self.first.get(stream, time))
            self.alternates = self.alternates or (stream != self.last and stream in self.streams)
            self.streams.add(stream)
            self.last = stream
        super().event(event)

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
        track = worker(number)
        if sheet.known(track + " state") is None:
            self.say(number, "active")
            self.spent[number] = None
        self.settle(number, True)
        open_ = self.polls[number]
        for poll in open_:
            sheet.doubt(poll.slice)
        is_over = bool(open_) and (open_[-1].slice.lost_at is not None or len(open_) >= MOST_AT_ONCE)
        for poll in reversed(open_ if is_over else []):
            self.leave(poll)
        if is_over:
            open_.clear()
        elif open_:
            open_[-1].is_detached = True
            if self.said.get(number, 0) <= open_[-1].number:
                self.thread[number] = None  # another, which nothing said yet
        name = place(fields.get("spawn_loc"))
        self.location.setdefault(task, name)
        sheet.begin("poll", number, name, track, {"task_id": task}, stacked=not is_over)
        open_.append(Poll(sheet.open["poll", number][-1], task, sheet.stream, sheet.line.events))
        if len(open_) > 1:
            open_[-1].slice.flags.add("overlap_lane")
        self.gone.discard(task)
        self.meet(task)
        pair = sheet.waited("wake -> poll", task, track, {"task_id": task})
        if pair is not None and pair.duration >= FLOW_NS:
            sheet.flow("wake")
        if is_integer(fields.get("local_queue")):
            sheet.counter("local queue", track, fields["local_queue"])
        sheet.state(f"task {task}", f"polling on {track}")
        self.serving[task].append(open_[-1])
        is_instrumented = self.instrumented.get(task, True if task in self.woken else None)
        self.over[task] = "waiting" if is_instrumented else "not running"

    def on_PollEndEvent(self, event, fields):
        number, sheet = fields["worker_id"], self.sheet
        self.settle(number, False)
        open_ = self.polls[number]
        if not open_:
            sheet.end("poll", number, worker(number))
            return
        own = [poll for poll in reversed(open_) if poll.stream == sheet.stream]
        meant = own or [poll for poll in reversed(open_) if self.may_go_on(poll.stream)]
        if not meant:
            sheet.unmatched("poll", "?", worker(number))
            return
        is_one = len(meant) == 1 and bool(own or not meant[0].is_detached and self.said.get(number, 0) <= meant[0].number)
        if is_one and not own and self.is_late:
            sheet.bounds()
            meant[0].slice.may_be_over = True
            meant[0].doubt = sheet.time, sheet.stream
            self.unclear(meant[0])
            return
        if not is_one:
            for poll in meant:
                poll.slice.mixed = poll.slice.may_be_over = True
                self.unclear(poll)
        open_.remove(meant[0])
        sheet.end_one(sheet.open["poll", number], meant[0].slice)
        self.leave(meant[0])

    def settle(self, number, begins):
        """An end that may be another's is the poll's own if its stream goes on with the worker.

        Where streams alternate, each is of a thread, which may have got the worker again.
        """
        sheet = self.sheet
        for poll in [poll for poll in reversed(self.polls[number]) if poll.doubt]:
            time, stream = poll.doubt
            slice = poll.slice
            sheet.doubt(slice)
            is_own = begins and stream == sheet.stream and not self.alternates and sheet.last[slice.track] <= time
            if not is_own and slice.lost_at is not None:
                time = min(time, slice.lost_at)
            sheet.last[slice.track] = time = max(time, slice.begin, sheet.last[slice.track])
            stack = sheet.open["poll", number]
            stack[:] = [one for one in stack if one is not slice]
            sheet.close(slice, time, set() if is_own else {"inferred_end"})
            self.polls[number].remove(poll)

    def meet(self, task):
        self.is_late = self.is_late or task not in self.met
        self.met.add(task)

    def may_go_on(self, stream):
        """Whether the thread of a stream may have that at hand behind it."""
        first, second = stream, self.sheet.stream
        number = lambda one: json.loads(one)[1].get("segment", 0)
        return self.sheet.latest[first] <= self.first.get(second, self.sheet.time) and number(first) < number(second)

    def leave(self, poll):
        """A poll ended, or must have: a wake that fell into it counts from here."""
        if poll.slice.mixed or "across_loss" in poll.slice.flags:
            self.unclear(poll)
        task = poll.task
        if poll not in self.serving[task]:
            return
        self.serving[task].remove(poll)
        if self.serving[task]:
            return
        pair = self.sheet.waits.get(("wake -> poll", task))
        if pair is not None:
            pair.begin = max(pair.begin, self.sheet.time)
        self.sheet.state(f"task {task}", self.over[task] if pair is None else "runnable")

    def unclear(self, poll):
        """Whether it has ended is not known, nor what its task does."""
        if poll not in self.serving[poll.task]:
            return
        self.sheet.state(f"task {poll.task}", None)
        self.cancel(poll.task)

    def cancel(self, task):
        self.serving[task].clear()
        self.sheet.waits.pop(("wake -> poll", task), None)
        self.gone.add(task)

    def on_WakeEventEvent(self, event, fields):
        task = fields["woken_task_id"]
        self.meet(task)
        self.woken.add(task)
        if task in self.gone:
            return
        self.sheet.wait("wake -> poll", task)
        if not self.serving[task]:
            self.sheet.state(f"task {task}", "runnable")

    # Tasks.

    def on_TaskSpawnEvent(self, event, fields):
        task = fields["task_id"]
        # Another one may have had its number.
        self.gone.discard(task)
        self.sheet.begin("task", task, place(fields.get("spawn_loc")), f"life of task {task}", {"task_id": task})
        self.sheet.state(f"task {task}", "spawned")
        if isinstance(fields.get("instrumented"), bool):
            self.instrumented[task] = fields["instrumented"]
        self.spawned.add(task)
        self.met.add(task)
        self.sheet.counter("tasks alive", "tasks", len(self.spawned))

    def on_TaskTerminateEvent(self, event, fields):
        task = fields["task_id"]
        if task in self.spawned or task in self.location:
            self.sheet.end("task", task, f"life of task {task}", self.location.get(task, "?"))
        else:
            self.sheet.unmatched("task", "?", f"life of task {task}")
            self.sheet.seen.add(("task", task))
        self.sheet.state(f"task {task}", None)
        self.cancel(task)
        self.spawned.discard(task)
        self.met.add(task)
        self.location.pop(task, None)
        self.sheet.counter("tasks alive", "tasks", len(self.spawned))

    # Workers.

    def on_WorkerUnparkEvent(self, event, fields):
        number = fields["worker_id"]
        self.say(number, "active", fields)
        self.stretch[number] = fields.get("cpu_time_ns"), fields.get("tid")
        if is_integer(fields.get("sched_wait_ns")):
            self.sheet.counter("sched wait", worker(number), fields["sched_wait_ns"])

    def on_WorkerParkEvent(self, event, fields):
        number = fields["worker_id"]
        self.say(number, "parked", fields)
        (before, thread), after = self.stretch.pop(number, (None, None)), fields.get("cpu_time_ns")
        if thread == fields.get("tid") and is_integer(before) and is_integer(after) and self.sheet.is_shown:
            self.sheet.line.sums[worker(number), "on CPU"] += after - before

    def say(self, number, state, fields=None):
        self.said[number] = self.sheet.line.events
        track = worker(number) + " state"
        cpu, thread = (fields or {}).get("cpu_time_ns"), (fields or {}).get("tid")
        if is_integer(cpu):
            before = self.sheet.known(track)
            is_counted = self.spent.get(number) is not None and self.thread.get(number) == thread
            if before is not None and before.value == state and not is_counted:  # it begins anew
                self.sheet.state(track, None)
            self.spent[number], self.thread[number] = cpu, thread
        self.sheet.state(track, state)

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

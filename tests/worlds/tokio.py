"""A Tokio runtime (tokio_runtime.py) and what dial9's recorder writes of it.

The recorder has one batch, with a header of its own, for each thread and each time that it is flushed; samples stand in a batch of their
own. A clock anchor is written at each rotation.
"""

import collections
import dataclasses
import json
import random

from . import notices, sentences, statements
from .tokio_dial9 import batch
from .tokio_runtime import ADDRESS, FUNCTIONS, SPANS, Event, Runtime
from .truth import BEFORE, OPEN, WHOLE, Counter, Loss, Span, State, Track, Truth, touched

NONE, BEGIN, END, HOLE = "none", "begin", "end", "hole"
LOSSES = (BEGIN, END, HOLE)
VARIANTS = ("plain", "spans", "block_in_place", "samples", "clock", "jobs", "uninstrumented", "places", "two hosts")
SAMPLE = 2 * len(VARIANTS)  # seeds that show each variant whole and with a loss
RARE = (137, 407, 623, 1649)  # further seeds: a thread gets a worker again that it had lost before the trace


def choose_loss(seed):
    """Every second round of the variants loses nothing."""
    turn = seed // len(VARIANTS)
    return LOSSES[(turn // 2 + seed) % len(LOSSES)] if turn % 2 else NONE


def identities(label):
    """The full names of what a label can be called: of a place with and without its column, of a span by path and place."""
    category, _, rest = label.partition(" ")
    if category in ("poll", "task"):
        return [rest, rest.rpartition(":")[0]]
    path, _, place = rest.partition(" ")
    return [path, place, f"{path}:{place}", rest, f"{path} ({place})"]


def called(shown, stack):
    """Whether a stack is shown so: without the kernel's innermost functions, and as addresses where names were lost."""
    return len(shown) <= len(stack) and all(
        text in (name, f"0x{ADDRESS[name]:x}") for text, name in zip(reversed(shown), reversed(stack))
    )


def ends_with(full, short):
    return full == short or full.endswith("/" + short) or full.endswith("::" + short)


def bounds(kept):
    """The times of the first and the last event. Names of addresses are no events of the run."""
    times = [event.time for event in kept if event.name != "SymbolTableEntry"]
    return min(times), max(times)


def recorded(kept):
    """The labels of places that events of the trace name."""
    labels = set()
    for event in kept:
        if "spawn_loc" in event.fields:
            labels |= {f"poll {event.fields['spawn_loc']}", f"task {event.fields['spawn_loc']}"}
        elif event.name.startswith(("SpanEnter:", "SpanExit:")):
            path, _, place = event.name.partition(":")[2].replace("::", "\0").partition(":")
            path = path.replace("\0", "::")
            labels |= {f"span {path} {place}", f"segment {path} {place}"}
    return labels


class World:
    """One run of a runtime and its wall clock."""

    def __init__(self, seed, host="web1", boot="abcd-4242"):
        self.host, self.boot = host, boot
        self.random = random.Random(seed)
        self.variant = VARIANTS[seed % len(VARIANTS)]
        self.runtime = Runtime(self.random, self.variant, self.random.randrange(10**9, 10**13))
        self.other = None
        if self.variant == "two hosts":
            self.other = World(seed - VARIANTS.index(self.variant), "web2", "efgh-17")  # a plain one
        if self.variant == "jobs":
            self.jobs()
        else:
            self.runtime.run(self.random.randrange(120, 400) // (3 if self.other else 1))
            self.anchor()
        self.runtime.events.sort(key=lambda event: event.time)

    def jobs(self):
        """Events that no table is about: jobs of several workers at once, each with its number."""
        rng, runtime = self.random, self.runtime
        self.intervals, number = [], rng.randrange(100)
        for worker in range(rng.randrange(1, 4)):
            now = runtime.started + rng.randrange(100_000)
            for _ in range(rng.randrange(10, 40)):
                now += rng.randrange(1000, 200_000)
                end = now + rng.randrange(1000, 500_000)
                number += 1
                self.intervals.append((now, end))
                fields = {"job": number, "worker": worker}
                runtime.events += [Event(now, "JobStart", fields, worker), Event(end, "JobEnd", fields, worker)]
                now = end

    def anchor(self):
        """Clock anchors at each rotation; between them the wall clock drifts, is set, or the machine is suspended."""
        rng, events = self.random, self.runtime.events
        first, last = min(e.time for e in events), max(e.time for e in events)
        offset = 1_778_000_000_000_000_000 + rng.randrange(10**15)
        times = sorted({first - 10, *(rng.randrange(first, last) for _ in range(rng.randrange(0, 4)))})
        taken = {event.time for event in events}
        self.anchors = []
        for number, time in enumerate(times):
            while time in taken:
                time += 1
            if number:
                offset += rng.choice(
                    (rng.randrange(-900_000, 900_000), 3600 * 10**9 + 7, -rng.randrange(2_000_000, 10**10), rng.randrange(2_000_000, 10**9))
                    if self.variant == "clock"
                    else (0,)
                )
            self.anchors.append((time, offset))
            events.append(Event(time, "ClockSyncEvent", {"realtime_ns": time + offset}, -2))
            entries = (("service", "demo"), ("host", self.host), ("boot_id", self.boot))
            events.append(Event(time, "SegmentMetadataEvent", {"entries": entries}, -2))
        if any(event.name == "CpuSampleEvent" for event in events):
            for address, name in FUNCTIONS.items():
                events.append(
                    Event(last, "SymbolTableEntry", {
                        "addr": address, "size": 0, "symbol_name": name, "inline_depth": 0, "source_file": "", "source_line": 0,
                    }, -3)
                )

    def record(self, folder, loss=NONE):
        if self.other is None:
            return self.record_one(folder, loss)
        truths = [(world.host, world.record_one(folder, NONE)) for world in (self, self.other)]
        tracks = [dataclasses.replace(track, host=host) for host, truth in truths for track in truth.tracks]
        spans = [dataclasses.replace(span, host=host) for host, truth in truths for span in truth.spans]
        one = truths[0][1]
        return dataclasses.replace(
            one, paths=[path for _, truth in truths for path in truth.paths], spans=spans, tracks=tracks,
            hosts=tuple(host for host, _ in truths), trait="two hosts", variant="two hosts, none", parts=(),
            further=lambda command: check_hosts(command, spans),
        )

    def record_one(self, folder, loss):
        rng = random.Random(self.runtime.started)
        events = self.runtime.events
        first, last = events[0].time, events[-1].time
        begin_at = None
        if loss == BEGIN:  # older files were deleted; samples and anchors of that time with them
            begin_at = first + (last - first) * rng.randrange(20, 60) // 100
            events = [event for event in events if event.time >= begin_at]
        # Threads flush at times of their own.
        batches = collections.defaultdict(list)
        length = max(1, (last - first) // rng.randrange(1, 6))

        def batch_of(time, thread):
            return (time - first + thread % 7 * 1000) // length

        # A recording that begins later than the program does not say that no poll from before goes on in a thread without a worker.
        self.is_split = lambda poll: loss == BEGIN and poll.end is not None and batch_of(poll.begin, poll.thread.tid) != batch_of(poll.end, poll.thread.tid)
        for event in events:
            batches[batch_of(event.time, event.thread), event.thread].append(event)
        order = sorted(batches, key=lambda key: (key[0], key[1] % 5))
        framed = [batch(batches[key]) for key in order]
        kept, lost, data, broken, known = [], [], [], None, 0
        if loss in (END, HOLE):
            large = [i for i, one in enumerate(framed) if sum(e is not None for _, e in one) > 2]
            if loss == END:  # what a thread wrote last
                large = [i for i in large if order[i][0] == order[-1][0]] or large[-1:]
            broken = rng.choice(large or [None])
            if loss == END and broken is not None:
                framed.append(framed.pop(broken))
                broken = len(framed) - 1
        for number, one in enumerate(framed):
            places = [i for i, (_, event) in enumerate(one) if event]
            cut = rng.choice(places[1:]) if number == broken else len(one)
            data += [frame for frame, _ in one[:cut]]
            if cut < len(one):
                data.append(one[cut][0][:2] if loss == END else b"\xee" * 7)
                known = max(event.time for _, event in one[:cut] if event)
            kept += [event for _, event in one[:cut] if event]
            lost += [event for _, event in one[cut:] if event]
        path = folder / f"{self.host}.bin"
        path.write_bytes(b"".join(data))
        losses, doubt = [], []
        if lost:
            # A reader knows where the loss begins. Until when events are missing from that batch nothing says.
            losses.append(Loss(None, known, max(e.time for e in lost)))
            doubt = [Loss(None, known, last)]
        if begin_at is not None:
            losses.append(Loss(None, first, begin_at, declared=False))
        return self.truth(path, kept, losses, doubt or losses, loss)

    def truth(self, path, kept, losses, doubt, how):
        runtime = self.runtime
        begin, end = bounds(kept)
        classes = collections.Counter(event.name for event in kept)
        traits = {"block_in_place": "workers handed over", "uninstrumented": "tasks without wakes"}
        common = {
            "trait": traits.get(self.variant, ""), "losses": losses, "variant": f"{self.variant}, {how}",
            "exits": (0, 4) if how in (END, HOLE) else (0,),
        }
        if self.variant == "jobs":
            intervals = set(self.intervals)
            return Truth(
                [path], [], [], begin, end, len(kept), dict(classes), unchecked=lambda label: True,
                further=lambda command: check_jobs(command, intervals), **common,
            )
        spans = self.spans(end)
        seen = []
        if how == BEGIN:
            spans += self.from_the_begin(spans, kept, begin)
        for span in spans:
            if span.end is not None and span.end < begin or span.begin > end:
                continue
            since = span.task if isinstance(span.task, int) else span.begin
            sure = span.sure and not touched(since, span.end or end, doubt)
            fate, until, since = span.fate, span.end, span.begin
            if until is not None and until > end:
                fate, until = OPEN, None
            if since < begin:
                fate, sure = BEFORE, False
            seen.append(dataclasses.replace(span, sure=sure, fate=fate, begin=since, end=until))
        named = recorded(kept)
        labels = {span.label for span in spans if span.kind == "wait" or span.label in named}

        def means(label):
            if label in labels:
                return (label,)
            if label in ("poll", "span", "segment", "task"):
                return tuple(sorted(name for name in labels if name.startswith(label + " ")))
            category, _, short = label.partition(" ")
            return tuple(
                sorted(
                    name for name in labels
                    if name.startswith(category + " ") and any(ends_with(full, short) for full in identities(name))
                )
            )

        return Truth(
            [path], seen, self.tracks(kept, doubt), begin, end, len(kept), dict(classes), counters=self.counters(kept, losses),
            means=means, judge=lambda truth, answer: self.judge(answer), witness=lambda truth, answer: self.witness(answer),
            further=lambda command: self.further(command, kept), ask=("poll", "wake -> poll"), **common,
        )

    def from_the_begin(self, spans, kept, begin):
        """Of what had been asked for, or entered, before the trace began, the first event in it is all that is known."""
        result = []
        for span in spans:
            if span.end is None or span.end < begin:
                continue
            if span.kind == "wait":
                task, during = span.by
                since = span.begin if during is None else during.begin
                times = [e.time for e in kept if e.name == "WakeEventEvent" and e.fields["woken_task_id"] == task]
            elif span.label.startswith("span "):
                since = span.begin
                times = [e.time for e in kept if e.name.startswith("SpanEnter:") and e.fields["span_id"] == span.by]
            else:
                continue
            times = [time for time in times if since < time < span.end]
            if since < begin and times:
                result.append(dataclasses.replace(span, begin=min(times), sure=False))
        return result

    def uncertain(self):
        """Polls whose end may be that of another, as one of them went on without its worker, or may have."""
        polls = self.runtime.polls
        result = {id(poll) for poll in polls if self.is_split(poll)}
        for poll in polls:
            if poll.handed_over:
                result.add(id(poll))
                until = poll.end if poll.end is not None else 1 << 64
                result.update(id(p) for p in polls if p.worker == poll.worker and p.begin < until and (p.end or 1 << 64) > poll.begin)
        return result

    def spans(self, end):
        runtime, unsure = self.runtime, self.uncertain()
        result = []
        before = {}
        for poll in runtime.polls:
            task = poll.task
            result.append(
                Span("slice", f"poll {task.place}", poll.begin, poll.end, WHOLE if poll.end else OPEN, id(poll) not in unsure,
                     f"worker {poll.worker}", by=poll)
            )
        for task, asked, served, worker, during in runtime.waits:
            # Whether a wake is the first one is known from the poll before.
            earlier = max((p.begin for p in runtime.polls if p.task is task and p.begin < served), default=task.spawned_at)
            sure = task.instrumented and (during is None or id(during) not in unsure)
            sure = sure and not any(id(p) in unsure for p in runtime.polls if p.task is task and p.begin == earlier)
            if task.instrumented:
                result.append(
                    Span("wait", "wake -> poll", asked, served, WHOLE, sure, f"worker {worker}", task=earlier, by=(task.number, during))
                )
        for task in runtime.tasks:
            # What is asked for and not served at the end goes on as a state of the task.
            result.append(
                Span("slice", f"task {task.place}", task.spawned_at, task.terminated_at, WHOLE if task.terminated_at else OPEN)
            )
        for kind, index, begin, until, number in runtime.slices:
            result.append(Span("slice", f"{kind} {' '.join(SPANS[index])}", begin, until, by=number))
        for number, begin in runtime.entered.items():
            result.append(Span("slice", f"segment {' '.join(SPANS[runtime.open_spans[number][0]])}", begin, None, OPEN))
        for index, begin in runtime.open_spans.values():
            result.append(Span("slice", f"span {' '.join(SPANS[index])}", begin, None, OPEN))
        return result

    def tracks(self, kept, losses):
        runtime, unsure = self.runtime, self.uncertain()
        tracks = []
        begin, end = bounds(kept)
        spawned, woken = set(), {}
        for event in kept:
            if event.name == "TaskSpawnEvent":
                spawned.add(event.fields["task_id"])
            elif event.name == "WakeEventEvent":
                woken[event.fields["woken_task_id"]] = min(event.time, woken.get(event.fields["woken_task_id"], event.time))
        for task in runtime.tasks:
            states, doubtful = [], False
            # What a task did when the trace began is known from its first poll on; until then a wake tells no more than itself.
            first = begin
            if losses and not losses[0].declared:
                first = min((p.begin for p in runtime.polls if p.task is task and p.begin >= begin), default=end)
            for since, until, name in task.timeline.pieces(task.spawned_at, end):
                if name.startswith("polling"):
                    poll = next(p for p in runtime.polls if p.task is task and p.begin == since)
                    doubtful = id(poll) in unsure
                    words = (f"polling on worker {poll.worker}",)
                elif name == "ending":  # the poll goes on for a moment after the task is over
                    words, doubtful = (*words, "ended", "terminated"), True
                elif name == "new":
                    words = ("runnable", "spawned")
                elif not task.instrumented:  # what it does between polls is not recorded
                    words = (name, "not running")
                elif task.number not in spawned and since < woken.get(task.number, end):
                    words = (name, "not running")  # nor whether it is of those whose wakes are
                else:
                    words = (name,)
                sure = not doubtful and (task.instrumented or name == "new" or name.startswith("polling"))
                known = max(since, begin)
                if known < first and until > known:
                    states.append(State((*words, "runnable", "waiting"), known, min(until, first), False))
                    known = first
                if until > known:
                    states.append(State(words, known, until, sure and not touched(begin if losses else known, until, losses)))
            if first > begin and (not states or states[-1].end < first):  # over before it began, and woken all the same
                states.append(State(("runnable",), states[-1].end if states else begin, end, False))
            if states or begin <= task.spawned_at <= end:
                tracks.append(Track(f"task {task.number}", "task", states))
        for worker in runtime.workers:
            pieces = worker.timeline.pieces(begin, end)
            states = [State((name,), a, b, not losses) for a, b, name in pieces]
            if states and states[0].begin > begin:
                states.insert(0, State(("active",), begin, states[0].begin, False))
            tracks.append(Track("state", "worker state", states, parent=f"worker {worker.number}"))
        return tracks

    def counters(self, kept, losses):
        result = []
        polls = sorted((e for e in kept if e.name == "PollStartEvent"), key=lambda e: e.time)
        for worker in self.runtime.workers:
            values = [e.fields["local_queue"] for e in polls if e.fields["worker_id"] == worker.number]
            if values:
                result.append(
                    Counter("local queue", len(values), min(values), max(values), values[-1], not losses, f"worker {worker.number}")
                )
        return result

    def poll_of(self, answer):
        return next((p for p in self.runtime.polls if p.begin == answer["begin"] and answer["name"].startswith("poll ")), None)

    def judge(self, answer):
        poll = self.poll_of(answer)
        if poll is None or poll.end is None:
            return None
        so = answer["so"]
        why = "futex" if "futex" in so else "sleep" if "nanosleep" in so else "preempted" if "took the processor" in so else None
        time = sum(until - since for what, since, until in poll.off if what == why)
        if why and time * 2 < poll.end - poll.begin:
            return so, f"so for {time} of {poll.end - poll.begin}; off the processor {[(w, b - a) for w, a, b in poll.off]}"
        return None

    def witness(self, answer):
        """Samples are evidence of a poll only if they are of the thread that ran it."""
        poll = self.poll_of(answer)
        if poll is None or poll.end is None:
            return
        for sample in answer["samples"]:
            if sample["track"] != f"worker {poll.worker}" or not poll.begin <= sample["first"] <= poll.end:
                continue
            mine = [
                s for s in self.runtime.samples
                if s[1] == poll.thread.tid and poll.begin <= s[0] <= poll.end and (s[3] == 0) == ("on cpu" in sample["name"])
                and called(sample["stack"], s[4])
            ]
            if sample["count"] > len(mine):
                yield (
                    "samples of another thread", f"{sample['count']} {sample['name']} in {answer['name']} from {answer['begin']}",
                    f"{len(mine)} of thread {poll.thread.tid}",
                )

    def further(self, command, kept):
        self.check_clock(command, kept)
        self.check_spent(command, kept)
        self.check_samples(command)
        statements.check_pictures(command)
        if command.truth.events % 3 == 0:  # each gate is a command
            statements.check_gates(command)

    def check_samples(self, command):
        """Asks about a poll while a thread that was its worker before is sampled."""
        truth = command.truth
        if truth.lossy:
            return
        for time, tid, worker, _, _, _ in self.runtime.samples:
            poll = next(
                (p for p in self.runtime.polls if p.worker == worker and p.end and p.begin < time < p.end and p.thread.tid != tid), None
            )
            if poll is None or poll.handed_over:
                continue
            answer = statements.asked(command, "poll", "--at", f"+{poll.begin - truth.begin}ns")
            if answer and answer["found"] and answer["begin"] == poll.begin and answer["duration"] == poll.end - poll.begin:
                for kind, said, true in self.witness(answer):
                    command.say(f"why: {kind}", said, true)
            return

    def check_clock(self, command, kept):
        """Each anchor is at its own time; between two, the clock drifts or was set at the later one."""
        anchors = sorted((e.time, e.fields["realtime_ns"] - e.time) for e in kept if e.name == "ClockSyncEvent")
        answer = command.json("info") if anchors else None
        if not answer or "utc" not in answer:
            return
        for which, time in (("first", command.truth.begin), ("last", command.truth.end)):
            low, high = wall(anchors, time)
            if not low <= answer["utc"][which] <= high:
                command.say(f"clock: utc of the {which} event", answer["utc"][which], (low, high))
        result = command.run("print", "--clock", "wall", "--output", "jsonl")
        self.check_clock_notices(command, anchors, result.stderr.decode(errors="replace"))
        output = result.stdout
        worst = None
        for line in output.decode().splitlines():
            event = json.loads(line)
            said, text = event.get("time"), event
            if event.get("event") != "ClockSyncEvent" and event.get("name") != "ClockSyncEvent":
                continue
            want = (event.get("fields") or {}).get("realtime_ns")
            if want is not None and isinstance(said, int) and said != want:
                worst = worst or (said, want)
        if worst:
            command.say("clock: an anchor at another time", *worst)

    @staticmethod
    def check_clock_notices(command, anchors, text):
        """Where the wall clock made a step, and whether durations are of another clock, is said, and not elsewhere."""
        table = sentences.table(command.binary)
        found = notices.said(table, text)
        for name, times in notices.of_wall_clock(anchors).items():
            if len(found.get(name, ())) != times:
                command.say(f"clock: {name}", found.get(name, "nothing"), f"{times} of them")
        said = notices.said(table, command.run("latency", "--clock", "wall").stderr.decode(errors="replace"))
        if ("notice/clock-drift" in said) != notices.drifts(anchors):
            command.say("clock: notice/clock-drift", said.get("notice/clock-drift", "nothing"), anchors)

    def check_spent(self, command, kept):
        """CPU time of a worker between unpark and park is the difference of one thread's counter, never of two.

        Where others were the worker meanwhile, its counter has what it did beside that too, and may be left out.
        """
        if command.truth.lossy:
            return
        answer = command.json("latency", "--top", "0")
        open_, spent, perhaps, others = {}, collections.Counter(), collections.Counter(), collections.Counter()
        for event in sorted(kept, key=lambda e: e.time):
            if event.name == "WorkerUnparkEvent":
                open_[event.fields["worker_id"]] = event.fields
                others[event.fields["worker_id"]] = 0
            elif event.name == "PollStartEvent":
                worker = event.fields["worker_id"]
                others[worker] += worker in open_ and open_[worker]["tid"] != event.thread
            elif event.name == "WorkerParkEvent":
                before = open_.pop(event.fields["worker_id"], None)
                if before and before["tid"] == event.fields["tid"]:
                    of = perhaps if others[event.fields["worker_id"]] else spent
                    of[event.fields["worker_id"]] += event.fields["cpu_time_ns"] - before["cpu_time_ns"]
        for row in (answer or {}).get("tracks", ()):
            if row["group"] != "worker state":
                continue
            for state in row["states"]:
                number = int(row["parent"].split()[-1])
                if state["name"] == "active" and "spent" in state:
                    known = spent[number]
                    what = f"{row['parent']}: active, on CPU"
                    statements.bounds(command, "worker state: CPU time", what, state["spent"], known, known + perhaps[number])


def wall(anchors, time):
    """Bounds of the wall clock's time."""
    before = [a for a in anchors if a[0] <= time]
    after = [a for a in anchors if a[0] > time]
    if not before or not after:
        offset = (before[-1] if before else after[0])[1]
        return time + offset, time + offset
    a, b = before[-1][1], after[0][1]
    if abs(b - a) > 1_000_000:
        return time + a, time + a
    return time + min(a, b), time + max(a, b)


def check_hosts(command, spans):
    """Workers and tasks of two processes are two. How their times relate is another matter: durations alone are compared."""
    answer = command.json("latency", "--top", "0")
    if answer:
        statements.check_tracks(command, answer)
    true = collections.Counter((s.kind, s.label.split()[0], s.duration) for s in spans if s.fate == WHOLE)
    for line in command.run("query", "--output", "jsonl", "spans").stdout.decode().splitlines():
        row = json.loads(line)
        if "answer" in row:
            continue
        key = (row["kind"], row.get("category") or row["name"].split()[0], row["duration"])
        true[key] -= 1
        if true[key] < 0:
            command.say(f"{row['kind']}: a duration that no host had", f"{row['name']} for {row['duration']} on {row['track']}", "none")


def check_jobs(command, intervals):
    """A pair is of one job. To have no figure is right too."""
    said = collections.Counter()
    for line in command.run("query", "--output", "jsonl", "spans").stdout.decode().splitlines():
        row = json.loads(line)
        if "answer" in row or "Job" not in row["name"]:
            continue
        key = (row["time"], row["time"] + row["duration"])
        said[key] += 1
        if key not in intervals or said[key] > 1:
            command.say("pairs by name: of different jobs", f"{row['name']} from {key[0]} to {key[1]}", "no job did")
            return

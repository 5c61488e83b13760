"""A real-time kernel (rtos_kernel.py), written as Tonbandgerät (rtos_tband.py) and as Zephyr's CTF (rtos_zephyr.py)."""

import collections
import dataclasses
import json
import random

from . import statements
from .rtos_kernel import MUTEX, QUEUE, Event, Kernel, Object
from .rtos_tband import ISR_NAMES, TBAND_CLASSES, frame, tband_frames
from .rtos_zephyr import encoded, metadata, zephyr_class
from .truth import BEFORE, CUT, OPEN, WHOLE, Counter, Loss, Span, State, Track, Truth, overlap, sure_parts, touched

NONE, BEGIN, END, DROP = "none", "begin", "end", "drop"
TBAND = ("tband one core", "tband two cores, one stream", "tband two cores, two files", "tband equal names")
ZEPHYR = (
    "zephyr hooks", "zephyr no hooks", "zephyr wraps", "zephyr two cpus, none said", "zephyr two cpus, payload",
    "zephyr two cpus, context", "zephyr time falls",
)
VARIANTS = TBAND + ZEPHYR
SAMPLE = 2 * len(VARIANTS)  # seeds that show each variant whole and with a loss


def choose_loss(seed):
    """Every second round of the variants loses nothing."""
    turn = seed // len(VARIANTS)
    ways = (DROP, BEGIN, DROP, END) if VARIANTS[seed % len(VARIANTS)] in TBAND else (BEGIN, END)
    return ways[(turn // 2 + seed) % len(ways)] if turn % 2 else NONE


# Words that are true of a thread that waits for something, and of one that does not run for a reason that nobody recorded.
NOT_RUNNING = ("not running", "not running (reason not recorded)", "not running, reason not recorded")
BLOCKED = ("blocked", "pending", "waiting", *NOT_RUNNING)


class World:
    def __init__(self, seed):
        self.random = rng = random.Random(seed)
        self.variant = VARIANTS[seed % len(VARIANTS)]
        self.zephyr = self.variant in ZEPHYR
        cores = 2 if "two" in self.variant else 1
        kernel = Kernel(
            rng, cores, equal_names=self.variant == "tband equal names", zephyr=self.zephyr,
            slow=self.variant in ("zephyr wraps", "zephyr time falls"),
        )
        kernel.run(rng.randrange(100, 400))
        self.see(kernel)
        self.hooks = self.variant not in ("zephyr no hooks", "zephyr time falls") and (cores == 1 or rng.random() < 0.5)

    def see(self, kernel):
        """What is recorded of a kernel's events: also a queue's level behind each of its events."""
        self.kernel, self.events = kernel, kernel.events
        levels = {o.number: 1 if o.kind == MUTEX else 0 for o in self.kernel.objects}
        for event in self.events:
            if event.name in ("took", "gave", "gave_isr"):
                levels[event.fields["thing"].number] += -1 if event.name == "took" else 1
                event.fields["level"] = levels[event.fields["thing"].number]

    def record(self, folder, loss=NONE):
        return (self.record_zephyr if self.zephyr else self.record_tband)(folder, loss, random.Random(len(self.events)))

    # Tonbandgerät.
    def record_tband(self, folder, loss, rng):
        scale = rng.choice((1, 1, 25))
        events = [e for e in self.events if e.name in TBAND_CLASSES]
        first, last = events[0].time, events[-1].time
        doubt, losses, extra = [], [], collections.Counter()
        files = 2 if "two files" in self.variant else 1
        if loss == BEGIN:
            since = first + (last - first) * rng.randrange(20, 60) // 100
            events = [e for e in events if e.time >= since]
            losses = doubt = [Loss(None, first * scale, since * scale, declared=False)]
        if loss != BEGIN and rng.random() < 0.7:
            events, losses = self.drop(events, rng, scale, loss == DROP)
            doubt = losses
        metadata = [frame(0x02, scale)]
        for task in self.kernel.tasks:
            metadata.append(frame(0x5F, task.number, task.name.encode()))
            metadata.append(frame(0x7A, 0, task.number, b"work"))
        for core in self.kernel.cores:
            metadata.append(frame(0x60, core.idle.number, core.number))
        for thing in self.kernel.objects:
            metadata += [frame(0x64, thing.number, thing.name.encode()), frame(0x65, thing.number, bytes([thing.kind]))]
        # Names of interrupts are those of the core that writes them.
        isr_names = [frame(0x03, number, name.encode()) for number, name in ISR_NAMES.items()]
        classes = collections.Counter(
            ["ts_resolution_ns"] + ["task_name", "task_evtmarker_name"] * len(self.kernel.tasks)
            + ["task_is_idle_task"] * len(self.kernel.cores) + ["queue_name", "queue_kind"] * len(self.kernel.objects)
            + ["isr_name"] * len(ISR_NAMES) * len(self.kernel.cores)
        )
        streams, core, named = [[] for _ in range(files)], [None] * files, set()
        for event in events:
            where = event.core if files == 2 else 0
            if files == 1 and len(self.kernel.cores) > 1 and core[0] != event.core:
                streams[0].append((frame(0x00, event.time, event.core), Event(event.time, "core", {}, event.core)))
                core[0] = event.core
            if event.core not in named:
                named.add(event.core)
                streams[where] += [(one, None) for one in isr_names]
            for place, one in enumerate(tband_frames(event)):
                streams[where].append((one, event if place == 0 else None))
                classes[TBAND_CLASSES[event.name][place]] += 1
        classes["core_id"] = sum(e is not None and e.name == "core" for s in streams for _, e in s)
        if not classes["core_id"]:
            del classes["core_id"]
        exits = (0,)
        if loss == END:
            stream = rng.choice([s for s in streams if len(s) > 20] or [streams[0]])
            cut = rng.randrange(len(stream) // 2, len(stream))
            # The first frame of an event; what tells its core is cut with it.
            while stream[cut][1] is None or stream[cut - 1][1] is not None and stream[cut - 1][1].name == "core":
                cut -= 1
            gone = {id(e) for _, e in stream[cut:] if e is not None}
            for one, event in stream[cut:]:
                if event is not None:
                    for name in TBAND_CLASSES[event.name]:
                        classes[name] -= 1
            known = max((e.time for _, e in stream[:cut] if e is not None), default=first)
            stream[cut:] = [(stream[cut][0][:-1], None)]
            events = [e for e in events if id(e) not in gone]
            exits = (0, 4)
            losses = doubt = [Loss(None, known * scale, max(e.time for e in events) * scale)]
        paths = []
        for number, stream in enumerate(streams):
            path = folder / f"core{number}.bin"
            path.write_bytes((b"".join(metadata) if number == 0 else b"") + b"".join(one for one, _ in stream))
            paths.append(f"{path}@{number}" if files == 2 else path)
        return self.truth(
            paths, events, losses, doubt, classes, scale, loss, exits=exits, means=lambda label: (label,),
            further=self.further, judge=lambda truth, answer: self.ran_instead(answer, scale),
        )

    def further(self, command):
        statements.check_pictures(command)
        if command.truth.events % 3 == 0:  # each gate is a command
            statements.check_gates(command)
        if not command.truth.losses:
            self.explain(command)
        decoded = statements.picture(command)
        marks = sum(s.name == "events dropped" for s in decoded.slices) if decoded else 0
        grown = sum(loss.events is not None for loss in command.truth.losses)
        if marks > grown:
            command.say("perfetto: a drop counter that did not grow is a mark", marks, grown)

    def ran_instead(self, answer, scale):
        """The task that ran on the processor while another one was ready."""
        so = answer["so"]
        wait = next((w for w in self.kernel.waits if w[1] * scale == answer["begin"]), None)
        if " ran on the same processor" not in so or wait is None:
            return None
        _, asked, served, core = wait
        who = so.split(" ran on")[0].split("(")[0].strip()
        time = sum(b - a for a, b, task in self.kernel.ran[core].pieces(asked, served) if who in (task.name, self.unique(task)))
        return (so, f"{who} ran for {time} of {served - asked}") if time * 2 < served - asked else None

    def drop(self, events, rng, scale, losing):
        """A buffer that is full drops events and counts them, of all cores together.

        Of tband.c, handle_trace_evt: before an event the count is written if it has changed since this core wrote it last, else
        every some events. So what was dropped lies behind the last event of any core.
        """
        kept, losses, count, before = [], [], 0, events[0].time
        written = dict.fromkeys((core.number for core in self.kernel.cores), 0)
        places = sorted(rng.sample(range(20, max(21, len(events) - 10)), min(rng.randrange(1, 4), max(1, len(events) - 40))))
        gone = set()
        for place in places if losing else ():
            gone |= set(range(place, min(len(events) - 2, place + rng.randrange(1, 12))))
        said = 0
        for place, event in enumerate(events):
            if place in gone:
                count += 1
                continue
            if place and place % 15 == 0 or count != written[event.core]:
                kept.append(Event(event.time, "dropped", {"count": count}, event.core))
                written[event.core] = count
                if count > said:
                    losses.append(Loss(None, before * scale, event.time * scale, count - said))
                    said = count
            kept.append(event)
            before = event.time
        return kept, losses

    # Zephyr.
    def record_zephyr(self, folder, loss, rng):
        variant = self.variant
        events = [e for e in self.events if zephyr_class(e) and (self.hooks or e.name not in ("ready", "pending"))]
        shift = 0
        if variant == "zephyr wraps":  # begins shortly before a wrap
            shift = (1 << 32) - rng.randrange(1, 2_000_000)
        if variant == "zephyr time falls":  # 10 ns a cycle of a 32-bit counter
            shift = 10 * (1 << 32) - (events[-1].time + events[0].time) // 2
        first, last = events[0].time, events[-1].time
        losses = []
        if loss == BEGIN:
            since = first + (last - first) * rng.randrange(20, 60) // 100
            events = [e for e in events if e.time >= since]
            losses = [Loss(None, first + shift, since + shift, declared=False)]
        if events[0].time + shift >= 1 << 32:  # how often a counter had wrapped before the trace is nowhere
            cycle = (10 if variant == "zephyr time falls" else 1) << 32
            less = (events[0].time + shift) // cycle * cycle
            shift -= less
            losses = [dataclasses.replace(one, begin=one.begin - less, end=one.end - less) for one in losses]
        wide = variant == "zephyr time falls" or "two" in variant and rng.random() < 0.5
        payload, context = "payload" in variant, "context" in variant
        (folder / "metadata").write_text(metadata(wide, payload, context), encoding="utf-8")
        data, classes = [], collections.Counter()
        for event in events:
            name = zephyr_class(event)
            time = event.time + shift
            if not wide:
                time %= 1 << 32
            elif variant == "zephyr time falls":
                time %= 10 * (1 << 32)
            data.append(encoded(event, time, wide, payload, context))
            classes[name] += 1
        exits = (0,)
        if loss == END:
            cut = rng.randrange(len(events) // 2, len(events))
            for event in events[cut:]:
                classes[zephyr_class(event)] -= 1
            data = data[:cut] + [data[cut][:4]]
            events, exits = events[:cut], (0, 4)
        (folder / "channel0_0").write_bytes(b"".join(data))
        return self.truth(
            [folder], events, losses, losses, classes, 1, loss, shift=shift, exits=exits,
            further=lambda command: (self.check_holds(command, shift), statements.check_pictures(command)),
        )

    # What is true.
    def truth(self, paths, events, losses, doubt, classes, scale, how, shift=0, **more):
        begin, end = events[0].time, events[-1].time
        spans, tracks = [], []

        def time(value):
            return value * scale + shift

        def span(kind, label, since, until, sure=True, ended=False):
            """As far as the trace reaches. `ended`: with its task."""
            if since > end or until is not None and until < begin:
                return
            fate = CUT if ended else WHOLE
            if until is None or until > end:
                fate, until = OPEN, None
            if since < begin:
                fate, sure = BEFORE, False
            until = None if until is None else time(until)
            spans.append(
                Span(kind, label, time(since), until, fate, sure and not touched(time(since), until or time(end), doubt))
            )

        self.spans(span, how == NONE)
        tracks = self.tracks(begin, end, time, doubt)
        classes = {name: count for name, count in classes.items() if count}
        return Truth(
            paths, spans, tracks, time(begin), time(end), sum(classes.values()), classes, losses=losses,
            counters=[] if self.zephyr else self.counters(events, doubt), unchecked=self.unchecked,
            trait=self.trait(), variant=f"{self.variant}{', hooks' if self.zephyr and self.hooks else ''}, {how}", **more,
        )

    def unchecked(self, label):
        """When in the call a mutex is free nothing says: check_holds allows all of it."""
        # A marker of a task is called by its number as long as it is not known which task runs.
        return label.startswith("hold ") or label == "task marker 0"

    def check_holds(self, command, shift):
        output = command.run("query", "--output", "jsonl", "spans").stdout
        known = collections.defaultdict(dict)
        for thing in self.kernel.objects:
            for begin, end in thing.locked:
                known[f"mutex {thing.number:#x}"][begin + shift] = None if end is None else end + shift
        for line in output.decode().splitlines():
            row = json.loads(line)
            if row.get("category") != "hold":
                continue
            end = known[row["name"]].get(row["time"])
            said = row["time"] + row["duration"]
            if end is None or not end <= said <= end + 20:  # the call's own code
                command.say("hold: a duration that is not true", f"{row['name']} from {row['time']} to {said}", end or "no such hold")

    def trait(self):
        if "falls" in self.variant:
            return "a time that falls"
        if self.zephyr:
            return "Zephyr, two processors" if "two" in self.variant else "Zephyr"
        return "equal names" if "equal" in self.variant else ""

    def spans(self, span, current):
        """`current`: whether the current task is known, of which markers are."""
        kernel = self.kernel
        several = len(kernel.cores) > 1
        told_apart = not self.zephyr or not several or "context" in self.variant
        for core, number, begin, end in kernel.isrs:
            span("slice", "isr isr" if self.zephyr else f"isr {ISR_NAMES[number]}", begin, end, told_apart)
        for core in kernel.cores:
            for number, begin in core.isrs:
                span("slice", "isr isr" if self.zephyr else f"isr {ISR_NAMES[number]}", begin, None, told_apart)
        if not self.zephyr:
            for task, asked, served, core in kernel.waits:
                if not task.idle:  # which is always ready, and waits for nothing
                    span("wait", "ready -> run", asked, served)
            for task, begin, end in kernel.markers:
                span("slice", "task marker work", begin, end, current)
            for task in kernel.tasks:
                if task.marker is not None:
                    span("slice", "task marker work", task.marker, task.deleted_at, current, ended=task.deleted_at is not None)
            return
        for task, thing, begin, blocked, end in kernel.calls:
            name = "mutex_lock" if thing.kind == MUTEX else "semaphore_take"
            if blocked == "give":
                span("slice", f"call {'mutex_unlock' if thing.kind == MUTEX else 'semaphore_give'}", begin, end, told_apart)
                continue
            span("slice", f"call {name}", begin, end, told_apart)
            if blocked is not None:
                span("slice", f"blocking {name}", blocked, end, told_apart)
        for task in kernel.tasks:
            if task.giving:
                thing, begin = task.giving
                span("slice", f"call {'mutex_unlock' if thing.kind == MUTEX else 'semaphore_give'}", begin, None, told_apart)
            if task.call:
                name = "mutex_lock" if task.call[0].kind == MUTEX else "semaphore_take"
                span("slice", f"call {name}", task.call[1], None, told_apart)
                if task.call[2] is not None:
                    span("slice", f"blocking {name}", task.call[2], None, told_apart)

    def unique(self, task):
        same = [t for t in self.kernel.tasks if t.name == task.name]
        return task.name if len(same) == 1 else f"{task.name} {task.number}"

    def words(self, value, task):
        """Of a piece of a task's time line."""
        thing = value[-1] if isinstance(value[-1], Object) else None
        names = tuple(word for word in value if isinstance(word, str))
        if "deleted" in names:
            names += ("destroyed", "exited", "terminated")
        if thing is not None:
            kinds = [o for o in self.kernel.objects if o.name == thing.name]
            told = names[-1]
            names += (f"{told} {thing.number}", f"{told} (queue {thing.number})", f"{told} ({thing.number})")
            if len(kinds) > 1 and not self.zephyr:
                names = tuple(word for word in names if word != told) + (told,)
        if not self.zephyr:
            # Each suspends itself.
            whom = (task.name, self.unique(task), f"{task.name} ({task.number})", "?") if "suspended" in names else ()
            return names + tuple(f"suspended by {name}" for name in whom)
        result = []
        for name in names:
            if name.startswith("blocked") or name == "delay":
                result += BLOCKED if name.startswith("blocked") else NOT_RUNNING + ("sleeping", "waiting", "blocked")
                if thing is not None:
                    result += ["blocked: " + c for c in ("mutex_lock", "semaphore_take", "take")] + list(names)
            elif name == "runnable" and not self.hooks:
                result += ["runnable", *NOT_RUNNING]
            elif name == "created":
                result += ["created", "runnable", *NOT_RUNNING]
            elif name in ("suspended", "deleted"):  # what it is was said before the trace began
                result += [name, *NOT_RUNNING]
            elif name == "running" and task.idle:
                result += ["running", "idle"]
            else:
                result.append(name)
        return tuple(dict.fromkeys(result))

    def tracks(self, begin, end, time, doubt):
        kernel, tracks = self.kernel, []
        for task in kernel.tasks:
            states = []
            known, before = False, None
            for since, until, value in task.timeline.pieces(begin, end):
                # Events name the task that is switched in or made ready. What the current task does is known if that is.
                named = value[0] == "running" and value[1:] == () or value[0] in ("created", "runnable") and before != "running"
                # Who gives a priority back is reported ready though it runs; that it does may be what was dropped last.
                if not self.zephyr and value[0] == "runnable" and any(one.end == time(since) for one in doubt):
                    named = False
                known = named and since in task.timeline.times or known and since != begin
                parts = sure_parts(time(since), time(until), doubt) if known else [(time(since), time(until), False)]
                known = known and parts[-1][2]
                before_this, before = before, value[0]
                # Without hooks nothing says when a thread becomes ready.
                clear = not self.zephyr or value[0] != "created" and (self.hooks or value[0] == "running")
                clear = clear and "deleted" not in value
                names = self.words(value, task)
                # A thread that is switched out without pending is pre-empted or sleeps, and k_sleep has no hook. Which
                # of both it was shows later; what it does not do is known at once.
                if self.zephyr and value[0] == "runnable" and before_this == "running":
                    names += NOT_RUNNING
                # Where an idle task runs nothing does, and it has no states of its own.
                clear = clear and (self.zephyr or not task.idle)
                states += [State(names, a, b, sure and clear) for a, b, sure in parts]
            # What is made or ended by the last event is shown in no state, or in one that takes no time.
            if not states and task.timeline.times and task.timeline.times[0] <= end:
                states.append(State(self.words(task.timeline.at(end), task), time(end), time(end), False))
            if states:
                tracks.append(Track(task.name, "task", states, tid=task.number))
        for core in kernel.cores:
            states = []
            for since, until, task in kernel.ran[core.number].pieces(begin, end):
                names = (self.unique(task), f"{task.name} ({task.number})")
                if task.idle:
                    names += ("idle",)
                sure = not doubt and since >= min((t for t in kernel.ran[core.number].times if t >= begin), default=end)
                states.append(State(names, time(since), time(until), sure))
            if not self.zephyr:
                tracks.append(Track("running", "core state", states, parent=f"core {core.number}"))
            elif len(kernel.cores) == 1:
                tracks.append(Track("running", "cpu state", states))
        if not self.zephyr:
            for thing in kernel.objects:
                if thing.kind != MUTEX:
                    continue
                states = []
                for since, until, holder in thing.holds.pieces(begin, end):
                    words = ("available",) if holder == "available" else (f"taken by {self.unique(holder)}",)
                    if doubt and holder != "available":
                        words += ("taken by ?",)  # no event names who takes it: it is the current task, which may not be known
                    states.append(State(words, time(since), time(until), not doubt))
                if states and states[0].begin > time(begin):
                    states.insert(0, State(("available",), time(begin), states[0].begin, False))
                if states:
                    tracks.append(Track(thing.name, "mutex", states, tid=thing.number))  # with its number, where two have one name
        return tracks

    def counters(self, events, doubt):
        values = collections.defaultdict(list)
        for event in events:
            if event.name in ("took", "gave", "gave_isr"):
                values[f"{event.fields['thing'].name}: length"].append(event.fields["level"])
            elif event.name in ("created", "inherit", "disinherit"):
                values[f"{event.fields['task'].name}: priority"].append(event.fields["priority"])
        names = collections.Counter([o.name for o in self.kernel.objects] + [t.name for t in self.kernel.tasks])
        return [
            Counter(name, len(v), min(v), max(v), v[-1], not doubt) for name, v in values.items() if names[name.split(":")[0]] == 1
        ]

    # Why a task was blocked.
    def explain(self, command):
        kernel, truth = self.kernel, command.truth
        scale = truth.begin // self.events[0].time if self.events[0].time else 1
        for name in sorted({o.name for o in kernel.objects}):
            verb = "receive" if any(o.name == name and o.kind == QUEUE for o in kernel.objects) else "take"
            state = f"blocked: {verb} {name}"
            pieces = [
                (task, since * scale, until * scale, value[-1])
                for task in kernel.tasks
                for since, until, value in task.timeline.pieces(self.events[0].time, self.events[-1].time)
                if value[0] == state
            ]
            if not pieces:
                continue
            answer = statements.asked(command, state)
            if not answer or not answer["found"]:
                command.say("why: no such state found", state, f"{len(pieces)} of them")
                continue
            begin, end = answer["begin"], answer["begin"] + answer["duration"]
            # It may be said to begin when the task says so, some ticks before it is switched out.
            mine = [p for p in pieces if p[2] == end and begin <= p[1] and p[1] - begin <= 40 * scale]
            if not mine:
                command.say("why: a state that was not", f"{state} from {begin} for {answer['duration']}", [p[1:3] for p in pieces[:3]])
                continue
            self.judge(command, answer, *mine[0], scale)

    def judge(self, command, answer, task, begin, end, thing, scale):
        for piece in answer["held"]:
            since, until = piece["begin"], piece["begin"] + piece["duration"]
            if not piece["name"].startswith("taken by "):
                continue
            holds = [
                (a * scale, b * scale) for a, b, who in thing.holds.pieces(0, self.events[-1].time)
                if who != "available" and piece["name"] in (f"taken by {self.unique(who)}", f"taken by {who.name}")
            ]
            if not any(a <= since and until <= b for a, b in holds):
                command.say("why: held by who did not", f"{piece['name']} {piece['track']} from {since} for {piece['duration']}", holds[:3])
        so = answer.get("so")
        if not so:
            return
        length = end - begin
        median = answer.get("median")
        if median and answer["duration"] <= 2 * median:
            command.say("why: a conclusion at the median", so, f"median {median}")
        if " held " in so:
            who = so.split(" held ")[0]
            time = sum(
                overlap(begin, end, a * scale, b * scale) for a, b, holder in thing.holds.pieces(0, self.events[-1].time)
                if holder != "available" and who.endswith((self.unique(holder), holder.name))
            )
            if time * 2 < length - 80 * scale:
                command.say("why: a wrong conclusion", so, f"{who} held it for {time} of {length}")
        if "inversion" in so:
            holders = [
                holder for a, b, holder in thing.holds.pieces(0, self.events[-1].time)
                if holder != "available" and overlap(begin, end, a * scale, b * scale) * 2 >= length
            ]
            true = any(self.inverted(holder, task, begin, end, scale) for holder in holders)
            if not true:
                command.say("why: an inversion that was none", so, [(t.name, t.base) for t in (task, *holders)])

    def inverted(self, holder, task, begin, end, scale):
        """The holder was ready, and what ran instead of it was less urgent than the task that waits."""
        time = 0
        for since, until, value in holder.timeline.pieces(0, self.events[-1].time):
            if value != ("runnable",):
                continue
            for core in holder.cores:
                for a, b, other in self.kernel.ran[core].pieces(since, until):
                    if other is not holder and other.base < task.base:
                        time += overlap(begin, end, a * scale, b * scale)
        return time * 2 >= end - begin

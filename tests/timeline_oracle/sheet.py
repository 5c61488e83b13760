"""What the tables write on: begins and ends become slices here, by the rules of disorder."""

import collections
import dataclasses

# Slices and pairs with one of these are counted, and are in no quantile and no sum.
OUTSIDE = frozenset(("began_before", "across_loss", "inferred_end", "open_at_end", "negative", "clock_step", "gone"))
# A clock that goes back by more starts a new section, where events come as they were recorded.
SECTION_NS = 1_000_000_000
SECTIONS = 256
LANES = 64


@dataclasses.dataclass
class Slice:
    rule: str
    name: str
    track: str
    begin: int
    end: int
    flags: set = dataclasses.field(default_factory=set)
    args: dict = dataclasses.field(default_factory=dict)
    lost_at: int | None = None  # while it is open: where a loss made its end doubtful
    mixed: bool = False  # while it is open: which end is its own is not known
    may_be_over: bool = False  # when the trace ends
    wanders: bool = False  # it may end in any stream, whatever its track is of
    inner: int = 0  # of its duration, what slices directly within it take

    @property
    def duration(self):
        return self.end - self.begin

    @property
    def is_whole(self):
        return not self.flags & OUTSIDE


class Pair(Slice):
    """From a cause to its effect; `track` is where the effect is."""

    is_shown_open = False  # when the trace ends without the effect
    is_awaited = True  # somebody waits for the effect
    is_doubtful = False  # nothing was known of who waits
    waiter = None  # then: its track
    order = 0  # of the event


@dataclasses.dataclass
class Unclear:
    """What an event says of a track of which nothing is known, and that may be nothing new."""

    kind: str  # "runs": it may run on `cpu`; "repeats": it may have been so before; "again": the next event says nothing
    task: object
    cpu: object = None
    value: str = ""
    time: int = 0
    stream: object = None
    is_lost: bool = False
    order: int = 0  # of the event
    lost_at: int | None = None  # the first begin of what was lost since


@dataclasses.dataclass
class State:
    track: str
    value: str
    begin: int
    end: int
    flags: set = dataclasses.field(default_factory=set)
    stream: object = None  # while it goes on: the only one that can end it; None: others can too
    lost_at: int | None = None  # while it goes on: where a loss made it doubtful, behind all times so far


@dataclasses.dataclass
class Timeline:
    tables: list = dataclasses.field(default_factory=list)
    events: int = 0
    # times of the first and the last event, whether they mean something or not
    begin: int | None = None
    end: int | None = None
    slices: list = dataclasses.field(default_factory=list)
    pairs: list = dataclasses.field(default_factory=list)
    states: list = dataclasses.field(default_factory=list)
    # (rule, name) -> count
    instants: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unmatched: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    # (name, track) -> values in order
    counters: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))
    # rule -> count
    flows: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    # (track, what) -> ns, beside what states and slices say
    sums: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    has_pairs: bool = False  # events are paired by their names
    losses: int = 0
    problems: int = 0
    clock_steps: int = 0
    sections: int = 0


class Sheet:
    """The state of one interpretation. `at` says which event is being looked at."""

    def __init__(self):
        self.line = Timeline()
        self.time = None
        self.stream = None
        self.open = collections.defaultdict(list)  # (rule, key) -> slices, outermost first
        self.seen = set()  # (rule, key) that had a begin or an end
        self.interleaving = set()  # rules of which slices of one key were open on several tracks
        self.wandering = set()  # rules of which one ended on another track than it began on
        self.waits = {}  # (rule, key) -> Pair, not finished
        self.state_of = {}  # track -> State
        self.last = {}  # track -> time of its last mark
        self.tracks_of = collections.defaultdict(set)  # stream -> tracks that had a mark of it
        self.streams = set()
        self.environment = {}  # of the trace
        self.last_event = None
        self.last_time = None  # of the event at hand, or the one before that has one
        self.latest = {}  # stream -> time of its latest event in this section
        self.steps = collections.Counter()  # stream -> how often its clock went far back
        self.marked_by = {}  # track -> the stream of its last mark
        self.packet_begins = {}  # stream -> begin of its first packet, or None
        self.losing = {}  # stream -> (begin, latest end) of what is being lost
        self.losing_since = None  # the first begin, since anything is
        self.lossy = set()  # streams of which something is missing; None: of all
        self.unclear = {}  # track -> Unclear
        self.ran = {}  # track -> order of the last event that showed that it had run
        self.order = 0  # of the event at hand
        self.tables = ()
        self.in_order = False  # a clock goes back only where it begins anew
        self.cut = None  # nothing is shown that is over before

    # Where an event stands.

    def at(self, time, stream, is_nominal=False):
        """`is_nominal`: the time is not one at which the event happened."""
        self.time, self.stream = time, stream
        self.order += 1
        self.streams.add(stream)
        if time is not None:
            self.last_event = time
        if time is not None and not is_nominal:
            self.last_time = time
            if self.line.begin is None:
                self.line.begin = self.line.end = time

    @property
    def is_shown(self):
        return self.cut is None or self.time >= self.cut

    def bounds(self, is_clock=True):
        """The event at hand means something: the trace reaches to it. `is_clock`: it says what its clock showed."""
        line = self.line
        if self.time is None:
            return
        self.pass_losses()
        line.begin, line.end = min(line.begin, self.time), max(line.end, self.time)
        latest = self.latest.get(self.stream, self.time)
        if is_clock and latest - self.time > (0 if self.in_order else SECTION_NS) and line.sections < SECTIONS:
            self.section(latest)
            latest = self.time
        self.latest[self.stream] = max(latest, self.time)

    def moment(self, track, is_clock=True):
        """The time of a mark on a track, and the flags it gets: time on a track does not go back."""
        self.bounds(is_clock)
        time, flags = self.time, set()
        last = self.last.get(track)
        if last is not None and time < last:
            self.line.clock_steps += 1
            time, flags = last, {"clock_step"}
        self.last[track] = time
        self.tracks_of[self.stream].add(track)
        self.marked_by[track] = self.stream
        return time, flags

    # Marks.

    def begin(self, rule, key, name, track, args=None, stacked=False, mixes=False):
        """`mixes`: which of several that are open an end is of, is not known."""
        time, flags = self.moment(track)
        stack = self.open[rule, key]
        for old in stack:
            self.doubt(old)
        mixed = mixes and bool(stack) and stack[-1].lost_at is None
        if mixed:
            stack[-1].mixed = True
        elif not stacked:
            while stack:
                old = stack.pop()
                self.close(old, time if old.lost_at is None else old.lost_at, {"inferred_end"})
        stack.append(Slice(rule, name, track, time, time, flags, args or {}))
        stack[-1].mixed = mixed
        self.seen.add((rule, key))

    def begin_on_track(self, rule, key, name, track):
        """Of several that are open of a key, an end is of what began on its track."""
        of_rule = (rule, key[0])
        self.bounds()
        stack = self.open[rule, key]
        before = list(stack)
        for old in before:
            self.doubt(old)
        is_lost = bool(before) and before[-1].lost_at is not None
        self.begin(rule, key, name, track, stacked=not is_lost)
        stack[-1].wanders = True
        if is_lost or not before:
            return
        if any(one.track != track for one in before):
            self.interleaving.add(of_rule)
        alike = [one for one in before if one.track == track or of_rule in self.wandering]
        for one in (*alike, stack[-1]) if alike else ():
            one.mixed = True

    def end_on_track(self, rule, key, track, name):
        of_rule = (rule, key[0])
        self.bounds()
        stack = self.open[rule, key]
        if not stack:
            return self.end(rule, key, track, name)
        own = next((one for one in reversed(stack) if one.track == track), None)
        if own is not None:
            is_known = len(stack) == 1 or of_rule not in self.wandering
        else:
            is_known = len(stack) == 1 and of_rule not in self.interleaving and not self.line.sections
            self.wandering.add(of_rule)
        if not is_known:
            for one in stack:
                one.mixed = True
        return self.end_one(stack, own or stack[-1])

    def doubt_open(self, rule, prefix):
        """An end without a begin in its stream may be of any that is open, or of none. Whether there is one."""
        if self.line.sections or self.lossy:
            return False
        found = [one for (of, key), stack in self.open.items() if of == rule and key[0] == prefix for one in stack]
        for one in found:
            one.mixed = one.may_be_over = True
        return bool(found)

    def begin_once(self, rule, key, name, track):
        """What is open goes on, and its duration is not known."""
        stack = self.open[rule, key]
        if stack:
            self.doubt(stack[-1])
            if stack[-1].lost_at is None:
                stack[-1].mixed = True
                return
        self.begin(rule, key, name, track)

    def end(self, rule, key, track, name="?", args=None):
        """The slice that ended, or None."""
        stack = self.open[rule, key]
        if stack and stack[-1].mixed:
            return self.end_one(stack, stack[-1])
        time, flags = self.moment(track)
        if stack:
            slice = stack.pop()
            slice.args.update(args or {})
            self.doubt(slice)
            return self.close(slice, time, flags)
        if (rule, key) in self.seen or self.line.sections or self.lossy:
            self.line.unmatched[rule, name] += self.is_shown
            return None
        self.seen.add((rule, key))
        return self.close(Slice(rule, name, track, min(self.line.begin, time), time, {"began_before"}, args or {}), time, flags)

    def end_one(self, stack, slice):
        """One of those that are open of a key ends."""
        stack[:] = [one for one in stack if one is not slice]
        if not slice.mixed:
            time, flags = self.moment(slice.track)
            self.doubt(slice)
            return self.close(slice, time, flags)
        self.bounds()
        self.doubt(slice)
        time = self.time if slice.lost_at is None else min(self.time, slice.lost_at)
        self.last[slice.track] = time = max(time, slice.begin, self.last[slice.track])
        return self.close(slice, time, {"inferred_end"})

    def end_all(self, rule, key):
        """What is open ends because its task did."""
        for slice in reversed(self.open.pop((rule, key), [])):
            time = max(self.time, slice.begin, self.last[slice.track])
            self.last[slice.track] = time
            self.close(slice, time, {"gone"})
            self.seen.add((rule, key))

    def unmatched(self, rule, name, track):
        self.moment(track)
        self.line.unmatched[rule, name] += self.is_shown

    def close(self, slice, time, flags):
        slice.flags |= flags
        if time < slice.begin:
            slice.flags.add("negative")
            time = slice.begin
        slice.end = time
        self.line.slices.append(slice)
        return slice

    def whole(self, rule, name, track, duration, args=None):
        """A slice that one event tells all of."""
        self.moment(track, is_clock=False)
        slice = Slice(rule, name, track, self.time, self.time, set(), args or {})
        self.close(slice, self.time + duration, set())
        self.line.begin, self.line.end = min(self.line.begin, slice.begin), max(self.line.end, slice.end)

    def state(self, track, value, is_of_stream=False):
        """None: from here on it is unknown. A value that is repeated changes nothing.

        `is_of_stream`: only events of the stream at hand can end it.
        """
        self.bounds()
        old = self.known(track)
        time, flags = self.moment(track)
        # A task that is put on another processor goes on.
        if None not in (old, value) and old.value != value and old.value.startswith("running on ") and value.startswith("running on "):
            if not flags | old.flags:
                old.value = value
        if old is not None and old.value != value:
            self.close_state(track, time)
        if value is not None and (old is None or old.value != value):
            self.state_of[track] = State(track, value, time, time, flags)
        if value is not None:
            self.state_of[track].stream = self.stream if is_of_stream else None

    def known(self, track):
        """The state of a track, or None."""
        state = self.state_of.get(track)
        if state is not None and state.lost_at is not None:
            self.close_state(track, max(self.last[track], min(state.lost_at, self.line.end)))
            return None
        if state is not None:
            for stream, (begin, _) in list(self.losing.items()):
                if self.is_touched(track, stream, state.stream):
                    begin = min(self.lost_from(track, stream, begin, state.stream), self.line.end)
                    self.close_state(track, max(self.last[track], begin))
                    return None
        return state

    def state_before(self, track, value):
        """What a track with nothing on it yet was in since the stream at hand began, if that is known."""
        since = self.packet_begins.get(self.stream)
        if track in self.last or since is None or self.lossy & {None, self.stream} or self.line.sections:
            return
        self.bounds()
        since = max(since, self.line.begin)
        if since < self.time:
            self.state_of[track] = State(track, value, since, since, set())

    # What is not clear yet.

    def note_unclear(self, track, one):
        """Nothing is known of the track."""
        if track not in self.unclear:
            one.time, one.stream, one.is_lost, one.order = self.time, self.stream, bool(self.losing), self.order
            self.unclear[track] = one

    def settle(self, track):
        """It was new."""
        one = self.unclear.pop(track, None)
        if one is not None:
            self.put_clear(track, one)

    def put_clear(self, track, one):
        if one.kind == "again" or one.kind == "runs" and (one.is_lost or self.losing):
            return
        if self.known(track) is not None or one.time < self.last.get(track, one.time):
            return
        self.last[track] = one.time
        self.tracks_of[one.stream].add(track)
        self.state_of[track] = State(track, one.value, one.time, one.time, set())
        if one.lost_at is not None:
            self.close_state(track, max(one.time, one.lost_at))

    def wait_in_doubt(self, rule, key, track):
        """A cause of which it is not known whether who waits for the effect ran. The first that may count does."""
        pair = self.waits.get((rule, key))
        if pair is not None and "across_loss" not in pair.flags and not self.losing and not self.ran_since(track, pair):
            return
        self.waits.pop((rule, key), None)
        self.wait(rule, key)
        self.waits[rule, key].is_doubtful = True
        self.waits[rule, key].waiter = track

    def ran_since(self, track, pair):
        return pair.is_doubtful and self.ran.get(track, -1) >= pair.order

    def drop_wait(self, rule, key, track):
        """There was no cause, as is known by now."""
        pair = self.waits.get((rule, key))
        if pair is not None and self.ran_since(track, pair):
            del self.waits[rule, key]

    def end_unclear(self, rule, key):
        """What is open ends, for how long it lasted is not known."""
        stack = self.open[rule, key]
        while stack:
            slice = stack.pop()
            self.doubt(slice)
            time = self.time if slice.lost_at is None else min(self.time, slice.lost_at)
            self.last[slice.track] = time = max(time, slice.begin, self.last[slice.track])
            self.close(slice, time, {"inferred_end"})

    def give(self, rule, key, own):
        """What is open of a key is of another one, if that has nothing open; else nobody knows."""
        stack = self.open[rule, own]
        for slice in stack:
            self.doubt(slice)
        if stack and self.open[rule, key] and stack[-1].lost_at is not None:
            self.end_unclear(rule, own)
        if self.open[rule, key] and not self.open[rule, own]:
            self.open[rule, own] = self.open.pop((rule, key))
            self.seen.add((rule, own))
        else:
            self.end_unclear(rule, key)

    def close_state(self, track, time, flags=()):
        state = self.state_of.pop(track)
        state.end = max(time, state.begin)
        state.flags |= set(flags)
        self.line.states.append(state)

    def instant(self, rule, name, track):
        self.moment(track)
        self.line.instants[rule, name] += self.is_shown

    def counter(self, name, track, value):
        self.moment(track)
        if self.is_shown:
            self.line.counters[name, track].append(value)

    def flow(self, rule):
        self.line.flows[rule] += self.is_shown

    # Pairs: they are on no track, so nothing is clamped.

    def wait(self, rule, key, is_last=False, is_shown_open=False, name=None, is_awaited=True):
        """A cause: of several that have no effect yet the first one counts, or the last."""
        if is_last or (rule, key) not in self.waits:
            self.waits[rule, key] = Pair(rule, name or rule, "", self.time, self.time)
            self.waits[rule, key].order = self.order
            self.waits[rule, key].is_shown_open = is_shown_open
            self.waits[rule, key].is_awaited = is_awaited

    def waited(self, rule, key, track, args=None):
        """The effect: the pair, or None when there was no cause."""
        pair = self.waits.pop((rule, key), None)
        if pair is not None:
            pair.track, pair.end, pair.args = track, self.time, args or {}
            if self.losing:
                pair.flags.add("across_loss")
            if pair.end < pair.begin:
                pair.flags.add("negative")
                pair.end = pair.begin
            self.line.pairs.append(pair)
        return pair

    # Disorder.

    def is_touched(self, track, stream, only=None):
        """Whether what is on a track may have been in what is lost of a stream, or of all (None)."""
        if stream is None:
            return True
        if only is not None:
            return only == stream
        return track in self.tracks_of[stream] or not any(table.is_of_stream(track) for table in self.tables)

    def doubt(self, slice):
        """It is open, and its end may be in what is being lost."""
        for stream, (begin, _) in self.losing.items():
            if slice.wanders or self.is_touched(slice.track, stream):
                slice.flags.add("across_loss")
                if slice.lost_at is None:
                    slice.lost_at = max(slice.begin, self.lost_from(slice.track, stream, begin, wanders=slice.wanders))

    def loss(self, stream, begin, end=None):
        """Something is missing of a stream until its next event, or an end that is later, or of all (None), since `begin`."""
        if stream in self.losing:
            self.end_loss(stream)
        if begin is None:
            begin = self.latest.get(stream, self.time) if stream is not None else None
        if stream is not None:
            earlier = [one for one in (begin, self.losing_since if self.losing else None) if one is not None]
            self.losing_since = min(earlier, default=None)
            self.losing[stream] = (begin, end)
        self.forget(stream, begin)

    def pass_losses(self):
        for stream, (begin, end) in list(self.losing.items()):
            if stream is None:
                continue
            is_over = end is None or end <= self.time if stream == self.stream else end is not None and end < self.time
            if is_over:
                self.end_loss(stream)

    def lose_rest(self, begin):
        """From now on anything may be missing, until the trace ends."""
        if None not in self.losing:
            self.losing_since = begin if self.losing_since is None or not self.losing else min(begin, self.losing_since)
            self.losing[None] = (begin, None)
            self.forget(None, begin)

    def end_loss(self, stream):
        begin, _ = self.losing.pop(stream)
        self.forget(stream, begin)

    def forget(self, stream, begin):
        for stack in self.open.values():
            for slice in stack:
                if slice.wanders or self.is_touched(slice.track, stream):
                    slice.flags.add("across_loss")
                    if slice.lost_at is None:
                        slice.lost_at = max(slice.begin, self.lost_from(slice.track, stream, begin, wanders=slice.wanders))
        for track, state in list(self.state_of.items()):
            if self.is_touched(track, stream, state.stream):
                since = self.lost_from(track, stream, begin, state.stream)
                if state.lost_at is not None:
                    since = min(since, state.lost_at)
                if since > self.line.end:
                    state.lost_at = since
                else:
                    self.close_state(track, max(self.last[track], since))
        for pair in self.waits.values():
            pair.flags.add("across_loss")
        for one in self.unclear.values():
            one.is_lost = True
            if begin is not None and one.kind == "repeats":
                one.lost_at = begin if one.lost_at is None else min(begin, one.lost_at)

    def lost_from(self, track, stream, begin, only=None, wanders=False):
        """Where losses of several streams overlap, the first begin counts for what any of them may have been about."""
        if begin is None:
            return self.last[track]
        is_of_stream = not wanders and any(table.is_of_stream(track) for table in self.tables)
        if None in (stream, self.losing_since) or only is not None or is_of_stream:
            return begin
        return min(begin, self.losing_since)

    def section(self, latest):
        """The clock of the stream at hand went far back: what is open on its tracks ends where it was.

        Where one clock is that of all streams, all began anew.
        """
        self.line.sections += 1
        streams = {self.stream} | (self.latest.keys() if any(table.ONE_CLOCK for table in self.tables) else set())
        latest = max(latest, *(self.latest.get(one, latest) for one in streams))
        tracks = set().union(*(self.tracks_of[one] for one in streams))
        for one in streams:
            self.steps[one] += 1
            self.latest[one] = min(self.latest.get(one, self.time), self.time)
        for of_stream in self.tracks_of.values():
            of_stream -= tracks
        for stack in self.open.values():
            for slice in [one for one in stack if one.track in tracks]:
                stack.remove(slice)
                self.close(slice, max(latest, self.last[slice.track]), {"inferred_end"})
        for track in tracks:
            if track in self.state_of:
                self.close_state(track, max(latest, self.last[track]))
            self.last.pop(track, None)
            self.unclear.pop(track, None)
        for pair in self.waits.values():
            if pair.is_awaited and not self.ran_since(pair.waiter, pair):
                pair.end = max(latest, pair.begin)
                pair.flags.add("clock_step")
                self.line.pairs.append(pair)
        self.waits.clear()
        for table in self.tables:
            table.began_anew(self.stream)

    def end_of(self, track):
        """What goes on where a clock went far back ends with what came behind that, of streams whose clocks did so as often."""
        steps = self.steps[self.marked_by.get(track)]
        if not steps:
            return self.line.end
        return min(self.line.end, max(time for stream, time in self.latest.items() if self.steps[stream] == steps))

    def finish(self):
        if self.last_time is not None:
            self.line.end = max(self.line.end, self.last_time)
        end = self.line.end
        for stream in list(self.losing):
            self.end_loss(stream)
        for stack in self.open.values():
            for slice in stack:
                self.close(slice, max(self.end_of(slice.track), slice.begin), {"inferred_end" if slice.may_be_over else "open_at_end"})
        for track in list(self.state_of):
            if self.known(track) is not None:
                self.close_state(track, max(self.end_of(track), self.last.get(track, end)), {"open_at_end"})
        for pair in self.waits.values():
            if pair.is_shown_open:
                pair.end = max(end, pair.begin)
                pair.flags.add("open_at_end")
                self.line.pairs.append(pair)
        lanes(self.line.slices)
        if self.cut is not None:
            self.show(self.line, self.cut)
        return self.line

    @staticmethod
    def show(line, cut):
        """Leaves out what is over before the cut; of a state what lies before it."""
        line.slices = [one for one in line.slices if one.end >= cut]
        line.pairs = [one for one in line.pairs if one.end >= cut]
        line.states = [one for one in line.states if one.end >= cut]
        for state in line.states:
            state.begin = max(state.begin, cut)
        for counts in (line.instants, line.unmatched, line.flows):
            for key in [key for key, count in counts.items() if not count]:
                del counts[key]


def lanes(slices):
    """Flags `overlap_lane` what does not nest in the first lane of its track, and `dropped` what fits in none of them.

    Says of the others what is directly within them.
    """
    tracks = collections.defaultdict(list)
    for slice in slices:
        tracks[slice.track].append(slice)
    for track in tracks.values():
        track.sort(key=lambda one: (one.begin, -one.end))
        open_of = []  # of each lane, outermost first
        for slice in track:
            for lane in range(LANES):
                if lane == len(open_of):
                    open_of.append([])
                stack = open_of[lane]
                while stack and stack[-1].end <= slice.begin:
                    stack.pop()
                if not stack or slice.end <= stack[-1].end:
                    if stack:
                        stack[-1].inner += slice.duration
                    stack.append(slice)
                    if lane:
                        slice.flags.add("overlap_lane")
                    break
            else:
                slice.flags.add("dropped")

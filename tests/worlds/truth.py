"""What is true of a trace: slices, waits, states of tasks, counters and losses. Times are ns of the trace's clock.

`sure` is true where the trace records enough to know it: nothing that was lost could have touched it. What is not
sure may be left out by a reader, but what the reader says of it must still be true.
"""

import bisect
import dataclasses
import typing

WHOLE, OPEN, BEFORE, CUT, UNKNOWN = "whole", "open", "before", "cut", "unknown"


@dataclasses.dataclass(frozen=True)
class Span:
    """A slice or a wait."""

    kind: str  # "slice" or "wait"
    label: str  # as a row of `latency` says it: category and name, of a wait its name
    begin: int | None  # None: before the trace
    end: int | None  # None: it has not ended
    fate: str = WHOLE  # OPEN: not ended at the end; BEFORE: begun before the trace; CUT: its thread ended within it;
    # UNKNOWN: one end is not recorded, and it may be said or not that there was such a thing
    sure: bool = True
    track: str | None = None  # as the reader shows it; None: not compared
    host: str | None = None
    task: object = None  # for judges of conclusions
    by: object = None  # who served or held it
    own: int | None = None  # of its duration, what was in no slice inside; None: not compared

    @property
    def duration(self):
        return self.end - self.begin


@dataclasses.dataclass(frozen=True)
class State:
    """What a task did from `begin` to `end`."""

    names: tuple[str, ...]  # all words that are true of it; the first is the usual one
    begin: int
    end: int
    sure: bool = True


@dataclasses.dataclass
class Track:
    """The states of a task, or what ran on a processor."""

    name: str
    group: str  # as `latency` calls it, such as "task"
    states: list[State]
    host: str | None = None
    tid: int | None = None  # as Perfetto's task states call it
    parent: str | None = None  # where several tracks share a name


@dataclasses.dataclass(frozen=True)
class Counter:
    """Values of a counter that the trace records."""

    name: str
    count: int
    least: float
    most: float
    last: float
    sure: bool = True
    parent: str | None = None


@dataclasses.dataclass(frozen=True)
class Loss:
    """What was lost of one data stream. `begin` and `end` bound where: what lies within could have been touched."""

    stream: object
    begin: int
    end: int
    events: int | None = None  # None: how many is not recorded
    packets: int = 0
    declared: bool = True  # the trace says so; false: it can only be guessed from where streams end
    host: str | None = None  # where several are recorded

    @property
    def is_reported(self):
        """Whether a data stream says so. What damage costs nothing says."""
        return self.declared and (self.stream is not None or self.events is not None or self.packets > 0)

    def is_within(self, begin, end, host=None):
        """Whether something may be missing between these times, of a host if that is given."""
        return self.begin < end and begin < self.end and host in (None, self.host)


@dataclasses.dataclass
class Truth:
    """All that is known of one trace, or of traces that are read together."""

    paths: list
    spans: list[Span]
    tracks: list[Track]
    begin: int  # time of the first event
    end: int  # time of the last event
    events: int
    classes: dict[str, int]  # events of each class
    counters: list[Counter] = dataclasses.field(default_factory=list)
    losses: list[Loss] = dataclasses.field(default_factory=list)
    hosts: tuple[str, ...] = ()  # of more than one, tracks must name theirs
    last_begin: int | None = None  # time at which the last event begins, where events have durations
    clocks_of_hosts: bool = False  # they have clocks of their own, which count from 1970
    # Labels of rows that the world does not know and does not check.
    unchecked: typing.Callable = lambda label: False
    # Asked of each answer of `why` that has a conclusion: (truth, answer) → (said, true) where it is false, else None.
    judge: typing.Callable = lambda truth, answer: None
    # Asked of each answer of `why`: (truth, answer) → [(kind, said, true)] of evidence that is none.
    witness: typing.Callable = lambda truth, answer: ()
    # The labels of spans that a label in an answer can mean, as answers shorten places; no more than one may be added up.
    means: typing.Callable = lambda label: (label,)
    # Checks that only one family has: (command) → None.
    further: typing.Callable = lambda command: None
    options: tuple = ()  # of the command, as --table
    parts: tuple[str, ...] | None = None  # of statements.check that make sense; None: all
    exits: tuple[int, ...] = (0,)  # of a damaged trace also 4
    ask: tuple[str, ...] = ()  # names for `why --longest`; empty: some of the spans'
    variant: str = ""  # for people: which recorder, which kernel
    trait: str = ""  # what is unusual about the whole trace; kinds of false statements about it are kinds of their own

    @property
    def lossy(self):
        return bool(self.losses)

    def unnoticed(self):
        """Where a stream has ended and nothing says that it went on: up to a hundredth of the time so far later it may have
        ended as all do (docs/timeline.md)."""
        return [
            (loss.begin, loss.begin + (loss.begin - self.begin) // 99 + 1)
            for loss in self.losses
            if not loss.declared and loss.stream is not None
        ]


def quantile(values, share):
    """By nearest rank, of a sorted list."""
    return values[max(0, -(-len(values) * round(share * 1000) // 1000) - 1)]


def total(intervals):
    return sum(end - begin for begin, end in intervals)


def overlap(a_begin, a_end, b_begin, b_end):
    return max(0, min(a_end, b_end) - max(a_begin, b_begin))


def touched(begin, end, losses, streams=None):
    """Whether any of `losses`, of `streams` if they are given, reaches into [begin, end]."""
    return any(
        loss.begin <= end and begin <= loss.end and (streams is None or loss.stream in streams) for loss in losses
    )


def sure_parts(begin, end, losses, streams=None):
    """The part of [begin, end] up to the first loss within it, and what follows: [(begin, end, sure)]."""
    first = min(
        (
            max(begin, loss.begin)
            for loss in losses
            if loss.begin < end and begin < loss.end and (streams is None or loss.stream in streams)
        ),
        default=end,
    )
    parts = [(begin, first, True), (first, end, False)]
    return [part for part in parts if part[1] > part[0]]


class Timeline:
    """One value over time, as set by a simulator: `set` at rising times, `pieces` as [(begin, end, value)]."""

    def __init__(self):
        self.times, self.values = [], []

    def set(self, time, value):
        self.times.append(time)
        self.values.append(value)

    def at(self, time):
        place = bisect.bisect_right(self.times, time) - 1
        return self.values[place] if place >= 0 else None

    def pieces(self, begin, end):
        """Joined where the value goes on, cut to [begin, end]; without those whose value is None."""
        result = []
        for place, value in enumerate(self.values):
            since = max(begin, self.times[place])
            until = min(end, self.times[place + 1] if place + 1 < len(self.times) else end)
            if until <= since or value is None:
                continue
            if result and result[-1][1] == since and result[-1][2] == value:
                result[-1] = (result[-1][0], until, value)
            else:
                result.append((since, until, value))
        return result

"""The checks of worlds find what is planted: one fact of a world's truth is changed, and then the true answer must be called false.

A check that finds nothing would let every answer pass. Each change stands for a kind of mistake.
"""

import collections
import dataclasses
import pathlib
import tempfile
import unittest

import worlds
from command import BIN
from worlds import truth as t
from worlds.statements import check


def replaced(values, place, **more):
    return [*values[:place], dataclasses.replace(values[place], **more), *values[place + 1 :]]


def some_span(truth, kind):
    """The place of a span that is whole, sure and of a name that is checked."""
    return next(
        i for i, s in enumerate(truth.spans)
        if s.kind == kind and s.sure and s.fate == t.WHOLE and not truth.unchecked(s.label) and s.duration > 1
    )


def some_state(truth, group):
    """The places of a track and of a state in it that is sure and lasts."""
    return next(
        (i, j) for i, track in enumerate(truth.tracks) if track.group == group
        for j, state in enumerate(track.states) if state.sure and state.end - state.begin > 10
    )


def with_state(truth, group, **more):
    place, state = some_state(truth, group)
    track = truth.tracks[place]
    return dataclasses.replace(truth, tracks=replaced(truth.tracks, place, states=replaced(track.states, state, **more)))


def end_of_a_span(kind):
    def change(truth):
        place = some_span(truth, kind)
        return dataclasses.replace(truth, spans=replaced(truth.spans, place, end=truth.spans[place].end + 1))

    return change


def without_a_span(kind):
    def change(truth):
        place = some_span(truth, kind)
        return dataclasses.replace(truth, spans=truth.spans[:place] + truth.spans[place + 1 :])

    return change


def one_more_span(kind):
    def change(truth):
        return dataclasses.replace(truth, spans=[*truth.spans, truth.spans[some_span(truth, kind)]])

    return change


def never_ended(kind):
    def change(truth):
        return dataclasses.replace(truth, spans=replaced(truth.spans, some_span(truth, kind), end=None, fate=t.OPEN))

    return change


def another_name(truth):
    place = some_span(truth, "slice")
    return dataclasses.replace(truth, spans=replaced(truth.spans, place, label="poll of/another.rs:1"))


def another_state(group):
    return lambda truth: with_state(truth, group, names=("dancing",))


def another_time(truth):
    return dataclasses.replace(truth, begin=truth.begin + 1)


def another_counter(truth):
    return dataclasses.replace(truth, counters=replaced(truth.counters, 0, most=truth.counters[0].most + 1))


def another_class(truth):
    return dataclasses.replace(truth, classes={**truth.classes, next(iter(truth.classes)): 0})


def a_loss(truth):
    middle = (truth.begin + truth.end) // 2
    return dataclasses.replace(truth, losses=[t.Loss(None, middle, middle, 5)])


def all_samples_of_another(truth):
    return dataclasses.replace(truth, witness=lambda truth, answer: [("evidence", "all of it", "none")])


SLICES = {
    "a slice is longer": end_of_a_span("slice"),
    "a slice was none": without_a_span("slice"),
    "a slice is left out": one_more_span("slice"),
    "a slice never ended": never_ended("slice"),
    "a slice has another name": another_name,
}
WAITS = {
    "a wait is longer": end_of_a_span("wait"),
    "a wait was none": without_a_span("wait"),
    "a wait is left out": one_more_span("wait"),
}
ALL = {"the trace begins later": another_time, "a class has other events": another_class, "events were lost": a_loss}
# Of each world without losses: seed, changes.
PLANTED = {
    "tokio": (0, {
        **SLICES, **WAITS, **ALL,
        "a task did something else": another_state("task"),
        "a worker did something else": another_state("worker state"),
        "a queue was longer": another_counter,
        "samples are of another thread": all_samples_of_another,
    }),
    "rtos": (0, {
        **SLICES, **WAITS, **ALL,
        "a task did something else": another_state("task"),
        "a core ran something else": another_state("core state"),
        "a mutex was another's": another_state("mutex"),
        "a queue was longer": another_counter,
    }),
    "linux": (0, {
        **SLICES, **WAITS, **ALL,
        "a thread did something else": another_state("task"),
        "a processor ran something else": another_state("cpu state"),
    }),
    "ros2": (2, {**SLICES, **WAITS, **ALL, "an executor did something else": another_state("executor")}),
    "heph": (0, {**SLICES, **ALL}),
}


class Planted(unittest.TestCase):
    def family(self, name):
        seed, changes = PLANTED[name]
        with tempfile.TemporaryDirectory() as folder:
            truth = worlds.sample(name, seed, pathlib.Path(folder))
            truth = dataclasses.replace(truth, further=lambda command: None)
            usual = collections.Counter(check(BIN, truth))
            for what, change in changes.items():
                with self.subTest(what):
                    found = collections.Counter(check(BIN, change(truth))) - usual
                    self.assertTrue(found, "nothing is found")

    def test_tokio(self):
        self.family("tokio")

    def test_rtos(self):
        self.family("rtos")

    def test_linux(self):
        self.family("linux")

    def test_ros2(self):
        self.family("ros2")

    def test_heph(self):
        self.family("heph")


if __name__ == "__main__":
    unittest.main()

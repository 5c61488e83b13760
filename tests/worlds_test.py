"""What is said of traces of worlds whose truth is known: worlds/README.md.

TRACEDECK_WORLD_SEEDS=N runs seeds 0 to N-1 of each family beside those of the sample.
"""

import os
import pathlib
import tempfile
import unittest

import worlds
from command import BIN
from worlds.statements import check

SEEDS = 12

# Kinds of false statements that are not mended yet, of each family, and a seed that shows it. Who mends one takes its line out.
KNOWN = {
    "heph": {
        "gate: a name that nothing has": 19,
        "gate: a name that nothing has [times beyond 2^63]": 70,
        "gate: fails [times beyond 2^63]": 70,
        "gate: holds [times beyond 2^63]": 70,
        "latency: begin [times beyond 2^63]": 31,
        "latency: end [times beyond 2^63]": 70,
        "latency: lost events": 19,
        "outliers": 19,
        "outliers [times beyond 2^63]": 70,
        "perfetto: a slice is absent [times beyond 2^63]": 70,
        "slice: a duration that is not true, no loss within [times beyond 2^63]": 70,
        "slice: at [times beyond 2^63]": 70,
        "slice: count [times beyond 2^63]": 70,
        "slice: left out [times beyond 2^63]": 70,
        "slice: max [times beyond 2^63]": 70,
        "slice: self [times beyond 2^63]": 70,
        "slice: total [times beyond 2^63]": 70,
        "stats: rate": 19,
        "stats: rate [times beyond 2^63]": 70,
        "why: how many there are [times beyond 2^63]": 70,
        "why: not found [times beyond 2^63]": 31,
        "why: what it explains did not happen [times beyond 2^63]": 70,
        "why: within [times beyond 2^63]": 57,
    },
    "linux": {
        "cpu state: less of a state than is sure, with losses": 77,
        "cpu state: more of a state than there was, with losses": 55,
        "cpu state: the host is not named [two hosts]": 26,
        "gate: a name that nothing has": 69,
        "gate: a name that nothing has [two hosts]": 26,
        "gate: fails": 16,
        "gate: fails [two hosts]": 26,
        "gate: holds": 16,
        "gate: holds [two hosts]": 12,
        "gate: holds though events were lost": 1,
        "latency: began_before": 69,
        "latency: began_before [two hosts]": 26,
        "latency: open_at_end": 69,
        "latency: open_at_end [two hosts]": 26,
        "outliers": 16,
        "outliers [two hosts]": 19,
        "perfetto: a slice is absent": 16,
        "perfetto: a state that did not hold, with losses": 77,
        "perfetto: cpu state, with losses": 55,
        "perfetto: malformed": 77,
        "perfetto: malformed [two hosts]": 26,
        "perfetto: runnable instead of exited": 50,
        "perfetto: runnable instead of idle": 69,
        "perfetto: runnable instead of parked": 71,
        "perfetto: runnable instead of running": 81,
        "perfetto: too little of a state": 69,
        "perfetto: too little of a state, with losses": 77,
        "row: absent": 77,
        "row: absent [two hosts]": 12,
        "slice: a duration that is not true, a loss within": 55,
        "slice: a duration that is not true, no loss within": 16,
        "slice: a duration that is not true, no loss within [two hosts]": 26,
        "slice: at [two hosts]": 12,
        "slice: count": 69,
        "slice: count [two hosts]": 26,
        "slice: left out": 69,
        "slice: left out [two hosts]": 26,
        "slice: max": 55,
        "slice: max [two hosts]": 26,
        "slice: more than there were": 77,
        "slice: more than there were [two hosts]": 61,
        "slice: open": 69,
        "slice: open [two hosts]": 26,
        "slice: total": 69,
        "slice: total [two hosts]": 26,
        "stats: rate": 69,
        "task: less of a state than is sure, with losses": 77,
        "task: more of a state than there was, with losses": 77,
        "task: runnable": 50,
        "task: runnable instead of idle": 69,
        "task: runnable instead of parked": 71,
        "task: sleeping": 71,
        "task: sleeping instead of parked": 50,
        "task: the host is not named [two hosts]": 26,
        "wait: a duration that is not true, a loss within": 55,
        "wait: a duration that is not true, a loss within [two hosts]": 61,
        "wait: a duration that is not true, no loss within": 69,
        "wait: a duration that is not true, no loss within [two hosts]": 26,
        "wait: count": 69,
        "wait: count [two hosts]": 26,
        "wait: left out": 69,
        "wait: left out [two hosts]": 26,
        "wait: max": 69,
        "wait: max [two hosts]": 26,
        "wait: more than there were": 43,
        "wait: more than there were [two hosts]": 61,
        "wait: open": 69,
        "wait: open [two hosts]": 26,
        "wait: total": 69,
        "wait: total [two hosts]": 26,
        "why: a conclusion at the median": 71,
        "why: held": 79,
        "why: how many there are": 16,
        "why: how many there are [two hosts]": 33,
        "why: hurt": 15,
        "why: hurt [two hosts]": 26,
        "why: inside [two hosts]": 96,
        "why: not found": 77,
        "why: not found [two hosts]": 12,
        "why: state runnable [two hosts]": 89,
        "why: what it explains did not happen": 69,
        "why: what it explains did not happen [two hosts]": 61,
        "why: within [two hosts]": 47,
    },
}


class Worlds(unittest.TestCase):
    def family(self, name):
        known = KNOWN.get(name, {})
        seeds = sorted({*range(int(os.environ.get("TRACEDECK_WORLD_SEEDS", SEEDS))), *known.values()})
        seen, false = {}, []
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                truth = worlds.sample(name, seed, pathlib.Path(folder))
                for falsehood in check(BIN, truth):
                    seen.setdefault(seed, set()).add(falsehood.kind)
                    if falsehood.kind not in known:
                        false.append(falsehood.line(f"{name} {seed} ({truth.variant})"))
        self.assertEqual(false, [], "\n" + "\n".join(false[:40]))
        mended = [kind for kind, seed in known.items() if kind not in seen.get(seed, ())]
        self.assertEqual(mended, [], "these kinds are seen no more: take their lines out of KNOWN")


def add(name):
    setattr(Worlds, f"test_{name}", lambda self: self.family(name))


for family in worlds.FAMILIES:
    add(family)

if __name__ == "__main__":
    unittest.main()

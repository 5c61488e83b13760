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
        "latency: begin [times beyond 2^63]": 31,
        "latency: end [times beyond 2^63]": 70,
        "latency: lost events": 19,
        "latency: lost events [times beyond 2^63]": 109,
        "outliers": 19,
        "outliers [times beyond 2^63]": 70,
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

"""What is said of traces of worlds whose truth is known: worlds/README.md.

TRACEDECK_WORLD_SEEDS=N runs seeds 0 to N-1 of each family instead of the sample.
"""

import os
import pathlib
import tempfile
import unittest

import worlds
from command import BIN
from worlds.statements import check

SEEDS = 12


class Worlds(unittest.TestCase):
    def family(self, name):
        family = worlds.family(name)
        least = getattr(family, "SAMPLE", SEEDS)  # twice as many as there are variants
        false = []
        seeds = range(int(os.environ.get("TRACEDECK_WORLD_SEEDS", least)))
        for seed in [*seeds, *(each for each in getattr(family, "RARE", ()) if each not in seeds)]:
            with tempfile.TemporaryDirectory() as folder:
                truth = worlds.sample(name, seed, pathlib.Path(folder))
                false += [falsehood.line(f"{name} {seed} ({truth.variant})") for falsehood in check(BIN, truth)]
        self.assertEqual(false, [], "\n" + "\n".join(false[:40]))


def add(name):
    setattr(Worlds, f"test_{name}", lambda self: self.family(name))


for family in worlds.FAMILIES:
    add(family)

if __name__ == "__main__":
    unittest.main()

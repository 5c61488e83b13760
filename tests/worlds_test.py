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
    # Worlds whose trace begins while a poll goes on that its worker was taken from. Its end is the first event of its thread's
    # data stream, and comes while the worker's next thread polls: it looks as if that poll went on in another data stream.
    # Later events show that it is not so, but what had ended was said by then.
    "tokio": {
        "perfetto: task: runnable, with losses [workers handed over]": 1649,
        "perfetto: task: waiting, with losses [workers handed over]": 137,
        "slice: a duration that is not true, no loss within [workers handed over]": 137,
        "slice: at [workers handed over]": 137,
        "task: more of a state than there was, with losses [workers handed over]": 137,
        "why: what it explains did not happen [workers handed over]": 623,
    },
    "rtos": {
        "slice: more than there were": 35,
    },
}


class Worlds(unittest.TestCase):
    def family(self, name):
        known = KNOWN.get(name, {})
        least = getattr(worlds.family(name), "SAMPLE", SEEDS)  # twice as many as there are variants
        seeds = sorted({*range(int(os.environ.get("TRACEDECK_WORLD_SEEDS", least))), *known.values()})
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

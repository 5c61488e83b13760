"""What `why` answers about incidents whose cause is planted in a world: worlds/README.md.

TRACEDECK_WORLD_SEEDS=N runs seeds 0 to N-1 of each kind.
"""

import os
import tempfile
import unittest

from command import BIN
from worlds import incidents

SEEDS = int(os.environ.get("TRACEDECK_WORLD_SEEDS", 1))

# Kinds of which what is recorded, or what is shown of it, does not always lead to the cause.
UNLED = {"busy worker", "late wake-up", "timed lock", "two mutexes of one name", "two queues of one name"}


class Incidents(unittest.TestCase):
    def test_no_conclusion_is_wrong(self):
        for kind in [*incidents.KINDS, *incidents.HEALTHY]:
            with self.subTest(kind):
                self.assertEqual(incidents.run(BIN, kind, range(SEEDS)).wrong, [])

    def test_what_is_shown_leads_to_the_cause(self):
        """Of each kind, in one of some seeds."""
        unled = {kind for kind in set(incidents.KINDS) - UNLED if not any(self.leads(kind, seed) for seed in range(4))}
        self.assertEqual(unled, set())

    def leads(self, kind, seed):
        with tempfile.TemporaryDirectory() as folder:
            return incidents.made(kind, seed, folder).verdict(BIN)[0] in (incidents.CONCLUDED, incidents.SHOWN)

    def test_the_same_each_time(self):
        for kind in ("herd of tasks", "lock held", "convoy", "first call"):
            self.assertEqual(self.bytes(kind), self.bytes(kind), kind)

    def bytes(self, kind):
        with tempfile.TemporaryDirectory() as folder:
            case = incidents.made(kind, 1, folder)
            files = sorted(file for path in case.paths for file in ([path] if path.is_file() else path.iterdir()))
            return [file.read_bytes() for file in files]


if __name__ == "__main__":
    unittest.main()

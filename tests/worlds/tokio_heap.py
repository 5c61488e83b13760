"""Memory of a Tokio runtime (tokio.py): what its polls allocate and who frees it when, and the samples that a recorder takes of that.

The recorder samples an allocation of s bytes with the probability 1 - e^(-s / rate), and what frees those. The truth is of all
allocations; an address is used again once it is free.
"""

import dataclasses
import math
import random

from . import tokio
from .tokio_runtime import Event

FUNCTIONS = {0x7000: "app::parse", 0x7100: "app::cache::grow", 0x7200: "app::render", 0x7300: "app::handle", 0x7400: "main"}
ADDRESS = {name: address for address, name in FUNCTIONS.items()}
# (stack, sizes, how many of a hundred are ever freed)
SITES = (
    (("app::parse", "app::handle", "main"), (16, 64, 300), 98),
    (("app::cache::grow", "app::handle", "main"), (4096, 65536), 20),
    (("app::render", "main"), (900, 2000, 8192), 70),
)


@dataclasses.dataclass
class Allocation:
    time: int
    size: int
    stack: tuple
    tid: int
    is_sampled: bool
    address: int = 0
    freed_at: int | None = None

    def live_at(self, time):
        return self.time <= time and (self.freed_at is None or self.freed_at > time)

    def weight(self, rate):
        return 1 / -math.expm1(-self.size / rate)


class World:
    """A plain runtime whose polls allocate."""

    def __init__(self, seed):
        self.runtime_world = tokio.World(seed * len(tokio.VARIANTS), f"web{seed}", f"abcd-{seed}")
        self.rng = random.Random(seed)
        self.rate = self.rng.choice((512, 4096, 32768))
        self.allocations = []
        runtime = self.runtime_world.runtime
        taken = {event.time for event in runtime.events}
        last = max(taken)

        def free_time(time):
            while time in taken:
                time += 1
            taken.add(time)
            return time

        for poll in runtime.polls:
            if poll.end is None:
                continue
            for _ in range(self.rng.randrange(0, 9)):
                stack, sizes, freed = self.rng.choice(SITES)
                size = self.rng.choice(sizes)
                is_sampled = self.rng.random() < -math.expm1(-size / self.rate)
                made = Allocation(free_time(self.rng.randrange(poll.begin, poll.end)), size, stack, poll.thread.tid, is_sampled)
                if self.rng.randrange(100) < freed and made.time + 10 < last:
                    made.freed_at = free_time(self.rng.randrange(made.time + 1, last))
                self.allocations.append(made)
        self.give_addresses()
        self.end = max(taken)
        self.record_events(runtime.events)

    def give_addresses(self):
        changes = [(made.time, made, True) for made in self.allocations]
        changes += [(made.freed_at, made, False) for made in self.allocations if made.freed_at is not None]
        unused, fresh = [], 0x7F0000001000
        for _, made, is_new in sorted(changes, key=lambda change: change[0]):
            if not is_new:
                unused.append(made.address)
            elif unused:
                made.address = unused.pop(self.rng.randrange(len(unused)))
            else:
                made.address, fresh = fresh, fresh + 0x10000

    def record_events(self, events):
        threads = sorted({made.tid for made in self.allocations})
        for made in self.sampled():
            fields = {"tid": made.tid, "size": made.size, "addr": made.address, "callchain": tuple(ADDRESS[name] + 8 for name in made.stack)}
            events.append(Event(made.time, "AllocEvent", fields, made.tid))
            if made.freed_at is not None:
                tid = self.rng.choice(threads)
                fields = {"tid": tid, "addr": made.address, "size": made.size, "alloc_timestamp_ns": made.time}
                events.append(Event(made.freed_at, "FreeEvent", fields, tid))
        for event in events:
            if event.name == "SegmentMetadataEvent":
                event.fields["entries"] += (("memory.sample_rate_bytes", str(self.rate)),)
        names = {"size": 0x100, "inline_depth": 0, "source_file": "", "source_line": 0}
        for address, name in FUNCTIONS.items():
            events.append(Event(self.end, "SymbolTableEntry", {"addr": address, "symbol_name": name, **names}, -3))
        events.sort(key=lambda event: event.time)

    def sampled(self):
        return [made for made in self.allocations if made.is_sampled]

    def record(self, folder):
        """The path of the recording."""
        return self.runtime_world.record_one(folder, tokio.NONE).paths[0]

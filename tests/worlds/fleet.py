"""A fleet of hosts whose program writes dial9 segments: three versions of it, damaged files, hosts whose clocks are wrong.

What happened is decided first: on each host requests of a route take some time, on slow hosts ten times as long. Each segment is
a file of some of them. The wall clock of some hosts is off by years; bytes of some files are overwritten.
"""

import dataclasses
import random

import dial9_writer as wire

SECOND = 10**9
BEGIN = 1_764_000_000 * SECOND  # 2025-11-24, by clocks that are right
YEAR = 365 * 86_400 * SECOND
# What each version of the program records of a request: a field was added, then two types were changed.
VERSIONS = (
    [("status", wire.VARINT), ("took_ns", wire.VARINT)],
    [("status", wire.VARINT), ("took_ns", wire.VARINT), ("route", wire.STRING)],
    [("status", wire.STRING), ("took_ns", wire.F64), ("route", wire.STRING)],
)


@dataclasses.dataclass
class Segment:
    name: str
    host: str
    version: int
    clock_is_wrong: bool
    events: int
    bytes: bytes
    damaged: bool = False


@dataclasses.dataclass
class Fleet:
    segments: list
    slow: set  # hosts
    wrong_clocks: set  # hosts


def requests(rng, host_is_slow, count):
    """(ns after the one before, status, took, route) of each."""
    for _ in range(count):
        took = rng.randrange(900_000, 1_100_000) * (10 if host_is_slow else 1)
        yield rng.randrange(1_000, 16_000_000), rng.choice((200, 200, 200, 404, 500)), took, rng.choice(("/a", "/b/{id}"))


def written(version, begin, host, events):
    """The bytes of a segment; where its last event begins."""
    frames = [wire.header(), wire.schema(0, "SegmentMetadataEvent", [("entries", wire.STRING_MAP)]),
              wire.schema(1, "Request", VERSIONS[version]), wire.reset(begin),
              wire.event(0, wire.string_map(("host", host), ("service", "shop"), ("version", f"1.{version}")), delta=0)]
    last = None
    for step, status, took, route in events:
        fields = {"status": wire.string(str(status)) if version == 2 else wire.varint(status),
                  "took_ns": wire.f64(took) if version == 2 else wire.varint(took), "route": wire.string(route)}
        last = wire.event(1, b"".join(fields[name] for name, _ in VERSIONS[version]), delta=step)
        frames.append(last)
    content = b"".join(frames)
    return content, len(content) - len(last)


def damaged(rng, content, last):
    """What is overwritten are bytes of events, before the last one's."""
    at = rng.randrange(last // 2, last - 8)
    return content[:at] + bytes([0xFF] * 8) + content[at + 8 :]


def fleet(seed, segments=2000, hosts=100, broken=20, wrong=60):
    """`broken` segments are damaged, and of `wrong` the host's clock is wrong."""
    rng = random.Random(seed)
    names = [f"host{number:03}" for number in range(hosts)]
    each = segments // hosts
    wrong_hosts = set(rng.sample(names, wrong // each)) if each <= wrong else set()
    slow = set(rng.sample(sorted(set(names) - wrong_hosts), 3))
    made = []
    for host in names:
        off = rng.choice((-3, 5)) * YEAR + rng.randrange(YEAR) if host in wrong_hosts else 0
        time = BEGIN + off
        # A host is brought up to date now and then.
        updates = sorted(rng.randrange(each + 1) for _ in range(2))
        for number in range(each):
            version = sum(number >= update for update in updates)
            events = list(requests(rng, host in slow, rng.randrange(5, 40)))
            content, last = written(version, time, host, events)
            made.append((Segment(f"{host}-{number:04}.bin", host, version, host in wrong_hosts, len(events) + 1, content), last))
            time += sum(step for step, *_ in events) + rng.randrange(SECOND)
    for segment, last in rng.sample(made, broken):
        segment.bytes = damaged(rng, segment.bytes, last)
        segment.damaged = True
    return Fleet([segment for segment, _ in made], slow, wrong_hosts)

"""Incidents of actors (heph.py) and of publish/subscribe nodes (ros2.py)."""

from .. import heph, loss as losses, ros2
from .case import MS, Case, Facts, longest

US = 1_000


def actors(rng, folder, special):
    """`special`: (now, number) → the inner span and how long it takes, of the actor of stream 1, or None."""
    world = heph.World.__new__(heph.World)
    world.random, world.epoch, world.records, world.overlapping = rng, heph.EPOCH, [], False
    when = (0, 0)

    def span(stream, name, begin, end, inner=()):
        world.records.append(heph.Record(stream, 0, name, begin, end, inner=list(inner)))
        return world.records[-1]

    for stream in range(1, rng.randrange(3, 6)):
        now = rng.randrange(100, 3_000) * US
        for number in range(rng.randrange(30, 60)):
            planted = special(now, number) if stream == 1 else None
            work = rng.randrange(40, 80) * US
            name, lasts = planted or ("handle", work // 2)
            begin, end = now, now + work + lasts
            inner = span(stream, name, begin + work // 3, begin + work // 3 + lasts)
            span(stream, "query" if stream == 1 else "Running actor", begin, end, [inner])
            when = (begin, end) if planted else when
            now = end + rng.randrange(1_000, 4_000) * US
    world.record(folder, losses.NONE)
    return [folder / "trace.log"], (heph.EPOCH + when[0], heph.EPOCH + when[1])


def first_call(rng, seed, folder):
    lasts = rng.randrange(20, 90) * MS
    paths, when = actors(rng, folder, lambda now, number: ("connect", lasts) if number == 0 else None)
    return Case(paths, facts=Facts(), when=when, ask=longest("span query"), cause="the first query connects",
                leads=lambda answer: "longest_later" in answer and any(p["name"] == "span connect" for p in answer["inside"]))


def blocking_actor(rng, seed, folder):
    lasts, at = rng.randrange(20, 90) * MS, rng.randrange(5, 25)
    paths, when = actors(rng, folder, lambda now, number: ("write file", lasts) if number == at else None)
    return Case(paths, facts=Facts(), when=when, ask=longest("span query"), cause="the actor writes a file",
                leads=lambda answer: any(p["name"] == "span write file" and p["duration"] * 2 > answer["duration"] for p in answer["inside"]))


def healthy_actors(rng, seed, folder):
    paths, _ = actors(rng, folder, lambda now, number: None)
    return Case(paths, facts=Facts(), ask=longest("span *"))


class Nodes(ros2.World):
    """Two nodes and more; of the second one a callback may take long once, from `slow` on."""

    def __init__(self, rng, seed, slow=None):
        self.slow, self.rng, self.took = slow, rng, None
        super().__init__(seed)

    def time_of(self, node, kind):
        if self.slow and kind == "message" and self.took is None and self.now > 1_000_000_000 + self.slow[0]:
            self.took = (self.now, node)
            return self.slow[1]
        return self.rng.randrange(60, 90) * US

    def longest_wait(self):
        return max((m.called[0].time - m.written.time for m in self.messages if m.called), default=0)


def slow_callback(rng, seed, folder):
    """A subscriber's callback takes long, and other messages to that node wait behind it."""
    slow = rng.randrange(10, 20) * MS, rng.randrange(12, 25) * MS
    # A world in which that node is sent something meanwhile.
    worlds = (Nodes(rng, number, slow) for number in range(seed * 1_000, seed * 1_000 + 1_000))
    world = next(w for w in worlds if w.took and w.took[0] + slow[1] < w.end - 10 * MS and w.longest_wait() * 2 > slow[1])
    world.record(folder, losses.NONE)
    node = world.took[1]
    begin = ros2.OFFSET + world.took[0] - MS
    return Case([folder / "ros2"], facts=Facts(), when=(begin, begin + slow[1] + 5 * MS), ask=longest("publish -> callback*"),
                cause=f"a callback of {node.name} takes long",
                leads=lambda answer: any(node.name in m["track"] and m["name"].startswith("callback") for m in answer["meanwhile"]))


def healthy_nodes(rng, seed, folder):
    Nodes(rng, seed).record(folder, losses.NONE)
    return Case([folder / "ros2"], facts=Facts(), ask=longest("callback *", "publish -> callback*"))


KINDS = {"first call": first_call, "blocking actor": blocking_actor, "slow callback": slow_callback}
HEALTHY = {"healthy actors": healthy_actors, "healthy nodes": healthy_nodes}

"""An actor runtime that logs spans in the Heph trace format 0.1.

A coordinator (stream 0) and worker threads (1 to N) run actors. An event is written when its span ends, so inner spans
come before outer ones. Each stream counts its packets; a packet that is lost leaves a gap in that.
Rules of the format: the Heph trace format specification, version 0.1.0.
"""

import collections
import dataclasses
import random
import struct

from . import loss as losses
from .statements import check_more
from .truth import Loss, Span, Truth

EPOCH = 1_700_000_000_000_000_000
GAP, REORDER = "gap", "reorder"
NAMES = ("Poll socket", "Running actor", "Timeout", "handle", "read", "write", "Accept")


def choose_loss(seed):
    return losses.choose(seed, (GAP, losses.BEGIN, losses.END, losses.STREAM, REORDER))


@dataclasses.dataclass
class Record:
    stream: int
    substream: int
    name: str
    begin: int
    end: int
    counter: int = 0
    attributes: bytes = b""
    inner: list = dataclasses.field(default_factory=list)

    @property
    def time(self):
        return self.end


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def packet(magic, body):
    return struct.pack(">II", magic, 8 + len(body)) + body


def encoded(record):
    head = struct.pack(">IIQQQ", record.stream, record.counter, record.substream, record.begin, record.end)
    return packet(0xC1FC1FB7, head + text(record.name) + record.attributes)


class World:
    def __init__(self, seed):
        self.random = rng = random.Random(seed)
        self.epoch = None if seed % 11 == 7 else EPOCH
        # An epoch near the end of what 64 bits hold, of a clock that is set to the year 2262.
        if seed % 13 == 5:
            self.epoch = (1 << 63) - rng.randrange(1_000, 1_000_000)
        self.records, self.overlapping = [], False
        for stream in range(rng.randrange(2, 6)):
            self.worker(stream, rng.choice((0, 0, 0, 7)))

    def worker(self, stream, substream):
        rng, now = self.random, self.random.randrange(0, 50_000)
        overlapping = rng.random() < 0.3
        for _ in range(rng.randrange(5, 40)):
            now += rng.randrange(1, 30_000)
            length = rng.randrange(1_000, 20_000) * (rng.choice((1, 1, 1, 1, 50)))
            self.span(stream, substream, now, now + length, 0)
            # Of futures that one worker polls in turn, spans overlap without one being inside the other.
            if overlapping and rng.random() < 0.4:
                now, self.overlapping = now + length // 2, True
            else:
                now += length

    def span(self, stream, substream, begin, end, depth):
        rng, at, inner = self.random, begin, []
        while depth < 3 and rng.random() < 0.45:
            since = at + rng.randrange(0, max(1, (end - at) // 3))
            until = since + rng.randrange(0, max(1, (end - since) // 2))
            if until > end or until <= since:
                break
            inner.append(self.span(stream, substream, since, until, depth + 1))
            at = until
        attributes = text("attempt") + b"\x01" + struct.pack(">Q", depth) if rng.random() < 0.3 else b""
        self.records.append(Record(stream, substream, rng.choice(NAMES), begin, end, 0, attributes, inner))
        return self.records[-1]

    def record(self, folder, loss=None):
        rng = random.Random(len(self.records))
        streams = collections.defaultdict(list)
        for record in self.records:
            streams[record.stream].append(record)
        # Each stream writes in the order of ends; the counter may wrap.
        for records in streams.values():
            records.sort(key=lambda r: r.end)
            first = rng.choice((0, 0, (1 << 32) - 5))
            for number, record in enumerate(records):
                record.counter = (first + number) % (1 << 32)
        kept, lost = dict(streams), []
        if loss == GAP:
            stream = rng.choice([s for s in streams if len(streams[s]) > 4] or [None])
            if stream is not None:
                records = streams[stream]
                at = rng.randrange(1, len(records) - 2)
                count = rng.randrange(1, min(5, len(records) - at))
                kept[stream] = records[:at] + records[at + count :]
                lost.append(Loss(stream, records[at - 1].end, records[at + count].end, count))
        elif loss == losses.STREAM:  # a worker that never wrote: nothing says so
            del kept[rng.choice(list(kept))]
        elif loss in (losses.BEGIN, losses.END):
            middle = sorted(r.end for r in self.records)[len(self.records) // 2]
            for stream, records in kept.items():
                kept[stream] = [r for r in records if (r.end >= middle) == (loss == losses.BEGIN)]
        # One writer for all streams: packets come as they are finished.
        written = sorted((r for records in kept.values() for r in records), key=lambda r: r.end)
        if loss == REORDER:  # datagrams overtake each other; all of them arrive
            for _ in range(3):
                at = rng.randrange(len(written) - 1)
                written[at], written[at + 1] = written[at + 1], written[at]
        path = folder / "trace.log"
        option = b"" if self.epoch is None else packet(0x75D11D4D, text("epoch") + struct.pack(">Q", self.epoch))
        path.write_bytes(option + b"".join(map(encoded, written)))
        return self.truth(path, written, lost, loss)

    def truth(self, path, written, lost, how):
        origin = self.epoch or 0
        sure = {id(record) for record in written}

        def own(record):
            # Where an inner span was lost, its time is the outer one's as far as anybody can know.
            if self.overlapping:
                return None
            return record.end - record.begin - sum(known(inner) for inner in record.inner)

        def known(record):
            if id(record) in sure:
                return record.end - record.begin
            return sum(known(inner) for inner in record.inner)

        spans = [
            Span(
                "slice",
                f"span {record.name}",
                origin + record.begin,
                origin + record.end,
                # Each event has its begin and end: what was lost beside it does not touch it.
                sure=id(record) in sure,
                track=f"{record.stream}/{record.substream}",
                own=own(record),
            )
            for record in (self.records if lost else written)
        ]
        lost = [dataclasses.replace(x, begin=origin + x.begin, end=origin + x.end) for x in lost]
        return Truth(
            [path],
            spans,
            [],
            origin + min(r.begin for r in written),
            origin + max(r.end for r in written),
            len(written),
            dict(collections.Counter(r.name for r in written)),
            losses=lost,
            further=check_more,
            variant=f"loss {how}, epoch {self.epoch}",
            last_begin=origin + max(r.begin for r in written),
            trait="times beyond 2^63" if origin + max(r.end for r in written) >> 63 else "",
        )

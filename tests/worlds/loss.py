"""Ways to lose parts of a trace that is written in packets, one data stream a processor.

`streams` is {stream: [[event, ...] of each packet]}; events have a `time`. Losing returns what is written: packets with
how many events were discarded before each, and the losses as a reader can at best know them.
"""

import dataclasses

from .truth import Loss

NONE, BURST, BURSTS, PACKET, STREAM, BEGIN, END = "none", "burst", "bursts", "packet", "stream", "begin", "end"
ALL = (NONE, BURST, BURSTS, PACKET, STREAM, BEGIN, END)


@dataclasses.dataclass
class Packet:
    events: list
    sequence: int
    discarded: int = 0  # before this packet, since the one before
    begin: int = 0
    end: int = 0


def packets_of(events, size):
    """Events in the order of time in packets of `size`."""
    return [events[i : i + size] for i in range(0, len(events), size)]


def choose(seed, ways=ALL):
    """The way for a seed: every second seed loses nothing."""
    ways = [way for way in ways if way != NONE]
    return NONE if seed % 2 == 0 or not ways else ways[seed // 2 % len(ways)]


def lose(how, rng, streams):
    """Returns ({stream: [Packet]}, [Loss]). Tracing begins and ends at the same time on all streams."""
    written = {
        stream: [Packet(list(events), number) for number, events in enumerate(packets) if events]
        for stream, packets in streams.items()
    }
    times = [event.time for packets in written.values() for packet in packets for event in packet.events]
    if not times:
        return written, []
    first, last = min(times), max(times)
    if how in (BEGIN, END):  # recording began later, or ended earlier: nothing within was lost
        middle = first + (last - first) * rng.randrange(20, 50) // 100
        keep = (lambda time: time >= middle) if how == BEGIN else (lambda time: time <= middle)
        for packets in written.values():
            for packet in packets:
                packet.events = [event for event in packet.events if keep(event.time)]
            packets[:] = [packet for packet in packets if packet.events]
            for number, packet in enumerate(packets):
                packet.sequence = number
        times = [event.time for packets in written.values() for packet in packets for event in packet.events]
        if not times:
            return written, []
        first, last = min(times), max(times)
    for packets in written.values():
        for packet in packets:
            packet.begin, packet.end = packet.events[0].time, packet.events[-1].time
        if packets:  # buffers are opened and flushed on all processors at once
            packets[0].begin, packets[-1].end = first, last
    losses = []
    candidates = [stream for stream, packets in written.items() if len(packets) > 2]
    if not candidates:
        return written, []
    for _ in range({BURST: 1, BURSTS: 3, PACKET: 1, STREAM: 1}.get(how, 0)):
        stream = rng.choice(candidates)
        packets = written[stream]
        if how in (BURST, BURSTS):
            # A full buffer: what comes before there is room again is discarded, and the next packet says how much.
            place = rng.randrange(1, len(packets))
            packet, before = packets[place], packets[place - 1]
            if packet.discarded or len(packet.events) < 2:
                continue
            packet.discarded = rng.randrange(1, len(packet.events))
            packet.events = packet.events[packet.discarded :]
            packet.begin = packet.events[0].time
            losses.append(Loss(stream, before.end, packet.end, packet.discarded))
        elif how == PACKET:
            place = rng.randrange(1, len(packets) - 1)
            losses.append(Loss(stream, packets[place - 1].end, packets[place + 1].begin, None, 1))
            del packets[place]
        elif how == STREAM:  # the rest of one stream was never copied
            # Buffers are flushed one after the other: a stream that ends a little before others has ended with them.
            places = [i for i in range(1, len(packets)) if packets[i - 1].end < last - (last - first) // 50]
            if not places:
                continue
            place = rng.choice(places)
            losses.append(Loss(stream, packets[place - 1].end, last, None, 0, declared=False))
            del packets[place:]
    return written, losses

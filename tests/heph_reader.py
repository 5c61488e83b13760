"""Reads Heph traces, for tests: from the specification, and independent of the library."""

import struct

METADATA, EVENT = 0x75D11D4D, 0xC1FC1FB7


class Bytes:
    def __init__(self, content):
        self.content = content
        self.at = 0

    def take(self, form):
        values = struct.unpack_from(">" + form, self.content, self.at)
        self.at += struct.calcsize(">" + form)
        return values[0] if len(values) == 1 else values

    def text(self):
        size = self.take("H")
        self.at += size
        return self.content[self.at - size : self.at].decode("utf-8", "surrogateescape")

    def value(self, kind):
        if kind & 0x80:
            return [self.value(kind & 0x7F) for _ in range(self.take("H"))]
        return self.text() if kind == 4 else self.take({1: "Q", 2: "q", 3: "d"}[kind])

    def more(self):
        return self.at < len(self.content)


def read(content):
    """The options, as (name, bytes), and the events, each a dictionary."""
    options, events = [], []
    trace = Bytes(content)
    while trace.more():
        begin = trace.at
        magic, size = trace.take("II")
        packet = Bytes(content[begin + 8 : begin + size])
        trace.at = begin + size
        if magic == METADATA:
            options.append((packet.text(), packet.content[packet.at :]))
            continue
        assert magic == EVENT, hex(magic)
        names = ("stream", "counter", "substream", "start", "end")
        event = dict(zip(names, packet.take("IIQQQ")))
        event["description"] = packet.text()
        event["attributes"] = []
        while packet.more():
            name = packet.text()
            event["attributes"].append((name, packet.value(packet.take("B"))))
        events.append(event)
    return options, events

"""Writing Heph packets, for tests: independent of the tool."""

import struct


def text(value):
    return struct.pack(">H", len(value)) + value


def packet(magic, body):
    return struct.pack(">II", magic, 8 + len(body)) + body


def option(name, value):
    return packet(0x75D11D4D, text(name) + value)


def epoch(nanoseconds):
    return option(b"epoch", struct.pack(">Q", nanoseconds))


def event(description, attributes=b"", *, stream=1, counter=0, substream=0, start=0, end=0):
    head = struct.pack(">IIQQQ", stream, counter, substream, start, end)
    return packet(0xC1FC1FB7, head + text(description) + attributes)


def number(name, value):
    return text(name) + b"\x01" + struct.pack(">Q", value)


def array(name, *values):
    return text(name) + b"\x81" + struct.pack(">H", len(values)) + b"".join(struct.pack(">Q", value) for value in values)


def string(name, value):
    return text(name) + b"\x04" + text(value)

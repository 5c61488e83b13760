"""Reads Tonbandgeraet traces, for tests: from the specification, and independent of the library. Fields of an event are
its integers, and the text behind them of those that have one."""

# Ids of metadata, which has no time, and of events that end with a text.
METADATA = {0x02, 0x03, 0x06, 0x0A, 0x5F, 0x60, 0x61, 0x64, 0x65, 0x7A, 0x7E}
INTEGERS_BEFORE_TEXT = {0x03: 1, 0x06: 1, 0x07: 1, 0x08: 1, 0x0A: 1, 0x5F: 1, 0x64: 1, 0x7A: 2, 0x7B: 1, 0x7C: 1, 0x7E: 2}


def payload_of(frame):
    """What COBS made of a frame without its zero."""
    out, at = bytearray(), 0
    while at < len(frame):
        code = frame[at]
        out += frame[at + 1 : at + code]
        at += code
        if code != 0xFF and at < len(frame):
            out.append(0)
    return bytes(out)


def integer(payload, at):
    value = shift = 0
    while True:
        value |= (payload[at] & 0x7F) << shift
        shift += 7
        at += 1
        if payload[at - 1] < 0x80:
            return value, at


def read(content):
    """The events: (id, time or None, integers, text or None)."""
    events = []
    for frame in content.split(b"\0")[:-1]:
        payload = payload_of(frame)
        number, at, time = payload[0], 1, None
        if number not in METADATA:
            time, at = integer(payload, at)
        integers, text = [], None
        while at < len(payload) and len(integers) != INTEGERS_BEFORE_TEXT.get(number):
            value, at = integer(payload, at)
            integers.append(value)
        if number in INTEGERS_BEFORE_TEXT:
            text = payload[at:].decode()
        events.append((number, time, integers, text))
    return events

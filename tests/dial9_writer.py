"""Writes dial9 traces byte by byte, from the specification and independent of the library.

Everything here is as low as the wire: a function makes the bytes of one frame or value, and nothing
keeps state, so that broken traces are as easy to make as valid ones. All integers are little-endian.

    trace = header() + schema(0, "Tick", [("n", VARINT)]) + event(0, varint(5), delta=7)
"""

import struct

MAGIC = b"TRC\0"

# Field types (Field Types; 6, 14 and 15 are those of 0.4).
I64, F64, BOOL, STRING, BYTES, POOLED_STACK, POOLED_STRING, STACK = range(1, 9)
VARINT, STRING_MAP, U8, U16, U32, LIST, MAP = range(9, 16)
OPTIONAL = 0x80


def header(version=1):
    return MAGIC + bytes([version])


def u8(value):
    return struct.pack("<B", value)


def u16(value):
    return struct.pack("<H", value)


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def i64(value):
    return struct.pack("<q", value)


def f64(value):
    return struct.pack("<d", value)


def varint(value, size=0):
    """Unsigned LEB128; padded with needless groups to `size` bytes."""
    groups = []
    while True:
        groups.append(value & 0x7F)
        value >>= 7
        if not value:
            break
    groups += [0] * (size - len(groups))
    return bytes([g | 0x80 for g in groups[:-1]] + [groups[-1]])


def _bytes(value):
    return value.encode() if isinstance(value, str) else value


def name(value):
    value = _bytes(value)
    return u16(len(value)) + value


def string(value):
    value = _bytes(value)
    return u32(len(value)) + value


def stack(*addresses):
    return u32(len(addresses)) + b"".join(map(u64, addresses))


def string_map(*pairs):
    return u32(len(pairs)) + b"".join(string(k) + string(v) for k, v in pairs)


def present(value):
    return b"\x01" + value


ABSENT = b"\x00"


def dynamic_list(*elements):
    """Elements are (tag, bytes)."""
    return u32(len(elements)) + b"".join(u8(tag) + value for tag, value in elements)


def dynamic_map(*pairs):
    """Pairs are ((tag, bytes), (tag, bytes))."""
    return u32(len(pairs)) + b"".join(u8(t) + v for pair in pairs for t, v in pair)


def schema(type_id, event_name, fields=(), has_timestamp=1):
    body = b"\x01" + u16(type_id) + name(event_name) + u8(has_timestamp) + u16(len(fields))
    return body + b"".join(name(field) + u8(tag) for field, tag in fields)


def event(type_id, values=b"", delta=0):
    """`delta` in ns since the timestamp base; None for a class without timestamp."""
    packed = b"" if delta is None else u32(delta)[:3]
    return b"\x02" + u16(type_id) + packed + values


def string_pool(*entries):
    return b"\x03" + u32(len(entries)) + b"".join(u32(i) + string(s) for i, s in entries)


def stack_pool(*entries):
    return b"\x04" + u32(len(entries)) + b"".join(u32(i) + stack(*frames) for i, frames in entries)


def reset(timestamp):
    return b"\x05" + u64(timestamp)


def annotations(type_id, *entries):
    """Entries are (field_index, key, value)."""
    body = b"\x06" + varint(type_id) + u16(len(entries))
    for index, key, value in entries:
        body += u16(index) + name(key) + string(value)
    return body


def ticks(count, start=1000, step=8):
    """A valid trace of `count` events `Tick{n}`, the first at `start`, then one every `step` ns."""
    frames = [header(), schema(0, "Tick", [("n", VARINT)])]
    frames += [event(0, varint(n), delta=step if n else start) for n in range(count)]
    return b"".join(frames)


def many(count):
    """A valid trace of many alike events, quickly."""
    return header() + schema(0, "Tick", [("n", VARINT)]) + event(0, varint(300), delta=8) * count

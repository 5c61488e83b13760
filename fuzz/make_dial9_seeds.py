#!/usr/bin/env python3
"""Writes the seed corpus of the dial9 fuzz targets: make_dial9_seeds.py DIRECTORY...

Small traces that reach every frame and field type, some of them broken on purpose. The corpus is
checked in; run this again after adding a seed.
"""

import pathlib
import struct
import sys

HEADER = b"TRC\0\x01"


def name(text: str) -> bytes:
    return struct.pack("<H", len(text)) + text.encode()


def text(value: bytes) -> bytes:
    return struct.pack("<I", len(value)) + value


def schema(type_id: int, event: str, fields: list[tuple[str, int]], has_timestamp: int = 1) -> bytes:
    frame = b"\x01" + struct.pack("<H", type_id) + name(event) + bytes([has_timestamp])
    return frame + struct.pack("<H", len(fields)) + b"".join(name(field) + bytes([tag]) for field, tag in fields)


def event(type_id: int, delta: int, values: bytes = b"") -> bytes:
    return b"\x02" + struct.pack("<H", type_id) + delta.to_bytes(3, "little") + values


VALUES = {
    1: struct.pack("<q", -5),
    2: struct.pack("<d", 1.5),
    3: b"\x01",
    4: text("h\u00e9".encode()),
    5: text(b"\x00\xff"),
    6: struct.pack("<I", 0),
    7: struct.pack("<I", 0),
    8: struct.pack("<IQQ", 2, 1, 2),
    9: b"\x80\x01",
    10: struct.pack("<I", 1) + text(b"k") + text(b"v"),
    11: b"\x07",
    12: b"\x07\x08",
    13: b"\x07\x08\x09\x0a",
    14: struct.pack("<I", 2) + b"\x0b\x01" + b"\x0e" + struct.pack("<I", 1) + b"\x09\x05",
    15: struct.pack("<I", 1) + b"\x04" + text(b"k") + b"\x03\x01",
}
POOLS = b"\x03" + struct.pack("<II", 1, 0) + text(b"pooled") + b"\x04" + struct.pack("<IIIQ", 1, 0, 1, 0x1234)
ALL_FIELDS = [(f"f{tag}", tag) for tag in VALUES]
ALL = HEADER + POOLS + schema(0, "All", ALL_FIELDS) + event(0, 5, b"".join(VALUES.values()))

SEEDS = {
    "header": HEADER,
    "all_types": ALL,
    "optionals": HEADER
    + schema(1, "Some", [(f"f{tag}", 0x80 | tag) for tag in VALUES])
    + event(1, 1, b"\x00" * len(VALUES))
    + event(1, 1, b"".join(b"\x01" + value for value in VALUES.values())),
    "segments": ALL + ALL + HEADER,
    "resets": HEADER + schema(0, "T", []) + b"\x05" + b"\xff" * 8 + event(0, 0) + b"\x05" + bytes(8) + event(0, 3),
    "annotations": HEADER + schema(0, "A", [("a", 9)]) + b"\x06\x00" + struct.pack("<HHH", 1, 0, 1) + b"u" + text(b"ns")
    + event(0, 1, b"\x01"),
    "no_timestamp": HEADER + schema(3, "N", [("n", 11)], 0) + b"\x02\x03\x00\x09",
    "truncated": ALL[:-3],
    "unknown_tag": HEADER + schema(0, "E", []) + event(0, 1) + b"\x07" + ALL,
    "later_version": ALL + b"TRC\0\x09" + ALL,
    "huge_counts": HEADER + schema(0, "H", [("m", 10)]) + event(0, 1, b"\xff\xff\xff\xff"),
    "long_varint": HEADER + schema(0, "V", [("v", 9)]) + event(0, 1, b"\x80" * 11),
    "odd": HEADER + schema(0, "O", [("b", 3), ("o", 0x8B), ("v", 9), ("s", 4), ("", 9)], 7)
    + event(0, 1, b"\xff" + b"\x02\x01" + b"\x81\x00" + text(b"\xff") + b"\x00"),
    "pool_redefined": HEADER + schema(0, "P", [("s", 7)]) + (POOLS + event(0, 1, bytes(4))) * 3,
    "nested": HEADER + schema(0, "L", [("l", 14)]) + event(0, 1, b"\x01\0\0\0\x0e" * 40 + bytes(4)),
}


def main() -> None:
    for directory in sys.argv[1:]:
        path = pathlib.Path(directory)
        path.mkdir(parents=True, exist_ok=True)
        for seed, content in SEEDS.items():
            (path / seed).write_bytes(content)


if __name__ == "__main__":
    main()

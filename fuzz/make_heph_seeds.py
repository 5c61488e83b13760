#!/usr/bin/env python3
"""Writes the seed corpus of the Heph fuzz targets: make_heph_seeds.py DIRECTORY...

Small traces that reach every packet and type of value, some of them broken on purpose. The corpus is checked in; run
this again after adding a seed.
"""

import pathlib
import struct
import sys


def text(value: bytes) -> bytes:
    return struct.pack(">H", len(value)) + value


def packet(magic: int, body: bytes) -> bytes:
    return struct.pack(">II", magic, 8 + len(body)) + body


def option(name: bytes, value: bytes) -> bytes:
    return packet(0x75D11D4D, text(name) + value)


def event(description: bytes, attributes: bytes = b"", counter: int = 0, stream: int = 1, start: int = 5,
          end: int = 9) -> bytes:
    head = struct.pack(">IIQQQ", stream, counter, 2, start, end)
    return packet(0xC1FC1FB7, head + text(description) + attributes)


def attribute(name: bytes, kind: int, value: bytes) -> bytes:
    return text(name) + bytes([kind]) + value


EPOCH = option(b"epoch", struct.pack(">Q", 1610113734118010000))
SCALARS = (attribute(b"u", 1, bytes(7) + b"\x07") + attribute(b"i", 2, b"\xff" * 8)
           + attribute(b"f", 3, struct.pack(">d", 1.5)) + attribute(b"s", 4, text("h\u00e9".encode())))
ARRAYS = (attribute(b"au", 0x81, struct.pack(">HQQ", 2, 1, 2)) + attribute(b"ai", 0x82, struct.pack(">Hq", 1, -1))
          + attribute(b"af", 0x83, struct.pack(">Hd", 1, float("nan")))
          + attribute(b"as", 0x84, b"\x00\x02" + text(b"x") + text(b"")) + attribute(b"", 0x81, bytes(2)))
GOOD = EPOCH + event(b"scalars", SCALARS) + event(b"arrays", ARRAYS, 1) + event(b"scalars", SCALARS, 2)

SEEDS = {
    "empty": b"",
    "good": GOOD,
    "options": EPOCH + option(b"zone", b"UTC") + option(b"", b"") + event(b"e") + EPOCH,
    "layouts": b"".join(event(b"e", attribute(b"n%d" % (i % 12), 1 + i % 3, bytes(8)), i) for i in range(24)),
    "counters": b"".join(event(b"e", counter=c) for c in (5, 6, 9, 8, 8, 4, 0xFFFFFFFF, 0)),
    "odd": event(b"\xff", attribute(b"\xc3", 4, text(b"\x80")), start=9, end=5) + option(b"\xff", b""),
    "faults": b"".join(event(b"bad", bad, i) for i, bad in enumerate(
        (b"\0", attribute(b"a", 5, bytes(8)), attribute(b"a", 1, bytes(7)), attribute(b"a", 0x84, b"\x00\x09"))))
    + GOOD,
    "epoch_size": option(b"epoch", bytes(7)) + GOOD,
    "garbage": b"garbage" + GOOD + b"\xc1\xfc\x1f\xb7\0\0\0\x29" + GOOD,
    "truncated": GOOD[:-3],
    "large": event(b"x", SCALARS)[:4] + b"\x00\x10\x00\x00" + event(b"x", SCALARS)[8:] + GOOD,
    "ctf": b"\xc1\xfc\x1f\xc1\0\0\0\x40" + bytes(56) + GOOD,
}


def main() -> None:
    for directory in sys.argv[1:]:
        path = pathlib.Path(directory)
        path.mkdir(parents=True, exist_ok=True)
        for seed, content in SEEDS.items():
            (path / seed).write_bytes(content)


if __name__ == "__main__":
    main()

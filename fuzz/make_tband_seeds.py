#!/usr/bin/env python3
"""Writes the seed corpora of the Tonbandgerät fuzz targets: make_tband_seeds.py CORPUS

Small traces that reach every event and field type, some of them broken on purpose, in the folders
tband_decoder, tband_command and cobs of CORPUS. They are checked in; run this again after adding a
seed.
"""

import pathlib
import sys


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def cobs(payload: bytes) -> bytes:
    out, block = bytearray(), bytearray()
    for i, byte in enumerate(payload):
        if byte:
            block.append(byte)
        if not byte or (len(block) == 254 and i + 1 < len(payload)):
            out += bytes([len(block) + 1]) + block
            block.clear()
    return bytes(out + bytes([len(block) + 1]) + block)


def event(number: int, *fields: int | bytes) -> bytes:
    return cobs(bytes([number]) + b"".join(f if isinstance(f, bytes) else varint(f) for f in fields)) + b"\0"


TICK = event(0x02, 25)
ONE = [0x00, 0x01, 0x04, 0x05, 0x09, *range(0x54, 0x5B), 0x5E, 0x62, 0x63, 0x6C, 0x7D]
TWO = [0x5B, 0x5C, 0x5D, *range(0x66, 0x6C), 0x6D, 0x6E, 0x6F, 0x70, 0x0B, 0x7F]
EVENTS = {
    "one_field": TICK + b"".join(event(number, 10 * i, i) for i, number in enumerate(ONE)),
    "two_fields": TICK + b"".join(event(number, 1000 * i, i, 300 * i) for i, number in enumerate(TWO)),
    "texts": b"".join(event(number, 5, 1, b"text \xc3\xa9") for number in (0x07, 0x08, 0x7B, 0x7C)),
    "names": b"".join(event(number, 3, b"name") for number in (0x03, 0x06, 0x0A, 0x5F, 0x64))
    + event(0x7A, 1, 3, b"step") + event(0x7E, 1, 3, b"value") + event(0x60, 7, 1) + event(0x61, 6)
    + event(0x65, 2, 3) + event(0x65, 2, 255) + event(0x54, 1, 3) + event(0x7D, 2, 1),
    "cores": TICK + event(0, 1, 1) + event(4, 2, 7) + event(0, 3, 0) + event(4, 1, 7) + event(0, 9, 0xFFFFFFFF),
    "drops": TICK + event(1, 1, 0) + event(1, 2, 5) + event(1, 3, 5) + event(1, 4, 2),
    "late_tick": event(4, 1, 7) + TICK + event(4, 2, 7) + event(2, 7) + event(2, 0),
    "long_text": event(7, 1, 1, b"x" * 600) + event(7, 1, 1, b"\0" * 300) + event(7, 1, 1, b"a\0b"),
    "full_block": b"\xff\x07\x01\x01" + b"x" * 251 + b"\x01\0",
    "numbers": event(0x0B, 2**64 - 1, 2**32 - 1, 1) + event(0x0B, 0, 0, 3) + event(2, 2**64 - 1) + event(4, 2**63, 1),
    "damage": b"\x05\x01\0" + b"\x01\0" + TICK + event(0x0C, 1, 1) + event(4, 1) + event(4, 1, 1, 1) + b"\0\0\x03\x04",
    "too_long": event(4, 1, 2**32) + event(2, 2**64) + b"\x07\x04\x0a\x83\x80\x80\x80\x80\x01\0",
    "hopeless": b"\x80" * 5000 + b"\0" + TICK,
    "hexadecimal": (TICK + event(4, 1, 7)).hex(" ").encode() + b"\n0x03,0x04,0x0b,0x01,0x00",
    "not_utf8": event(7, 1, 1, b"\xff\xfe") + event(0x5F, 1, b"\xe2\x82"),
}
COBS = {
    "empty": b"",
    "zeros": bytes(5),
    "block": b"x" * 254,
    "block_and_zero": b"x" * 254 + b"\0",
    "encoded": cobs(b"\x11\0\x22" + b"x" * 300),
    "last_code": b"\xff" + b"x" * 254 + b"\x01",
    "past_the_end": b"\x05\x01",
}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for folder, seeds in {"tband_decoder": EVENTS, "tband_command": EVENTS, "cobs": COBS}.items():
        place = pathlib.Path(sys.argv[1]) / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (place / name).write_bytes(content)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the seed corpus of the fuzz target of the library for C: make_c_seeds.py CORPUS

Sequences of calls (fuzz/c_interface_fuzz.cpp) on traces of two formats, sound and damaged, in the folder c_interface of CORPUS.
They are checked in; run this again after the calls have changed.
"""

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import dial9_writer as w  # noqa: E402: where it lies is known only now
import heph_writer as h  # noqa: E402

OPEN, CLOSE, CANCEL, BATCHES, DESCRIBE, STREAM, EVENTS, QUERY, MERGE, LATENCY, WHY, THREADS, VALIDATE, CONVERT = 0, 2, 3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 15, 31
# What a request takes: the size of the options, which paths, which options are given, the limit and the callbacks.
ALL = [0, 0, 0, 0, 0, 0]
FEW = [0, 0, 0, 5, 0, 0]
FIRST = [0]  # of the traces
NO_ERROR = [0, 3]
ERROR = [0, 0]


def sequences():
    """Names and calls. A call takes the size of its error and whether there is one first."""
    opened = [OPEN, 0, *ERROR, *ALL, 0]
    yield "batches", opened + [BATCHES + 64, *FIRST] + [0, *ERROR, 0] * 5 + [CLOSE, *FIRST, *ERROR]
    yield "events", opened + [EVENTS + 48, *FIRST] + [0, 0, *ERROR, 0, 0, *ERROR, 0] * 4 + [CLOSE, *FIRST, *ERROR]
    yield "closed_twice", opened + [CLOSE, *FIRST, *ERROR, CLOSE, *FIRST, *ERROR, EVENTS, *FIRST, 0, 0, *ERROR]
    yield "never_opened", [EVENTS, 200, 0, 0, *ERROR, BATCHES, 255, 0, *ERROR, DESCRIBE, 1, 0, 0, *ERROR]
    yield "both_ways", opened + [EVENTS, *FIRST, 0, 0, *ERROR, 0, 0, *ERROR, 0, BATCHES, *FIRST, 0, *ERROR, 0]
    yield "cancelled", opened + [CANCEL, *FIRST, *ERROR, EVENTS, *FIRST, 0, 0, *ERROR, 0, 0, *ERROR, 0]
    yield "described", opened + [BATCHES, *FIRST, 0, *ERROR, 0, DESCRIBE, *FIRST, 0, 0, *ERROR, *ERROR, *ERROR, *ERROR]
    yield "missing", [OPEN, 0, *ERROR, 0, 1, 0, 0, 0, 0, 0, EVENTS, *FIRST, 0, 0, *ERROR]
    yield "nulls", [OPEN, 0, *ERROR, 0, 5, 0, 0, 0, 0, 0, OPEN, 0, *ERROR, 0, 3, 0, 0, 0, 0, 0, OPEN, 0, *ERROR, *ALL, 15]
    yield "options", [OPEN, 0, *ERROR, 0, 0, 255, 0, 1, 2, 0, 1, 2, 1, 5, 0, 0, 0, EVENTS + 16, *FIRST, 0, 0, *ERROR, 0, 0, *ERROR, 0]
    yield "sizes", [OPEN, 0, *ERROR, 3, 0, 0, 0, 0, 0, 0, OPEN, 0, 5, 0, 5, 0, 0, 0, 0, 0, 0, OPEN, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0]
    yield "stream", [STREAM, *ERROR, *ALL, 0, 0, 3]
    yield "query", [QUERY, 0, 0, *ERROR, *ALL, QUERY, 0, 1, *ERROR, *FEW, QUERY, 0, 5, *ERROR, *ALL]
    yield "parts", [QUERY, 1, 2, *ERROR, *ALL, MERGE, 0, 2, *ERROR, MERGE, 0, 3, *ERROR, MERGE, 77, 2, *ERROR, MERGE, 0, 7, *ERROR]
    yield "refused", [QUERY, 0, 1, *ERROR, 0, 0, 16, 0, 1, 3]
    yield "latency", [LATENCY, *ERROR, *ALL, 0, LATENCY + 16, *ERROR, 0, 2, 0, 0, 0, 0, 1]
    yield "why", [WHY, 0, 2, 0, 0, *ERROR, *ALL, 0, WHY, 0, 0, 0, 0, *NO_ERROR, *ALL, 7]
    yield "threads", opened + [THREADS, *FIRST, 0, THREADS, *FIRST, 4, THREADS, *FIRST, 9, THREADS, *FIRST, 14]
    yield "validate", [VALIDATE, *ERROR, *ALL, VALIDATE, *ERROR, 0, 4, 0, 0, 0, 0]
    for target in range(19):
        yield f"convert_{target}", [CONVERT, 0, 0, 0, target, 0, *ERROR, *ALL]
    yield "convert_over_it", [CONVERT, 0, 0, 0, 6, 2, *ERROR, *ALL, CONVERT, 0, 0, 1, 18, 0, *ERROR, *ALL]
    some = [1, 0, 0, 0, 1, 0, 12, 0]  # all of it, hidden
    yield "convert_options", [CONVERT, 0, 1, *some, 0, 6, 0, *ERROR, *ALL, CONVERT, 0, 3, *some, 24, 9, 9, 9, 1, 1, 0, 0, 0, 0, *ERROR, *ALL]
    yield "convert_small", [CONVERT, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, *ERROR, *ALL, CONVERT, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, *ERROR, *ALL]
    yield "tables", [LATENCY, *ERROR, 0, 0, 128, 16, 1, 0, 1, 0, 0, 0, 0, CONVERT, 0, 0, 0, 0, 0, *ERROR, 0, 0, 128, 16, 2, 0, 1, 0, 0, 0]
    yield "clock_and_format", [QUERY, 0, 1, *ERROR, 0, 0, 128, 6, 0, 0, 0, 0, 0, OPEN, 0, *ERROR, 0, 0, 128, 8, 0, 0, 0, 0, 0]
    rng = random.Random(29)
    for i in range(8):
        yield f"mixed_{i}", opened + [rng.randrange(256) for _ in range(120)]


def traces():
    ticks = w.header() + w.schema(0, "Tick", [("n", w.VARINT), ("text", w.STRING)])
    ticks += b"".join(w.event(0, w.varint(i) + w.string(f"t{i % 2}"), delta=700) for i in range(12))
    spans = h.epoch(10**9) + b"".join(
        h.event(b"read", h.number(b"n", i) + h.array(b"list", 1, 2, i), counter=i, start=i, end=2 * i) for i in range(6))
    return {"dial9": ticks, "heph": spans, "damaged": ticks[:-9] + b"\x07 no frame"}


def main():
    folder = pathlib.Path(sys.argv[1]) / "c_interface"
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("seed-*"):
        path.unlink()
    made = traces()
    for number, (name, calls) in enumerate(sequences()):
        for trace in ("dial9", ("heph", "damaged")[number % 2]):
            content = bytes([len(calls)]) + bytes(calls) + made[trace]
            (folder / f"seed-{name}-{trace}").write_bytes(content)


if __name__ == "__main__":
    main()

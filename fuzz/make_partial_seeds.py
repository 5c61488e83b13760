#!/usr/bin/env python3
"""Writes the seed corpus of the fuzz target of partial answers: make_partial_seeds.py CORPUS [COMMAND]

What COMMAND (build/release/bin/tracedeck unless said) writes with --partial, in the folder partial of CORPUS: whole files,
their questions with one portion each, and files that are refused. They are checked in; run this again after the form has changed.
"""

import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import dial9_writer as w  # noqa: E402: where it lies is known only now

QUESTIONS = (
    "count",
    "count, sum(n), avg(ratio), rate by text, n % 2 as odd | sort count desc",
    "p50(n), hist(ratio), distinct(text) by name, every 1us | top 3 by distinct",
    "first(text), last(n), min(n), max(ratio)",
    "pair Tick Tick on n within 5us | count, max(duration) by n",
)


def trace():
    made = [w.header(), w.schema(0, "Tick", [("n", w.VARINT), ("ratio", w.F64), ("text", w.STRING)])]
    for i in range(12):
        made.append(w.event(0, w.varint(i % 3) + w.f64(i / 4) + w.string(f"t{i % 2}"), delta=700))
    return b"".join(made)


def blocks(content):
    """The blocks with their heads."""
    at = 9
    while at < len(content):
        size = struct.unpack_from("<I", content, at)[0]
        yield content[at : at + 12 + size]
        at += 12 + size


def unsound(content):
    """Files with a block missing, doubled and elsewhere, with a bit turned, and cut short."""
    head, made = content[:9], list(blocks(content))
    yield "missing", head + b"".join(made[:2] + made[3:])
    yield "doubled", head + b"".join(made[:4] + made[3:])
    yield "elsewhere", head + b"".join(made[:2] + [made[3], made[2]] + made[4:])
    yield "flipped", content[:-20] + bytes([content[-20] ^ 4]) + content[-19:]
    yield "cut", content[: len(content) * 2 // 3]
    yield "older", content[:8] + b"\x03" + content[9:]


def main():
    folder = pathlib.Path(sys.argv[1]) / "partial"
    folder.mkdir(parents=True, exist_ok=True)
    command = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "build/release/bin/tracedeck")
    for path in folder.glob("seed-*"):
        path.unlink()
    for number, question in enumerate(QUESTIONS):
        made = subprocess.run([command, "query", "-q", question, "--partial", "-", "-"], input=trace(), capture_output=True, check=True)
        (folder / f"seed-{number}-file").write_bytes(made.stdout)
        asked, _, *portions = (block[12:] for block in blocks(made.stdout))
        for index, portion in enumerate(portions[:-1]):
            (folder / f"seed-{number}-{index}").write_bytes(asked + b"\n" + portion)
        if number == 1:
            for name, content in unsound(made.stdout):
                (folder / f"seed-{number}-{name}").write_bytes(content)


if __name__ == "__main__":
    main()

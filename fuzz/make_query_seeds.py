#!/usr/bin/env python3
"""Writes the seed corpus of the fuzz target of queries: make_query_seeds.py CORPUS

The conditions and queries that docs/query.md shows, and some that ask for much, in the folder query of CORPUS. They are
checked in; run this again after the language has changed.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

HOSTILE = (
    "(" * 300,
    "let x = depth" + " | let x = x + x" * 40 + " | select x",
    "count" + " | limit 1" * 300,
    "pair A A on depth nested | hist(duration) by a.text, b.depth, every 1ns",
    "pair A B on a.depth == b.depth within 5 | top 0",
    "select ratio, wide, sizes, inner, state, flags, maybe, ok as o | sort o, ratio desc | limit 3",
    "p99.9(ratio), hist(ratio), sum(wide), avg(low), min(text), distinct(state) by flags, every 3 | top 2 by p99.9",
    "limit 0 | rate, first(sizes), last(inner)",
    "spans all | where .name == job && !whole | select job, .name, end - time as age | top 2 by age",
    "spans | let x = duration * x | count, hist(x) by label, a.b[0], $ctx.c every 2 | sort hist",
)


def texts():
    document = (ROOT / "docs/query.md").read_text()
    yield from re.findall(r"(?:query|--where) '([^'\n]+)'", document.replace("\\|", "|"))
    yield from (text for text in re.findall(r"`([^`\n]{6,})`", document.replace("\\|", "|")) if re.search(r"[=<>(]", text))
    yield from HOSTILE


def main():
    folder = pathlib.Path(sys.argv[1]) / "query"
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("seed-*"):
        path.unlink()
    for number, text in enumerate(dict.fromkeys(texts())):
        (folder / f"seed-{number:03}").write_text(text)


if __name__ == "__main__":
    main()

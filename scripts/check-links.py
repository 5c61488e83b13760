#!/usr/bin/env python3
"""Checks that every relative link in the Markdown files names a file that is there.

check-links.py [ROOT]     exit 1 and FILE:LINE of every link that leads nowhere
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")


def broken(file: pathlib.Path) -> list[tuple[int, str]]:
    found = []
    fenced = False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            path = target.split("#")[0]
            if path and ":" not in path and not (file.parent / path).exists():
                found.append((number, target))
    return found


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    failed = False
    for file in sorted(root.rglob("*.md")):
        if "build" in file.relative_to(root).parts:
            continue
        for number, target in broken(file):
            print(f"{file.relative_to(root)}:{number}: {target} is not there")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Prints what to compile to see that each header below FOLDER compiles alone: headers in order, a line each translation unit.

    alone.py FOLDER

A header reads the same declarations, wherever it is included, if only headers that it includes itself stand before
it. So a line holds headers each of which includes the one before it, directly or not: compiled in this order, each is
as it would be alone, and most of the work of one serves the next.
"""

import pathlib
import re
import sys


def included(headers, start):
    """`start`, and all that it includes, directly or not."""
    known, waiting = set(), [start]
    while waiting:
        header = waiting.pop()
        if header not in known:
            known.add(header)
            waiting += headers[header]
    return known


def lines(headers):
    sets = {header: included(headers, header) for header in headers}

    def longest(of):
        return max(of, key=lambda header: (len(sets[header]), header), default=None)

    left = set(headers)
    while left:
        line, header = [], longest(left)
        while header is not None:
            line.append(header)
            left.discard(header)
            header = longest(left & sets[header])
        yield line[::-1]


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = [path for path in sorted(folder.rglob("*.hpp"))]
    of_the_project = re.compile(r'^#include ["<](tracedeck/[^">]+)[">]', re.MULTILINE)
    for line in lines({str(path.relative_to(folder)): of_the_project.findall(path.read_text()) for path in paths}):
        print(*line)


if __name__ == "__main__":
    main()

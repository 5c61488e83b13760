"""Runs many seeds of a family: python3 -m worlds FAMILY --seeds A:B --bin PATH (in tests/).

The kinds of false statements, the most frequent first, each with some lines: seed, kind, what was said, what is true. Exit code 1
when there was one. FAMILY may be `incidents`: a table of its kinds, and the first wrong conclusion of each.
"""

import argparse
import collections
import os
import pathlib
import shutil
import sys
import tempfile

from . import FAMILIES, incidents, sample
from .statements import check


def main():
    parser = argparse.ArgumentParser(prog="worlds", description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=(*FAMILIES, "incidents"))
    parser.add_argument("--seeds", default="0:100", help="A:B, without B")
    parser.add_argument("--bin", default=os.environ.get("TRACEDECK_BIN", "tracedeck"))
    parser.add_argument("--kind", help="show only kinds that contain this")
    parser.add_argument("--most", type=int, default=3, help="lines shown of each kind; 0: all")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the traces of seeds with a false statement")
    options = parser.parse_args()
    begin, end = map(int, options.seeds.split(":"))
    if options.family == "incidents":
        return 1 if incidents.table(options.bin, range(begin, end), options.kind, options.keep) else 0
    kinds, shown, lines = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    for seed in range(begin, end):
        with tempfile.TemporaryDirectory() as folder:
            truth = sample(options.family, seed, pathlib.Path(folder))
            found = [f for f in check(options.bin, truth) if not options.kind or options.kind in f.kind]
            kinds.update({falsehood.kind for falsehood in found})
            for falsehood in found:
                shown[falsehood.kind] += 1
                if not options.most or shown[falsehood.kind] <= options.most:
                    lines[falsehood.kind].append(falsehood.line(f"{options.family} {seed} ({truth.variant})"))
            if found and options.keep:
                shutil.copytree(folder, options.keep / f"{options.family}-{seed}", dirs_exist_ok=True)
    print(f"{end - begin} seeds, {sum(kinds.values())} kinds of false statements in all of them together")
    for kind, count in kinds.most_common():
        print(f"{count:6} seeds  {kind}")
        for line in lines[kind]:
            print("        " + line)
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())

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


def print_known(family, seeds):
    """Each kind with a seed that shows it, of few seeds."""
    known, open_kinds = {}, set().union(*seeds.values())
    while open_kinds:
        best = max(seeds, key=lambda seed: (len(seeds[seed] & open_kinds), -seed))
        known.update(dict.fromkeys(seeds[best] & open_kinds, best))
        open_kinds -= seeds[best]
    print(f'    "{family}": {{')
    for kind, seed in sorted(known.items()):
        print(f'        "{kind}": {seed},')
    print("    },")


def main():
    parser = argparse.ArgumentParser(prog="worlds", description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=(*FAMILIES, "incidents"))
    parser.add_argument("--seeds", default="0:100", help="A:B, without B")
    parser.add_argument("--bin", default=os.environ.get("TRACEDECK_BIN", "tracedeck"))
    parser.add_argument("--kind", help="show only kinds that contain this")
    parser.add_argument("--most", type=int, default=3, help="lines shown of each kind; 0: all")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the traces of seeds with a false statement")
    parser.add_argument("--known", action="store_true", help="print lines for KNOWN of worlds_test.py")
    options = parser.parse_args()
    begin, end = map(int, options.seeds.split(":"))
    if options.family == "incidents":
        return 1 if incidents.table(options.bin, range(begin, end), options.kind, options.keep) else 0
    kinds, shown, seeds, lines = collections.Counter(), collections.Counter(), {}, collections.defaultdict(list)
    for seed in range(begin, end):
        with tempfile.TemporaryDirectory() as folder:
            truth = sample(options.family, seed, pathlib.Path(folder))
            found = [f for f in check(options.bin, truth) if not options.kind or options.kind in f.kind]
            seeds[seed] = {falsehood.kind for falsehood in found}
            kinds.update(seeds[seed])
            for falsehood in found:
                shown[falsehood.kind] += 1
                if not options.most or shown[falsehood.kind] <= options.most:
                    lines[falsehood.kind].append(falsehood.line(f"{options.family} {seed} ({truth.variant})"))
            if found and options.keep:
                shutil.copytree(folder, options.keep / f"{options.family}-{seed}", dirs_exist_ok=True)
    if options.known:
        print_known(options.family, seeds)
        return 0
    print(f"{end - begin} seeds, {sum(kinds.values())} kinds of false statements in all of them together")
    for kind, count in kinds.most_common():
        print(f"{count:6} seeds  {kind}")
        for line in lines[kind]:
            print("        " + line)
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())

"""Incidents whose cause is planted in one of the worlds, and whether `why` leads to it: ../README.md."""

import collections
import dataclasses
import pathlib
import random
import shutil
import tempfile

from . import linux_kinds, rtos_kinds, span_kinds, tokio_kinds
from .case import CONCLUDED, SHOWN, UNSPECIFIC, WRONG

MODULES = (tokio_kinds, rtos_kinds, linux_kinds, span_kinds)
KINDS = {kind: make for module in MODULES for kind, make in module.KINDS.items()}
HEALTHY = {kind: make for module in MODULES for kind, make in module.HEALTHY.items()}


@dataclasses.dataclass
class Result:
    """Of one kind."""

    verdicts: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    wrong: list = dataclasses.field(default_factory=list)  # (seed, said, true)


def made(kind, seed, folder):
    """The case of a seed: the same each time."""
    make = KINDS.get(kind) or HEALTHY[kind]
    return make(random.Random(f"{kind} {seed}"), seed, pathlib.Path(folder))


def run(binary, kind, seeds, keep=None):
    result = Result()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            verdict, said, true = made(kind, seed, folder).verdict(binary)
            result.verdicts[verdict] += 1
            if verdict == WRONG:
                result.wrong.append((seed, said, true))
            if keep and verdict == WRONG:
                shutil.copytree(folder, keep / f"{kind.replace(' ', '-').replace('/', '')}-{seed}", dirs_exist_ok=True)
    return result


def table(binary, seeds, chosen=None, keep=None):
    """Prints a line of each kind, and returns how many were wrong."""
    print("| kind | seeds | concluded | shown | neither | wrong |\n|---|---|---|---|---|---|")
    sums, lines = collections.Counter(), []
    for kind in [*KINDS, *HEALTHY]:
        if chosen and chosen not in kind:
            continue
        result = run(binary, kind, seeds, keep)
        counts = [result.verdicts[verdict] for verdict in (CONCLUDED, SHOWN, UNSPECIFIC, WRONG)]
        sums.update(result.verdicts)
        print(f"| {kind} | {len(seeds)} | {' | '.join(map(str, counts))} |", flush=True)
        lines += [f"{kind} {seed}: said: {said}; true: {true}" for seed, said, true in result.wrong[:1]]
    print(f"| all | {sums.total()} | {' | '.join(str(sums[v]) for v in (CONCLUDED, SHOWN, UNSPECIFIC, WRONG))} |")
    for line in lines:
        print(line)
    return sums[WRONG]

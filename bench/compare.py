#!/usr/bin/env python3
"""Measures `print` beside babeltrace2, which must be installed, and prints ratios as Markdown.

usage: bench/compare.py [BUILD [EVENTS]]     BUILD: a release build with benchmarks (default build/release)

Both print the same trace of LTTng shape (default one million events) by turns, on one thread, into nothing. A ratio is the
median of those of the turns, by processor time; the last table holds text against JSON lines of the same trace. Ratios of
one machine say little of another, which is why its processor is named.
"""

import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TURNS = 7
FORMS = {
    "text": ("text", ()),
    "JSON lines": ("jsonl", ()),
    "CSV": ("csv", ()),
    "CSV, a column for each field": ("csv", ("--flat",)),
    "the form of babeltrace2": ("babeltrace2", ()),
}
OTHERS = ("mix3", "mix16", "heph", "tband")


def processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def seconds(*command: object) -> float:
    """Processor time of one run whose output is thrown away."""
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    print("\n| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main() -> None:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
    events = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    peer = shutil.which("babeltrace2")
    if peer is None:
        sys.exit("compare.py: babeltrace2 is not installed")
    program = build / "bin/tracedeck"

    def printing(form: str, options: tuple[str, ...], trace: pathlib.Path) -> tuple[object, ...]:
        return program, "print", "--jobs", "1", "--output", form, *options, trace

    print(f"{processor()}, {events} events, median of {TURNS} turns")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for workload in ("lttng", *OTHERS):
            subprocess.run([build / "bin/instructions", f"write-{workload}", str(events), folder / workload], check=True)
        theirs: list[float] = []
        ours: dict[str, list[float]] = {form: [] for form in FORMS}
        for _ in range(TURNS):
            theirs.append(seconds(peer, folder / "lttng"))
            for form, (output, options) in FORMS.items():
                ours[form].append(seconds(*printing(output, options, folder / "lttng")))
        table(("`print`", "ns an event", "babeltrace2's text takes, times as long"),
              [(form, f"{statistics.median(runs) / events * 1e9:.0f}",
                f"{statistics.median(a / b for a, b in zip(theirs, runs)):.1f}") for form, runs in ours.items()])
        rows = []
        for workload in ("lttng", *OTHERS):
            pairs = [tuple(seconds(*printing(form, (), folder / workload)) for form in ("text", "jsonl"))
                     for _ in range(TURNS)]
            text, lines = (statistics.median(each) / events * 1e9 for each in zip(*pairs))
            rows.append((workload, f"{text:.0f}", f"{lines:.0f}", f"{statistics.median(a / b for a, b in pairs):.2f}"))
        table(("trace", "text, ns an event", "JSON lines", "text to JSON lines"), rows)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures the package for Python, where it is installed beside bt2, which Debian's own Python has.

usage: /usr/bin/python3 bench/python_rates.py [BUILD [EVENTS]]     BUILD: a release build with benchmarks (default build/release)

On a trace of LTTng shape: four columns into NumPy, and three fields event by event, with bt2 and with tracedeck by turns, and the
medians of the ratios. On mix3 of dial9: columns into NumPy on one thread, and what it takes to open a trace. Ratios of one
machine say little of another.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
EVENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
TURNS = 5
NAME = "app:tick"  # of most events of that shape

os.environ.setdefault("TRACEDECK_LIBRARY", str(BUILD / "lib/libtracedeck_c.so.1"))
sys.path.insert(0, str(ROOT / "python"))

import bt2  # noqa: E402
import numpy  # noqa: E402

import tracedeck  # noqa: E402


def taken(work, *args) -> float:
    start = time.process_time()
    work(*args)
    return time.process_time() - start


def events_of_bt2(path):
    for message in bt2.TraceCollectionMessageIterator(str(path)):
        if type(message) is bt2._EventMessageConst:
            yield message


def columns_of_bt2(path):
    times, rows = [], []
    for message in events_of_bt2(path):
        event = message.event
        if event.name != NAME:
            continue
        times.append(message.default_clock_snapshot.ns_from_origin)
        rows.append((int(event["value"]), int(event["vtid"]), int(event["cpu_id"])))
    return numpy.array(times), numpy.array(rows)


def loop_of_bt2(path):
    total = 0
    for message in events_of_bt2(path):
        event = message.event
        if event.name != NAME:
            continue
        total += int(event["value"]) + int(event["vtid"]) + int(event["cpu_id"])
    return total


def columns(path, wanted, name=None):
    with tracedeck.open(path, jobs=1) as trace:
        return trace.to_numpy(name, wanted)


def loop(path):
    total = 0
    with tracedeck.open(path, jobs=1) as trace:
        for event in trace:
            if event.name != NAME:
                continue
            context = event.context
            total += event["value"] + context["common"]["vtid"] + context["packet"]["cpu_id"]
    return total


def ratios(theirs, ours) -> str:
    pairs = [(theirs(), ours()) for _ in range(TURNS)]
    return f"{statistics.median(a / b for a, b in pairs):.0f} times bt2 ({EVENTS / statistics.median(b for _, b in pairs) / 1e6:.2f} M events/s)"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lttng, mix3 = pathlib.Path(folder) / "lttng", pathlib.Path(folder) / "mix3"
        for workload, path, count in (("lttng", lttng, EVENTS), ("mix3", mix3, 20 * EVENTS)):
            subprocess.run([BUILD / "bin/instructions", f"write-{workload}", str(count), path], check=True)
        assert loop(lttng) == loop_of_bt2(lttng)
        print(f"{EVENTS} events of LTTng shape, median of {TURNS} turns, by processor time")
        wanted = ["time_ns", "value", "common.vtid", "packet.cpu_id"]
        print("four columns into NumPy:", ratios(lambda: taken(columns_of_bt2, lttng), lambda: taken(columns, lttng, wanted, NAME)))
        print("three fields, event by event:", ratios(lambda: taken(loop_of_bt2, lttng), lambda: taken(loop, lttng)))
        wanted = ["time_ns", "worker_id", "task_id", "local_queue_depth"]
        runs = [taken(columns, mix3, wanted, "PollStart") for _ in range(TURNS)]
        print(f"mix3, four columns of a class into NumPy, one thread: {20 * EVENTS / statistics.median(runs) / 1e6:.1f} M events/s")
        runs = [taken(columns, mix3, None) for _ in range(TURNS)]
        print(f"mix3, all columns of all classes: {20 * EVENTS / statistics.median(runs) / 1e6:.1f} M events/s")
        opens = [taken(lambda: tracedeck.open(mix3).close()) for _ in range(50)]
        print(f"opening a trace: {statistics.median(opens) * 1e3:.2f} ms")


if __name__ == "__main__":
    main()

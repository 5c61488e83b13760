#!/usr/bin/env python3
"""Measures what docs/performance.md tabulates and prints it as Markdown.

usage: bench/report.py [BUILD]     BUILD: a release build with benchmarks (default build/release)

Needs valgrind for the instruction counts and about 5 GB in $TMPDIR for the large traces. Rates are
the best of 15 runs in one process; ratios are of medians of alternating runs; memory is the
largest of one run.
"""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LATENCY = 10_000_000  # events of mix3
LARGE = 125_000_000  # events of mix3: 2.05 GB
GIGABYTE = 61_000_000
RUNS = 15
CTF_EVENTS = 5_000_000


def output(*command: object, **options: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def table(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    print(f"\n### {title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def instructions(build: pathlib.Path) -> None:
    lines = output(ROOT / "scripts/count-instructions.sh", env={**os.environ, "BUILD_DIR": str(build)}).splitlines()
    table("Instructions an event", ("what", "instructions"), [tuple(line.split()) for line in lines])


def best_rates(build: pathlib.Path) -> None:
    rows = []
    for program in ("dial9_encode_bench", "dial9_decode_bench", "heph_bench", "tband_encode_bench", "tband_decode_bench",
                    "json_lines_bench", "ctf_read_bench", "ctf_write_bench"):
        report = json.loads(output(build / "bin" / program, f"--benchmark_repetitions={RUNS}",
                                   "--benchmark_min_time=0.05", "--benchmark_format=json"))
        rates: dict[str, list[float]] = {}
        for run in report["benchmarks"]:
            if run["run_type"] == "iteration" and "items_per_second" in run:
                # By the clock on the wall: processor time flatters on virtual machines.
                rate = run["items_per_second"] * run["cpu_time"] / run["real_time"]
                rates.setdefault(run["run_name"], []).append(rate / 1e6)
        rows += [(name, f"{max(all_of):.1f}", f"{statistics.median(all_of):.1f}") for name, all_of in rates.items()]
    table("Million events a second", ("benchmark", f"best of {RUNS}", "median"), rows)


def peak_memory(process: int) -> int:
    """The KiB resident at most so far; 0 once the process is gone."""
    try:
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def run(*command: object) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and MiB resident of one run whose output is thrown away."""
    begin = time.monotonic()
    peak = 0
    # What wait4 reports of memory includes that of this program before the command took its place.
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            break
        peak = max(peak, peak_memory(child.pid))
        time.sleep(0.01)
    assert status == 0, command
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, peak / 1024


def info_ratio(build: pathlib.Path, folder: pathlib.Path) -> None:
    trace = folder / "gigabyte.bin"
    instructions_program = build / "bin/instructions"
    output(instructions_program, "write-mix3", GIGABYTE, trace)
    info, visit = [], []
    for _ in range(5):
        info.append(run(build / "bin/tracedeck", "info", trace)[1])
        visit.append(run(instructions_program, "visit-mix3", GIGABYTE, trace)[1])
    ratio = statistics.median(a / b for a, b in zip(info, visit))
    table("info on 1 GB in the page cache, processor seconds", ("info", "native visitor", "ratio"),
          [(f"{statistics.median(info):.2f}", f"{statistics.median(visit):.2f}", f"{ratio:.2f}")])
    trace.unlink()


def commands(build: pathlib.Path, folder: pathlib.Path) -> None:
    command = build / "bin/tracedeck"
    ordered, disordered = folder / "ordered.bin", folder / "disordered.bin"
    output(build / "bin/instructions", "write-mix3", LARGE, ordered)
    part = folder / "part.bin"
    output(build / "bin/instructions", "write-mix3", 1_000_000, part)
    with open(disordered, "wb") as whole:
        for _ in range(LARGE // 1_000_000):
            whole.write(part.read_bytes())
    rows = []
    for name, arguments in (
        ("info", ("info", ordered)),
        ("stats", ("stats", ordered)),
        ("validate", ("validate", ordered)),
        ("print --output jsonl", ("print", "--output", "jsonl", ordered)),
        ("print --output csv", ("print", "--output", "csv", ordered)),
        ("print", ("print", ordered)),
        ("convert --to dial9", ("convert", "--to", "dial9", "-o", folder / "out", ordered)),
        ("convert --to dial9 --begin 1", ("convert", "--to", "dial9", "--begin", "1", "-o", folder / "out", ordered)),
        ("print --output jsonl --order time", ("print", "--output", "jsonl", "--order", "time", ordered)),
        ("the same, 125 overlapping segments", ("print", "--output", "jsonl", "--order", "time", disordered)),
    ):
        wall, processor, memory = run(command, *arguments)
        rows.append((name, f"{LARGE / processor / 1e6:.1f}", f"{wall:.1f}", f"{memory:.0f}"))
    table("Whole commands on 2 GB", ("command", "M events a processor second", "wall seconds", "MiB resident"), rows)


def latency(build: pathlib.Path, folder: pathlib.Path) -> None:
    """What events mean, in both orders by turns."""
    trace = folder / "latency.bin"
    output(build / "bin/instructions", "write-mix3", LATENCY, trace)
    runs: dict[str, list[tuple[float, float, float]]] = {"recorded": [], "time": []}
    for _ in range(5):
        for order, seen in runs.items():
            seen.append(run(build / "bin/tracedeck", "latency", "--jobs", "1", "--order", order,
                            "--table", ROOT / "bench/mix3.toml", trace))
    rows = [(order, f"{LATENCY / statistics.median(each[1] for each in seen) / 1e6:.1f}",
             f"{max(each[2] for each in seen):.0f}") for order, seen in runs.items()]
    table("latency of 10 million events, median of five", ("--order", "M events a processor second", "MiB resident"), rows)
    trace.unlink()


def ctf(build: pathlib.Path, folder: pathlib.Path) -> None:
    """Whole commands on a trace of LTTng shape, beside babeltrace2 where it is installed; best of five by the wall."""
    command, trace = build / "bin/tracedeck", folder / "lttng"
    output(build / "bin/lttng_trace", trace, CTF_EVENTS)
    rows = []
    for arguments in (
        ("info", "--jobs", "1"),
        ("stats", "--jobs", "1"),
        ("stats", "--jobs", "2"),
        ("print", "--output", "jsonl", "--jobs", "1"),
        ("print", "--output", "babeltrace2", "--jobs", "1"),
        ("print", "--output", "babeltrace2", "--jobs", "2"),
    ):
        runs = [run(command, *arguments, trace) for _ in range(5)]
        wall = min(each[0] for each in runs)
        rows.append((" ".join(arguments), f"{CTF_EVENTS / wall / 1e6:.1f}", f"{max(each[2] for each in runs):.0f}"))
    if shutil.which("babeltrace2"):
        wall = min(run("babeltrace2", trace)[0] for _ in range(2))
        rows.append(("babeltrace2", f"{CTF_EVENTS / wall / 1e6:.2f}", ""))
    table("A CTF trace of LTTng shape", ("command", "M events a second", "MiB resident"), rows)


def main() -> None:
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    instructions(build)
    best_rates(build)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        info_ratio(build, pathlib.Path(folder))
        commands(build, pathlib.Path(folder))
        latency(build, pathlib.Path(folder))
        ctf(build, pathlib.Path(folder))


if __name__ == "__main__":
    main()

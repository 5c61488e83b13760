"""What `latency` says against a second interpretation, written from the design of the time lines alone.

The reference traces that a table is for, and random ones of all tables: counts, sums, the longest and where it began,
what was left out, and how long each track was in each state are equal, quantiles within 0.4 %. TRACEDECK_TIMELINES is how
many random traces are looked at (45 unless said), TRACEDECK_FIRST_SEED where they begin.
"""

import json
import os
import subprocess
import tomllib
import unittest

from command import BIN, TRACES, CommandTest, needs_traces, run
from timeline_oracle import interpret, random_traces
from timeline_oracle.__main__ import lines
from timeline_oracle.comparison import differences
from timeline_oracle.rules_test import Rules  # noqa: F401, its cases are run here

FIRST_SEED = int(os.environ.get("TRACEDECK_FIRST_SEED", "0"))
TIMELINES = int(os.environ.get("TRACEDECK_TIMELINES", "45"))

# Each is looked at by one table.
REFERENCES = (
    "dial9/13_concat_segments.bin",
    "dial9/15_bench_mix3_10k.bin",
    "heph/nested_spans.bin.log",
    "heph/out_of_order.bin.log",
    "heph/real_writer_streams.bin.log",
    "heph/realistic_12k.bin.log",
    "heph/same_start.bin.log",
    "tband/all_events_monotone.bin",
    "tband/baremetal_snapshot.bin",
    "tband/drops_every50.bin",
    "tband/posix_freertos_committed_log.bin",
    "tband/twocore_core0.bin",
    "tband/twocore_core1.bin",
    "ctf/ctf1/succeed_lf-metadata",
    "ctf/ctf1/succeed_lttng-tracefile-rotation_kernel",
    "ctf/tracecompass/context-switches-ust",
    "ctf/tracecompass/glxgears-cyg-profile-fast",
    "ctf/tracecompass/mpi_ssend_irecv",
    "ctf/tracecompass/perf-taskset2",
)
LARGE_REFERENCES = (
    "dial9/tokio-demo.bin.gz",
    "ctf/tracecompass/ros2",
    "ctf/tracecompass/scp_src",
)


# What a user might say of the random traces that no built-in table is for.
USER_TABLE = """table = "my-jobs"
applies = { format = "ctf", class = "job_*" }
[[track]]
id = "jobs"
kind = "lanes"
name = "jobs"
[[track]]
id = "mode"
kind = "state"
name = "mode"
[[slice]]
begin = "job_start"
end = ["job_done", "job_stop"]
match = "handle"
track = "jobs"
category = "job"
name = "job {handle}"
[[slice]]
begin = "app:load_begin"
end = "app:load_end"
match = ["a.bytes == b.status"]
track = "jobs"
category = "load"
name = "load"
[[wait]]
name = "entry -> exit"
from = "call_entry"
to = "call_exit"
match = ["x"]
track = "jobs"
[[wait]]
name = "last begin -> end"
from = "app:begin"
to = "app:end"
match = [".id"]
last = true
track = "jobs"
[[state]]
event = ["note", "_end"]
track = "mode"
name = "mode {x}"
"""


def latency(*args, stdin=b""):
    """The answer; damaged traces have one too."""
    return run("latency", "-q", "--output", "json", "--top", "0", *args, stdin=stdin).stdout


def classes_of(kind):
    """What the metadata of a random trace names beside the classes of its events."""
    known = random_traces.CLASSES.get(kind, {})
    return {name: [field.partition(":")[0] for field in fields] for name, fields in known.items()}


def environment_of(path):
    return json.loads(run("info", "-q", "--json", path).stdout or b"{}").get("environment")


def goes_back(path):
    """Whether a clock steps back, so that the order of time is not that of the trace."""
    times = [one["time"] for one in lines([os.fspath(path)], "recorded") if "time" in one]
    return times != sorted(times)


class Timelines(CommandTest):
    def check_trace(self, path, classes=(), without=(), order="time", table=None, begin=None):
        user = [tomllib.loads(USER_TABLE)] if table else []
        line = interpret(lines([os.fspath(path)], order), user=user, classes=classes, begin=begin, environment=environment_of(path), in_order=order == "time")
        options = ("--table", table) if table else ()
        options += () if begin is None else ("--begin", str(begin))
        output = latency("--order", order, *options, path)
        self.assertTrue(output, f"{path}: no answer")
        wrong = list(differences(line, json.loads(output), without))
        if wrong:
            self.fail("\n".join([f"{path}:", *wrong[:20]]))
        return output

    @needs_traces
    def test_reference_traces(self):
        for name in REFERENCES:
            with self.subTest(name):
                self.check_trace(TRACES / name)

    @needs_traces
    def test_large_reference_traces(self):
        for name in LARGE_REFERENCES:
            with self.subTest(name):
                self.check_trace(TRACES / name)

    def test_random_traces(self):
        kinds = list(random_traces.KINDS)
        for i in range(TIMELINES):
            kind, seed = kinds[i % len(kinds)], FIRST_SEED + i // len(kinds)
            with self.subTest(f"{kind} {seed}"):
                path = random_traces.write(kind, seed, self.folder)
                # What a marker of a task is called is known by the order of the trace.
                without = ("task marker",) if kind == "tband" and goes_back(path) else ()
                output = self.check_trace(path, classes_of(kind), without)
                for jobs in ("1", "4"):
                    self.assertEqual(latency("--jobs", jobs, path), output, f"--jobs {jobs}")

    def test_from_a_begin(self):
        """What ended before it is counted nowhere."""
        for i in range(max(9, TIMELINES // 5)):
            kind, seed = list(random_traces.KINDS)[i % len(random_traces.KINDS)], FIRST_SEED + i // len(random_traces.KINDS)
            with self.subTest(f"{kind} {seed}"):
                path = random_traces.write(kind, seed, self.folder)
                times = sorted(one["time"] for one in lines([os.fspath(path)], "time") if "time" in one)
                without = ("task marker",) if kind == "tband" and goes_back(path) else ()
                # What a loss made doubtful is over at the loss, or where something else says so.
                self.check_trace(path, classes_of(kind), (*without, "doubtful"), begin=times[len(times) // 2])

    def test_clocks_that_step_back(self):
        """As recorded, times step back: near, they are clamped, and far, all begins anew."""
        for seed in range(FIRST_SEED, FIRST_SEED + TIMELINES):
            with self.subTest(seed):
                path = random_traces.write_steps(seed, self.folder)
                # The command clamps the times of each lane, and the oracle those of all that overlaps.
                output = self.check_trace(path, (), ("marker", "task marker", "counts"), "recorded")
                for jobs in ("1", "4"):
                    self.assertEqual(latency("--order", "recorded", "--jobs", jobs, path), output, f"--jobs {jobs}")

    def test_tables_of_users(self):
        table = self.file("my-jobs.toml", USER_TABLE.encode())
        for seed in range(FIRST_SEED, FIRST_SEED + max(4, TIMELINES // 9)):
            for kind in ("fallback", "fallback_threads"):
                with self.subTest(f"{kind} {seed}"):
                    path = random_traces.write(kind, seed, self.folder)
                    output = self.check_trace(path, classes_of(kind), table=table)
                    for jobs in ("1", "4"):
                        self.assertEqual(latency("--jobs", jobs, "--table", table, path), output, f"--jobs {jobs}")

    def test_pipes_of_ctf(self):
        """A data stream alone, its metadata given, is the trace that has only that."""
        table = self.file("my-jobs.toml", USER_TABLE.encode())
        for kind in ("lttng_kernel", "lttng_ust", "ros2", "zephyr", "fallback"):
            path = random_traces.write(kind, FIRST_SEED, self.folder)
            (path / "channel0_1").unlink()
            options = ["--table", table] if kind == "fallback" else []
            with self.subTest(kind):
                want = json.loads(self.check_trace(path, classes_of(kind), table=table if options else None))
                data = (path / "channel0_0").read_bytes()
                for jobs in ("1", "4"):
                    got = latency(*options, "--jobs", jobs, "--metadata", path / "metadata", "-", stdin=data)
                    self.assertEqual(json.loads(got), want)

    def test_pipes(self):
        """In pipes and in small pieces the same comes out."""
        for kind in ("dial9", "heph", "tband"):
            path = random_traces.write(kind, FIRST_SEED, self.folder)
            data = path.read_bytes()
            want = json.loads(latency(path))
            with self.subTest(kind):
                self.assertEqual(json.loads(latency("--format", kind, "-", stdin=data)), want)
            for size in (1, 7, 4096):
                with self.subTest(f"{kind} in pieces of {size}"):
                    self.assertEqual(json.loads(self.in_pieces(kind, data, size)), want)

    @staticmethod
    def in_pieces(kind, data, size):
        command = [BIN, "latency", "-q", "--output", "json", "--top", "0", "--format", kind, "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            for at in range(0, len(data), size):
                process.stdin.write(data[at : at + size])
                process.stdin.flush()
            process.stdin.close()
            return process.stdout.read()


if __name__ == "__main__":
    unittest.main()

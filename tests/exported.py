"""Made-up time lines as files for other programs, and Perfetto's trace processor, which reads some of them."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import BIN, TIME_LIMIT, TRACES, is_sanitized

# The unit tests write the files, where TRACEDECK_EXPORT_FOLDER names a folder for them.
UNIT_TESTS = os.environ.get("TRACEDECK_EXPORT_TEST", str(pathlib.Path(BIN).parent.parent / "tracedeck/export_test"))

PROCESSOR = TRACES.parent / "tools/perfetto/trace_processor"


def processor_runs():
    # What it reads is the same without sanitizers.
    if is_sanitized():
        return False
    try:
        return subprocess.run([PROCESSOR, "--version"], capture_output=True, timeout=TIME_LIMIT).returncode == 0
    except OSError:
        return False


PROCESSOR_RUNS = processor_runs()
needs_processor = unittest.skipUnless(PROCESSOR_RUNS, f"Perfetto's trace processor does not run, or nothing new for it: {PROCESSOR}")


def answers(file, *queries):
    """What Perfetto's trace processor answers to each query, as lists of texts. Reading the file takes most of its time."""
    done = subprocess.run([PROCESSOR, "query", file, "; ".join(queries)], capture_output=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    # Each with its head line, and an empty line between.
    found = [[]]
    for row in csv.reader(io.StringIO(done.stdout.decode())):
        if row:
            found[-1].append(row)
        elif found[-1]:
            found.append([])
    found = [one[1:] for one in found if one]
    if len(found) != len(queries):
        raise AssertionError(f"{len(found)} answers to {len(queries)} queries: {done.stdout.decode()[:600]}")
    return found


def rows(file, sql):
    """The answer to one query."""
    return answers(file, sql)[0]


class ExportedTest(unittest.TestCase):
    """`folder` holds the files, `counts` the numbers of marks of each kind, and the trace's end in ns."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run(
            [UNIT_TESTS, "--gtest_filter=ExportFiles.*"],
            env={**os.environ, "TRACEDECK_EXPORT_FOLDER": folder.name},
            check=True,
            capture_output=True,
            timeout=TIME_LIMIT,
        )
        cls.counts = json.loads((cls.folder / "counts.json").read_text())

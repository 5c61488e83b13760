"""Made-up time lines as files for other programs, and Perfetto's trace processor, which reads some of them."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import BIN, TIME_LIMIT, TRACES

# The unit tests write the files, where TRACEDECK_EXPORT_FOLDER names a folder for them.
UNIT_TESTS = os.environ.get("TRACEDECK_EXPORT_TEST", str(pathlib.Path(BIN).parent.parent / "tracedeck/export_test"))

PROCESSOR = TRACES.parent / "tools/perfetto/trace_processor"


def processor_runs():
    try:
        return subprocess.run([PROCESSOR, "--version"], capture_output=True, timeout=TIME_LIMIT).returncode == 0
    except OSError:
        return False


PROCESSOR_RUNS = processor_runs()
needs_processor = unittest.skipUnless(PROCESSOR_RUNS, f"Perfetto's trace processor does not run: {PROCESSOR}")


def rows(file, sql):
    """The answer of Perfetto's trace processor, as lists of texts."""
    done = subprocess.run([PROCESSOR, "query", file, sql], capture_output=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return list(csv.reader(io.StringIO(done.stdout.decode())))[1:]


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

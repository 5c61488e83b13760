"""Running the command under test, for all contract tests."""

import collections
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from many_commands import ManyCommands

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = os.environ.get("TRACEDECK_BIN", str(ROOT / "build/release/bin/tracedeck"))
EQUAL_TRACES = os.environ.get("EQUAL_TRACES", str(ROOT / "build/release/bin/equal_traces"))
TRACES = pathlib.Path(os.environ.get("TRACEDECK_TRACES", str(ROOT.parent / "shared/traces")))
# Sanitized builds are slow; nothing here is a measurement.
TIME_LIMIT = 300
# Runs a command and says how much memory it took, in KiB; what this process takes would count for one that it starts.
MEASURED = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""
# Lists in traces nest a thousand deep, and so does the JSON of them.
sys.setrecursionlimit(20000)


@functools.cache
def many_commands(binary):
    """The program that runs many commands in one process, where it was built with the command; else None."""
    program = pathlib.Path(binary).absolute().with_name("many_commands")
    # Linked after the command: one that is older is of other sources.
    if program.exists() and program.stat().st_mtime >= os.stat(binary).st_mtime:
        return program
    return None


PROGRAM = many_commands(BIN)
idle = collections.defaultdict(list)  # processes of a program; a test may run commands on several threads


def close_processes():
    """Ends them; returns the statuses of those that did not end well, such as by leaks."""
    ended = [process.close() for processes in idle.values() for process in processes]
    idle.clear()
    return [status for status in ended if status != 0]


def run(*args, stdin=b"", env=None, binary=BIN, **more):
    """Runs the command; the result has returncode, stdout and stderr as bytes.

    In a process that runs others too, unless `more` is for a process of its own. A crash there is an error.
    """
    program = many_commands(binary)
    environment = dict(os.environ)
    environment.pop("NO_COLOR", None)
    environment.update(env or {})
    arguments = list(map(os.fspath, args))
    if program is None or more.keys() - {"cwd"}:
        return subprocess.run(
            [binary, *arguments], capture_output=True, timeout=TIME_LIMIT, env=environment, input=stdin, **more
        )
    try:
        process = idle[program].pop()
    except IndexError:
        process = ManyCommands(program)
    try:
        return process.run(
            arguments, cwd=more.get("cwd", os.getcwd()), environment=environment, stdin=stdin, timeout=TIME_LIMIT
        )
    finally:
        idle[program].append(process)


def is_sanitized():
    """Whether the command takes memory and time for sanitizers too."""
    with open(BIN, "rb") as binary:
        return b"__asan_init" in binary.read()


class Pairs(tuple):
    """A JSON object as its members in order, repeated keys repeated."""


def parse(text):
    return json.loads(text, object_pairs_hook=Pairs)


def parse_lines(output):
    return [parse(line) for line in output.decode().split("\n") if line]


def equal(a, b):
    """Equality of parsed JSON: types matter, reals are equal as doubles, sign of zero included."""
    if isinstance(a, Pairs) or isinstance(b, Pairs):
        return (
            isinstance(a, Pairs)
            and isinstance(b, Pairs)
            and len(a) == len(b)
            and all(x[0] == y[0] and equal(x[1], y[1]) for x, y in zip(a, b))
        )
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, float) and isinstance(b, float) and repr(a) == repr(b)
    return a == b


def plain(value):
    """Pairs back to dictionaries, for schema validation."""
    if isinstance(value, Pairs):
        return {k: plain(v) for k, v in value}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def first_difference(want, got):
    """What to say about two lists of parsed lines, or None when they are equal."""
    if repr(want) == repr(got):
        return None
    for i, (a, b) in enumerate(zip(want, got)):
        if not equal(a, b):
            return f"line {i + 1}: want {json.dumps(plain(a))[:300]}, got {json.dumps(plain(b))[:300]}"
    if len(want) != len(got):
        return f"want {len(want)} lines, got {len(got)}"
    return None


class Golden:
    """What is known to be printed of traces: `expected` gives the parsed lines of one."""

    def __init__(self, expected):
        self.expected, self.right = expected, {}

    def difference(self, trace, output):
        """As `first_difference`; the same output is not parsed twice."""
        if output == self.right.get(trace):
            return None
        difference = first_difference(self.expected(trace), parse_lines(output))
        if difference is None:
            self.right[trace] = output
        return difference


def needs_traces(test):
    return unittest.skipUnless(TRACES.is_dir(), f"the reference traces are not there: {TRACES}")(test)


def zstd(data):
    """`data` compressed, or None when there is no zstd program."""
    if shutil.which("zstd") is None:
        return None
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


class CommandTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def check(self, result, code, message=""):
        """Asserts the exit code; shows what the command said when it differs."""
        self.assertEqual(
            result.returncode, code, f"{message}\nstdout: {result.stdout[:600]!r}\nstderr: {result.stderr[:600]!r}"
        )
        return result

"""What the command takes of memory when a trace has next to no events and megabytes of classes."""

import resource
import subprocess
import sys
import unittest

import large_metadata
from command import BIN, CommandTest, is_sanitized

MIB = 1 << 20
# Runs a command; prints its exit code and the most memory that was resident, in KiB.
STARTER = """
import os, sys
silent = [(os.POSIX_SPAWN_OPEN, output, os.devnull, os.O_WRONLY, 0) for output in (1, 2)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, usage = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""
LIMIT = 64 * MIB

COMMANDS = {
    "print": ["print", "-q", "--output", "jsonl"],
    "validate": ["validate"],
    "stats": ["stats"],
    "info": ["info"],
    "schema": ["schema"],
    "schema json": ["schema", "--json"],
    "query": ["query", "count"],
    "metadata": ["schema", "--output", "metadata"],
    "to ctf1": ["convert", "-q", "--to", "ctf1", "-o", "out"],
    "to ctf2": ["convert", "-q", "--to", "ctf2", "-o", "out"],
    "to tband": ["convert", "-q", "--to", "tband", "-o", "out"],
    "to heph": ["convert", "-q", "--to", "heph", "-o", "out"],
}
# Of classes without events they do not say more.
OF_EVENTS = {
    "latency": ["latency", "-q"],
    "to dial9": ["convert", "-q", "--to", "dial9", "-o", "out"],
}

CONVERSIONS = tuple(name for name in COMMANDS if name.startswith("to "))
READING = ("print", "validate", "stats", "info", "schema", "schema json", "metadata")
FEW = ("print", "info", "schema", "to heph")


@unittest.skipIf(is_sanitized(), "sanitizers take memory of their own")
class ClassMemory(CommandTest):
    def most(self, arguments, trace):
        """Runs the command; returns the most memory that was resident, in bytes."""
        subprocess.run(["rm", "-rf", "out"], cwd=self.folder, check=True)
        # By way of a small process: what this one holds when it starts another is counted as the other's.
        starter = [sys.executable, "-I", "-S", "-c", STARTER, BIN, *arguments, trace]
        code, most = map(int, subprocess.run(starter, cwd=self.folder, check=True, capture_output=True).stdout.split())
        self.assertEqual(code, 0, arguments)
        return most * 1024

    def check(self, trace, only=tuple(COMMANDS), limit=LIMIT):
        """These commands stay below the limit."""
        for name in only:
            with self.subTest(name):
                self.assertLess(self.most((COMMANDS | OF_EVENTS)[name], trace) / MIB, limit / MIB)

    def directory(self, files):
        folder = self.folder / "trace"
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder


class Dial9(ClassMemory):
    def test_schemas_of_the_same_fields(self):
        self.check(self.file("trace", large_metadata.dial9_schemas(65536, 8, alike=True)))

    def test_schemas_of_fields_of_their_own(self):
        trace = self.file("trace", large_metadata.dial9_schemas(65536, 8))
        self.check(trace, only=READING)
        # At 64 too, a MiB of it the command's own code; what a run takes differs by tenths.
        self.check(trace, only=CONVERSIONS, limit=LIMIT + 2 * MIB)


class Tsdl(ClassMemory):
    def test_events(self):
        self.check(self.directory(large_metadata.tsdl_events(16_000, 40)))

    def test_labels(self):
        self.check(self.directory(large_metadata.tsdl_labels(500_000)))

    def test_options(self):
        self.check(self.directory(large_metadata.tsdl_options(200_000)))

    def test_events_of_one_field(self):
        trace = self.directory(large_metadata.tsdl_events(100_000, 1))
        self.check(trace, only=FEW)


class TimeLines(ClassMemory):
    def seconds(self, count, pairs):
        """Processor time of `latency` of that many classes with one event each."""
        names = [f"e{i}_begin" for i in range(count)]
        if pairs:
            names = [name for i in range(count // 2) for name in (f"e{i}_begin", f"e{i}_end")]
        trace = self.folder / f"{count}_{pairs}"
        trace.mkdir()
        for name, content in large_metadata.tsdl_named_events(names).items():
            (trace / name).write_bytes(content)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BIN, "latency", "-q", trace], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime

    def test_time_grows_as_classes_do(self):
        for pairs in (False, True):
            with self.subTest(pairs=pairs):
                few, many = self.seconds(4_000, pairs), self.seconds(16_000, pairs)
                # Four times as many; sixteen times as long if each class looked at all others.
                self.assertLess(many, 8 * few + 0.2)


class Json(ClassMemory):
    def test_events(self):
        self.check(self.directory(large_metadata.json_events(2_900, 40)), only=FEW)

    def test_events_of_one_field(self):
        self.check(self.directory(large_metadata.json_events(64_000, 1)), only=FEW)

    def test_labels(self):
        trace = self.directory(large_metadata.json_labels(450_000))
        self.check(trace, only=(*FEW, "metadata", "to ctf1"))

    def test_options(self):
        trace = self.directory(large_metadata.json_options(100_000))
        self.check(trace, only=(*FEW, "metadata", "to ctf1"))


class Recorded(ClassMemory):
    """Each of 100,000 classes has an event: a KiB for each beside."""

    COUNT = 100_000

    def check_recorded(self, files, only=(*COMMANDS, *OF_EVENTS)):
        self.check(self.directory(files), only, limit=LIMIT + self.COUNT * 1024)

    def test_tsdl(self):
        self.check_recorded(large_metadata.tsdl_recorded(self.COUNT, 3))

    def test_json(self):
        self.check_recorded(large_metadata.json_recorded(self.COUNT, 3))

    def test_fields(self):
        trace = large_metadata.tsdl_recorded(self.COUNT, 3)
        self.check_recorded(trace, only=(*READING, "query", "to ctf1", "to tband"))

    def test_what_was_forgotten_comes_back(self):
        """More classes than are kept at hand, and events of each before and after they are forgotten."""
        trace = self.directory(large_metadata.tsdl_recorded(20_000, 1, rounds=2))

        def printed(of):
            return subprocess.run([BIN, "print", "-q", of], check=True, capture_output=True).stdout

        expected = printed(trace)
        for target in ("ctf1", "ctf2", "dial9"):
            with self.subTest(target):
                out = self.folder / target
                subprocess.run([BIN, "convert", "-q", "--to", target, "-o", out, trace], check=True)
                self.assertEqual(printed(out), expected)


if __name__ == "__main__":
    unittest.main()

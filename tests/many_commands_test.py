"""Many commands in one process: each does what it does in a process of its own, and a crash cannot hide."""

import os
import signal
import subprocess
import threading
import time
import unittest

import command
import heph_writer as heph
from command import CommandTest
from many_commands import Died, ManyCommands

TRACE = heph.epoch(1_600_000_000_000_000_000) + b"".join(
    heph.event(b"work", heph.number(b"n", i), counter=i * 2, start=10 * i, end=10 * i + 5) for i in range(50)
)


@unittest.skipIf(command.PROGRAM is None, "many_commands is not built, or is older than the command")
class ManyCommandsTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.process = ManyCommands(command.PROGRAM)
        self.addCleanup(self.process.close)
        self.trace = self.file("trace.log", TRACE)
        self.broken = self.file("broken.log", TRACE[:-7])

    def run_here(self, *args, env=None, **more):
        environment = {"PATH": os.environ["PATH"], **(env or {})}
        return self.process.run(list(map(str, args)), cwd=self.folder, environment=environment, timeout=60, **more)

    def run_alone(self, *args, env=None, stdin=b""):
        environment = {"PATH": os.environ["PATH"], **(env or {})}
        arguments = [os.path.abspath(command.BIN), *map(str, args)]
        return subprocess.run(arguments, cwd=self.folder, env=environment, input=stdin, capture_output=True, timeout=60)

    def test_the_same_as_alone_in_any_order(self):
        print2 = ["print", "--output", "babeltrace2", "--clock-date"]
        ways = [
            (["print", "trace.log"], {}),
            ([*print2, "trace.log"], {"env": {"TZ": "EST5EDT,M3.2.0,M11.1.0"}}),
            ([*print2, "trace.log"], {"env": {"TZ": "UTC0"}}),
            ([*print2, "trace.log"], {}),
            (["print", "--color", "always", "broken.log"], {}),
            (["print", "--limit", "two", "trace.log"], {}),
            (["print", "missing"], {}),
            (["validate", "--json", "broken.log"], {}),
            (["latency", "trace.log"], {}),
            (["query", "count by name", "-"], {"stdin": TRACE}),
            (["query", "count by name", "-"], {"stdin": b""}),
            (["convert", "--to", "dial9", "-o", "out", "trace.log"], {}),
            (["info", "out"], {}),
            (["convert", "--to", "dial9", "-o", "/dev/stdout", "trace.log"], {}),
            (["print", "--output", "jsonl", "--order", "time", "trace.log", "broken.log"], {}),
            (["--version"], {}),
            ([], {}),
        ]
        for arguments, more in [*ways, *reversed(ways)]:
            with self.subTest(arguments=arguments, env=more.get("env")):
                here, alone = self.run_here(*arguments, **more), self.run_alone(*arguments, **more)
                self.assertEqual((here.returncode, here.stdout, here.stderr), (alone.returncode, alone.stdout, alone.stderr))

    def test_large_outputs_and_inputs(self):
        body = b"".join(heph.event(b"work", heph.number(b"n", i), counter=i * 2, start=i, end=i) for i in range(20_000))
        large = heph.epoch(0) + body
        self.assertGreater(len(large), 1 << 20)
        here = self.run_here("print", "--output", "jsonl", "-", stdin=large)
        self.assertEqual((here.returncode, here.stdout.count(b"\n")), (0, 20_000))
        # What is not read of standard input is in nobody's way.
        self.assertEqual(self.run_here("--version", stdin=large).returncode, 0)
        self.assertEqual(self.run_here("print", "trace.log").stdout.count(b"\n"), 50)

    def test_a_crash_is_reported_with_its_command(self):
        self.assertEqual(self.run_here("print", "trace.log").returncode, 0)
        first = self.process.process

        def crash():
            time.sleep(0.3)
            os.kill(first.pid, signal.SIGSEGV)

        os.mkfifo(self.folder / "never")
        killer = threading.Thread(target=crash)
        killer.start()
        with self.assertRaisesRegex(Died, r"(?s)(signal 11|status [1-9]).*tracedeck print --format heph never"):
            self.run_here("print", "--format", "heph", "never")
        killer.join()
        # The next command has another process.
        self.assertEqual(self.run_here("print", "trace.log").returncode, 0)
        self.assertNotEqual(self.process.process.pid, first.pid)

    def test_a_command_that_does_not_end_is_ended(self):
        os.mkfifo(self.folder / "never")
        with self.assertRaises(subprocess.TimeoutExpired):
            self.process.run(["print", "never"], cwd=self.folder, environment={}, timeout=0.5)
        self.assertEqual(self.run_here("print", "trace.log").returncode, 0)

    def test_no_more_requests_end_the_process_well(self):
        self.assertEqual(self.run_here("print", "broken.log").returncode, 4)
        self.assertEqual(self.process.close(), 0)


if __name__ == "__main__":
    unittest.main()

"""Traces that LTTng records here and now: the command prints them as babeltrace2 does, byte for byte.

A session daemon of user space (no kernel tracer) is started for this test and ended with it, unless the system has
one. Where lttng-tools, lttng-ust or babeltrace2 are not installed, or there is no daemon, the tests are skipped and say
why.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from babeltrace2_test import PEER, assert_same_text, peer, said_of_the_trace
from command import ROOT, CommandTest, run

SOURCE = ROOT / "tests/lttng/tracked.c"
TIME_LIMIT = 60  # seconds, for everything that LTTng does
ROUNDS = 60
# What one round of the program records on average: `nothing` only every third time.
EVENTS = ROUNDS * 2 + ROUNDS // 3
CONTEXTS = ["vpid", "vtid", "procname", "pthread_id"]
# Small enough for a /dev/shm of 64 MB on a machine of many processors.
SMALL = ["--subbuf-size=4k", "--num-subbuf=4"]
LARGE = ["--subbuf-size=32k", "--num-subbuf=4"]


def missing():
    """Why nothing can be recorded here, or None."""
    for program in ("lttng", "lttng-sessiond", "cc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if PEER is None:
        return "babeltrace2 is not installed"
    header = subprocess.run(
        ["cc", "-E", "-x", "c", "-", "-o", os.devnull], input=b"#include <lttng/tracepoint.h>\n", capture_output=True
    )
    return None if header.returncode == 0 else "the headers of lttng-ust are not installed"


class Tracer:
    """A session daemon and the program that is traced, both in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.deadline = time.monotonic() + TIME_LIMIT
        # The superuser's daemon has its sockets where all programs look, others have them below LTTNG_HOME.
        self.environment = {
            **os.environ,
            "LTTNG_HOME": str(folder),
            "HOME": str(folder),
            "LTTNG_UST_REGISTER_TIMEOUT": "10000",
        }
        self.program = folder / "tracked"
        self.daemon = None
        self.sessions = 0

    def call(self, *args):
        left = max(1.0, self.deadline - time.monotonic())
        return subprocess.run(
            [*map(os.fspath, args)],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=left,
            env=self.environment,
        )

    def do(self, *args):
        result = self.call(*args)
        if result.returncode != 0:
            raise AssertionError(f"{args}: exit code {result.returncode}\n{result.stdout}{result.stderr}")

    def lttng(self, *args):
        self.do("lttng", "--no-sessiond", *args)

    def compile(self):
        self.do("cc", "-I", SOURCE.parent, "-o", self.program, SOURCE, "-llttng-ust", "-ldl")

    def start(self):
        """Starts the daemon. Returns why that was not possible, or None."""
        log = self.folder / "sessiond.log"
        with log.open("wb") as output:
            self.daemon = subprocess.Popen(
                ["lttng-sessiond", "--no-kernel"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                start_new_session=True,
            )
        until = min(self.deadline, time.monotonic() + 20)
        while time.monotonic() < until:
            ended = self.daemon.poll() is not None
            # Where the system has a daemon of its own, that answers, and ours ends.
            if self.call("lttng", "--no-sessiond", "list").returncode == 0:
                return None
            if ended:
                said = log.read_text(errors="replace").strip().splitlines()
                return f"lttng-sessiond ended with {self.daemon.returncode}: {' '.join(said[-3:])}"
            time.sleep(0.1)
        return "lttng-sessiond does not answer"

    def stop(self):
        """Ends the daemon with all that it has started."""
        if self.daemon is None:
            return
        if self.daemon.poll() is None:
            self.daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.daemon.wait(timeout=10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.daemon.pid, signal.SIGKILL)
        self.daemon.wait()

    @contextlib.contextmanager
    def session(self, buffers, channels, *, snapshot=False):
        """Records what is run within: a folder for the traces. `channels`: name to options."""
        self.sessions += 1
        name = f"tracedeck-{os.getpid()}-{self.sessions}"
        output = self.folder / name
        output.mkdir()
        place = ["--snapshot"] if snapshot else [f"--output={output}"]
        self.lttng("create", name, *place)
        try:
            for channel, options in channels.items():
                self.lttng("enable-channel", "-u", "-s", name, f"--buffers-{buffers}", *options, channel)
                self.lttng("enable-event", "-u", "-s", name, "-c", channel, "tracked:*")
                types = [word for context in CONTEXTS for word in ("-t", context)]
                self.lttng("add-context", "-u", "-s", name, "-c", channel, *types)
            self.lttng("start", name)
            yield name, output
            self.lttng("stop", name)
        finally:
            self.call("lttng", "--no-sessiond", "destroy", name)

    def trace(self, rounds=ROUNDS):
        self.do(self.program, str(rounds))


class Recordings(CommandTest):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.reason = missing()
        if cls.reason is not None:
            return
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.tracer = Tracer(pathlib.Path(folder.name))
        cls.tracer.compile()
        cls.addClassCleanup(cls.tracer.stop)
        cls.reason = cls.tracer.start()

    def setUp(self):
        if self.reason is not None:
            self.skipTest(self.reason)
        super().setUp()

    def events(self, *traces, says=""):
        """What was recorded when, sorted."""
        result = self.check(run("print", "--output", "jsonl", *traces), 0)
        self.assertIn(says, result.stderr.decode())
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return sorted((line["time"], line["name"], json.dumps([line["context"]["common"], line.get("fields")])) for line in lines)

    def of_each(self, *traces):
        """The same of traces that are read one by one, of which babeltrace2 has as many events."""
        found = []
        for trace in traces:
            events = self.events(trace)
            read = peer("--clock-gmt", "--no-delta", trace)
            self.assertEqual((read.returncode, len(read.stdout.splitlines())), (0, len(events)), read.stderr)
            found += events
        return sorted(found)

    def same_however_named(self, parts, want):
        """`parts`: folders in one folder, which are one trace of the events `want`."""
        parts = sorted(parts)
        for named in ([parts[0].parent], parts, parts[::-1], [*parts, *parts], [parts[-1], parts[0].parent]):
            with self.subTest([path.name for path in named]):
                self.assertEqual(self.events(*named), want)

    def same_as_babeltrace2(self, output):
        """Compares the traces in a folder. Returns how many events there are."""
        options = ["--clock-gmt", "--no-delta", output]
        want = peer(*options)
        self.assertEqual(want.returncode, 0, want.stderr)
        got = self.check(run("print", "--output", "babeltrace2", *options), 0)
        assert_same_text(self, want.stdout, got.stdout)
        self.assertEqual(said_of_the_trace(want.stderr), got.stderr)
        self.check(run("validate", output), 0)
        return len(want.stdout.splitlines())


class LttngTest(Recordings):
    def test_buffers_of_users_and_of_processes(self):
        with self.tracer.session("uid", {"one": LARGE, "two": LARGE}) as (_, by_user):
            with self.tracer.session("pid", {"one": LARGE, "two": LARGE}) as (_, by_process):
                self.tracer.trace()
                self.tracer.trace()
        for output in (by_user, by_process):
            with self.subTest(output.name):
                self.assertEqual(self.same_as_babeltrace2(output), 2 * 2 * EVENTS)

    def test_discarded_events(self):
        with self.tracer.session("uid", {"small": SMALL}) as (_, output):
            self.tracer.trace(20 * ROUNDS)
        self.assertGreater(self.same_as_babeltrace2(output), 0)

    def test_rotation(self):
        with self.tracer.session("uid", {"one": LARGE}) as (name, output):
            for _ in range(2):
                self.tracer.trace()
                self.tracer.lttng("rotate", name)
            self.tracer.trace()
        self.assertEqual(self.same_as_babeltrace2(output), 3 * EVENTS)
        chunks = list((output / "archives").iterdir())
        self.assertEqual(len(chunks), 3)
        self.same_however_named(chunks, self.of_each(*chunks))

    def test_rotation_of_buffers_of_processes(self):
        with self.tracer.session("pid", {"one": LARGE}) as (name, output):
            for _ in range(3):
                self.tracer.trace()
                self.tracer.lttng("rotate", name)
        chunks = [chunk for chunk in (output / "archives").iterdir() if any(chunk.rglob("metadata"))]
        want = self.of_each(*chunks)
        self.assertEqual(len(want), 3 * EVENTS)
        self.same_however_named(chunks, want)

    def test_metadata_that_are_regenerated(self):
        with self.tracer.session("uid", {"one": LARGE}) as (name, output):
            self.tracer.trace()
            self.tracer.lttng("rotate", name)
            self.tracer.lttng("regenerate", "metadata", f"--session={name}")
            self.tracer.trace()
        chunks = list((output / "archives").iterdir())
        want = self.of_each(*chunks)
        self.assertEqual(len(want), 2 * EVENTS)
        self.same_however_named(chunks, want)

    def test_snapshot(self):
        with self.tracer.session("uid", {"one": LARGE}, snapshot=True) as (name, output):
            self.tracer.trace(5 * ROUNDS)
            self.tracer.lttng("snapshot", "record", f"--session={name}", output.as_uri())
        self.assertGreater(self.same_as_babeltrace2(output), 0)

    def test_snapshots_that_overlap(self):
        """What several have is there once, which babeltrace2 prints as often as it is there."""
        with self.tracer.session("uid", {"one": LARGE}, snapshot=True) as (name, output):
            for rounds in (ROUNDS, ROUNDS, 3 * ROUNDS):
                self.tracer.trace(rounds)
                self.tracer.lttng("snapshot", "record", f"--session={name}", output.as_uri())
        snapshots = list(output.iterdir())
        self.assertEqual(len(snapshots), 3)
        every = self.of_each(*snapshots)
        once = sorted(set(every))
        self.assertLess(len(once), len(every))
        self.same_however_named(snapshots, once)
        self.events(output, says="read once")


class KilledTest(Recordings):
    def test_a_daemon_that_is_killed(self):
        """Whatever it had written is read as far as babeltrace2 reads it."""
        tracer = self.tracer
        with contextlib.suppress(AssertionError), tracer.session("uid", {"one": LARGE}) as (name, output):
            tracer.trace()
            tracer.lttng("rotate", name)
            tracer.trace()
            os.killpg(tracer.daemon.pid, signal.SIGKILL)
            tracer.daemon.wait()
        parts = sorted(path.parent for path in output.rglob("metadata"))
        self.assertGreaterEqual(len(parts), 1)
        first = self.of_each(parts[0])
        whole = run("print", "--output", "jsonl", output)
        self.assertIn(whole.returncode, (0, 3, 4), whole.stderr)
        self.assertGreaterEqual(len(whole.stdout.splitlines()), len(first))


if __name__ == "__main__":
    unittest.main()

"""examples/cluster: one question over many traces by many processes."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import dial9_writer as dial9
from command import BIN, ROOT, CommandTest, run

EXAMPLES = ROOT / "examples/cluster"
LIBRARY = pathlib.Path(BIN).resolve().parent.parent / "lib/libtracedeck_c.so.1"
STAGES = "count(), sum(n), p99(n) by n % 3 as rest | sort rest"


class Cluster(CommandTest):
    def setUp(self):
        super().setUp()
        self.traces = [self.file(f"{number} of many.bin", dial9.ticks(10 + 7 * number)) for number in range(30)]
        self.parts = self.folder / "parts"

    def ask(self, stages=STAGES, traces=None, **environment):
        listed = "".join(f"{trace}\n" for trace in traces or self.traces)
        path = f"{pathlib.Path(BIN).resolve().parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", EXAMPLES / "with_xargs.sh", stages], input=listed, capture_output=True, text=True,
            env={**os.environ, "PATH": path, "JOBS": "4", "BATCH": "4", "PARTS": str(self.parts), **environment},
        )

    def whole(self, traces=None):
        return run("query", "-q", STAGES, *(traces or self.traces)).stdout.decode()

    def rows(self, answer):
        return answer.split("\n\n")[0].strip()

    def test_xargs(self):
        done = self.ask()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows(done.stdout), self.rows(self.whole()))
        self.assertIn("of 8 partial answers", done.stdout)
        # Without a folder for parts.
        self.assertEqual(self.ask(PARTS="").stdout, done.stdout)

    def test_what_was_made_is_not_made_again(self):
        first = self.ask()
        times = {part: part.stat().st_mtime_ns for part in self.parts.iterdir()}
        lost = sorted(times)[:3]
        for part in lost:
            part.unlink()
        self.assertEqual(self.ask().stdout, first.stdout)
        again = {part for part in self.parts.iterdir() if part.stat().st_mtime_ns != times[part]}
        self.assertEqual(again, set(lost))

    def test_what_cannot_be_read(self):
        damaged = self.file("damaged.bin", dial9.ticks(5) + b"\x07 no frame")
        none = self.file("none.bin", b"no trace")
        done = self.ask(traces=[*self.traces, damaged, none], BATCH="1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows(done.stdout), self.rows(self.whole([*self.traces, damaged])))
        self.assertIn("10 bytes damaged", done.stdout)
        for name in ("damaged.bin", "none.bin"):
            self.assertIn(name, done.stderr)

    def test_a_wrong_question_ends_it(self):
        done = self.ask("count(")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertLess(done.stderr.count("a value is wanted"), 6)

    @unittest.skipIf(os.environ.get("TRACEDECK_SANITIZER_RUNTIME"), "the library is sanitized")
    def test_functions_for_spark(self):
        if not LIBRARY.exists():
            self.skipTest(f"there is no {LIBRARY}")
        os.environ["TRACEDECK_LIBRARY"] = str(LIBRARY)
        sys.path.insert(0, str(ROOT / "python"))
        spec = importlib.util.spec_from_file_location("with_spark", EXAMPLES / "with_spark.py")
        with_spark = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(with_spark)
        none = str(self.file("none.bin", b"no trace"))
        answer, missing = with_spark.ask(Context(), STAGES, [*map(str, self.traces), none], 7)
        printed = [json.loads(line) for line in run("query", "--json", STAGES, *self.traces).stdout.splitlines()]
        self.assertEqual(list(answer), printed[:-1])
        (sentence,) = missing
        self.assertIn("none.bin", sentence)

    def test_scripts(self):
        for script in sorted(EXAMPLES.glob("*.sh")):
            subprocess.run(["sh", "-n", script], check=True)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", *sorted(EXAMPLES.glob("*.sh"))], check=True)


class Context:
    """As much of a SparkContext as the example uses."""

    def parallelize(self, items, count):
        self.partitions = [items[at::count] for at in range(count)]
        return self

    def mapPartitions(self, function):
        self.partitions = [list(function(iter(each))) for each in self.partitions]
        return self

    def treeReduce(self, function):
        first, *others = [item for each in self.partitions for item in each]
        for other in others:
            first = function(first, other)
        return first


if __name__ == "__main__":
    unittest.main()

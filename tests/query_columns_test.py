"""query --output arrow and parquet: other programs read of them what --output jsonl says.

Skipped without Node.js and the readers of npm that NODE_PATH leads to (scripts/install-deps.sh browser installs them).
"""

import json
import pathlib
import tempfile
import unittest

import dial9_writer as w
from columns_test import rows, why_unreadable
from command import TRACES, run

# What reads them, by the form of the answer.
READERS = {"parquet": ("duckdb", "arrow"), "arrow": ("ipc",)}
DEMO = TRACES / "dial9/tokio-demo.bin.gz"


class Answers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, form, reader, *question):
        done = run("query", "--output", form, *question)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.folder / f"answer.{form}"
        file.write_bytes(done.stdout)
        return rows(reader, [file]), done.stderr.decode()

    def check(self, *question, expected=None):
        """The rows are those of JSON lines, or `expected`. Returns what is said beside the last answer."""
        if expected is None:
            lines = run("query", "--output", "jsonl", *question).stdout.splitlines()
            expected = [json.loads(line) for line in lines[:-1]]
        self.assertTrue(expected)
        said = ""
        for form, readers in READERS.items():
            for reader in readers:
                with self.subTest(form=form, reader=reader):
                    if why := why_unreadable(reader):
                        self.skipTest(why)
                    actual, said = self.read(form, reader, *question)
                    self.assertEqual(actual, expected)
        return said

    @unittest.skipUnless(DEMO.exists(), "the demo recording is not there")
    def test_answers_about_a_recording(self):
        said = self.check("count by name", DEMO)
        self.assertIn("events read", said)
        self.check("count, sum(local_queue), p99(local_queue), rate by name, every 1s", DEMO)
        self.check("spans | count, max(duration) by name", DEMO)

    def trace(self, *numbers):
        content = w.header() + w.schema(0, "E", [("n", w.VARINT), ("text", w.STRING)])
        content += b"".join(w.event(0, w.varint(n) + w.string(f"text {n}"), delta=7) for n in numbers)
        file = self.folder / "t.bin"
        file.write_bytes(content)
        return file

    def test_values_of_each_kind(self):
        self.check("select time, n, n * 0.5 as half, text, n > 3 as big, nothing", self.trace(1, 5, 1 << 40))

    def test_integers_of_64_bits_and_more(self):
        self.check("select n", self.trace(1, (1 << 64) - 1))
        self.check("select 0 - n as below", self.trace(1, 1 << 62))
        self.check("sum(n), min(0 - n)", self.trace((1 << 64) - 1, (1 << 64) - 1))

    def test_histograms_and_lists_are_text(self):
        trace = self.trace(1, 2)
        line = json.loads(run("query", "--output", "jsonl", "hist(n)", trace).stdout.splitlines()[0])
        self.check("hist(n)", trace, expected=[{"hist(n)": json.dumps(line["hist(n)"], separators=(",", ":"))}])

    def test_an_answer_without_rows_says_its_columns(self):
        trace = self.trace(1)
        for form, readers in READERS.items():
            for reader in readers:
                if why_unreadable(reader) == "":
                    self.assertEqual(self.read(form, reader, "where n > 1 | select n", trace)[0], [])

    def test_names_are_told_apart(self):
        self.check("select n, n as N", self.trace(4), expected=[{"n": 4, "N_2": 4}])

    def test_a_value_that_comes_late_and_does_not_fit_is_counted(self):
        said = self.check("select n", trace := self.trace(*[1] * 65_536, (1 << 64) - 1),
                          expected=[{"n": 1}] * 65_536 + [{"n": None}])
        self.assertIn("1 values that columns made for the first rows do not hold: written as null", said)
        self.assertIn("\"n\":18446744073709551615", run("query", "--output", "jsonl", "select n", trace).stdout.decode())

    def test_partial_answers_are_merged_into_columns(self):
        trace, part = self.trace(1, 2), self.folder / "p"
        self.assertEqual(run("query", "--partial", part, "count, sum(n)", trace).returncode, 0)
        for form, readers in READERS.items():
            for reader in readers:
                if why_unreadable(reader) == "":
                    self.assertEqual(self.read(form, reader, "--merge", part)[0], [{"count": 2, "sum(n)": 3}])


if __name__ == "__main__":
    unittest.main()

"""docs/recipes.md: DuckDB, SQLite, pandas and ClickHouse answer what `tracedeck query` answers, of a recording that is made here.

Each is skipped where it is not there; scripts/install-deps.sh test and browser install them.
"""

import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import clickhouse_server
from command import BIN, ROOT, run

PROGRAM = pathlib.Path(BIN).resolve().parent / "record_pool"
RUNNER = ROOT / "tests/columns/sql.mjs"
TEXT = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
# How far a quantile of a distribution may be from the exact one.
WITHIN = 0.004


def recipes():
    """{heading: {language: statement}}"""
    found = {}
    for section in re.split(r"^## ", TEXT, flags=re.M)[1:]:
        heading = section.splitlines()[0]
        found[heading] = dict(re.findall(r"^```(\w+)\n(.*?)^```", section, re.M | re.S))
    return found


@functools.cache
def python_with_pandas():
    """The Python that runs this, or Debian's, whose packages only it finds; None: neither has pandas."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run([python, "-c", "import pandas"], capture_output=True).returncode == 0:
            return python
    return None


def numbers(rows):
    """The values of each row in their order; numbers that stand in texts are numbers."""
    return [[int(value) if re.fullmatch(r"-?\d+", str(value)) else value for value in row.values()] for row in rows]


@unittest.skipUnless(PROGRAM.exists(), "record_pool is not built")
class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([PROGRAM, cls.folder / "pool.bin"], check=True, capture_output=True)
        for target in ("parquet", "clickhouse", "sqlite"):
            ending = {"sqlite": "db"}.get(target, target)
            command = f"tracedeck convert --to {target} -o pool.{ending} pool.bin"
            assert f"\n{command}\n" in TEXT
            done = run(*shlex.split(command)[1:], cwd=cls.folder)
            assert done.returncode == 0, done.stderr.decode()

    def answer(self, command):
        arguments = shlex.split(command)
        self.assertEqual(arguments[:2], ["tracedeck", "query"])
        done = run("query", "--output", "jsonl", *arguments[2:], cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()[:-1]]

    def compare(self, language, ask, least):
        compared = 0
        for heading, blocks in recipes().items():
            if language not in blocks or "sh" not in blocks:
                continue
            with self.subTest(heading):
                want = self.answer(blocks["sh"])
                got = numbers(ask(blocks[language]))
                names = list(want[0])
                self.assertEqual(len(got), len(want))
                for row, expected in zip(got, numbers(want), strict=True):
                    for name, value, other in zip(names, row, expected, strict=True):
                        if name.startswith("p99"):
                            self.assertLessEqual(abs(value - other), WITHIN * value, name)
                        else:
                            self.assertEqual(value, other, name)
                compared += 1
        self.assertGreaterEqual(compared, least)

    def duckdb(self, statement):
        if shutil.which("node") is None:
            self.skipTest("there is no Node.js")
        environment = {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", str(ROOT / "build/node_modules"))}
        done = subprocess.run(["node", RUNNER], input=statement.encode(), cwd=self.folder, env=environment, capture_output=True)
        if done.returncode == 77:
            self.skipTest(done.stderr.decode().strip())
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_duckdb(self):
        self.compare("duckdb", self.duckdb, least=6)

    def test_nothing_was_lost(self):
        self.assertEqual(self.duckdb(recipes()["What was lost?"]["duckdb"]), [{"losses": "0"}])

    def sqlite(self, statement):
        database = sqlite3.connect(self.folder / "pool.db")
        self.addCleanup(database.close)
        cursor = database.execute(statement)
        names = [each[0] for each in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def test_sqlite(self):
        self.compare("sqlite", self.sqlite, least=6)

    def pandas(self, statements):
        """The rows of `answer`, whatever its columns are called."""
        setup = re.search(r"^```python\n(.*?)^```", TEXT, re.M | re.S)[1]
        end = "\nfor row in answer.itertuples(index=False, name=None): print(json.dumps([str(each) for each in row]))\n"
        done = subprocess.run([python_with_pandas(), "-c", setup + statements + "\nimport json" + end], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [dict(enumerate(json.loads(line))) for line in done.stdout.splitlines()]

    def test_pandas(self):
        if python_with_pandas() is None:
            self.skipTest("there is no pandas")
        self.compare("pandas", self.pandas, least=5)

    def test_clickhouse(self):
        (server,) = clickhouse_server.start(type(self))
        server.insert(self.folder / "pool.clickhouse")
        self.compare("clickhouse", lambda statement: server.ask(statement + " format JSONEachRow"), least=4)

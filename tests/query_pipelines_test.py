"""Queries against a second way to answer them, written from docs/query.md: the same rows, the same pairs.

TRACEDECK_SEEDS is how many pipelines are asked (200 unless said), TRACEDECK_FIRST_SEED where they begin: a failure names
its trace and its pipeline.
"""

import csv
import json
import math
import os
import random
import sqlite3
import subprocess
import sys
import time
import unittest

import dial9_writer as w
from command import BIN, MEASURED, CommandTest, is_sanitized, run
from query_oracle.values import UNKNOWN, Labelled
from query_pipelines.pipelines import Pipelines, text_of
from query_pipelines.semantics import Answer, Different, Quantile, Real, Spread
from query_pipelines.traces import ALL

FIRST_SEED = int(os.environ.get("TRACEDECK_FIRST_SEED", "0"))
SEEDS = int(os.environ.get("TRACEDECK_SEEDS", "200"))


def parse_answer(output):
    """The rows as lists of (column, value), and what they were made of."""
    *rows, answer = output.decode().splitlines()
    return [json.loads(row, object_pairs_hook=list) for row in rows], json.loads(answer)["answer"]


def agrees(got, want):
    """Whether a value in JSON is the one that is wanted."""
    if isinstance(got, list) and got and got[0][0] == "value":
        got = got[0][1]
    if isinstance(got, str) and got in ("NaN", "Infinity", "-Infinity") and not isinstance(want, bytes):
        got = float(got.replace("Infinity", "inf"))
    if isinstance(want, Labelled):
        want = want.value
    if isinstance(want, Quantile):
        return is_quantile(got, want.value)
    if isinstance(want, Real):
        return is_number(got) and is_near(got, want.value, 1e-12, want.scale * 1e-15)
    if isinstance(want, Different):
        return got == want.value if want.value <= 1024 else abs(got - want.value) <= 0.08 * want.value
    if isinstance(want, Spread):
        return is_spread(got, want.values)
    if isinstance(want, bytes):
        return got == want.decode()
    if want is UNKNOWN or isinstance(want, bool):
        return got is want
    return is_number(got) and isinstance(got, float) == isinstance(want, float) and is_near(got, want, 0, 0)


def is_number(got):
    return isinstance(got, (int, float)) and not isinstance(got, bool)


def is_near(got, want, part, least):
    if isinstance(want, float) and math.isnan(want):
        return math.isnan(got)
    if got == want:
        return True
    return not math.isinf(got) and not math.isinf(want) and abs(got - want) <= max(part * abs(want), least)


def is_quantile(got, want):
    return is_number(got) and is_near(got, want, 0.004, 0)


def is_spread(got, values):
    def bound(value):
        return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value

    buckets = [(bound(lower), bound(upper), count) for lower, upper, count in got]
    for lower, upper, count in buckets:
        # The bound that is nearer to zero belongs to it. Integers of more than 53 bits are counted as reals.
        near, far = sorted((lower, upper), key=abs)
        if count != sum(near == value or lower < value < upper for value in map(float, values)):
            return False
    return sum(count for _, _, count in buckets) == len(values) and buckets == sorted(buckets)


def difference(rows, want):
    if len(rows) != len(want):
        return f"{len(rows)} rows, not {len(want)}: {rows[:3]} {want[:3]}"
    for row, wanted in zip(rows, want):
        if [name for name, _ in row] != [name for name, _ in wanted]:
            return f"columns {[name for name, _ in row]}, not {[name for name, _ in wanted]}"
        for (name, got), (_, value) in zip(row, wanted):
            if not agrees(got, value):
                return f"{name} is {got!r}, not {value!r} in {row}"
    return None


class TraceTest(CommandTest):
    def trace(self, kind, seed):
        """A trace's operands and its lines in the order of time."""
        operands = ["--format", kind.format, kind(seed).write(self.folder, f"{kind.__name__}{seed}")]
        printed = self.check(run("print", "-q", "--order", "time", "--output", "jsonl", "--records", "all", *operands), 0)
        return kind, operands, [json.loads(line) for line in printed.stdout.splitlines()]


class Pipes(TraceTest):
    def ask(self, seed, kind, operands, lines):
        """What is wrong with the answer to a random pipeline, or None."""
        rng = random.Random(seed)
        stages = Pipelines(seed, kind).pipeline()
        text = text_of(stages, rng)
        # Files come in their own order but where time matters; here always in that of time, to compare row by row.
        result = run("query", "-q", text, "--order", "time", "--output", "jsonl", *operands)
        if result.returncode != 0:
            return f"{kind.__name__}: {text}: exit {result.returncode}: {result.stderr.decode()}"
        rows, counts = parse_answer(result.stdout)
        answer = Answer(stages, lines)
        if answer.evaluator.__name__ == "OfEvent":
            answer.usual_columns()
        said = difference(rows, answer.rows)
        if said is None and answer.pairs is not None:
            pairs = {key: value for key, value in counts["pairs"].items() if value}
            if pairs != {key: value for key, value in answer.pairs.items() if value} and "limit" not in text:
                said = f"{pairs}, not {dict(answer.pairs)}"
        return said and f"{kind.__name__}: {text}: {said}"

    def test_random_pipelines(self):
        traces = [self.trace(kind, FIRST_SEED + i) for kind in ALL for i in range(max(1, SEEDS // 200))]
        wrong = []
        for i in range(SEEDS):
            said = self.ask(FIRST_SEED + i, *traces[i % len(traces)])
            if said:
                wrong.append(said)
        self.assertEqual(len(wrong), 0, "\n".join(wrong[:20]))


class Sql(TraceTest):
    """The same questions to SQLite, over columns that its integers of 64 bits hold."""

    QUESTIONS = (
        ("count by name", "SELECT name, COUNT(*) FROM e GROUP BY name ORDER BY name"),
        ("where worker == 2 | count, sum(n), min(n), max(n) by name", "SELECT name, COUNT(*), SUM(n), MIN(n), MAX(n) FROM e WHERE worker = 2 GROUP BY name ORDER BY name"),
        ("count, sum(maybe), avg(maybe) by worker, name", "SELECT worker, name, COUNT(*), SUM(maybe), AVG(maybe) FROM e GROUP BY worker, name ORDER BY worker, name"),
        ("count as c by spawn | top 3 by c", "SELECT spawn, COUNT(*) AS c FROM e GROUP BY spawn ORDER BY c DESC, spawn LIMIT 3"),
        ("where maybe in [-50..50] | count, sum(maybe), distinct(maybe) by ok", "SELECT ok, COUNT(*), SUM(maybe), COUNT(DISTINCT maybe) FROM e WHERE maybe BETWEEN -50 AND 50 GROUP BY ok ORDER BY ok"),
        ("sum(maybe) as s by worker | where s > 0 | sort s desc", "SELECT worker, SUM(maybe) AS s FROM e GROUP BY worker HAVING s > 0 ORDER BY s DESC"),
        ("count by worker, every 1us | where worker == 1 | count", "SELECT COUNT(*) FROM (SELECT DISTINCT time / 1000, worker FROM e WHERE worker = 1)"),
        ("where has(maybe) | select maybe * 2 as x, name | sort x, name | limit 9", "SELECT maybe * 2 AS x, name FROM e WHERE maybe IS NOT NULL ORDER BY x, name, time LIMIT 9"),
        ("select time, n | where n > 1000 | sum(n), min(time), max(time)", "SELECT SUM(n), MIN(time), MAX(time) FROM e WHERE n > 1000"),
        ("count by missing", "SELECT NULL, COUNT(*) FROM e"),
    )

    def test_same_answers(self):
        _, operands, lines = self.trace(ALL[0], FIRST_SEED)
        database = sqlite3.connect(":memory:")
        self.addCleanup(database.close)
        columns = ("worker", "n", "maybe", "spawn", "ok")
        database.execute(f"CREATE TABLE e (time INTEGER, name TEXT, {', '.join(columns)})")
        for line in lines:
            if "fields" in line:
                values = [line["fields"].get(column) for column in columns]
                database.execute("INSERT INTO e VALUES (?, ?, ?, ?, ?, ?, ?)", [line.get("time"), line["name"], *values])
        for question, sql in self.QUESTIONS:
            result = self.check(run("query", "-q", question, "--order", "time", "--output", "jsonl", *operands), 0)
            rows = [tuple(value for _, value in row) for row in parse_answer(result.stdout)[0]]
            self.assertEqual(rows, database.execute(sql).fetchall(), question)


class Answers(CommandTest):
    """How queries are asked, and how answers come."""

    def setUp(self):
        super().setUp()
        events = [w.event(0, w.varint(i % 5) + w.string(f"p{i % 2},"), delta=1000) for i in range(100)]
        self.content = w.header() + w.schema(0, "Tick", [("n", w.VARINT), ("path", w.STRING)]) + b"".join(events)
        self.path = self.file("trace.bin", self.content)

    def answer(self, text, *args, **more):
        result = self.check(run("query", text, "--output", "jsonl", *args, **more), 0)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_outputs_agree(self):
        question = "count, sum(n), p50(n), max(time) as last by path, missing | sort path desc"
        rows = self.answer(question, self.path)[:-1]
        self.assertEqual([row["count"] for row in rows], [50, 50])
        printed = self.check(run("query", question, "--output", "csv", self.path), 0)
        table = list(csv.reader(printed.stdout.decode().splitlines()))
        self.assertEqual(table[0], list(rows[0]))
        self.assertEqual(table[1:], [["" if value is None else str(value) for value in row.values()] for row in rows])
        self.assertIn(b"100 events read, 100 selected", printed.stderr)
        shown = self.check(run("query", question, self.path), 0).stdout.decode().splitlines()
        self.assertEqual(shown[0].split(), list(rows[0]))
        for line, row in zip(shown[1:], rows):
            self.assertEqual(line.split()[:5], [row["path"], "-", "50", str(row["sum(n)"]), str(row["p50(n)"])])
        self.assertEqual(shown[-1], "100 events read, 100 selected; none lost")

    def test_ways_to_ask(self):
        want = self.answer("count by n", self.path)
        self.assertEqual(want[:-1], [{"n": n, "count": 20} for n in range(5)])
        self.assertEqual(self.answer("count by n", "-", stdin=self.content), want)
        self.assertEqual(self.answer(f"@{self.file('q', b'  by n' + chr(10).encode() + b'| count ')}", self.path), want)
        self.assertEqual(self.answer("count by n", "--order", "recorded", self.path), want)
        self.assertEqual(self.answer("count by n", "--json", self.path), want)

    def test_with_a_condition_beside(self):
        for order in ("merged", "recorded", "time"):
            rows = self.answer("where n < 3 | count by n", "--where", "n > 0", "--order", order, self.path)
            self.assertEqual(rows[:-1], [{"n": 1, "count": 20}, {"n": 2, "count": 20}])
            self.assertEqual((rows[-1]["answer"]["read"], rows[-1]["answer"]["selected"]), (100, 40), order)

    def test_live(self):
        with subprocess.Popen([BIN, "query", "-q", "where n == 1 | pair Tick Tick | limit 3", "--output", "jsonl", "--follow", str(self.path)], stdout=subprocess.PIPE) as process:
            lines = [json.loads(line) for line in process.stdout]
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual([row["duration"] for row in lines[:-1]], [5000] * 3)

    def test_errors_show_the_place(self):
        for text, said in (
            ("coun by n", "`coun` is no stage and no aggregate; did you mean `count`?\n    coun by n\n    ^^^^"),
            ("count | where nn > 3", "`nn` is nothing that is known here; there are count\n    count | where nn > 3\n                  ^^"),
            ("p99 by n", "p99 of what? p99(duration)\n    p99 by n\n    ^^^"),
            ("count | pair Tick Tick", "`pair` makes pairs of events, not of what is computed of them\n    count | pair Tick Tick\n            ^^^^"),
            ("where " + "(" * 100_000, "nested more than 200 deep"),
            ("count" + " | limit 1" * 100_000, "there are at most 200 stages"),
            ("let x = n" + " | let x = x + x" * 60 + " | select x", "stand for too much"),
            ("select " + "9" * 300_000, "\n    select 9"),
        ):
            started = time.monotonic()
            path = self.file("query", text.encode())
            result = self.check(run("query", f"@{path}", self.path), 2)
            self.assertIn(said, result.stderr.decode())
            self.assertLess(time.monotonic() - started, 10)

    def test_nothing_is_an_answer_too(self):
        for text in ("limit 0 | count", "where n > 9 | count"):
            self.assertEqual(self.answer(text, self.path)[0], {"count": 0})
        for text in ("limit 0", "top 0", "count by n | top 0", "where n > 9 | count by n", "count by n | limit 0"):
            self.assertEqual(len(self.answer(text, self.path)), 1, text)


@unittest.skipIf(is_sanitized(), "sanitizers take memory of their own")
class Memory(CommandTest):
    def measured(self, text, trace):
        """The lines of an answer, which was made within 64 MiB."""
        out = self.folder / "out"
        with out.open("wb") as file:
            command = [sys.executable, "-c", MEASURED, BIN, "query", "-q", "--output", "jsonl", text, str(trace)]
            measured = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=True)
        self.assertLess(int(measured.stderr), 64 << 10, text)
        return out.read_bytes().splitlines()

    # Millions of events: their bytes and the lines that are wanted are put together without a call for each.
    @classmethod
    def setUpClass(cls):
        cls.varints = [w.varint(i) for i in range(1_000_000)]

    def same_lines(self, got, want):
        if got != want:
            self.assertEqual(len(got), len(want))
            place = next(i for i, (a, b) in enumerate(zip(got, want)) if a != b)
            self.assertEqual(got[place], want[place], f"line {place + 1}")

    def test_many_open_pairs(self):
        # Of the greater number most are paired in a temporary file.
        schema = w.header() + w.schema(0, "A", [("key", w.VARINT), ("n", w.VARINT)]) + w.schema(1, "B", [("key", w.VARINT)])
        begin, end, varints = w.event(0, delta=1000), w.event(1, delta=1000), self.varints
        for count in (500_000, 1_000_000):
            begun = [i * 7919 % count for i in range(count)]
            # Every tenth has no end.
            ended = [i * 104_729 % count for i in range(count) if i % 10]
            begins = [begin + varints[key] + varints[n] for n, key in enumerate(begun)]
            trace = self.file("pairs.bin", b"".join([schema, *begins, *[end + varints[key] for key in ended]]))
            lines = self.measured("pair A B on key | select key, duration, a.n as n", trace)
            pairs = json.loads(lines.pop())["answer"]["pairs"]
            self.assertEqual((pairs["complete"], pairs["without_end"], pairs["not_held"]), (count * 9 // 10, count // 10, 0))
            number = dict(zip(begun, range(count)))
            # They come in the order of their ends.
            places = [(key, count + place, number[key]) for place, key in enumerate(ended)]
            self.same_lines(lines, [b'{"key":%d,"duration":%d,"n":%d}' % (key, (at - n) * 1000, n) for key, at, n in places])

    def test_many_rows_in_order(self):
        count, step = 600_000, 7919
        schema = w.header() + w.schema(0, "Tick", [("n", w.VARINT), ("text", w.STRING)])
        texts = [w.string(f"t{i}") for i in range(1000)]
        event, varints, numbers = w.event(0, delta=1000), self.varints, [i * step % count for i in range(count)]
        trace = self.file("many.bin", b"".join([schema, *[event + varints[n] + texts[i % 1000] for i, n in enumerate(numbers)]]))
        backwards = [b'{"n":%d,"text":"t%d"}' % (n, i % 1000) for n, i in sorted(zip(numbers, range(count)), reverse=True)]
        self.same_lines(self.measured("select n, text | sort n desc", trace)[:-1], backwards)
        # What is equal stays as it came.
        alike = [(i, numbers[i :: 1000]) for i in (0, 1, 10, 100)]
        first = [b'{"text":"t%d","n":%d}' % (i, n) for i, numbers_of_text in alike for n in numbers_of_text]
        self.same_lines(self.measured("select text, n | sort text | limit 2000", trace)[:-1], first[:2000])
        self.same_lines(self.measured("select n, text | top 300000 by n", trace)[:-1], backwards[: count // 2])

    def test_many_groups(self):
        count, step = 300_000, 7919
        schema = w.header() + w.schema(0, "Tick", [("key", w.VARINT), ("n", w.VARINT)])
        event, varints = w.event(0, delta=1000), self.varints
        events = [event + varints[i * step % count] + varints[i % 1000] for i in range(count)]
        # Each key comes twice, with the same number.
        trace = self.file("many.bin", b"".join([schema, *events, *events]))
        of_key = sorted((i * step % count, i % 1000) for i in range(count))
        groups = [b'{"key":%d,"p99(n)":%d,"count":2,"sum(n)":%d}' % (key, n, n * 2) for key, n in of_key]
        times = [b'{"time":%d,"p99(n)":%d}' % ((i + 1) * 1000, i % 1000) for i in range(2 * count)]
        for text, want in (("p99(n), count, sum(n) by key", groups), ("p99(n) every 1us", times)):
            lines = self.measured(text, trace)
            lines.pop()
            self.same_lines(lines, want)


if __name__ == "__main__":
    unittest.main()

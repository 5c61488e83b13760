"""`tracedeck latency` and `tracedeck tables`, as users and scripts see them."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

TABLE = """
table = "jobs"
applies = { class = "Job*" }
[[track]]
id = "jobs"
kind = "lanes"
name = "jobs"
[[slice]]
begin = "JobStart"
end = "JobEnd"
match = "job"
track = "jobs"
category = "job"
name = "{kind}"
"""


def jobs(*events):
    """A dial9 trace of (time, 0 for a begin or 1 for an end, values)."""
    trace = w.header() + w.schema(0, "JobStart", [("job", 11), ("kind", 11)]) + w.schema(1, "JobEnd", [("job", 11)])
    now = 0
    for time, kind, values in events:
        trace += w.event(kind, b"".join(map(w.varint, values)), time - now)
        now = time
    return trace


class Latency(CommandTest):
    def rows(self, *args, code=0, **more):
        result = self.check(run("latency", "--json", "--top", "0", *args, **more), code)
        return json.loads(result.stdout)

    def table(self, text=TABLE):
        return self.file("jobs.toml", text.encode())

    def trace(self):
        # Three jobs: 100, 250 and one that is still open; an end of a fourth.
        return self.file(
            "t.bin",
            jobs((10, 0, (1, 7)), (20, 0, (2, 7)), (110, 1, (1,)), (130, 0, (3, 8)), (200, 1, (9,)), (270, 1, (2,))),
        )

    def test_a_table_of_the_user(self):
        answer = self.rows("--table", self.table(), self.trace())
        by_name = {row["name"]: row for row in answer["rows"]}
        self.assertEqual(answer["tables"], ["jobs"])
        self.assertEqual(by_name["7"]["count"], 2)
        self.assertEqual(by_name["7"]["total"], 350)
        self.assertEqual((by_name["7"]["p50"], by_name["7"]["max"]), (100, 250))
        self.assertEqual(by_name["7"]["at"], {"time": 20, "track": "jobs"})
        self.assertEqual(by_name["8"], {"kind": "slice", "category": "job", "name": "8", "count": 0, "left_out": 1, "open": 1, "oldest_open": 140})
        self.assertEqual(answer["counts"]["unmatched_ends"] + answer["counts"]["began_before"], 1)

    def test_without_a_table_names_make_pairs(self):
        answer = self.rows(self.trace())
        self.assertEqual(answer["tables"], ["inferred"])
        self.assertEqual({row["name"] for row in answer["rows"]}, {"Job"})
        explained = self.check(run("latency", "--explain", self.trace()), 0).stdout.decode()
        self.assertIn('begin = "JobStart"\nend = "JobEnd"', explained)
        # What is explained is a table that does the same.
        first = explained.split("\ntable = ")[0]
        again = self.rows("--table", self.table(first), self.trace())
        self.assertEqual(again["rows"], answer["rows"])

    def test_rules_add_to_one_counter(self):
        rules = """
[[track]]
id = "open"
kind = "counter"
name = "open jobs"
[[counter]]
event = "JobStart"
track = "open"
value = "1"
sum = true
[[counter]]
event = "JobEnd"
track = "open"
value = "-1"
sum = true
"""
        out = self.folder / "t.json"
        self.check(run("convert", "--table", self.table(TABLE + rules), "-o", out, self.trace()), 0)
        values = [e["args"] for e in json.loads(out.read_text())["traceEvents"] if e["ph"] == "C"]
        self.assertEqual([number for each in values for number in each.values()], [1, 2, 1, 2, 1, 0])

    def test_conditions_and_groups(self):
        long = self.rows("--table", self.table(), "--where", "duration > 200", self.trace())
        self.assertEqual([row["count"] for row in long["rows"]], [1])
        by = self.rows("--table", self.table(), "--by", "duration > 200", "--where", "duration > 0", self.trace())
        self.assertEqual({(row["by"], row["count"]) for row in by["rows"]}, {("true", 1), ("false", 1)})
        result = self.check(run("latency", "--where", "durration > 1", self.trace()), 2)
        self.assertIn("durration", result.stderr.decode())

    def test_what_was_before_is_known(self):
        answer = self.rows("--table", self.table(), "--begin", "150", self.trace())
        by_name = {row["name"]: row for row in answer["rows"]}
        self.assertEqual((by_name["7"]["count"], by_name["7"]["max"]), (1, 250))
        relative = self.rows("--table", self.table(), "--begin", "+140", self.trace())
        self.assertEqual(relative["rows"], answer["rows"])

    def test_requirements(self):
        def require(*conditions, code):
            args = [arg for condition in conditions for arg in ("--require", condition)]
            return self.check(run("latency", "--table", self.table(), *args, self.trace()), code).stderr.decode()

        self.assertEqual(require('max("job 7") <= 250', 'count("job") == 2', 'p50("j*7") < 1us', code=0), "")
        self.assertIn("it is 250ns", require('max("job 7") < 250', code=1))
        self.assertIn('nothing is called "poll"', require('p99("poll") < 1s', code=1))
        self.assertIn("no duration", require('p99("job 8") < 1s', code=1))
        self.assertIn("p99", require('p98("job") < 1s', code=2))
        self.assertIn("in quotes", require("p99(job) < 1s", code=2))

    def test_tables(self):
        listed = self.check(run("tables"), 0).stdout.decode()
        for name in ("dial9", "heph", "lttng-kernel", "lttng-ust", "ros2", "tband", "zephyr"):
            self.assertIn(name, listed)
            printed = self.check(run("tables", name), 0).stdout
            # What is printed is read as what it is.
            self.check(run("tables", "--table", self.file("again.toml", printed), name), 0)
        self.assertIn("is 'zephyr' meant", self.check(run("tables", "zephir"), 2).stderr.decode())
        self.assertIn("jobs", self.check(run("tables", "--table", self.table()), 0).stdout.decode())

    def test_tables_that_are_wrong(self):
        def wrong(text, says):
            self.assertIn(says, self.check(run("tables", "--table", self.table(text)), 2).stderr.decode())

        wrong("table = ", "jobs.toml:1:")
        wrong("title = \"x\"", "begins with its name")
        wrong(TABLE.replace("match", "mach"), "is `match` meant?")
        wrong(TABLE.replace('track = "jobs"', 'track = "job"'), "is `jobs` meant?")
        wrong(TABLE.replace('"lanes"', '"lane"'), "is to be one of group, process")
        wrong(TABLE.replace('"job"\n', "1\n"), "is to be a text")

    def test_an_empty_answer_is_not_silent(self):
        answer = self.check(run("latency", self.file("t.bin", w.ticks(3))), 0).stdout.decode()
        self.assertIn("no slice has ended", answer)
        self.assertIn("no table is about these events", answer)


if __name__ == "__main__":
    unittest.main()

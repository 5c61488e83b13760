"""`query 'select *'`: a column for each field of what is selected."""

import csv
import io
import json
import unittest

import dial9_writer as w
from command import CommandTest, run

TRACE = (
    w.header()
    + w.schema(0, "A", [("n", w.VARINT), ("words", w.STRING), ("name", w.STRING)])
    + w.schema(1, "B", [("n", w.VARINT), ("list", w.LIST)])
    + w.event(0, w.varint(7) + w.string("x,y") + w.string("inner"), delta=10)
    + w.event(1, w.varint(8) + w.dynamic_list((w.U8, w.u8(1))), delta=10)
)


class SelectAll(CommandTest):
    def setUp(self):
        super().setUp()
        self.trace = self.file("t.bin", TRACE)

    def rows(self, stages, *options):
        result = self.check(run("query", stages, *options, "--output", "jsonl", self.trace), 0)
        return [json.loads(line) for line in result.stdout.decode().splitlines()][:-1]

    def test_all_fields_are_columns(self):
        rows = self.rows("select *")
        self.assertEqual(list(rows[0]), ["time", "name", "n", "words", "fields.name", "list"])
        self.assertEqual([row["n"] for row in rows], [7, 8])
        self.assertEqual((rows[0]["words"], rows[0]["fields.name"], rows[1]["list"]), ("x,y", "inner", [1]))

    def test_csv(self):
        result = self.check(run("query", "select *", "--output", "csv", self.trace), 0)
        rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
        self.assertEqual([(row["time"], row["name"], row["n"], row["words"], row["list"]) for row in rows], [("10", "A", "7", "x,y", ""), ("20", "B", "8", "", "[1]")])

    def test_of_what_is_selected(self):
        rows = self.rows('where name == "B" | select *')
        self.assertEqual(list(rows[0]), ["time", "name", "n", "list"])
        self.assertEqual(list(self.rows("select *", "--where", 'name == "B"')[0]), ["time", "name", "n", "list"])

    def test_beside_others_and_behind(self):
        rows = self.rows("select *, n * 2 as twice | where twice > 14 | sort n")
        self.assertEqual([(row["n"], row["twice"]) for row in rows], [(8, 16)])
        self.assertEqual(self.rows("select * | count by name"), [{"name": "A", "count": 1}, {"name": "B", "count": 1}])

    def test_of_rows_it_is_their_columns(self):
        self.assertEqual(self.rows("count by name | select *, count + 1 as more"), [{"name": "A", "count": 1, "more": 2}, {"name": "B", "count": 1, "more": 2}])

    def test_wrong(self):
        for stages, args, says in (
            ("select *", ["-"], "read once"),
            ("select * | where nothing > 1", [self.trace], "nothing"),
            ("select * | count by n", ["--partial", self.folder / "p", self.trace], "--partial"),
            ("count by *", [self.trace], "*"),
        ):
            with self.subTest(stages):
                self.assertIn(says, self.check(run("query", stages, *args, stdin=TRACE), 2).stderr.decode())

    def test_too_many(self):
        many = b"".join(w.schema(i, f"C{i}", [(f"f{i}_{n}", w.VARINT) for n in range(200)]) + w.event(i, b"\1" * 200, delta=1) for i in range(6))
        result = self.check(run("query", "select *", self.file("many.bin", w.header() + many)), 2)
        self.assertIn("1202 columns", result.stderr.decode())


if __name__ == "__main__":
    unittest.main()

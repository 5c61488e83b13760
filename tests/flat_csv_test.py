"""CSV with a column for each field, as one table and as a file for each event class."""

import csv
import io
import json
import struct
import unittest

import dial9_writer as w
import heph_writer as h
from command import CommandTest, run

LARGE = 2**53 + 1


def table(data):
    rows = list(csv.reader(io.StringIO(data.decode())))
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]], rows[0]


def trace():
    return (
        w.header()
        + w.schema(0, "A", [("n", w.VARINT), ("words", w.STRING), ("list", w.LIST), ("name", w.STRING), ("maybe", w.VARINT | w.OPTIONAL)])
        + w.schema(1, "B/b", [("n", w.VARINT), ("real", w.F64), ("raw", w.BYTES), ("map", w.STRING_MAP)])
        + w.event(0, w.varint(7) + w.string('a,"b"\nc') + w.dynamic_list((w.U8, w.u8(1)), (w.STRING, w.string("x"))) + w.string("inner") + w.ABSENT, delta=10)
        + w.event(1, w.varint(LARGE) + w.f64(float("inf")) + w.string(b"\0\1\2") + w.string_map(("k", "v")), delta=10)
        + w.event(0, w.varint(8) + w.string("") + w.dynamic_list() + w.string("") + w.present(w.varint(5)), delta=10)
    )


CTF = [
    {"type": "preamble", "version": 2},
    {"type": "data-stream-class", "packet-context-field-class": {"type": "structure", "member-classes": [{"name": "cpu", "field-class": {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}}]}},
    {
        "type": "event-record-class",
        "name": "e",
        "payload-field-class": {
            "type": "structure",
            "member-classes": [
                {"name": "s", "field-class": {"type": "structure", "member-classes": [{"name": "a", "field-class": {"type": "fixed-length-unsigned-integer", "length": 64, "byte-order": "little-endian"}}, {"name": "b", "field-class": {"type": "null-terminated-string"}}]}},
                {"name": "state", "field-class": {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian", "mappings": {"busy": [[1, 1]]}}},
                {"name": "array", "field-class": {"type": "static-length-array", "length": 2, "element-field-class": {"type": "fixed-length-unsigned-integer", "length": 64, "byte-order": "little-endian"}}},
            ],
        },
    },
]


class FlatCsv(CommandTest):
    def setUp(self):
        super().setUp()
        self.dial9 = self.file("t.bin", trace())
        self.ctf = self.folder / "ctf"
        self.ctf.mkdir()
        (self.ctf / "metadata").write_bytes(b"".join(b"\x1e" + json.dumps(each).encode() + b"\n" for each in CTF))
        (self.ctf / "stream").write_bytes(b"\3" + b"".join(struct.pack("<Q", 2**64 - 1) + b"t\0" + bytes([state]) + struct.pack("<QQ", 5, LARGE) for state in (1, 2)))

    def flat(self, *args):
        result = self.check(run("print", "--output", "csv", "--flat", *args), 0)
        rows, names = table(result.stdout)
        return rows, names, result.stderr.decode()

    def test_one_table_has_the_columns_of_all_classes(self):
        rows, names, _ = self.flat(self.dial9)
        self.assertEqual(names, "time duration name id stream.segment n words list fields.name maybe real raw map".split())
        self.assertEqual([row["name"] for row in rows], ["A", "B/b", "A"])
        self.assertEqual([row["n"] for row in rows], ["7", str(LARGE), "8"])
        self.assertEqual([row["words"] for row in rows], ['a,"b"\nc', "", ""])
        self.assertEqual([row["list"] for row in rows], ['[1,"x"]', "", "[]"])
        self.assertEqual([row["maybe"] for row in rows], ["", "", "5"])
        self.assertEqual((rows[1]["real"], rows[1]["raw"], rows[1]["map"]), ("Infinity", "AAEC", '{"k":"v"}'))
        self.assertEqual(rows[0]["fields.name"], "inner")

    def test_members_contexts_and_labels(self):
        rows, names, _ = self.flat(self.ctf)
        self.assertEqual(names, "time duration name id stream.class packet.cpu s.a s.b state state_label array".split())
        self.assertEqual([(row["packet.cpu"], row["s.b"], row["state"], row["state_label"]) for row in rows], [("3", "t", "1", "busy"), ("3", "t", "2", "")])
        self.assertEqual(rows[0]["array"], f"[5,{LARGE}]")

    def test_large_integers(self):
        for output in (["jsonl"], ["csv"], ["csv", "--flat"]):
            with self.subTest(output):
                result = self.check(run("print", "--output", *output, self.ctf), 0)
                self.assertIn(b"integers beyond 2^53 (4)", result.stderr)
                result = self.check(run("print", "--output", *output, "--int64", "string", self.ctf), 0)
                self.assertNotIn(b"2^53", result.stderr)
        rows, _, _ = self.flat("--int64", "string", self.ctf)
        self.assertEqual((rows[0]["s.a"], rows[0]["array"]), (str(2**64 - 1), f'[5,"{LARGE}"]'))
        result = self.check(run("print", "--output", "csv", "--int64", "string", self.ctf), 0)
        self.assertEqual(json.loads(table(result.stdout)[0][0]["fields"])["s"], {"a": str(2**64 - 1), "b": "t"})

    def test_several_traces(self):
        rows, names, _ = self.flat("--order", "recorded", self.dial9, self.file("h.heph", h.event(b"work", h.number(b"n", 3), start=5, end=9)))
        self.assertEqual(names[:3], ["trace", "time", "duration"])
        self.assertEqual((rows[3]["trace"], rows[3]["name"], rows[3]["duration"], rows[3]["n"], rows[3]["stream.id"]), ("h.heph", "work", "4", "3", "1"))

    def test_a_file_for_each_class(self):
        other = self.file("u.bin", w.header() + w.schema(0, "A", [("m", w.VARINT)]) + w.event(0, w.varint(1), delta=1))
        out = self.folder / "out"
        result = self.check(run("convert", "--to", "csv", "--layout", "class", "-o", out, self.dial9, other), 0)
        self.assertEqual(sorted(each.name for each in out.iterdir()), ["A%402.csv", "A.csv", "B%2Fb.csv"])
        tables = {each.name: table(each.read_bytes()) for each in out.iterdir()}
        self.assertEqual([row["n"] for row in tables["B%2Fb.csv"][0]], [str(LARGE)])
        self.assertEqual({tuple(row.get("n", row.get("m")) for row in tables[name][0]) for name in ("A.csv", "A%402.csv")}, {("7", "8"), ("1",)})
        self.assertIn("int64", result.stderr.decode())

    def test_many_lines_go_through_a_file(self):
        many = self.file("m.bin", w.header() + w.schema(0, "A", [("s", w.STRING)]) + w.event(0, w.string("x" * 4000), delta=1) * 1500 + w.schema(1, "B", [("n", w.VARINT)]) + w.event(1, w.varint(3), delta=1))
        rows, names, _ = self.flat(many)
        self.assertEqual(len(rows), 1501)
        self.assertEqual({len(row["s"]) for row in rows}, {0, 4000})
        self.assertEqual((names[-1], rows[0]["n"], rows[-1]["n"]), ("n", "", "3"))

    def test_no_events(self):
        self.assertEqual(self.flat("--where", "false", self.dial9)[:2], ([], ["time", "duration", "name", "id"]))

    def test_wrong_usage(self):
        for args, says in (
            (["print", "--flat", self.dial9], "--flat"),
            (["print", "--output", "csv", "--flat", "--records", "all", self.dial9], "--records"),
            (["convert", "--to", "csv", "--layout", "class", "-o", "-", self.dial9], "directory"),
            (["convert", "--to", "csv", "--flat", "--split-size", "1K", "-o", self.folder / "d", self.dial9], "--split-size"),
            (["convert", "--to", "csv", "--layout", "class", "--split-size", "1K", "-o", self.folder / "d", self.dial9], "--layout"),
        ):
            with self.subTest(args):
                self.assertIn(says, self.check(run(*args), 2).stderr.decode())


if __name__ == "__main__":
    unittest.main()

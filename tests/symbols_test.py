"""The names that a trace gives to addresses: in text, and by symbol() in expressions."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

FIELDS = [("addr", w.VARINT), ("size", w.VARINT), ("symbol_name", w.STRING), ("inline_depth", w.VARINT)]


def symbol(address, name, size=0, depth=0):
    return w.event(1, w.varint(address) + w.varint(size) + w.string(name) + w.varint(depth), delta=0)


def trace(*symbols, stacks=((0x1000, 0x2004), (0x3000,), (0x2010,))):
    """Samples, then what names their addresses."""
    head = w.header() + w.schema(0, "Sample", [("chain", w.STACK), ("n", w.VARINT)])
    samples = [w.event(0, w.stack(*each) + w.varint(each[0]), delta=5) for each in stacks]
    return head + b"".join(samples) + w.schema(1, "SymbolTableEntry", FIELDS) + b"".join(symbols)


SYMBOLS = [
    symbol(0x1000, "inlined", depth=1),
    symbol(0x1000, "main"),
    symbol(0x2000, "work\x1b[2J", size=0x10),
]


class Symbols(CommandTest):
    def asked(self, stages, *traces, **more):
        result = self.check(run("query", "--output", "jsonl", stages, *traces, **more), 0)
        return [json.loads(line) for line in result.stdout.decode().splitlines()[:-1]]

    def test_text_has_the_names_behind_the_addresses(self):
        result = self.check(run("print", "--where", "has(chain)", self.file("t", trace(*SYMBOLS))), 0)
        lines = result.stdout.decode().splitlines()
        self.assertIn("chain=[0x1000 (inlined < main), 0x2004 (work\\x1b[2J)]", lines[0])
        self.assertIn("n=4096", lines[0])
        self.assertIn("chain=[0x3000]", lines[1])
        self.assertIn("chain=[0x2010]", lines[2])

    def test_json_and_csv_stay_as_they_are(self):
        with_names, without = self.file("a", trace(*SYMBOLS)), self.file("b", trace())
        for output in ["jsonl", "csv"]:
            args = ["print", "--output", output, "--limit", "3"]
            self.assertEqual(run(*args, with_names).stdout, run(*args, without).stdout)

    def test_expressions(self):
        file = self.file("t", trace(*SYMBOLS))
        rows = self.asked("where has(chain) | select symbol(chain[0]) as f, symbol(chain[1]) as g, symbol(n)", file)
        self.assertEqual([row["f"] for row in rows], ["inlined", None, None])
        self.assertEqual(rows[0]["g"], "work\x1b[2J")
        self.assertEqual(rows[0]["symbol(n)"], "inlined")
        self.assertEqual(self.asked("count by symbol(chain[0]) as f | where f == 'inlined'", file), [{"f": "inlined", "count": 1}])
        for condition, count in [
            # The function that it is in, and what is inlined there.
            ('symbol(chain[0]) == "main"', 1),
            ('symbol(chain[0]) == "inlined"', 1),
            ('symbol(chain[0]) ~ "m*"', 1),
            ('symbol(chain[0]) contains "mai"', 1),
            ('symbol(chain[0]) != "main" && has(chain)', 0),
            ('any(symbol(chain[*]) ~ "work*")', 1),
            ("has(chain) && (symbol(chain[0]) ?? '?') == '?'", 2),
            ("symbol(n) != 'x' && has(chain)", 1),
            ("symbol(0x1000) == 'main' && has(chain)", 3),
            ("symbol(name) == 'main'", 0),
            ("symbol(-1) == 'main'", 0),
        ]:
            for command in [["print", "--output", "jsonl"], ["print", "--output", "jsonl", "--order", "time"]]:
                result = self.check(run(*command, "--where", condition, file), 0, condition)
                self.assertEqual(len(result.stdout.splitlines()), count, condition)

    def test_a_trace_that_is_restored_has_them(self):
        file = self.file("t", trace(*SYMBOLS))
        for target in ("ctf1", "ctf2", "ctf2rc"):
            out = self.folder / target
            self.check(run("convert", "-q", "--to", target, "-o", out, file), 0)
            rows = self.asked("where has(chain) | select symbol(chain[0]) as f", out)
            self.assertEqual([row["f"] for row in rows], ["inlined", None, None])
            shown = [self.check(run("print", "--where", "has(chain)", each), 0).stdout for each in (file, out)]
            self.assertEqual(shown[0], shown[1])

    def test_stacks(self):
        file = self.file("t", trace(*SYMBOLS))
        rows = self.asked("where has(chain) | count by stack(chain) as s", file)
        self.assertEqual([row["s"] for row in rows], ["0x2010", "0x3000", "inlined < main < work\x1b[2J"])
        # What is no list of addresses has none.
        self.assertEqual(self.asked("where has(chain) | select stack(n) as s, stack(name) as t | limit 1", file), [{"s": None, "t": None}])
        result = self.check(run("print", "--output", "jsonl", "--where", 'stack(chain) contains "inlined < main"', file), 0)
        self.assertEqual(len(result.stdout.splitlines()), 1)

    def test_a_field_may_be_called_symbol(self):
        content = w.header() + w.schema(0, "E", [("symbol", w.VARINT)]) + w.event(0, w.varint(7), delta=1)
        self.assertEqual(self.asked("select symbol", self.file("t", content)), [{"symbol": 7}])

    def test_pairs(self):
        file = self.file("t", trace(*SYMBOLS, stacks=((0x1000,), (0x1000,))))
        rows = self.asked("pair Sample Sample on symbol(n) | select duration", file)
        self.assertEqual(rows, [{"duration": 5}])
        result = self.check(run("query", "pair Sample Sample | count by symbol(a.n)", file), 2)
        self.assertIn("symbol()", result.stderr.decode())

    def test_what_is_read_once_says_that_it_has_none(self):
        content = trace(*SYMBOLS)
        result = self.check(run("print", "-", stdin=content), 0)
        self.assertNotIn(b"(main)", result.stdout)
        self.assertIn("can be read twice", result.stderr.decode())
        self.assertEqual(self.asked("count by symbol(chain[0])", "-", stdin=content), [{"symbol(chain[0])": None, "count": 6}])
        self.assertEqual(run("print", "--output", "jsonl", "-", stdin=content).stderr, b"")
        self.assertEqual(run("print", "-", stdin=w.ticks(3)).stderr, b"")

    def test_odd_tables(self):
        # Fields of other types, of other names, and none.
        schemas = [
            [("addr", w.STRING), ("symbol_name", w.STRING)],
            [("addr", w.VARINT), ("symbol_name", w.VARINT)],
            [("address", w.VARINT), ("symbol_name", w.STRING)],
            [],
        ]
        bodies = [w.string("x") + w.string("y"), w.varint(0x1000) * 2, w.varint(0x1000) + w.string("x"), b""]
        for fields, body in zip(schemas, bodies):
            content = trace() + w.schema(2, "SymbolTableEntry", fields) + w.event(2, body, delta=0)
            result = self.check(run("print", "--limit", "3", self.file("t", content)), 0)
            self.assertIn(b"chain=[0x1000, 0x2004]", result.stdout)

    def test_several_traces_have_their_own(self):
        one = self.file("one", trace(symbol(0x1000, "first")))
        other = self.file("other", trace(symbol(0x1000, "second")))
        rows = self.asked("where symbol(chain[0]) ~ '*' | select symbol(chain[0]) as f", one, other)
        self.assertEqual(rows, [{"f": "first"}, {"f": "second"}])


if __name__ == "__main__":
    unittest.main()

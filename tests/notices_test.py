"""What is said beside an answer that may be meant otherwise: once, in the words that were written, and not else."""

import unittest

import dial9_writer as w
from command import CommandTest, run


def trace():
    """Tasks with a field `name`, and polls without one."""
    content = w.header() + w.schema(0, "Task", [("name", w.STRING), ("x", w.VARINT)])
    content += w.schema(1, "Poll", [("depth", w.VARINT)])
    content += w.schema(2, "SymbolTableEntry", [("addr", w.VARINT), ("symbol_name", w.STRING)])
    for i in range(3):
        content += w.event(0, w.string("alice") + w.varint(i), delta=5) + w.event(1, w.varint(i), delta=5)
    return content + w.event(2, w.varint(7) + w.string("main"), delta=0)


class Notices(CommandTest):
    def said(self, *args):
        result = self.check(run(*args, self.file("t", trace())), 0, args)
        return [line.removeprefix("tracedeck: ") for line in result.stderr.decode().splitlines()]

    def test_a_field_called_name(self):
        for args in [
            ["print", "--where", 'name == "Poll"'],
            ["print", "--where", 'name ~ "Po*" || name =~ /^Task$/'],
            ["print", "--where", 'name in ["Poll", "Task"]'],
            ["print", "--where", 'name contains "ask"'],
            ["print", "--where", 'name != "Poll"'],
            ["print", "--where", '.name == "alice"'],
            ["query", "count by name"],
            ["query", 'where name == "Poll" | count by name'],
            ["query", "pair Task Poll | count"],
            ["query", "where depth >= 0 | select name"],
        ]:
            self.assertEqual(self.said(*args), [], args)
        for args in [
            ["print", "--where", 'name == "alice"'],
            ["print", "--where", 'name ~ "al*" || name == "Poll"'],
            ["print", "--where", 'name in ["Poll", "alice"]'],
            ["query", 'where name == "alice" | count'],
            ["query", "--where", 'name == "alice"', 'where name == "alice" | count by name'],
        ]:
            said = [line for line in self.said(*args) if "`.name`" in line]
            self.assertEqual(said, ["`name` is what each event has; the field of that name, which some have, is `.name`"], args)

    def test_nothing_is_said_in_the_words_that_were_written(self):
        nothing = "nothing selected: no event meets "
        self.assertEqual(self.said("print", "--where", "depth > 9"), [nothing + "the condition of --where"])
        self.assertEqual(self.said("query", "where depth > 9 | count"), [nothing + "the `where` of the query"])
        self.assertEqual(
            self.said("query", "--where", "depth > 9", "count"), [nothing + "the condition of --where"]
        )
        self.assertEqual(
            self.said("query", "--where", "depth >= 0", "where depth > 9 | count"),
            [nothing + "the condition of --where and the `where` of the query"],
        )

    def test_what_describes_others_is_something(self):
        self.assertEqual(self.said("print", "--where", 'name == "SymbolTableEntry"'), [])
        self.assertEqual(self.said("query", "where has(symbol_name) | count"), [])

    def test_fields_of_classes_that_were_left_out(self):
        self.assertEqual(self.said("query", "where name == 'Poll' | select x, depth"), [])
        self.assertEqual(self.said("query", "where name == 'Poll' | sum(x) by depth"), [])
        self.assertEqual(
            self.said("query", "where name == 'Poll' | select dept"),
            ["no event class has a field `dept`; did you mean `depth`?"],
        )

    def test_units_of_time(self):
        for unit in ["m", "min"]:
            self.assertEqual(len(run("print", "--begin", f"end-1{unit}", self.file("t", trace())).stdout.splitlines()), 7)
            result = self.check(run("query", f"where time < 0.5{unit} | count every 2{unit}", self.file("t", trace())), 0)
            self.assertIn(b"7 selected", result.stdout)


if __name__ == "__main__":
    unittest.main()

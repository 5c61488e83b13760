"""Names, values and paths with characters that steer a terminal, reorder text or show nothing: every text for people
shows them escaped, and what is for programs holds them exactly."""

import json
import subprocess
import sys
import unittest

import command
import dial9_writer as d
import heph_writer as heph
from command import CommandTest, run
from hidden_characters import all_hidden, hidden

# Of each kind: C0, DEL, C1, marks and overrides of direction, breaks of lines, nothing at all, tags, a filler letter.
BAD = "\x01\x1b[31m\x7f\u0085\u061c\u200b\u200e\u2028\u202e\u2066\u2069\ufeff\u00ad\u3164\U000e0041"
SHOWN = (
    r"\x01\x1b[31m\x7f\u{85}\u{61c}\u{200b}\u{200e}\u{2028}\u{202e}\u{2066}\u{2069}\u{feff}\u{ad}\u{3164}\u{e0041}"
)
NAME = f"n{BAD}z"


def heph_trace():
    fields = heph.string(NAME.encode(), NAME.encode()) + heph.number(b"n", 1)
    events = (heph.event(NAME.encode(), fields, counter=2 * i, start=10 * i, end=10 * i + 9) for i in range(6))
    return heph.epoch(1_600_000_000_000_000_000) + heph.option(NAME.encode(), NAME.encode()) + b"".join(events)


def dial9_trace():
    fields = [(NAME, d.STRING), ("n", d.VARINT)]
    values = (d.string(NAME) + d.varint(i) for i in range(6))
    events = b"".join(d.event(0, each, delta=1000) for each in values)
    return d.header() + d.schema(0, NAME, fields) + events


@unittest.skipIf(command.PROGRAM is None, "many_commands is not built, or is older than the command")
class HiddenText(CommandTest):
    def setUp(self):
        super().setUp()
        place = self.folder / f"p{BAD}"
        place.mkdir()
        self.traces = [place / f"heph{BAD}.log", place / f"dial9{BAD}.bin"]
        for trace, content in zip(self.traces, (heph_trace(), dial9_trace())):
            trace.write_bytes(content)
        for target in ("ctf2", "ctf1"):
            self.traces.append(place / f"{target}{BAD}")
            self.check(run("convert", "--to", target, "-q", "-o", self.traces[-1], self.traces[0]), 0)

    def test_no_text_for_people_holds_them(self):
        script = command.ROOT / "scripts/every-way.py"
        arguments = [sys.executable, script, "--jobs", "1", *self.traces]
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=900, check=False)
        self.assertEqual(result.returncode, 0, result.stdout[-8000:] + result.stderr[-2000:])

    def test_they_are_shown(self):
        for trace in self.traces:
            for way in (["print"], ["schema"], ["info"], ["stats"], ["validate"], ["query", "count by name"]):
                with self.subTest(way=way, trace=trace.suffix):
                    result = run(*way, trace)
                    self.assertIn(result.returncode, (0, 1))
                    self.assertEqual(hidden(result.stdout + result.stderr), [])
                    if way != ["validate"]:
                        self.assertIn(SHOWN, result.stdout.decode())

    def test_what_is_no_utf8_is_found_to_the_last_byte(self):
        euro = "\u20ac".encode()
        for text in (b"a\xff", b"a\xffb", euro[:2], b"\xe2\x28\n", b"x" * 9 + euro[1:]):
            self.assertEqual(len(hidden(text)), 1, text)
            self.assertEqual(len(hidden(text + b"y" * 9, len(text))), 0 if text == euro[:2] else 1, text)
        self.assertEqual(hidden(euro + b"\n"), [])
        self.assertEqual(hidden(euro * 2, 4), [])

    def test_errors_show_them(self):
        missing = f"missing{NAME}"
        for way in (
            ["print", missing],
            ["print", "--where", f"`{NAME}` == 1", self.traces[0]],
            ["print", "--format", NAME, self.traces[0]],
            [NAME],
            ["print", f"--{NAME}", self.traces[0]],
            ["print", "--begin", NAME, self.traces[0]],
            ["convert", "-o", self.folder / missing / "x", "--to", "dial9", self.traces[0]],
            ["query", f"count by {NAME}", self.traces[0]],
            ["print", "--metadata", missing, "--format", "ctf", self.traces[0]],
            ["latency", "--table", missing, self.traces[0]],
        ):
            with self.subTest(way):
                result = run(*way, cwd=self.folder)
                self.assertIn(result.returncode, (2, 3))
                self.assertEqual(hidden(result.stderr), [])

    def test_no_line_of_a_message_is_of_a_name(self):
        forged = "x\ntracedeck: error: forged"
        (self.folder / forged).mkdir()
        for way in (["print", forged], ["print", "--metadata", "m", "--format", "ctf", forged], ["print", "--begin", forged, "t"]):
            with self.subTest(way):
                said = run(*way, cwd=self.folder).stderr.decode()
                self.assertIn(r"x\ntracedeck: error: forged", said)
                self.assertNotIn("\ntracedeck: error: forged", said)

    def test_they_are_exact_in_json(self):
        trace = self.traces[0]
        line = json.loads(self.check(run("print", "--output", "jsonl", trace), 0).stdout.split(b"\n")[0])
        self.assertEqual((line["name"], line["fields"][NAME]), (NAME, NAME))

    def test_stacks(self):
        out = self.folder / "stacks.folded"
        self.check(run("convert", "--to", "folded", "-q", "-o", out, self.traces[0]), 0)
        self.assertEqual(hidden(out.read_bytes()), [])
        self.assertIn(SHOWN, out.read_text())

    def test_each_hidden_character_is_escaped(self):
        text = "".join(all_hidden()).encode()
        parts = [text[i : i + 30000] for i in range(0, len(text), 30000)]
        events = (heph.event(b"e", heph.string(b"s", part), counter=2 * i) for i, part in enumerate(parts))
        trace = self.file("all.log", heph.epoch(0) + b"".join(events))
        result = self.check(run("print", trace), 0)
        self.assertEqual(hidden(result.stdout), [])


if __name__ == "__main__":
    unittest.main()

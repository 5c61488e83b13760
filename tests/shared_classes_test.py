"""Aliases that double from line to line: what they come to is refused before it takes memory."""

import json
import subprocess
import sys
import unittest

import large_metadata
from class_memory_test import STARTER
from command import BIN, TIME_LIMIT, CommandTest, is_sanitized, run

U8 = large_metadata.U8
LEVELS = 40
BYTES = 64 << 20


def tsdl(levels):
    text = [large_metadata.TSDL_HEAD.replace(":= u8", ":= t0"), large_metadata.TSDL_TRACE]
    text += [f"typealias struct {{ t{i} a; t{i} b; }} := t{i + 1};\n" for i in range(levels)]
    text.append(f'event {{ name = "Doubled"; fields := struct {{ t{levels} f; }}; }};\n')
    return "".join(text).encode()


def ctf2(levels):
    fragments = [{"type": "field-class-alias", "name": "t0", "field-class": U8}]
    for i in range(levels):
        both = large_metadata.structure([("a", f"t{i}"), ("b", f"t{i}")])
        fragments.append({"type": "field-class-alias", "name": f"t{i + 1}", "field-class": both})
    payload = large_metadata.structure([("f", f"t{levels}")])
    fragments += [{"type": "trace-class"}, {"type": "data-stream-class"}]
    fragments.append({"type": "event-record-class", "name": "Doubled", "payload-field-class": payload})
    return "".join("\x1e" + json.dumps(each) + "\n" for each in [{"type": "preamble", "version": 2}, *fragments]).encode()


class SharedClasses(CommandTest):
    def trace(self, metadata, size):
        folder = self.folder / "trace"
        folder.mkdir(exist_ok=True)
        (folder / "metadata").write_bytes(metadata)
        with open(folder / "stream", "wb") as file:
            file.truncate(size)
        return folder

    def test_are_refused_beyond_the_limit(self):
        commands = [
            ["print"], ["info"], ["schema"], ["schema", "--output", "metadata"], ["stats"], ["latency"], ["query", "count"],
            *(["convert", "--to", to, "-o", self.folder / "out"] for to in ("ctf1", "ctf2", "ctf2rc", "dial9", "heph", "tband")),
        ]
        for make in (tsdl, ctf2):
            trace = self.trace(make(LEVELS), BYTES)
            for command in commands:
                with self.subTest(make=make.__name__, command=command):
                    # Where descriptions were written before the error.
                    subprocess.run(["rm", "-rf", *self.folder.glob("out*")], check=True)
                    starter = [sys.executable, "-I", "-S", "-c", STARTER, BIN, *map(str, command), trace]
                    measured = subprocess.run(starter, capture_output=True, check=True, timeout=TIME_LIMIT)
                    code, most = map(int, measured.stdout.split())
                    self.assertEqual(code, 3)
                    if not is_sanitized():
                        self.assertLess(most, 32 << 10)
            refused = run("print", trace).stderr.decode()
            self.assertIn("Doubled", refused)
            self.assertIn("65536", refused)

    def test_are_read_up_to_the_limit(self):
        for make in (tsdl, ctf2):
            trace = self.trace(make(14), 1 << 14)
            printed = self.check(run("print", "--output", "jsonl", trace), 0)
            self.assertEqual(printed.stdout.count(b'"a":0'), 1 << 13)


if __name__ == "__main__":
    unittest.main()

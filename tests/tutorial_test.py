"""docs/tutorial.md does what it says: its commands run, their answers look as they do there, and the cause is in them."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from command import BIN, ROOT, CommandTest, run

PROGRAM = pathlib.Path(BIN).resolve().parent / "record_pool"
DOCUMENT = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
TABLE = ROOT / "examples/record_pool.toml"


def blocks(language):
    """The text of each that is marked as of a language, or of none."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    return [text for marked, text in every if marked == language]


def commands():
    """(command, what it prints) of each in the document, in its order."""
    found = []
    for block in blocks(""):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed.strip()))
    return found


def rows(latency):
    """What stands in the first column of a table of latencies."""
    return [line.split("  ")[0] for line in latency.splitlines()[2:] if re.search(r"  +[\d,]+  ", line)]


@unittest.skipUnless(PROGRAM.exists(), "record_pool is not built")
class Tutorial(CommandTest):
    def shell(self, command):
        path = os.pathsep.join([str(PROGRAM.parent), os.environ["PATH"]])
        result = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env={**os.environ, "PATH": path}, capture_output=True, timeout=120
        )
        self.check(result, 0, command)
        return result.stdout.decode()

    def setUp(self):
        super().setUp()
        (self.folder / "examples").symlink_to(ROOT / "examples")
        if pathlib.Path(BIN).name != "tracedeck":
            self.skipTest("the command has another name")

    def total(self, trace, name):
        answer = json.loads(self.check(run("latency", "--json", "--table", TABLE, self.folder / trace), 0).stdout)
        return next(row["total"] for row in answer["rows"] if f"{row.get('category', '')} {row['name']}".strip() == name)

    def test_the_commands(self):
        whys = []
        for command, printed in commands():
            # How busy the machine is decides about that; what the lock costs is compared below.
            answer = self.shell(command.replace("< 5ms", "< 5s"))
            with self.subTest(command=command):
                self.looks_alike(command, answer, printed)
            if " why " in command:
                whys.append(answer)
        # The chain that the text follows. On a busy machine somebody else may wait longest in the queue.
        queued, waited = whys
        self.assertRegex(queued, r"meanwhile +worker \d: ")
        # A thread that gets the lock and no processor has waited for that, too.
        for _ in range(3):
            if self.shows_the_cause(waited):
                break
            self.shell("record_pool again.bin")
            waited = self.shell("tracedeck why --table examples/record_pool.toml --longest 'wait results' again.bin")
        self.assertTrue(self.shows_the_cause(waited), waited)
        self.assertGreater((self.folder / "slow.html").stat().st_size, 10_000)
        # The fix is one.
        self.check(run("latency", "--table", TABLE, "--require", 'max("wait results") < 5ms', self.folder / "slow.bin"), 1)
        self.assertGreater(self.total("slow.bin", "hold results"), 3 * self.total("fixed.bin", "hold results"))

    def shows_the_cause(self, answer):
        patterns = [
            r"  held +results: hold results, .* worker=\d",
            "inside it summarise medians",
            "Worker::summarise < Worker::add_result < Worker::run",
        ]
        return all(re.search(pattern, answer) for pattern in patterns)

    def looks_alike(self, command, answer, printed):
        def subject(text):
            return re.split(r" \(| took | lasted ", text)[0]

        if command.startswith("record_pool"):
            self.assertRegex(answer, re.sub(r"\d+", r"\\d+", printed))
        elif " info " in command:
            self.assertEqual(*(sorted(re.findall(r"(\w+)$", each.split("EVENT CLASS")[1], re.MULTILINE)) for each in (answer, printed)))
        elif " latency " in command:
            self.assertEqual(sorted(rows(answer)), sorted(rows(printed)))
        elif " diff " in command:
            self.assertEqual(*(re.findall(r"^([AB] \w+\.bin): ", each, re.MULTILINE) for each in (answer, printed)))
        elif " why " in command:
            self.assertEqual(subject(answer), subject(printed))
        else:
            self.assertEqual(printed, "")

    def test_the_code_is_that_of_the_program(self):
        program = (ROOT / "examples/record_pool.cpp").read_text(encoding="utf-8")
        self.assertTrue(blocks("cpp"))
        for block in blocks("cpp"):
            self.assertIn(block, program)

    def test_who_cannot_read_it(self):
        result = subprocess.run([PROGRAM, "--fix", self.folder / "t.bin"], capture_output=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"usage: record_pool [--fixed] FILE", result.stderr)


if __name__ == "__main__":
    unittest.main()

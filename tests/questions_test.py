"""Commands of docs/tokio.md, and of the questions in docs/query.md, run on recordings of simulators and find what they ask for."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from command import BIN, ROOT, CommandTest, run
from worlds import heph, linux, ros2, tokio

LIBRARY = pathlib.Path(BIN).resolve().parent.parent / "lib/libtracedeck_c.so.1"
PYTHON = "/usr/bin/python3"
# What readers fill in.
PLACES = {"$(hostname)": "web1", "--end T": "--end end-1ms", "time < E": "time < 60s", "duration > B": "duration > 0s",
          "pair Tick Tick": "pair ClockSyncEvent ClockSyncEvent"}
# What is said where a question names something that the trace does not have.
MISSES = ("no event is called", "no event class has", "did you mean", "no span has", "is nothing that is known")


def commands(document, section=""):
    """[(question, command)] of the tables of a document, or of what stands below a heading."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    if section:
        text = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?\?[^|]*) \| (.*) \|$", text, re.M)
    return [(question, command.replace("\\|", "|")) for question, cell in rows for command in re.findall(r"`(tracedeck \S+ .*?)`", cell)]


class Questions(CommandTest):
    def record(self, world, folder):
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        return world.record(self.folder / folder)

    def tokio(self, folder):
        """One process whose recording has spans, and samples with symbols."""
        whole = b""
        for seed in (1, 10, 2, 3):
            path = pathlib.Path(self.record(tokio.World(seed), f"parts{seed}").paths[0])
            whole += path.read_bytes()
        (self.folder / folder).mkdir()
        (self.folder / folder / "trace.0.bin").write_bytes(whole)
        return whole

    def ask(self, question, command):
        for name, value in PLACES.items():
            command = command.replace(name, value)
        words = shlex.split(command)[1:]
        if words[-1].endswith("*.part"):
            words[-1:] = sorted(path.name for path in self.folder.glob("*.part"))
        result = run(*words, cwd=self.folder)
        said = result.stderr.decode()
        self.assertEqual(result.returncode, 0, f"{question}: {command}: {said}")
        for miss in MISSES:
            self.assertNotIn(miss, said, f"{question}: {command}")
        return result.stdout.decode()

    def test_of_tokio(self):
        self.tokio("service")
        shutil.copytree(self.folder / "service", self.folder / "yesterday")
        self.record(tokio.World(8), "hosts")
        asked = commands("tokio.md")
        self.assertGreater(len(asked), 18)
        answers = {command: self.ask(question, command) for question, command in asked}
        for command, answer in answers.items():
            if command.startswith("tracedeck query"):
                self.assertGreater(len(answer.splitlines()), 3, f"{command}: {answer}")
        (hosts,) = (answer for command, answer in answers.items() if " by host " in command)
        self.assertIn("web1", hosts)
        self.assertIn("web2", hosts)

    def test_of_queries(self):
        (self.folder / "run.bin").write_bytes(self.tokio("service"))
        self.record(linux.World(56), "kernel")
        self.record(ros2.World(1), ".")
        shutil.move(self.record(heph.World(1), ".").paths[0], self.folder / "run.heph")
        asked = commands("query.md", "From question to command")
        self.assertGreater(len(asked), 15)
        for question, command in asked:
            self.ask(question, command)

    def test_in_python(self):
        if not LIBRARY.exists() or os.environ.get("TRACEDECK_SANITIZER_RUNTIME"):
            self.skipTest(f"there is no {LIBRARY}, or it is sanitized")
        if subprocess.run([PYTHON, "-c", "import pandas"], capture_output=True).returncode != 0:
            self.skipTest(f"{PYTHON} has no pandas")
        self.tokio("service")
        (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/tokio.md").read_text(encoding="utf-8"), re.M | re.S)
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TRACEDECK_LIBRARY": str(LIBRARY), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([PYTHON, "-W", "error", "-c", code], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("busy", done.stdout)


if __name__ == "__main__":
    unittest.main()

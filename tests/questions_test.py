"""Commands of docs/tokio.md, and of the questions in docs/query.md, run on recordings of simulators and find what they ask for; those
in the blocks of all documents run."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from command import BIN, ROOT, CommandTest, run
from worlds import heph, linux, ros2, tokio, tokio_heap

LIBRARY = pathlib.Path(BIN).resolve().parent.parent / "lib/libtracedeck_c.so.1"
PYTHON = "/usr/bin/python3"
# What readers fill in.
PLACES = {"$(hostname)": "web1", "--end T": "--end end-1ms", "time < E": "time < 60s", "duration > B": "duration > 0s",
          "pair Tick Tick": "pair ClockSyncEvent ClockSyncEvent", "*error*": "*Start*"}
# What is said where a question names something that the trace does not have.
MISSES = ("no event is called", "no event's name matches", "no event class has", "did you mean", "no span has", "is nothing that is known")


def commands(document, section=""):
    """[(question, command)] of the tables of a document, or of what stands below a heading."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    if section:
        text = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?\?[^|]*) \| (.*) \|$", text, re.M)
    return [(question, command.replace("\\|", "|")) for question, cell in rows for command in re.findall(r"`(tracedeck \S+ .*?)`", cell)]


def examples():
    """(document, command) of each line of a block that is a command, but for what is live, or of another machine."""
    found = []
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = document.read_text(encoding="utf-8")
        blocks = re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.M | re.S) + re.findall(r"(?:^    .*\n)+", text, re.M)
        lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.replace("\\\n", " ").splitlines()]
        found += [(document.name, re.sub(r"\s+# .*$", "", line)) for line in lines if re.match(r"tracedeck [a-z]", line)]
    return [each for each in dict.fromkeys(found) if not re.search(r"://|--follow|/dev/| view|ssh|\.\.\.|~/lttng", each[1])]


class Examples(CommandTest):
    FILES = {"my.toml": 'table = "my"\n', "condition.txt": "true", "distinct.key": "00" * 16, ".trace-key": "sixteen bytes at least"}

    def supply(self, command, recordings):
        """Makes the files that a command reads, where they are not there yet."""
        for word in shlex.split(command)[2:]:
            path = self.folder / word.partition("@")[0].rstrip("/")
            if not re.fullmatch(r"[\w./-]+(?:@\d)?", word) or word.startswith("-") or path.exists() or f"-o {word}" in command:
                continue
            if word.endswith("/") or word in ("workers", "workers2", "session"):
                shutil.copytree(recordings["kernel"], path)
            elif path.suffix in (".bin", ".gz", ".active", ".log", ".tband", ".heph") or word in ("A", "B"):
                path.parent.mkdir(parents=True, exist_ok=True)
                kind = "tband" if "tband" in word or "@" in word else "heph" if path.suffix in (".log", ".heph") else "dial9"
                shutil.copy(recordings[kind], path)

    def test_no_example_is_wrong_usage(self):
        simulated = self.folder / "simulated"
        simulated.mkdir()
        recordings = {"kernel": linux.World(56).record(simulated).paths[0], "heph": heph.World(1).record(simulated).paths[0],
                      "dial9": tokio.World(3).record(simulated).paths[0], "tband": simulated / "run.tband"}
        self.check(run("convert", "-q", "--to", "tband", "-o", recordings["tband"], recordings["heph"]), 0)
        for name, text in self.FILES.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / "examples").symlink_to(ROOT / "examples")
        asked = examples()
        self.assertGreater(len(asked), 50)
        environment = {**os.environ, "HOME": str(self.folder), "PATH": os.pathsep.join([str(pathlib.Path(BIN).resolve().parent), os.environ["PATH"]])}
        for document, command in asked:
            self.supply(command, recordings)
            for out in re.findall(r"-o (\w\S*)", command):
                shutil.rmtree(self.folder / out, ignore_errors=True)
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL)
            with self.subTest(document=document, command=command):
                self.assertNotIn(done.returncode, (2, 3), done.stderr)


class Questions(CommandTest):
    def record(self, world, folder):
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        return world.record(self.folder / folder)

    def tokio(self, folder):
        """One process whose recording has spans, samples with symbols, and allocations."""
        worlds = {f"parts{seed}": tokio.World(seed) for seed in (1, 19, 2, 3)}
        whole = b"".join(pathlib.Path(self.record(world, name).paths[0]).read_bytes() for name, world in worlds.items())
        whole += pathlib.Path(self.record(tokio_heap.World(1), "heap")).read_bytes()
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
        # What is said of an answer is a warning too.
        strict = ["-W", "error", "-W", "ignore::UserWarning"]
        done = subprocess.run([PYTHON, *strict, "-c", code], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("busy", done.stdout)


if __name__ == "__main__":
    unittest.main()

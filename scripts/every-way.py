#!/usr/bin/env python3
"""Runs every way of the command over many traces: every-way.py [--all] [--sample N] [--only TEXT] [--build DIR] [FILE...]

Each trace is printed in every form and order, summed up, validated, queried, measured, and converted to every target,
and what was converted is read again. A way is wrong that ends by a signal or a sanitizer, with an exit code outside the
contract (0 to 4), after its time, or with a character in a text for people that hides or reorders what is read.

Traces are the reference traces (TRACEDECK_TRACES, default ../shared/traces beside the project) and the corpora of the
fuzz targets; FILEs are taken instead. Without --all a sample of them is taken, the same each time; --sample says how
many. The command is that of the build directory --build, else TRACEDECK_BIN (default build/release/bin/tracedeck);
many_commands beside it runs all ways of one trace in one process, and the next trace has another process, so that leaks
are of one trace too.

Exit code 0: no way is wrong; 1: some are, each is listed with its command line; 2: there is no program to run them.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
if "--build" in sys.argv[1:-1]:
    os.environ["TRACEDECK_BIN"] = sys.argv[sys.argv.index("--build") + 1] + "/bin/tracedeck"
os.environ.setdefault("TRACEDECK_BIN", str(ROOT / "build/release/bin/tracedeck"))
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))

import command  # noqa: E402
from corpora import CORPORA, corpora, sample, trace_of  # noqa: E402
from hidden_characters import hidden  # noqa: E402
from many_commands import Died, ManyCommands  # noqa: E402

SAMPLE = 60
# Seconds; sanitized ways of the largest reference traces take ten.
WAY_LIMIT = 120
CODES = range(5)
FOR_PEOPLE = {"to.html", "to.folded"}
COLOR = re.compile(rb"\x1b\[[0-9;]*m")
# Long outputs are searched for hidden characters up to here.
SEARCHED = 4 << 20


@dataclasses.dataclass
class Trace:
    """What is read: a path, and what follows the ways' own options. `ways` are others than those of any trace."""

    name: str
    path: pathlib.Path
    ways: list = None


@dataclasses.dataclass
class Way:
    arguments: list
    for_people: bool = False  # what it writes to standard output
    out: str = ""  # the result's name, below a folder of its own


def words_of(*arguments):
    """What an option takes, as the command says it of a wrong word."""
    said = command.run(*arguments).stderr.decode()
    return re.search(r"takes (.*), not ", said).group(1).split(", ")


@functools.cache
def forms():
    return words_of("print", "--output", "?", "x")


@functools.cache
def targets():
    return words_of("convert", "--to", "?", "-o", "x", "x")


QUERIES = [
    "count by name",
    "rate by name",
    "select time, name, stream",
    "spans | count by name",
    "spans | sort duration desc | limit 5",
    "limit 5",
]


def ways_of_any(trace):
    for form in forms():
        people = form == "text"
        for options in (
            ["--records", "all"],
            ["--order", "time"],
            ["--order", "recorded", "-v"],
            ["--clock", "wall", "--begin", "+1ms", "--end", "end-1ms"],
            ["--tail", "3"],
            ["--as-stored", "--limit", "10"],
        ):
            yield Way(["print", "--output", form, *options, trace], people)
    yield Way(["print", "--output", "babeltrace2", "--names", "all", "--fields", "all", trace])
    yield Way(["print", "--color", "always", "--limit", "10", trace], True)
    for name in ("info", "schema", "stats", "validate", "latency"):
        yield Way([name, trace], True)
        yield Way([name, "--json", trace])
    yield Way(["schema", "--output", "metadata", trace])
    yield Way(["why", "--at", "+1ms", trace], True)
    yield Way(["why", "--longest", "poll", "--json", trace])
    yield Way(["diff", trace, trace], True)
    for question in QUERIES:
        yield Way(["query", question, trace], True)
        for form in ("csv", "arrow", "parquet"):
            yield Way(["query", "--output", form, question, trace])
        yield Way(["query", "--json", question, trace])
    for target in targets():
        out = f"to.{target}"
        yield Way(["convert", "--to", target, "--report", "-", "-o", out, trace], out=out)
        yield Way(["convert", "--to", target, "--limit", "7", "-o", f"few.{target}", trace])
    for target in ("parquet", "sqlite"):
        yield Way(["convert", "--to", target, "--what", "all", "-o", f"all.{target}", trace])
        yield Way(["convert", "--to", target, "--share", "-o", f"shared.{target}", trace])
        yield Way(["convert", "--to", target, "--drop", "*", "--mask", "env:*", "-o", f"hidden.{target}", trace])
    yield Way(["convert", "--to", "heph", "--spans", "-o", "spans.heph", trace])
    yield Way(["convert", "--to", "ctf2", "--split-size", "4K", "-o", "parts.ctf2", trace])
    yield Way(["convert", "--explain", "--to", "html", "-o", "x.html", trace], True)
    # What was written is read as what it was made of.
    for target in ("dial9", "ctf2", "ctf1", "heph", "tband"):
        if target in targets():
            yield Way(["print", "--records", "all", f"to.{target}"], True)
            yield Way(["validate", f"to.{target}"], True)


FORMATS = ["heph", "tband"]  # that take any bytes


def ways_of(trace):
    if trace.ways is not None:
        yield from trace.ways
        return
    path = os.fspath(trace.path)
    yield from ways_of_any(path)
    if trace.path.is_file():
        for name in FORMATS:
            for form in forms():
                yield Way(["print", "--format", name, "--records", "all", "--output", form, path], form == "text")
            for what in ("info", "stats", "validate", "latency"):
                yield Way([what, "--format", name, path], True)
            for target in targets():
                yield Way(["convert", "--format", name, "--to", target, "-o", f"{name}.{target}", path])


class Places:
    """Where traces come from. Those that are parts of one file are made below `folder`."""

    def __init__(self, folder):
        self.folder = folder

    def reference(self):
        for path in sorted(command.TRACES.rglob("*")):
            name = f"traces/{path.relative_to(command.TRACES)}"
            if path.is_dir():
                if (path / "metadata").is_file():
                    yield Trace(name, path)
            elif path.suffix in {".bin", ".log", ".hex"} or path.name.endswith(".bin.gz"):
                yield Trace(name, path)

    def corpora(self):
        for corpus, path in corpora():
            yield self.of_corpus(corpus, path, f"corpus/{corpus}/{path.name}")

    def of_corpus(self, corpus, path, name):
        if corpus == "partial":
            return Trace(name, path, [Way(["query", "--merge", *form, path], not form) for form in ([], ["--json"])])
        some = CORPORA / "dial9_command"
        if corpus == "query":
            text = path.read_bytes().replace(b"\0", b" ")
            ways = [Way(["query", *form, text, min(some.iterdir())], not form) for form in ([], ["--json"])]
            return Trace(name, path, ways)
        if corpus == "table":
            ways = [Way([way, "--table", path, min(some.iterdir())], True) for way in ("latency", "why", "tables")]
            return Trace(name, path, ways)
        return Trace(name, trace_of(corpus, path, self.folder))


class Checker:
    def __init__(self, program, limit):
        self.program, self.limit = program, limit
        self.environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}

    def check(self, trace):
        """What is wrong with the ways of a trace, a text each; and how many ways there were."""
        wrong, count = [], 0
        process = ManyCommands(self.program)
        with tempfile.TemporaryDirectory() as folder:
            for way in ways_of(trace):
                count += 1
                said = self.one(process, way, folder)
                if said:
                    line = " ".join(ascii(os.fsdecode(each))[1:-1] for each in way.arguments)
                    wrong.append(f"{ascii(trace.name)[1:-1]}: tracedeck {line}\n    {said}")
            status = process.close()
        if status != 0:
            wrong.append(f"{trace.name}: after all of its ways the process ended with status {status}")
        return wrong, count

    def one(self, process, way, folder):
        began = time.monotonic()
        try:
            result = process.run(
                list(map(os.fspath, way.arguments)), cwd=folder, environment=self.environment, timeout=self.limit
            )
        except Died as died:
            return str(died).replace("\n", "\n    ")
        except subprocess.TimeoutExpired:
            return f"took more than {self.limit} s ({time.monotonic() - began:.0f} s)"
        if result.returncode not in CODES:
            return f"exit code {result.returncode}"
        texts = [result.stderr, result.stdout if way.for_people else b""]
        if "--color" in way.arguments:
            texts = [COLOR.sub(b"", text) for text in texts]
        if way.out in FOR_PEOPLE and result.returncode == 0:
            # The sources of a page's script have tabs.
            texts.append((pathlib.Path(folder) / way.out).read_bytes().replace(b"\t", b" "))
        found = [each for text in texts for each in hidden(text, SEARCHED)]
        return f"characters that are not to be seen: {', '.join(sorted(set(found)))}" if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all traces instead of a sample")
    parser.add_argument("--sample", type=int, default=SAMPLE, metavar="N", help=f"so many traces ({SAMPLE})")
    parser.add_argument("--only", default="", metavar="TEXT", help="traces with TEXT in their names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes at a time")
    parser.add_argument("--limit", type=float, default=WAY_LIMIT, metavar="S", help=f"seconds for one way ({WAY_LIMIT})")
    parser.add_argument("--build", metavar="DIR", help="of the command and many_commands")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    given = parser.parse_args()
    if command.PROGRAM is None:
        print(f"there is no many_commands of the sources of {command.BIN}; build it")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        places = Places(pathlib.Path(folder))
        if given.files:
            traces = [Trace(str(file), file.resolve()) for file in given.files]
        else:
            traces = [*(places.reference() if command.TRACES.is_dir() else []), *places.corpora()]
        traces = [each for each in traces if given.only in each.name]
        if not given.all and not given.files:
            traces = sample([each for each in traces if not is_large(each.path)], lambda each: each.name, given.sample)
        forms(), targets()
        checker = Checker(command.PROGRAM, given.limit)
        wrong, count = [], 0
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for said, ways in pool.map(checker.check, traces):
                count += ways
                for each in said:
                    print(f"wrong: {each}", flush=True)
                wrong += said
    command.close_processes()
    print(f"{count} ways of {len(traces)} traces: {len(wrong)} wrong")
    return 1 if wrong else 0


def is_large(path):
    """Too large for a sample of seconds."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) > 64 << 10


if __name__ == "__main__":
    sys.exit(main())

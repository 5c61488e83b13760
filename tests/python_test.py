"""The package for Python, and the library for C below it: values, wrong use, and memory.

Runs the package in this Python, in Debian's with its NumPy and pandas where they are, in others that there are without
site packages, and in those that TRACEDECK_PYTHONS names. Skipped where the library for C is not built. A library that is built
with AddressSanitizer needs its runtime in the process from the start: TRACEDECK_SANITIZER_RUNTIME says where that is.
"""

import ctypes
import functools
import gc
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import dial9_writer as dial9
import heph_writer as heph
from columns_test import environment as node_environment
from columns_test import why_unreadable
from command import BIN, ROOT, TRACES, run
from short_slices_test import jobs
from tband_test import event as tband_event
from why_test import TABLE
from worlds import ros2

# A sanitized library takes several times as long, and holds memory back: what only measures is left out.
RUNTIME = os.environ.get("TRACEDECK_SANITIZER_RUNTIME", "")
PRELOADED = {}
if RUNTIME:
    if "LD_PRELOAD" not in os.environ:
        leaks = "detect_leaks=0"  # Python's own
        asan = {"LD_PRELOAD": RUNTIME, "ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), leaks]))}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **asan})
    # The commands that are run have a runtime of their own.
    PRELOADED = {"LD_PRELOAD": os.environ.pop("LD_PRELOAD"), "ASAN_OPTIONS": os.environ.pop("ASAN_OPTIONS")}

S, UTC = 10**9, 1_700_000_000 * 10**9
BUILD = pathlib.Path(BIN).resolve().parent.parent
LIBRARY = pathlib.Path(os.environ.get("TRACEDECK_LIBRARY", BUILD / "lib/libtracedeck_c.so.1"))
DEBIAN = "/usr/bin/python3"
# 10,000 opens of `make check-deep`.
OPENS = int(os.environ.get("TRACEDECK_OPENS", "400"))
# How many events of each reference trace are compared; 0: all, as `make check-deep` does.
EVENTS = os.environ.get("TRACEDECK_EVENTS", "20" if RUNTIME else "5000")
# How many segments a cluster of worker processes reads; 2,000 of `make check-deep`.
SEGMENTS = int(os.environ.get("TRACEDECK_SEGMENTS", "100"))

if LIBRARY.exists():
    os.environ["TRACEDECK_LIBRARY"] = str(LIBRARY)
    sys.path.insert(0, str(ROOT / "python"))
    import tracedeck


def setUpModule():
    if not LIBRARY.exists():
        raise unittest.SkipTest(f"there is no {LIBRARY}")


def environment():
    return {**node_environment(), **PRELOADED, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


@functools.cache
def has_modules(python, *modules):
    imports = "; ".join(f"import {module}" for module in modules)
    return shutil.which(python) is not None and subprocess.run([python, "-c", imports], capture_output=True).returncode == 0


def needs(*modules):
    """Skips a test where Debian's Python has no such modules."""

    def decorated(test):
        @functools.wraps(test)
        def checked(self):
            if not has_modules(DEBIAN, *modules):
                self.skipTest(f"{DEBIAN} has no {' and '.join(modules)}")
            test(self)

        return checked

    return decorated


def unsanitized(test):
    """Leaves a test out that takes too long on a sanitized library, or measures its memory."""
    return unittest.skipIf(RUNTIME, "the library is sanitized")(test)


@functools.cache
def other_pythons():
    """Pythons of this machine, of different versions, that run."""
    found = {}
    named = os.environ.get("TRACEDECK_PYTHONS", "").split()
    for name in (sys.executable, DEBIAN, *(f"python3.{minor}" for minor in range(9, 20)), *named):
        path = shutil.which(name)
        done = path and subprocess.run([path, "-c", "import sys; print(sys.version)"], capture_output=True, text=True)
        if done and done.returncode == 0:
            found.setdefault(done.stdout, path)
    return list(found.values())


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def ticks(self, count=10, name="ticks.bin"):
        return self.write(name, dial9.ticks(count))

    def many_ticks(self):
        """Three million, in segments: what takes a while to read."""
        return self.write("many.bin", dial9.ticks(30_000) * 100)

    def python(self, code, *arguments, python=DEBIAN, code_is=0):
        done = subprocess.run([python, "-c", code, *map(str, arguments)], capture_output=True, text=True, env=environment())
        self.assertEqual(done.returncode, code_is, done.stderr)
        return done


class Values(Traces):
    """Values are those of `print --output jsonl`, for all reference traces."""

    @classmethod
    def setUpClass(cls):
        if not TRACES.is_dir():
            raise unittest.SkipTest("there are no reference traces")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        folders = sorted({path.parent for path in TRACES.rglob("metadata")})
        files = [
            path for path in sorted(TRACES.rglob("*"))
            if path.is_file() and path.parent not in folders
            and not path.name.endswith((".jsonl", ".jsonl.gz", ".md", ".py"))
        ]
        lines = []
        for number, trace in enumerate([*folders, *files]):
            printed = run("print", "--output", "jsonl", "-q", *(["--limit", EVENTS] if EVENTS != "0" else []), trace)
            if printed.stdout or printed.returncode in (0, 4):
                expected = pathlib.Path(folder.name) / f"{number}.jsonl"
                expected.write_bytes(printed.stdout)
                lines.append(f"{trace}\t{expected}\n")
        assert len(lines) > 100, "most reference traces are missing"
        cls.listed = pathlib.Path(folder.name) / "list"
        cls.listed.write_text("".join(lines), encoding="utf-8")

    def compare(self, way, python):
        done = subprocess.run(
            [python, "-B", ROOT / "tests/python/compare.py", way, self.listed, EVENTS], capture_output=True, text=True, env=environment()
        )
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])

    def test_events(self):
        self.compare("events", sys.executable)

    def test_events_of_other_pythons(self):
        pythons = os.environ.get("TRACEDECK_PYTHONS", "").split()
        if not pythons:
            self.skipTest("TRACEDECK_PYTHONS names no other Python")
        for python in pythons:
            with self.subTest(python=python):
                self.compare("events", python)

    @needs("numpy")
    def test_numpy(self):
        self.compare("numpy", DEBIAN)

    @unsanitized
    @needs("numpy", "pandas")
    def test_pandas(self):
        self.compare("pandas", DEBIAN)

    @unsanitized
    def test_arrow(self):
        """`__arrow_c_stream__`, read by Arrow's own library."""
        if why := why_unreadable("stream"):
            self.skipTest(why)
        self.compare("arrow", sys.executable)


class Comparison(Traces):
    """What compares values sees differences."""

    def test_sees_differences(self):
        trace = self.ticks(4)
        printed = run("print", "--output", "jsonl", trace).stdout
        changes = (
            lambda text: text,
            lambda text: text.replace(b'"n":2', b'"n":7'),
            lambda text: b"\n".join(text.split(b"\n")[1:]),
            lambda text: text + text.split(b"\n")[0] + b"\n",
            # What columns of fields do not have:
            lambda text: text.replace(b'"segment":0', b'"segment":1'),
            lambda text: text.replace(b'"name":"', b'"name":"x', 1),
        )
        ways = {"events": changes, **({} if RUNTIME or why_unreadable("stream") else {"arrow": changes[:4]})}
        for way, change in ((way, change) for way, changes in ways.items() for change in changes):
            changed = change(printed)
            self.write("expected", changed)
            self.write("list", f"{trace}\t{self.folder / 'expected'}\n".encode())
            done = subprocess.run(
                [sys.executable, "-B", ROOT / "tests/python/compare.py", way, self.folder / "list", "0"],
                capture_output=True, text=True, env=environment(),
            )
            self.assertEqual(done.returncode, 0 if changed == printed else 1, done.stdout + done.stderr)


class Reading(Traces):
    def test_events(self):
        with tracedeck.open(self.ticks(5)) as trace:
            events = list(trace)
        self.assertEqual([event["n"] for event in events], [0, 1, 2, 3, 4])
        first = events[0]
        self.assertEqual((first.name, first.stream, first.seq, first.duration), ("Tick", {"segment": 0}, 0, None))
        self.assertEqual((first.keys(), first.fields, "n" in first, first.get("m", 7)), (["n"], {"n": 0}, True, 7))
        self.assertEqual(first.context, {})
        with self.assertRaises(KeyError):
            first["m"]
        with self.assertRaises(KeyError):
            first.label("n")

    def test_paths(self):
        """As in conditions: the longest name, elements from the end, names in quotes."""
        path = self.write("dots.log", heph.epoch(10**9) + heph.event(
            b"read", heph.number(b"http.status", 503) + heph.array(b"list", 1, 2, 3) + heph.array(b"a", 4)
            + heph.number(b"a[0]", 5) + heph.number(b"a b", 6), start=1, end=2))
        (event,) = tracedeck.open(path)
        for written, value in {
            "http.status": 503, '["http.status"]': 503, "list[-1]": 3, "list[-3]": 1, "list": [1, 2, 3], "a[0]": 5, '["a"][0]': 4,
            "a[-1]": 4, "a b": 6, "['a b']": 6,
        }.items():
            self.assertEqual(event[written], value, written)
            self.assertEqual(event.get(written), value)
        for missing in ("http", "http.state", "list[3]", "list[-4]", "http.status.x", 'http["status"]', "", ".", "list[x]", "[0]",
                        "list[9" + "9" * 30 + "]"):
            with self.assertRaises(KeyError, msg=missing):
                event[missing]
        self.assertEqual([each["list"] for each in tracedeck.open(path, where="http.status == 503 && list[-1] == 3")], [[1, 2, 3]])
        self.assertEqual(tracedeck.query(path, "select http.status, list[-1]"), [{"http.status": 503, "list[-1]": 3}])

    def test_paths_in_values(self):
        from tracedeck._paths import at_path

        value = {"http": {"status": 1, "route": 2}, "http.status": 3, "http.x": 4, "maybe": None, "list": [{"a.b": 5, "a": {"b": {"c": 6}}}],
                 "map": tracedeck.Map([(7, "seven"), ("k", "v")])}
        for path, wanted in {
            "http.status": 3, 'http["status"]': 1, "http.route": 2, "maybe.more[3]": None, "list[0].a.b": 5, "list[-1].a.b.c": 6,
            "map[7]": "seven", "map.k": "v",
        }.items():
            self.assertEqual(at_path(value, path), wanted, path)
        for path in ("http.x.y", "map[8]", "map.7", "list.a", "http.route.x", "list[0][0]"):
            with self.assertRaises(KeyError, msg=path):
                at_path(value, path)

    def test_loops_see_the_same(self):
        trace = tracedeck.open(pathlib.Path(self.ticks(5)))
        self.assertEqual([event.seq for event in trace], [event.seq for event in trace])
        self.assertEqual([event["n"] for event in trace["Tick"]], [0, 1, 2, 3, 4])
        self.assertEqual([column.name for column in trace["Tick"].columns], ["time_ns", "trace", "stream", "seq", "n"])
        self.assertEqual(trace.names(), {"Tick": 5})
        self.assertEqual((trace.complete, trace.losses, trace.problems, trace.errors, trace.lost_events), (True, [], [], [], 0))
        self.assertEqual(trace.schema[0]["format"], "dial9")

    def test_selections(self):
        path = self.ticks(100)
        self.assertEqual([event["n"] for event in tracedeck.open(path, where="n > 96")], [97, 98, 99])
        self.assertEqual([event["n"] for event in tracedeck.open(path, limit=2)], [0, 1])
        every = [event.time for event in tracedeck.open(path)]
        self.assertEqual([e.time for e in tracedeck.open(path, begin=str(every[3]), end=str(every[5]))], every[3:6])
        self.assertEqual([event.time for event in tracedeck.open(path, order="time", jobs=2)], every)

    def test_several_traces(self):
        paths = [self.ticks(3, "a.bin"), self.ticks(2, "b.bin")]
        self.assertEqual(sorted(event.trace for event in tracedeck.open(paths)), ["a.bin"] * 3 + ["b.bin"] * 2)

    def test_damage_is_said(self):
        path = self.write("damaged.bin", dial9.ticks(5) + b"\x07 no frame")
        trace = tracedeck.open(path)
        self.assertEqual(len(list(trace)), 5)
        (problem,) = trace.problems
        self.assertTrue(problem.damage)
        self.assertEqual(problem.trace, "damaged.bin")
        self.assertFalse(trace.complete)
        self.assertIn("1 problems", trace._repr_html_())
        self.assertEqual(len(tracedeck.validate(path)), len(run("validate", "--json", path).stdout.splitlines()))

    def test_one_of_several_that_cannot_be_opened(self):
        trace = tracedeck.open([self.ticks(3), self.write("text", b"no trace")])
        with self.assertWarnsRegex(tracedeck.TracedeckWarning, "text"):
            self.assertEqual(len(list(trace)), 3)
        self.assertEqual(len(trace.errors), 1)

    def test_notices_of_conditions(self):
        with self.assertWarnsRegex(tracedeck.TracedeckWarning, "nowhere"):
            self.assertEqual(list(tracedeck.open(self.ticks(3), where="nowhere == 1")), [])

    def test_standard_input_is_read_once(self):
        with open(self.ticks(4), "rb") as file:
            done = subprocess.run(
                [sys.executable, "-c", "import tracedeck; print(len(list(tracedeck.open('-'))))"],
                stdin=file, capture_output=True, env=environment(), check=True,
            )
        self.assertEqual(done.stdout, b"4\n")

    def test_html_is_escaped(self):
        path = self.write("<b>.bin", dial9.ticks(1))
        html = tracedeck.open(path)._repr_html_()
        self.assertIn("Tick", html)
        self.assertNotIn("<b>.bin", html)

    def test_what_is_to_be_known_of_an_answer_is_a_warning(self):
        """As the command says it beside the answer. Of parts it is not said: what one does not have another may."""
        fields = [("worker", dial9.VARINT)]
        source = self.write("t.bin", dial9.header() + dial9.schema(1, "poll", fields, 1) + dial9.event(1, dial9.varint(3), 5))
        for stages, sentence in (
            ("where wroker == 3 | count", "no event class has a field `wroker`; did you mean `worker`?"),
            ('where name == "pol" | count', "no event is called `pol`; did you mean `poll`?"),
            ("pair begin poll on worker | count", "no event is called `begin`"),
            ("spans | count", "no table says which of these events begin and end spans, and no names of theirs come in pairs; --table FILE says it: docs/timeline.md"),
            ("where worker == 3 | count", None),
        ):
            with self.subTest(stages), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                tracedeck.query(source, stages)
                said = [str(each.message) for each in caught]
                self.assertEqual([] if sentence is None else [sentence], [each for each in said if sentence in (None, each)], said)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tracedeck.partial(source, "where wroker == 3 | count")

    def test_what_the_command_says_is_said(self):
        """Of answers: nothing is selected, a date and times that nothing relates to UTC, clocks that nothing relates."""
        ticks, others = self.ticks(), self.ticks(name="others.bin")
        console = self.write("console", b"".join(tband_event(4 + i % 2, 100 * i, 7) for i in range(40)))
        two = [ticks, others]
        dates = ("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z")
        for paths, stages, words, keywords, sentence in (
            ([ticks], "where n > 50 | count() by n", [], {}, "nothing selected: no event meets"),
            ([ticks], "count() by n", ["--where", "n > 50"], {"where": "n > 50"}, "nothing selected: no event meets"),
            ([ticks], "count() by n", ["--begin", "1h"], {"begin": "1h"}, "nothing selected: the trace has events from 0.000001000 to"),
            ([console], "count()", ["--format", "tband", "--begin", dates[0], "--end", dates[1]],
             {"format": "tband", "begin": dates[0], "end": dates[1]}, "nothing relates its clock to UTC, so a date is compared"),
            (two, "select time", [], {}, "the order of their events to each other says nothing"),
            (two, "select time", ["--clock", "wall"], {"clock": "wall"}, "the order of their events to each other says nothing"),
            (two, "count() every 1ms", [], {}, "the order of their events to each other says nothing"),
            (two, "count()", [], {}, None),
            (two, "spans | count()", [], {}, "the order of their events to each other says nothing"),
            (two, None, [], {}, "times and durations from one to the other mean nothing"),
        ):
            with self.subTest(stages=stages, words=words), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                if stages is None:
                    tracedeck.latency(paths, **keywords)
                else:
                    tracedeck.query(paths, stages, **keywords)
                said = [str(each.message) for each in caught]
                command = ["latency"] if stages is None else ["query", stages]
                printed = run(command[0], "--json", *words, *command[1:], *paths).stderr.decode().replace("tracedeck: ", "").splitlines()
                whose = re.compile("the condition of --where|the `where` of the query")
                # Findings of a trace are rows of the library, where they are asked for.
                expected = [whose.sub("the condition", each) for each in printed if "tband/" not in each]
                self.assertEqual(said, expected)
                self.assertTrue(sentence is None or any(sentence in each for each in said), said)

    def test_an_answer_without_rows_has_its_columns(self):
        path = self.ticks()
        for stages, columns in (("where n > 50 | count(), p99(n) by n % 7 as rest", ["rest", "count()", "p99(n)"]),
                                ("where n > 50 | select n, name, n", ["n", "name"]), ("where n > 50 | select *", ["time", "name"]),
                                ("spans | select name, duration", ["name", "duration"])):
            with self.subTest(stages), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = tracedeck.query(path, stages)
                self.assertEqual((answer, answer.columns), ([], columns))
                last = json.loads(run("query", "--json", stages, path).stdout.splitlines()[-1])["answer"]
                self.assertEqual(list(dict.fromkeys(last["columns"])), columns)
                if "count()" in stages:
                    self.assertEqual(tracedeck.merge([tracedeck.partial(path, stages)]).columns, columns)

    def test_a_unit_beside_a_field_without_one_is_an_error(self):
        fields = [("worker", dial9.VARINT)]
        source = self.write("t.bin", dial9.header() + dial9.schema(1, "poll", fields, 1) + dial9.event(1, dial9.varint(3), 5))
        for ask in (lambda: tracedeck.query(source, "where worker > 1ms | count"), lambda: tracedeck.query(source, "count", where="worker > 1ms"),
                    lambda: tracedeck.partial(source, "where worker > 1ms | count")):  # fmt: skip
            with self.assertRaisesRegex(tracedeck.ArgumentError, "nothing says what `worker` counts"):
                ask()

    def test_answers_are_those_of_the_command(self):
        path = str(TRACES / "dial9/tokio-demo.bin.gz")
        if not os.path.exists(path):
            self.skipTest("there are no reference traces")
        for stages in ("count() by name", "p99(duration) by worker_id", "spans | p99(duration) by category, name", "select * | limit 3"):
            printed = [json.loads(line) for line in run("query", "--json", stages, path).stdout.splitlines()]
            answer = tracedeck.query(path, stages)
            self.assertEqual([*answer, {"answer": answer.counts}], printed, stages)
            self.assertEqual(tracedeck.open(path).query(stages), answer)
        printed = [json.loads(line) for line in run("query", "--json", "count()", "--where", "worker_id == 1", path).stdout.splitlines()]
        self.assertEqual(tracedeck.query(path, "count()", where="worker_id == 1"), printed[:-1])
        self.assertEqual(tracedeck.latency(path), json.loads(run("latency", "--json", path).stdout))
        self.assertEqual(tracedeck.latency(path, by="track", where="category == 'poll'"),
                         json.loads(run("latency", "--json", "--by", "track", "--where", "category == 'poll'", path).stdout))
        self.assertEqual(tracedeck.open(path).latency(), tracedeck.latency(path))
        self.assertEqual(len(tracedeck.open(path).spans()), tracedeck.query(path, "spans | count()")[0]["count()"])

    def test_diff_is_that_of_the_command(self):
        demo = str(TRACES / "dial9/tokio-demo.bin.gz")
        if not os.path.exists(demo):
            self.skipTest("there are no reference traces")
        pair = [demo, str(TRACES / "dial9/15_bench_mix3_10k.bin")]
        self.assertEqual(tracedeck.diff(*pair), json.loads(run("diff", "--json", *pair).stdout))
        options = ["--by", "track", "--where", "category == 'poll'"]
        self.assertEqual(tracedeck.diff(*pair, by="track", where="category == 'poll'"),
                         json.loads(run("diff", "--json", *options, *pair).stdout))
        with self.assertRaises(tracedeck.CannotOpenError):
            tracedeck.diff(demo, "missing")
        with self.assertRaises(tracedeck.ArgumentError):
            tracedeck.diff(demo, demo, by="nonsense")

    def test_why_is_that_of_the_command(self):
        demo = str(TRACES / "dial9/tokio-demo.bin.gz")
        if not os.path.exists(demo):
            self.skipTest("there are no reference traces")
        for keywords, words in (({"slice": "poll"}, ["--longest", "poll"]),
                                ({"slice": "poll", "rank": 3}, ["--slice", "poll", "--rank", "3"]),
                                ({"at": "+12ms"}, ["--at", "+12ms"]),
                                ({"at": "+12ms", "slice": "poll", "track": "*"}, ["--at", "+12ms", "--longest", "poll", "--track", "*"]),
                                ({"slice": "nothing is called so"}, ["--longest", "nothing is called so"])):
            answer = tracedeck.why(demo, **keywords)
            self.assertEqual(answer, json.loads(run("why", "--json", *words, demo).stdout), keywords)
        self.assertEqual(answer["found"], False)
        self.assertEqual(tracedeck.open(demo, jobs=2).why("poll"), tracedeck.why(demo, "poll"))
        for wrong in ({}, {"at": "soon"}, {"at": "+1ms", "rank": 2}, {"slice": "poll", "rank": 1001}, {"slice": "poll", "limit": 1},
                      {"slice": "poll", "where": "true"}, {"track": "*"}):
            with self.assertRaises(tracedeck.ArgumentError, msg=wrong):
                tracedeck.why(demo, **wrong)
        with self.assertRaises(tracedeck.ArgumentError):
            tracedeck.open(demo, limit=1).why("poll")
        with self.assertRaises(ValueError):
            tracedeck.why(demo, "poll", rank=0)
        with self.assertRaises(tracedeck.UnsupportedError):
            tracedeck.why("-", "poll")
        with self.assertRaises(tracedeck.CannotOpenError):
            tracedeck.why("missing", "poll")

    def converted(self, name, path, words, **keywords):
        """What the command and the package make of a trace: their receipts, and the bytes of their results."""
        results = []
        for maker in ("command", "package"):
            folder = self.folder / f"{name}.{maker}"
            folder.mkdir()
            out = folder / name
            if maker == "package":
                receipt = tracedeck.convert(path, out, **keywords)
            else:
                paths = [path] if isinstance(path, str) else path
                done = run("convert", "-q", "--report", str(folder / "report.json"), "-o", str(out), *words, *paths)
                self.assertEqual(done.returncode, 0, done.stderr)
                receipt = json.loads((folder / "report.json").read_text())
                (folder / "report.json").unlink()
            receipt.pop("output")
            files = {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
            results.append((receipt, files))
        return results

    def test_convert_is_that_of_the_command(self):
        demo = str(TRACES / "dial9/tokio-demo.bin.gz")
        if not os.path.exists(demo):
            self.skipTest("there are no reference traces")
        ctf = str(next((TRACES / "ctf").rglob("metadata")).parent)
        for name, path, words, keywords in (
            ("x.ctf2", demo, [], {}),
            ("x.heph", demo, ["--to", "heph"], {"to": "heph"}),
            ("x.jsonl", demo, ["--limit", "20"], {"limit": 20}),
            ("x.csv", demo, ["--flat", "--where", "worker_id == 1"], {"flat": True, "where": "worker_id == 1"}),
            ("x.dial9", demo, ["--begin", "+1ms", "--end", "+2ms"], {"begin": "+1ms", "end": "+2ms"}),
            ("copy.dial9", demo, [], {}),
            ("copy.ctf1", ctf, ["--to", "ctf1"], {"to": "ctf1"}),
            ("tables", demo, ["--to", "parquet", "--segment", "s", "--tag", "host=web17"],
             {"to": "parquet", "segment": "s", "tags": {"host": "web17"}}),
            ("named", demo, ["--to", "parquet"], {"to": "parquet"}),
            ("spans", demo, ["--to", "arrow", "--what", "spans", "--segment", "s"], {"to": "arrow", "what": "spans", "segment": "s"}),
            ("one.parquet", demo, ["--to", "parquet", "--layout", "one", "--segment", "s"], {"to": "parquet", "layout": "one", "segment": "s"}),
            ("times", demo, ["--to", "parquet", "--timestamps", "--raw"], {"to": "parquet", "timestamps": True, "raw": True}),
            ("hidden.jsonl", demo, ["--drop", "worker_id"], {"drop": ["worker_id"]}),
        ):
            with self.subTest(name):
                (receipt, files), (of_package, files_of_package) = self.converted(name, path, words, **keywords)
                self.assertEqual(of_package, receipt)
                self.assertEqual(sorted(files_of_package), sorted(files))
                for each, content in files.items():
                    # A CTF trace has a UUID of its own.
                    if each.endswith(("metadata", ".json")) or "ctf" in name:
                        self.assertEqual(len(files_of_package[each]), len(content), each)
                    else:
                        self.assertEqual(files_of_package[each], content, each)

    def test_what_is_drawn_is_that_of_the_command(self):
        table = self.write("pool.toml", TABLE.encode())
        demo = TRACES / "dial9/tokio-demo.bin.gz"
        own = {"tables": table}
        traces = [("jobs", self.write("jobs.bin", jobs(2000)), ["--table", table], own)]
        if demo.exists():
            traces.append(("demo", str(demo), [], {}))
        for name, words, keywords in (
            ("x.html", [], {}),
            ("x.pftrace", [], {}),
            ("x.json", [], {}),
            ("x.json.gz", [], {}),
            ("x.folded", [], {}),
            ("x.pprof", [], {}),
            ("x.heph", ["--to", "heph", "--spans"], {"to": "heph", "spans": True}),
            ("all.html", ["--args", "all", "--flows", "all"], {"all_arguments": True, "all_flows": True}),
            ("long.json", ["--min-duration", "10us"], {"min_duration": 10_000}),
            ("small.html", ["--max-size", "1500K"], {"max_size": 1500 << 10}),
            ("old.pftrace", ["--perfetto-level", "50"], {"perfetto_level": 50}),
            ("time.folded", ["--weight", "time"], {"weight": "time"}),
            ("part.html", ["--begin", "+1ms", "--end", "+5ms"], {"begin": "+1ms", "end": "+5ms"}),
            ("merged.folded", ["--order", "merged"], {"order": "merged"}),
        ):
            for trace, path, more, options in traces:
                with self.subTest(name, trace=trace):
                    of_command, of_package = self.converted(f"{trace}-{name}", path, [*words, *more], **keywords, **options)
                    self.assertEqual(of_package, of_command)
                    self.assertTrue(of_command[1])

    def test_tables_are_those_of_the_command(self):
        table = pathlib.Path(self.write("pool.toml", TABLE.encode()))
        path = self.write("jobs.bin", jobs(2000))
        trace = tracedeck.open(path, tables=table)
        printed = [json.loads(line) for line in run("query", "--json", "--table", table, "spans", path).stdout.splitlines()]
        self.assertEqual([*trace.spans(), {"answer": trace.spans().counts}], printed)
        self.assertNotEqual(tracedeck.query(path, "spans"), trace.spans())
        for of_package, words in (
            (trace.latency(), ["latency", "--json"]),
            (trace.why("run"), ["why", "--json", "--slice", "run"]),
            (tracedeck.diff(path, path, tables=[table]), ["diff", "--json", path]),
        ):
            self.assertEqual(of_package, json.loads(run(*words, "--table", table, path).stdout))
        out = self.folder / "spans"
        receipt = trace.convert(out, "arrow", what="spans", segment="s")
        self.assertGreater(receipt["events"], 0)
        with self.assertRaises(tracedeck.ArgumentError):
            tracedeck.open(path, tables=self.write("wrong.toml", b"table = 1\n"))

    def anchored(self, host, anchor, jobs):
        """A trace of a host whose clock is related to UTC, with jobs of these begins and ends, in seconds."""
        data = dial9.header() + dial9.schema(0, "ClockSyncEvent", [("realtime_ns", dial9.VARINT)])
        data += dial9.schema(1, "SegmentMetadataEvent", [("entries", dial9.STRING_MAP)])
        data += dial9.schema(2, "job_begin", [("n", dial9.VARINT)]) + dial9.schema(3, "job_end", [("n", dial9.VARINT)])
        at, utc = anchor
        data += dial9.reset(at * S) + dial9.event(1, dial9.string_map(("host", host), ("boot_id", host))) + dial9.event(0, dial9.varint(UTC + utc * S))
        for times in jobs:
            for kind, time in enumerate(times, 2):
                data += dial9.reset(time * S) + dial9.event(kind, dial9.varint(1))
        return self.write(f"{host}.bin", data)

    def test_traces_are_read_as_by_the_command(self):
        hosts = [self.anchored("web1", (1, 1), [(160, 161)]), self.anchored("web2", (500, 5), [(560, 561), (562, 565)])]
        ticks = self.ticks(300)
        out = self.folder / "trace"
        tracedeck.convert(ticks, out, "ctf1")
        (stream,) = (path for path in out.iterdir() if path.name not in ("metadata", "environment.json-seq"))
        console = self.write("console", b"".join(tband_event(4 + i % 2, 100 * i, 7) for i in range(40)))
        ways = (
            ("hosts", hosts, [], {}),
            ("wall", hosts, ["--clock", "wall"], {"clock": "wall"}),
            ("recorded", hosts, ["--clock", "trace"], {"clock": "trace"}),
            ("one", hosts[1:], ["--clock", "wall"], {"clock": "wall"}),
            ("format", [console], ["--format", "tband"], {"format": "tband"}),
            ("metadata", [str(stream)], ["--metadata", out / "metadata"], {"metadata": out / "metadata"}),
        )
        times = set()
        for name, paths, words, keywords in ways:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that times are in UTC
                printed = [json.loads(line) for line in run("print", "--output", "jsonl", *words, *paths).stdout.splitlines()]
                self.assertTrue(printed)
                trace = tracedeck.open(paths, **keywords)
                self.assertEqual([(each.name, each.time) for each in trace], [(each["name"], each["time"]) for each in printed])
                times.add((len(paths), printed[-1]["time"]))
                self.assertEqual(trace.query("select name, time"), self.command_rows(*words, "select name, time", *paths))
                self.assertEqual(trace.spans(), self.command_rows(*words, "spans", *paths))
                self.assertEqual(trace.latency(), json.loads(run("latency", "--json", *words, *paths).stdout))
                said = [json.loads(line) for line in run("validate", "--json", *words, *paths).stdout.splitlines()]
                self.assertEqual(tracedeck.validate(paths, **keywords), said)
                for target in ("html", "dial9", "jsonl"):
                    of_command, of_package = self.converted(f"{name}.{target}", paths, ["--to", target, *words], to=target, **keywords)
                    self.assertEqual(of_package, of_command)
        self.assertEqual(len({time for count, time in times if count == 2}), 2, times)  # UTC, and as recorded
        with self.assertRaises(tracedeck.TracedeckError):
            tracedeck.open(ticks, format="ctf")

    def command_rows(self, *arguments):
        return [json.loads(line) for line in run("query", "--json", *arguments).stdout.splitlines()][:-1]

    def test_convert_in_parts(self):
        path = self.ticks(5000)
        out = self.folder / "parts.jsonl"
        receipt = tracedeck.convert(path, out, split_size=20_000)
        self.assertGreater(len(receipt["parts"]), 2)
        lines = "".join(pathlib.Path(part).read_text() for part in receipt["parts"])
        self.assertEqual(lines.encode(), run("print", "--output", "jsonl", path).stdout)

    def test_parts_are_those_of_the_command(self):
        """A part ends with a whole packet, which is the smaller the smaller the part."""
        path = self.ticks(20_000)
        (receipt, files), (of_package, files_of_package) = self.converted(
            "x.ctf2", path, ["--split-size", "40000"], split_size=40_000)
        self.assertGreater(len(receipt["parts"]), 2)
        self.assertEqual(len(of_package["parts"]), len(receipt["parts"]))
        self.assertEqual({name: len(content) for name, content in files_of_package.items()},
                         {name: len(content) for name, content in files.items()})

    def test_convert_hides(self):
        path = self.ticks(3)
        out = self.folder / "masked.jsonl"
        receipt = tracedeck.convert(path, out, mask=["n"])
        self.assertTrue(any("mask" in entry["what"] for entry in receipt["entries"]), receipt)
        self.assertIn('"n":"m_', out.read_text())

    def test_convert_refuses(self):
        path = self.ticks(3)
        out = self.folder / "out"
        before = pathlib.Path(path).read_bytes()
        for error, arguments, keywords in (
            (tracedeck.ArgumentError, (out, "no such target"), {}),
            (tracedeck.ArgumentError, (out,), {}),
            (tracedeck.ArgumentError, ("-", "jsonl"), {}),
            (tracedeck.ArgumentError, (path, "dial9"), {}),
            (tracedeck.ArgumentError, (out, "jsonl"), {"layout": "class"}),
            (tracedeck.ArgumentError, (out, "parquet"), {"layout": "round"}),
            (tracedeck.ArgumentError, (out, "parquet"), {"what": "all", "limit": 3}),
            (tracedeck.ArgumentError, (out, "parquet"), {"tags": {"": "x"}}),
            (tracedeck.ArgumentError, (out, "jsonl"), {"where": "n =="}),
            (tracedeck.ArgumentError, (out, "jsonl"), {"mask": ["n"], "mask_key": self.folder / "no such key"}),
            (tracedeck.ArgumentError, (out, "html"), {"limit": 3}),
            (tracedeck.ArgumentError, (out, "html"), {"spans": True}),
            (tracedeck.ArgumentError, (out, "html"), {"split_size": 1000}),
            (tracedeck.ArgumentError, (out, "html"), {"weight": "time"}),
            (tracedeck.ArgumentError, (out, "folded"), {"weight": "money"}),
            (tracedeck.ArgumentError, (out, "folded"), {"max_size": 1000}),
            (tracedeck.ArgumentError, ("/dev/null", "html"), {"max_size": 1000}),
            (tracedeck.ArgumentError, (out, "html"), {"min_duration": 86_400_000_000_001}),
            (tracedeck.ArgumentError, (out, "jsonl"), {"tables": ["dial9"]}),
            (tracedeck.ArgumentError, (out, "heph"), {"tables": "dial9"}),
            (tracedeck.ArgumentError, (out, "parquet"), {"tables": "dial9"}),
            (tracedeck.CannotOpenError, (out, "html"), {"tables": "no such table"}),
            (tracedeck.LimitError, (out, "html"), {"max_size": 1000}),
            (ValueError, (out, "perfetto"), {"perfetto_level": 51}),
            (ValueError, (out, "html"), {"min_duration": 0}),
            (tracedeck.CannotOpenError, (self.folder / "no such folder/out", "jsonl"), {}),
            (ValueError, (out, "jsonl"), {"split_size": -1}),
            (TypeError, (out, "jsonl"), {"drop": "n"}),
        ):
            with self.subTest(arguments=arguments, keywords=keywords), self.assertRaises(error):
                tracedeck.convert(path, *arguments, **keywords)
        with self.assertRaises(tracedeck.CannotOpenError):
            tracedeck.convert("missing", out, "jsonl")
        self.assertFalse(out.exists())
        self.assertEqual(pathlib.Path(path).read_bytes(), before)

    def test_convert_goes_on_without_what_cannot_be_read(self):
        path = self.ticks(3)
        out = self.folder / "some.jsonl"
        with self.assertWarns(tracedeck.TracedeckWarning):
            receipt = tracedeck.convert([path, "missing"], out)
        self.assertEqual(receipt["events"], 3)

    def test_helps(self):
        text = subprocess.run([sys.executable, "-c", "import tracedeck; help(tracedeck)"], capture_output=True, text=True,
                              env={**environment(), "PAGER": "cat"}, check=True).stdout
        for word in ("tracedeck.open(", "to_numpy", "nanoseconds", "trace.losses"):
            self.assertIn(word, text)

    @needs("numpy", "pandas")
    def test_columns(self):
        self.python("""if True:
            import sys, numpy, pandas, tracedeck
            trace = tracedeck.open(sys.argv[1])
            arrays = trace.to_numpy("Tick", ["n", "seq"])
            assert list(arrays) == ["n", "seq"], arrays
            assert arrays["n"].tolist() == list(range(200_000))
            assert arrays["n"].flags.owndata and arrays["seq"].dtype == numpy.dtype("i8")
            assert list(trace.to_numpy()) == ["Tick"]
            assert sum(len(each["n"]) for name, each in trace.batches()) == 200_000
            frame = trace["Tick"].to_pandas(["n"])
            assert frame.n.sum() == 199_999 * 100_000
            for wrong in (lambda: trace.to_numpy("Tock"), lambda: trace.to_numpy("Tick", ["m"])):
                try:
                    wrong()
                except KeyError:
                    continue
                raise AssertionError
            assert tracedeck.query(sys.argv[1], "count()").to_pandas()["count()"][0] == 200_000
        """, self.ticks(200_000))

    @needs("numpy", "pandas")
    def test_members_of_structures(self):
        """A structure that is absent has no members; those of contexts are columns alike."""
        def number(bits):
            return {"type": "fixed-length-unsigned-integer", "length": bits, "byte-order": "little-endian"}

        def structure(**members):
            return {"type": "structure", "member-classes": [{"name": name, "field-class": each} for name, each in members.items()]}

        inside = structure(x=number(8), who={"type": "null-terminated-string"}, deep=structure(y=number(16)))
        fragments = [
            {"type": "preamble", "version": 2}, {"type": "trace-class"},
            {"type": "data-stream-class", "event-record-common-context-field-class": structure(task=number(8))},
            {"type": "event-record-class", "name": "Step", "payload-field-class": structure(
                there={"type": "fixed-length-boolean", "length": 8, "byte-order": "little-endian"},
                at={"type": "optional", "selector-field-location": {"path": ["there"]}, "field-class": inside})},
        ]
        self.write("metadata", b"".join(b"\x1e" + json.dumps(each).encode() + b"\n" for each in fragments))
        self.write("stream", b"\1\1\5me\0\7\0" b"\2\0" b"\3\1\6you\0\10\0")
        self.python("""if True:
            import sys, pandas, tracedeck
            trace = tracedeck.open(sys.argv[1])
            frame = trace.to_pandas("Step", ["common.task", "at.x", "at.who", "at.deep.y", "at.deep"])
            assert frame["common.task"].tolist() == [1, 2, 3]
            for name, first, last in (("at.x", 5, 6), ("at.who", "me", "you"), ("at.deep.y", 7, 8), ("at.deep", {"y": 7}, {"y": 8})):
                values = frame[name].tolist()
                assert values[::2] == [first, last] and (values[1] is None or values[1] is pandas.NA), (name, values)
            (name, columns), = trace.batches("Step", ["at.x"])
            assert columns["at.x"].tolist() == [5, None, 6], columns
            for wrong in ("at.z", "at.", "at.x.y", "there.x", ".at"):
                try:
                    trace.to_numpy("Step", [wrong])
                except KeyError as error:
                    assert f"no column {wrong}, but time_ns" in str(error), error
                    continue
                raise AssertionError(wrong)
        """, self.folder)

    @needs("numpy")
    def test_rows_of_classes_that_share_columns_keep_the_order_of_events(self):
        self.python("""if True:
            import sys, tracedeck
            arrays = tracedeck.open(sys.argv[1:], order="time").to_numpy("Tick", ["seq"])
            assert arrays["seq"].tolist() == list(range(2_000)), arrays
        """, self.ticks(1_000, "a.bin"), self.ticks(1_000, "b.bin"))

    @needs("numpy")
    def test_columns_of_absent_values(self):
        path = TRACES / "tband/all_events_monotone.bin"
        if not path.exists():
            self.skipTest("there are no reference traces")
        self.python("""if True:
            import sys, numpy, tracedeck
            for name, arrays in tracedeck.open(sys.argv[1]).batches():
                if name == "ts_resolution_ns":
                    assert arrays["time_ns"].mask.all()
                    break
            else:
                raise AssertionError
        """, path)


class WithoutNumPy(Traces):
    """What needs neither NumPy nor pandas, in every Python from 3.9 on that there is, without its site packages."""

    def test_core(self):
        traces = [self.ticks(), self.write("damaged.bin", dial9.ticks(5) + b"\x07 no frame")]
        for python in other_pythons():
            with self.subTest(python=python):
                done = subprocess.run([python, "-S", "-B", ROOT / "tests/python/core.py", *traces], capture_output=True, text=True,
                                      env=environment(), cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)


class Capsules(Traces):
    """`__arrow_c_stream__`, read as other libraries do."""

    def stream(self, capsule):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        from tracedeck._library import ArrowArrayStream

        return ArrowArrayStream.from_address(get(capsule, b"arrow_array_stream"))

    def test_is_read(self):
        from tracedeck._library import ArrowArray

        capsule = tracedeck.open(self.ticks(70_000))["Tick"].__arrow_c_stream__()
        stream = self.stream(capsule)
        get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ArrowArray))(stream.get_next)
        lengths = []
        while True:
            array = ArrowArray()
            self.assertEqual(get_next(ctypes.addressof(stream), ctypes.byref(array)), 0)
            if not array.release:
                break
            lengths.append(array.length)
            array.release(ctypes.byref(array))
        self.assertEqual(lengths, [65_536, 4_464])

    def test_is_released(self):
        from tracedeck import _trace

        trace = tracedeck.open(self.ticks(3))
        capsules = [trace["Tick"].__arrow_c_stream__() for _ in range(3)]
        self.assertEqual(len(_trace._streams), 3)
        # One is taken over by its reader.
        stream = self.stream(capsules[0])
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(stream.release)(ctypes.addressof(stream))
        self.assertFalse(stream.release)
        del capsules, stream
        gc.collect()
        self.assertEqual(_trace._streams, {})


class WrongUse(Traces):
    def test_what_cannot_be_opened(self):
        for make, error, base in (
            (lambda: self.folder / "missing", tracedeck.CannotOpenError, OSError),
            (lambda: self.write("text", b"no trace"), tracedeck.UnrecognisedError, ValueError),
            (list, tracedeck.ArgumentError, ValueError),
            (lambda: "a\0b", tracedeck.ArgumentError, ValueError),
        ):
            with self.assertRaises(error) as raised:
                tracedeck.open(make())
            self.assertIsInstance(raised.exception, base)
            self.assertIsInstance(raised.exception, tracedeck.TracedeckError)

    def test_options_that_cannot_be(self):
        path = self.ticks()
        for options in ({"where": "n >"}, {"begin": "noon"}, {"order": "random"}, {"jobs": 100_000}, {"where": "n\0"},
                        {"format": "elf"}, {"clock": "water"}, {"format": "heph", "metadata": path}):
            with self.assertRaises(tracedeck.ArgumentError):
                tracedeck.open(path, **options)
        with self.assertRaisesRegex(tracedeck.ArgumentError, "its own metadata"):
            tracedeck.open(self.folder, metadata=path)
        for options in ({"where": 1}, {"jobs": "two"}, {"colour": "red"}):
            with self.assertRaises(TypeError):
                tracedeck.open(path, **options)
        with self.assertRaisesRegex(tracedeck.ArgumentError, r"\^"):
            tracedeck.query(path, "count( by")
        with self.assertRaises(TypeError):
            tracedeck.query(path, None)
        with self.assertRaises(TypeError):
            tracedeck.open(path)[3]

    def test_closed(self):
        trace = tracedeck.open(self.ticks())
        events = iter(trace)
        kept = next(events)
        trace.close()
        trace.close()
        self.assertEqual(kept["n"], 0)
        for use in (lambda: list(trace), trace.names, lambda: trace.losses, trace["Tick"].__arrow_c_stream__):
            with self.assertRaises(tracedeck.ClosedError):
                use()

    @unsanitized
    def test_what_progress_raises(self):
        class Stop(Exception):
            pass

        def stop(events):
            raise Stop

        path = self.many_ticks()
        with self.assertRaises(Stop):
            tracedeck.query(path, "count() by n", progress=stop)
        seen = []
        tracedeck.query(path, "count() by n", progress=seen.append)
        self.assertEqual(seen, sorted(seen))
        self.assertTrue(seen)

    def test_a_conversion_ends_when_it_is_told_to(self):
        def end(events):
            raise KeyboardInterrupt

        out = self.folder / "many.jsonl"
        with self.assertRaises(KeyboardInterrupt):
            tracedeck.convert(self.many_ticks(), out, progress=end)
        self.assertFalse(out.exists())

    @unsanitized
    def test_an_interrupt_ends_a_call(self):
        path = self.many_ticks()
        code = ("import signal, sys, threading, time, tracedeck\n"
                "threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT)).start()\n"
                "try:\n    [tracedeck.query(sys.argv[1], 'count() by n | top 3') for _ in range(100)]\n"
                "except KeyboardInterrupt:\n    sys.exit(7)\n")
        self.python(code, path, python=sys.executable, code_is=7)

    def test_several_threads(self):
        trace = tracedeck.open(self.ticks(20_000))
        counts = []
        threads = [threading.Thread(target=lambda: counts.append(sum(1 for _ in trace))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [20_000] * 4)

    def test_closed_by_another_thread(self):
        """A trace that is read by one thread and closed by another: its events, or that it was closed."""
        path = self.ticks(20_000)
        for _ in range(5):
            trace = tracedeck.open(path)
            seen = []

            def read():
                try:
                    seen.append(sum(1 for _ in trace))
                except tracedeck.TracedeckError as error:
                    seen.append(type(error))

            reader = threading.Thread(target=read)
            reader.start()
            trace.close()
            reader.join()
            self.assertIn(seen[0], (20_000, tracedeck.ClosedError))

    def test_handles_of_another_thread(self):
        """The library below: a handle that another thread uses, closes or cancels."""
        from tracedeck._library import Request, library

        path = self.ticks(20_000)
        known = {0, 1, -2, -3, -10}  # done, ended, no such handle, busy, cancelled
        for other in ("td_next_event", "td_cancel", "td_close"):
            for _ in range(5):
                handle = ctypes.c_uint64()
                self.assertEqual(library.td_open(*Request([path]).arguments, ctypes.byref(handle), None), 0)
                statuses = set()

                def use(name, times, handle=handle, statuses=statuses):
                    arguments = (None, None) if name == "td_next_event" else (None,)
                    for _ in range(times):
                        statuses.add(getattr(library, name)(handle, *arguments))

                threads = [threading.Thread(target=use, args=(name, times)) for name, times in (("td_next_event", 3000), (other, 3))]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.assertLessEqual(statuses, known, other)
                library.td_close(handle.value, None)
                self.assertEqual(library.td_close(handle.value, None), -2)

    def test_damaged_traces(self):
        """Every prefix and some changes of a trace: errors, no crash."""
        whole = dial9.ticks(20)
        for size in range(len(whole)):
            path = self.write("cut.bin", whole[:size])
            changed = self.write("changed.bin", whole[:size] + bytes([whole[size] ^ 0xFF]) + whole[size + 1 :])
            for each in (path, changed):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        trace = tracedeck.open(each)
                        for event in trace:
                            repr(event)
                        trace.problems, trace.schema
                    except tracedeck.TracedeckError:
                        pass
                    tracedeck.validate(each)


class Calls(Traces):
    """Each function of tracedeck.h, called wrongly: an error, and no crash."""

    ARGUMENT, HANDLE = -1, -2
    MAY_BE_NULL = {"options", "error", "user", "by", "to", "convert", "class_number", "last_of_group", "event"}

    @staticmethod
    def declared():
        """The functions that may fail, with their parameters: (type, name)."""
        header = re.sub(r"/\*.*?\*/", "", (ROOT / "tracedeck/tracedeck.h").read_text(encoding="utf-8"), flags=re.S)
        functions = {}
        for name, parameters in re.findall(r"^td_status (td_\w+)\((.*?)\);", header, re.M | re.S):
            functions[name] = [tuple(each.strip() for each in re.split(r"(?=\b\w+$)", parameter.strip())) for parameter in parameters.split(",")]
        return functions

    def setUp(self):
        super().setUp()
        from tracedeck import _library

        self.types = _library
        self.library = ctypes.CDLL(str(LIBRARY))
        self.path = os.fsencode(self.ticks())
        self.functions = self.declared()
        self.part = tracedeck.partial(self.path.decode(), "count()")

    def sized(self, structure, **members):
        made = structure(**members)
        made.struct_size = ctypes.sizeof(made)
        return made

    def values(self, name):
        """Arguments that are right, by the names of parameters."""
        types = self.types
        return {
            "paths": (ctypes.c_char_p * 2)(self.path, self.path), "path_count": 2 if name == "td_diff" else 1,
            "options": self.sized(types.OptionsStructure), "error": self.sized(types.ErrorStructure), "trace": 0, "user": None,
            "write": types.WRITE(lambda _user, _data, _size: 0), "stages": b"count()", "by": b"track", "name": b"Tick",
            "question": self.sized(types.WhyStructure, slice=b"poll"), "to": b"jsonl", "out": os.fsencode(self.folder / "out.jsonl"),
            "convert": self.sized(types.ConvertStructure), "parts": (types.PartStructure * 1)((self.part, len(self.part))),
            "part_count": 1, "as_part": 0, "stream": types.ArrowArrayStream(), "max_rows": 0, "class_number": 0, "array": types.ArrowArray(),
            "last_of_group": ctypes.c_int(), "count": ctypes.c_uint32(), "schema": types.ArrowSchema(), "event": (ctypes.c_uint32 * 14)(56),
            "value": (ctypes.c_uint32 * 20)(80), "path": b"n",
        }

    def call(self, name, /, **changed):
        """The status, and what the error says."""
        values = {**self.values(name), **changed}
        arguments = []
        for kind, parameter in self.functions[name]:
            value = values[parameter]
            if "*" in kind or parameter in ("write", "user"):
                if parameter == "class_number" and value is not None:
                    value = ctypes.c_uint32(value)
                value = value if value is None or isinstance(value, (bytes, ctypes.Array, ctypes._CFuncPtr)) else ctypes.byref(value)
                arguments.append(value)
            else:
                arguments.append({"td_trace": ctypes.c_uint64, "size_t": ctypes.c_size_t, "uint32_t": ctypes.c_uint32, "int": ctypes.c_int}[kind](value))
        status = getattr(self.library, name)(*arguments)
        error = values["error"]
        if status < 0 and error is not None:
            self.assertEqual(error.code, status, name)
            self.assertTrue(error.message, name)
        for taken in (values["array"], values["schema"]):
            if taken and taken.release:
                taken.release(ctypes.byref(taken))
        if values["stream"] and values["stream"].release:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(values["stream"].release)(ctypes.addressof(values["stream"]))
        return status

    def opened(self, name):
        """A trace of which the function finds what it asks for: an event, or classes."""
        trace = ctypes.c_uint64()
        self.assertEqual(self.call("td_open", trace=trace), 0)
        self.assertIn(self.call("td_next_event" if name in ("td_next_event", "td_field") else "td_next_batch", trace=trace.value), (0, 1))
        return trace.value

    def with_trace(self):
        return [name for name, parameters in self.functions.items() if ("td_trace", "trace") in parameters]

    def traced(self, name):
        if name == "td_open":
            return {"trace": ctypes.c_uint64()}
        return {"trace": self.opened(name)} if name in self.with_trace() else {}

    def close(self, arguments):
        if isinstance(arguments.get("trace"), int):
            self.call("td_close", trace=arguments["trace"])

    def test_nulls(self):
        self.assertEqual(len(self.functions), 20)
        for name, parameters in self.functions.items():
            for parameter in [None, *(each for kind, each in parameters if "*" in kind or each in ("write", "user"))]:
                with self.subTest(name, null=parameter):
                    arguments = self.traced(name)
                    status = self.call(name, **{**arguments, **({parameter: None} if parameter else {})})
                    if parameter is None or parameter in self.MAY_BE_NULL:
                        self.assertGreaterEqual(status, 0)
                    else:
                        self.assertEqual(status, self.ARGUMENT)
                    self.close(arguments)
        for name in self.functions:
            if "paths" in dict((parameter, kind) for kind, parameter in self.functions[name]):
                for wrong in ({"path_count": 0}, {"paths": (ctypes.c_char_p * 2)(None, None)}):
                    self.assertEqual(self.call(name, **self.traced(name), **wrong), self.ARGUMENT, name)
        self.assertEqual(self.call("td_merge", part_count=0), self.ARGUMENT)
        self.assertEqual(self.call("td_merge", parts=(self.types.PartStructure * 1)((None, 9))), self.ARGUMENT)

    def test_handles(self):
        """Closed, closed with its place taken by another, and never one."""
        for name in self.with_trace():
            with self.subTest(name):
                closed = self.opened(name)
                self.assertEqual(self.call("td_close", trace=closed), 0)
                stale, other = closed, self.opened(name)
                self.assertEqual(stale & 0xFFFFFFFF, other & 0xFFFFFFFF)
                for wrong in (stale, 0, 1, other + 1, other + (1 << 32), other & 0xFFFFFFFF, (1 << 64) - 1):
                    self.assertEqual(self.call(name, trace=wrong), self.HANDLE, wrong)
                    self.assertEqual(self.call(name, trace=wrong, error=None), self.HANDLE, wrong)
                self.assertGreaterEqual(self.call(name, trace=other), 0)
                self.assertEqual(self.call("td_close", trace=other), self.HANDLE if name == "td_close" else 0)

    def test_after_the_end_and_after_an_end_that_was_asked_for(self):
        for name in self.with_trace():
            for end in ("td_next_event", "td_next_batch", "td_cancel"):
                trace = self.opened(name)
                for _ in range(20):
                    if self.call(end, trace=trace) != 0:
                        break
                self.assertIn(self.call(name, trace=trace), (0, 1, self.ARGUMENT, -10), (name, end))
                self.close({"trace": trace})

    def test_structures_and_texts(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)  # where some of the texts become names of files
        texts = {parameter for parameters in self.functions.values() for kind, parameter in parameters if kind == "const char*"}
        for name, parameters in self.functions.items():
            for _, parameter in parameters:
                for size in (0, 3):
                    if parameter in ("options", "convert", "question"):
                        wrong = self.values(name)[parameter]
                        wrong.struct_size = size
                        self.assertEqual(self.call(name, **{**self.traced(name), parameter: wrong}), self.ARGUMENT, (name, parameter))
                    elif parameter == "value" or (parameter == "event" and size == 3):
                        arguments = self.traced(name)
                        self.assertEqual(self.call(name, **arguments, **{parameter: (ctypes.c_uint32 * 20)(size)}), self.ARGUMENT, (name, parameter))
                        self.close(arguments)
                if parameter in texts:
                    for text in (b"", b"\xff\xfe(", b"[" * 5000):
                        arguments = self.traced(name)
                        self.assertLessEqual(self.call(name, **{**arguments, parameter: text}), 1, (name, parameter, text[:9]))
                        self.close(arguments)


class Memory(Traces):
    @unsanitized
    def test_opens_stay_flat(self):
        path = self.ticks(100)

        def use():
            with tracedeck.open(path) as trace:
                next(iter(trace))
            for event in tracedeck.open(path):
                event["n"]
            trace = tracedeck.open(path)
            trace["Tick"].__arrow_c_stream__()
            del trace

        for _ in range(100):
            use()
        gc.collect()
        before, objects = resident(), sys.getallocatedblocks()
        for number in range(OPENS):
            use()
            if number % 100 == 99:
                gc.collect()  # which does not run by itself here
        gc.collect()
        self.assertLess(resident() - before, 4 << 20)
        self.assertLess(sys.getallocatedblocks() - objects, OPENS)

    @unsanitized
    def test_events_do_not_add_up(self):
        code = ("import sys, tracedeck\n"
                "for event in tracedeck.open(sys.argv[1]):\n    event['n']\n"
                "print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')])\n")
        path = self.many_ticks()
        self.assertLess(int(self.python(code, path, python=sys.executable).stdout), 150_000)


class Parts(Traces):
    """Answers over many traces, put together from parts."""

    STAGES = "count(), sum(n), p99(n) by n % 7 as rest | sort rest"

    def test_add_up(self):
        paths = [self.ticks(count, f"{count}.bin") for count in (3, 50, 700)]
        parts = [tracedeck.partial(path, self.STAGES) for path in paths]
        whole = tracedeck.query(paths, self.STAGES)
        for merged in (tracedeck.merge(parts), tracedeck.merge([tracedeck.merge_to_part(parts[:2]), parts[2]])):
            self.assertGreater(merged.counts.pop("partial_answers"), 1)
            self.assertEqual((merged, merged.counts), (whole, whole.counts))

    def test_what_cannot_be_merged(self):
        part = tracedeck.partial(self.ticks(), self.STAGES)
        other = tracedeck.partial(self.ticks(), "count()")
        for parts in ([part, other], [part, part[:-9]], [part, part[:40] + b"x" + part[41:]]):
            with self.assertRaisesRegex(tracedeck.RejectedError, "part 2"):
                tracedeck.merge(parts)
        with self.assertRaises(tracedeck.UnrecognisedError):
            tracedeck.merge([b"no part"])
        with self.assertRaises(tracedeck.ArgumentError):
            tracedeck.merge([])
        with self.assertRaises(TypeError):
            tracedeck.merge(["text"])
        with self.assertRaises(tracedeck.ArgumentError):
            tracedeck.partial(self.ticks(), "select n | limit 3")

    def test_what_is_missing_is_said(self):
        damaged = self.write("damaged.bin", dial9.ticks(5) + b"\x07 no frame")
        with self.assertWarnsRegex(tracedeck.TracedeckWarning, "damaged.bin"):
            answer = tracedeck.query(damaged, "count()")
        self.assertEqual((answer[0]["count()"], len(answer.notes)), (5, 1))
        with self.assertWarnsRegex(tracedeck.TracedeckWarning, "damaged.bin"):
            tracedeck.partial(damaged, "count()")

    @needs("distributed")
    @unsanitized
    def test_cluster(self):
        """Four worker processes, two of which are killed: the answer of one process."""
        good = [self.ticks(2000 + number, f"{number:04}.bin") for number in range(SEGMENTS)]
        damaged = self.write("damaged.bin", dial9.ticks(5) + b"\x07 no frame")
        done = subprocess.run([DEBIAN, ROOT / "tests/python/cluster.py", self.folder], capture_output=True, text=True,
                              env=environment(), timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        found = json.loads(done.stdout.splitlines()[-1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = tracedeck.query([*good, damaged], self.STAGES)
        self.assertEqual((found["rows"], found["counts"]["read"]), (whole, whole.counts["read"]))
        self.assertEqual(found["killed"], 2)
        self.assertEqual(len(found["missing"]), 2, found["missing"])
        for name in ("missing.bin", "damaged.bin"):
            self.assertIn(name, " ".join(found["missing"]))


class Page(Traces):
    """docs/python.md: its examples run one after the other."""

    @staticmethod
    def blocks():
        return re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(encoding="utf-8"), re.M | re.S)

    @needs("numpy", "pandas")
    def test_examples(self):
        program = BUILD / "bin/record_pool"
        if not program.exists():
            self.skipTest(f"there is no {program}")
        subprocess.run([program, self.folder / "pool.bin"], check=True, capture_output=True)
        ros2.World(1).record(self.folder)
        blocks = self.blocks()
        self.assertGreater(len(blocks), 5)
        done = subprocess.run([DEBIAN, "-W", "error", "-c", "\n".join(blocks)], cwd=self.folder, capture_output=True, text=True,
                              env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("waited_ns", done.stdout)

    @needs("numpy", "pandas")
    def test_callbacks_by_node(self):
        """The example for ROS 2 finds the calls of each node of simulated robots, and how long they took."""
        (example,) = (block for block in self.blocks() if "def callbacks_by_node" in block)
        example, _ = example.split('calls = callbacks_by_node("ros2")')
        truth = []
        for seed in range(5):
            world = ros2.World(seed)
            world.record(self.folder / str(seed))
            truth.append(sorted([node.name, end.time - begin.time] for _, begin, end, node in world.calls))
        self.assertTrue(any(node.service for node in world.nodes))
        done = self.python(f"""import json, sys, tracedeck\n{example}
for path in sys.argv[1:]:
    calls = callbacks_by_node(path)
    print(json.dumps(sorted(map(list, zip(calls.node_name, calls.duration.tolist())))))
""", *(self.folder / str(seed) / "ros2" for seed in range(5)))
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], truth)

    def test_names_exist(self):
        """What the page says an event, a trace or the package has is there."""
        import tracedeck.distributed

        text, _ = (ROOT / "docs/python.md").read_text(encoding="utf-8").split("## Coming from bt2")
        for owner, name in re.findall(r"\b(event|trace|tracedeck)\.([a-z_]+)\b", text):
            if (owner, name) not in {("tracedeck", "h"), ("tracedeck", "git")}:
                self.assertTrue(hasattr({"event": tracedeck.Event, "trace": tracedeck.Trace, "tracedeck": tracedeck}[owner], name), f"{owner}.{name}")


class Interface(unittest.TestCase):
    """What programs that were compiled before rely on."""

    def test_symbols(self):
        if shutil.which("nm") is None:
            self.skipTest("there is no nm")
        listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in listed.splitlines()} - {"TRACEDECK_1"}
        functions = "version abi_version open close cancel next_batch class_count class_schema class_json report schema stream " \
                    "next_event field query partial merge latency diff why convert validate"
        self.assertEqual(names, {f"td_{name}@@TRACEDECK_1" for name in functions.split()})

    def test_sizes(self):
        from tracedeck import _library

        sizes = {"ErrorStructure": 1024, "ProgressStructure": 24, "OptionsStructure": 136, "PartStructure": 16, "WhyStructure": 32, "ConvertStructure": 160, "ArrowSchema": 72, "ArrowArray": 80,
                 "ArrowArrayStream": 40}
        self.assertEqual({name: ctypes.sizeof(getattr(_library, name)) for name in sizes}, sizes)


if __name__ == "__main__":
    unittest.main()

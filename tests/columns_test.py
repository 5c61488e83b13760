"""Tables of convert --to parquet, arrow, clickhouse and sqlite: other programs read of them what print --output jsonl says.

Skipped without Node.js and the readers of npm that NODE_PATH leads to (scripts/install-deps.sh browser installs them).
The test of ClickHouse starts a server in a temporary folder, and is skipped without clickhouse-server and clickhouse-client.
"""

import base64
import collections
import contextlib
import datetime
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest

import clickhouse_server
import corpora
import dial9_writer as dial9
from command import BIN, ROOT, TRACES, run
from ctf_oracle.traces import RandomTrace

READER = ROOT / "tests/columns/read.mjs"
# How many random traces each reader reads; 500 of `make check-deep`.
SEEDS = int(os.environ.get("TRACEDECK_SEEDS", "3"))
# Seeds that have shown a fault: labels of values of more than 64 bits.
KNOWN = (158, 172)
MODULES = str(ROOT / "build/node_modules")
# What the readers of tests/columns/read.mjs read; others read Parquet.
TARGETS = {"ipc": "arrow", "sqlite": "sqlite"}
# The SHA-256 of what everything() becomes in each target. The versions of zstd and SQLite decide bytes, too.
# Renewed by TRACEDECK_RENEW=1 python3 -B tests/run.py tests/columns_test.py Made.test_bytes_are_those_recorded
RECORDED = ROOT / "tests/columns/bytes.json"


@functools.cache
def why_unreadable(reader):
    """Why a reader cannot be used, or ""."""
    if reader == "sqlite":
        return ""
    if shutil.which("node") is None:
        return "there is no Node.js"
    done = subprocess.run(["node", READER, reader], env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == 77:
        return done.stderr.strip()
    assert done.returncode == 0, done.stderr
    return ""


def environment():
    return {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", MODULES)}


def rows(reader, files):
    """The rows of files as objects, read by somebody else's program."""
    if reader == "sqlite":
        return [row for file in files for table in class_tables(file) for row in database_rows(file, table)]
    done = subprocess.run(["node", READER, reader, *map(str, files)], env=environment(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


class Bit(int):
    """An integer of a database, where truths are 0 and 1."""


@contextlib.contextmanager
def database(file):
    opened = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        yield opened
    finally:
        opened.close()


def class_tables(file):
    """The names of the tables of events."""
    with database(file) as opened:
        listed = opened.execute("select class, name from __table").fetchall()
    return [name for of, name in listed if of not in ("__loss", "__problem")]


def database_rows(file, table):
    quoted = table.replace('"', '""')
    with database(file) as opened:
        cursor = opened.execute(f'select * from "{quoted}"')
        names = [each[0] for each in cursor.description]
        return [nested(list(zip(names, map(from_database, row)))) for row in cursor]


def from_database(value):
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"$real": str(value).replace("inf", "Infinity")}
    return Bit(value) if isinstance(value, int) else value


def nested(columns):
    """Groups of columns that are called `group.member`, where no column is called `group`."""
    row, groups = {}, {}
    names = {name for name, _ in columns}
    for name, value in columns:
        head, dot, rest = name.partition(".")
        if dot and head not in names:
            groups.setdefault(head, []).append((rest, value))
            row.setdefault(head, None)
        else:
            row[name] = value
    for name, members in groups.items():
        first, is_there = members[0]
        if len(members) > 1 and first == "present":
            row[name] = nested(members[1:]) if is_there else None
        else:
            row[name] = {"present": True} if members == [("present", 1)] else nested(members)
    return row


class Names:
    """The names of columns that members of a structure get."""

    def __init__(self, taken=()):
        self.taken = {name.lower() for name in taken}

    def take(self, name):
        name = name.replace("\0", "_") or "_"
        wanted, number = name, 2
        while ascii_lower(name) in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(ascii_lower(name))
        return name


def ascii_lower(name):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)


class Members(list):
    """Members of an object in their order; a name may be there twice."""


def parse(line):
    return json.loads(line, object_pairs_hook=Members)


def is_labelled(value):
    return isinstance(value, Members) and [name for name, _ in value] == ["value", "labels"]


def same_time(expected, actual):
    """Columns hold times of 38 digits."""
    return actual is None if expected is not None and abs(expected) >= 10**38 else same(expected, actual)


def same_real(expected, actual):
    if isinstance(actual, dict) and "$real" in actual:
        actual = actual["$real"]
        if isinstance(expected, str):
            return expected.replace("Infinity", "inf").lower() == actual.replace("Infinity", "inf").lower()
        return str(expected) == actual
    if isinstance(expected, str) or isinstance(actual, (str, dict, list)) or actual is None:
        return False
    # A binary32 is shown as the shortest text of its own by some.
    return float(expected) == float(actual) or single(expected) == single(actual)


def single(value):
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return None


def same(expected, actual):
    """Whether what a reader says of a column is what JSON lines say of the field."""
    if isinstance(actual, dict) and "$bytes" in actual:
        return isinstance(expected, str) and base64.b64decode(expected) == bytes.fromhex(actual["$bytes"])
    if isinstance(actual, dict) and "$rounded" in actual:
        return isinstance(expected, (int, float)) and float(expected) == float(actual["$rounded"])
    if isinstance(expected, bool) and isinstance(actual, Bit):
        return expected == bool(actual)
    if (isinstance(expected, bool) and not isinstance(actual, (dict, str))) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int) and not isinstance(expected, bool) and isinstance(actual, (int, str)):
        return expected == actual or str(expected) == actual
    if isinstance(actual, str):
        return expected == actual or same_json(expected, actual) or same_list_text(expected, actual)
    if isinstance(expected, (int, float)) and isinstance(actual, (int, float)):
        return same_real(expected, actual)
    if isinstance(actual, dict) and "$real" in actual:
        return same_real(expected, actual)
    if isinstance(actual, dict):
        return same_group(expected, actual)
    if isinstance(actual, list):
        return same_list(expected, actual)
    return expected is None and actual is None or unresolved(expected) and actual is None


def unresolved(expected):
    return isinstance(expected, Members) and [name for name, _ in expected] == ["unresolved"]


def same_json(expected, actual):
    try:
        return parse(actual) == expected
    except ValueError:
        return False


def same_list_text(expected, actual):
    """Whether a text is the JSON of a list, as a database has it."""
    if not isinstance(expected, list) or not actual.startswith("["):
        return False
    return same_list(expected, json.loads(actual))


def same_list(expected, actual):
    if isinstance(expected, Members):
        expected = list(expected)  # a map of strings
    if not isinstance(expected, list) or len(expected) != len(actual):
        return False
    if actual and isinstance(actual[0], dict) and list(actual[0]) == ["key", "value"]:
        if all(isinstance(each, (list, tuple)) and len(each) == 2 for each in expected):
            return all(same(key, each["key"]) and same(value, each["value"])
                       for (key, value), each in zip(expected, actual))
    return all(map(same, expected, actual))


def same_group(expected, actual):
    if is_labelled(expected) and list(actual) == ["value", "label"]:
        return same_labelled(expected, actual["value"], actual["label"])
    if expected == [] and actual == {"present": True}:
        return True
    if isinstance(expected, Members) and not difference(expected, actual):
        return True
    if "tag" in actual:  # a variant
        chosen = [each for name, each in actual.items() if name != "tag" and each is not None]
        return same(expected, chosen[0]) if len(chosen) == 1 else expected is None and not chosen
    return list(actual) == ["value"] and same(expected, actual["value"])


def is_group(value):
    return isinstance(value, dict) and not any(name.startswith("$") for name in value)


def same_labelled(expected, value, label):
    number, labels = (each for _, each in expected)
    return same(number, value) and label == (labels[0] if labels else None)


def find(columns, name):
    """Whether there is a column of that name, and its value. In a database `a.b` is also a member of a group."""
    if not isinstance(columns, dict):
        return False, None
    if name in columns:
        return True, columns[name]
    head, dot, rest = name.partition(".")
    return find(columns.get(head), rest) if dot else (False, None)


def difference(members, columns, before=()):
    """What columns do not have of members, or ""."""
    names = Names(before)
    for name, value in members:
        column = names.take(name)
        there, actual = find(columns, column)
        if not there:
            return f"there is no column {column!r}"
        if is_labelled(value) and not is_group(actual):
            _, label = find(columns, names.take(column + "_label"))
            if not same_labelled(value, actual, label):
                return f"{name}: {value} is not {actual}, {label}"
        elif not same(value, actual):
            return f"{name}: {value!r} is not {actual!r}"
    return ""


class Columns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def convert(self, *args, to="parquet", out="out", code=(0, 4)):
        done = run("convert", "--to", to, "-o", str(self.folder / out), *map(str, args), "-q")
        self.assertIn(done.returncode, code, done.stderr)
        return self.folder / out

    def files(self, out):
        return sorted(out.glob("class=*/*")) if out.is_dir() else [out]

    def check_events(self, trace, reader, *options):
        out = self.convert(trace, to=TARGETS.get(reader, "parquet"), out=f"{reader}-{len(list(self.folder.iterdir()))}", *options)
        printed = run("print", "--output", "jsonl", str(trace), "-q")
        events = [dict(parse(line)) for line in printed.stdout.splitlines()]
        tables = [f for f in self.files(out) if f.parent.name not in ("class=__loss", "class=__problem")]
        by_seq = {}
        for row in rows(reader, tables) if tables else []:
            by_seq[row["seq"]] = row
        self.assertEqual(sorted(by_seq), list(range(len(events))), trace)
        for seq, event in enumerate(events):
            wrong = self.event_difference(event, by_seq[seq])
            self.assertEqual(wrong, "", f"{trace}: event {seq}: {event}: {by_seq[seq]}")

    def event_difference(self, event, row):
        if not same_time(event.get("time"), row["time_ns"]):
            return "time"
        if "duration" in event and not same_time(event["duration"], row["duration_ns"]):
            return "duration"
        stream = parse(row["stream"]) if row["stream"] is not None else None
        if event.get("stream") != stream:
            # Members of the common context may say where an event is from.
            extra = event["stream"][len(stream):]
            if event["stream"][:len(stream)] != stream or difference(extra, row["common"]):
                return "stream"
        context = dict(event.get("context", []))
        for part, members in context.items():
            if members and (wrong := difference(members, row[part])):
                return f"{part}: {wrong}"
        common = ["time_ns", "duration_ns", "trace", "stream", "seq", "packet", "common", "specific"]
        return difference(event.get("fields", []), row, [name for name in common if name in row])


def reads(reader):
    """Runs a test with a reader, or skips it."""
    def decorate(test):
        @functools.wraps(test)
        def with_reader(self):
            if why := why_unreadable(reader):
                self.skipTest(why)
            test(self, reader)
        return with_reader
    return decorate


def digest(out):
    """The SHA-256 of a file, or of the names and contents of the files of a directory."""
    if out.is_file():
        content = bytearray(out.read_bytes())
        # The version of the library that wrote the database last.
        content[96:100] = bytes(4)
        return hashlib.sha256(content).hexdigest()
    whole = hashlib.sha256()
    for file in sorted(f for f in out.rglob("*") if f.is_file()):
        content = file.read_bytes()
        whole.update(f"{file.relative_to(out)}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def everything():
    """A dial9 trace of extremes: optional fields, maps, texts that are no UTF-8, names that collide, times beyond 2^63."""
    fields = [("seq", dial9.VARINT), ("Seq", dial9.I64), ("text", dial9.STRING), ("ok", dial9.BOOL),
              ("real", dial9.F64), ("bytes", dial9.BYTES), ("", dial9.U8), ("maybe", dial9.VARINT | dial9.OPTIONAL),
              ("labels", dial9.STRING_MAP), ("stack", dial9.STACK), ("any", dial9.LIST), ("name", dial9.POOLED_STRING),
              ("pooled", dial9.POOLED_STACK)]
    many = dial9.string_map(("a", "1"), ("a", "2"), ("\u00e9", ""))
    mixed = dial9.dynamic_list((dial9.VARINT, dial9.varint(1)), (dial9.STRING, dial9.string("x")))
    real = [struct.pack("<d", each) for each in (0.1, float("inf"), -0.0)]
    known = dial9.u32(1)
    unknown = dial9.u32(9)

    def values(n, signed, text, number, rest, maybe):
        return (dial9.varint(n) + dial9.i64(signed) + dial9.string(text) + b"\x01" + number + dial9.string(b"\0\xff") + b"\x07"
                + maybe + rest)
    full = many + dial9.stack(1, 2**64 - 1) + mixed + known + known
    bare = dial9.string_map() + dial9.stack() + dial9.dynamic_list() + unknown + unknown
    wide = dial9.schema(1, "wide", [("n", dial9.VARINT)])
    return b"".join([
        dial9.header(),
        dial9.schema(0, "sched/switch a", fields),
        dial9.string_pool((1, "pooled")), dial9.stack_pool((1, (5, 6))),
        dial9.event(0, values(2**64 - 1, -2**63, "a", real[0], full, dial9.present(dial9.varint(3))), 5),
        dial9.event(0, values(0, 2**63 - 1, b"\xff\xc3", real[1], bare, dial9.ABSENT), 5),
        dial9.event(0, values(1, 0, "", real[2], bare, dial9.ABSENT), 5),
        # The same name with other fields, and a class without time and without fields.
        dial9.schema(2, "sched/switch a", [("other", dial9.STRING)]),
        dial9.event(2, dial9.string("o"), 1),
        dial9.schema(3, "", [], 0),
        dial9.event(3, b"", None),
        dial9.schema(4, "__loss", [("n", dial9.VARINT)]),
        dial9.event(4, dial9.varint(1), 1),
        wide, dial9.event(1, dial9.varint(1), 1),
        dial9.reset(2**64 - 100), dial9.event(1, dial9.varint(2), 1),
    ])


class Made(Columns):
    def trace(self, content, name="trace.bin"):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def check_everything(self, reader):
        self.check_events(self.trace(everything()), reader)

    @reads("duckdb")
    def test_everything_in_duckdb(self, reader):
        self.check_everything(reader)

    @reads("arrow")
    def test_everything_in_arrow(self, reader):
        self.check_everything(reader)

    @reads("sqlite")
    def test_everything_in_sqlite(self, reader):
        self.check_everything(reader)

    @reads("ipc")
    def test_everything_in_ipc(self, reader):
        self.check_everything(reader)

    @reads("duckdb")
    def test_many_row_groups_and_pages(self, _):
        out = self.convert(self.trace(dial9.ticks(260_000)))
        query = f"""select count(*) as rows, count(*) filter (n <> seq or time_ns <> 1000 + 8 * seq) as wrong, count(distinct n) as values
                    from '{out}/class=Tick/*.parquet'"""
        done = subprocess.run(["node", ROOT / "tests/columns/sql.mjs"], input=query.encode(), env=environment(), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"rows": "260000", "wrong": "0", "values": "260000"})

    @reads("ipc")
    def test_batches_of_a_stream(self, reader):
        trace = self.trace(dial9.ticks(70_000))
        sent = subprocess.run([BIN, "convert", "--to", "arrow", "--layout", "one", "-o", "-", str(trace)], capture_output=True)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        (self.folder / "stream").write_bytes(sent.stdout)
        found = rows(reader, [self.folder / "stream"])
        self.assertEqual([row["seq"] for row in found], list(range(70_000)))
        self.assertEqual({row["class"] for row in found}, {"Tick"})

    @reads("ipc")
    def test_a_stream_of_nothing_says_its_columns(self, reader):
        out = self.convert(self.trace(dial9.header()), "--layout", "one", to="arrow", out="stream")
        self.assertEqual(rows(reader, [out]), [])

    def database(self, trace, *options):
        out = self.convert(trace, *options, to="sqlite", out="x.db")
        opened = sqlite3.connect(out)
        self.addCleanup(opened.close)
        return opened

    def test_names_in_a_database(self):
        events = b"".join(dial9.schema(i, name, [("n", dial9.VARINT)]) + dial9.event(i, dial9.varint(i), i)
                          for i, name in enumerate(["a", "A", "__table", "sqlite_master", 'q"', "a.time_ns"]))
        opened = self.database(self.trace(dial9.header() + events))
        listed = dict(opened.execute("select class, name from __table"))
        self.assertEqual(listed, {"a": "a", "A": "A_2", "__table": "__table_2", "sqlite_master": "_sqlite_master", 'q"': 'q"',
                                  "a.time_ns": "a.time_ns"})
        for name in listed.values():
            quoted = name.replace('"', '""')
            self.assertEqual(opened.execute(f'select count(*) from "{quoted}"').fetchone(), (1,))

    def test_a_database_says_what_it_is_of(self):
        opened = self.database(self.trace(dial9.ticks(5) + b"\xee" * 40), "--segment", "s1", "--tag", "host=web17")
        ((segment, manifest),) = opened.execute("select segment, manifest from __segment")
        self.assertEqual((segment, json.loads(manifest)["events"]), ("s1", 5))
        self.assertEqual(opened.execute("select length from __problem where damage").fetchall(), [(40,)])
        self.assertEqual(opened.execute("select distinct host from Tick").fetchall(), [("web17",)])
        self.assertEqual(opened.execute("pragma integrity_check").fetchall(), [("ok",)])

    def test_tables_have_indexes_on_what_they_are_joined_by(self):
        schemas = [dial9.schema(0, "Begin", [("task", dial9.VARINT), ("kind", dial9.VARINT)]), dial9.schema(1, "End", [("task", dial9.VARINT)])]
        events = [dial9.event(0, dial9.varint(7) + dial9.varint(1), 5), dial9.event(1, dial9.varint(7), 5)]
        opened = self.database(self.trace(dial9.header() + b"".join(schemas + events)))
        names = [name for name, in opened.execute("select name from sqlite_master where type = 'index' order by name")]
        self.assertEqual(names, ["Begin.task", "Begin.time_ns", "End.task", "End.time_ns"])

    def test_columns_beyond_those_of_a_database_are_json(self):
        fields = [(f"f{i}", dial9.U8) for i in range(2100)]
        trace = self.trace(dial9.header() + dial9.schema(0, "Wide", fields) + dial9.event(0, bytes(i % 256 for i in range(2100)), 5))
        opened = self.database(trace)
        more, first = opened.execute("select __more, f0 from Wide").fetchone()
        self.assertEqual((first, json.loads(more)["f2099"]), (0, 2099 % 256))

    def test_a_database_on_standard_output_and_in_the_same_bytes(self):
        trace = self.trace(everything())
        sent = run("convert", "--to", "sqlite", "-o", "-", str(trace), "-q").stdout
        self.assertEqual(sent, self.convert(trace, to="sqlite", out="x.db").read_bytes())

    def test_a_database_without_room_leaves_no_result(self):
        done = subprocess.run([BIN, "convert", "--to", "sqlite", "-o", self.folder / "x.db", self.trace(dial9.ticks(3))],
                              env={**os.environ, "TMPDIR": str(self.folder / "none")}, capture_output=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"TMPDIR", done.stderr)
        self.assertFalse((self.folder / "x.db").exists())

    def test_a_database_is_not_divided_by_size(self):
        self.convert(self.trace(dial9.ticks(3)), "--split-size", "1MiB", to="sqlite", out="x.db", code=(2,))

    def test_names_of_files(self):
        trace = self.trace(everything())
        out = self.convert(trace)
        names = sorted(f.parent.name for f in self.files(out))
        self.assertEqual(len(names), 7, names)
        self.assertIn("class=sched%2Fswitch%20a", names)
        self.assertIn("class=__HIVE_DEFAULT_PARTITION__", names)
        segment = hashlib.sha256(everything()).hexdigest()[:32]
        self.assertEqual({f.name for f in self.files(out)}, {f"{segment}-0000.parquet"})
        (manifest,) = (out / "_manifest").iterdir()
        said = json.loads(manifest.read_text())
        self.assertEqual(said["events"], 8)
        for table in said["tables"]:
            for file in table["files"]:
                self.assertEqual((out / file["path"]).stat().st_size, file["bytes"])

    def segments(self, trace, *options, out="chosen", to="parquet"):
        folder = self.convert(trace, *options, out=out, to=to)
        names = [f.stem for f in folder.glob("_manifest/*.json")]
        shutil.rmtree(folder)
        return names

    def test_results_that_differ_by_options_differ_by_their_segments(self):
        trace = self.trace(dial9.ticks(5))
        (whole,) = self.segments(trace)
        self.assertEqual(self.segments(trace, "--jobs", "2", "--tag", "host=a"), [whole])
        key = self.folder / "key"
        key.write_bytes(b"0123456789abcdef" * 2)
        names = [name for options in (["--limit", "2"], ["--limit", "3"], ["--where", "n > 1"], ["--begin", "+1ns"], ["--clock", "wall"],
                                      ["--what", "spans"], ["--drop", "n"], ["--mask", "n", "--mask-key", key], ["--layout", "schema"])
                 for name in self.segments(trace, *options)]
        self.assertEqual(len({whole, *names}), 10)
        for name in names:
            self.assertRegex(name, f"^{whole}-[0-9a-f]{{8}}$")
        self.assertEqual(self.segments(trace, "--limit", "2"), names[:1])

    @reads("duckdb")
    def test_partitions_by_date_and_hour(self, reader):
        hour = 3_600_000_000_000
        times = [0, hour - 1, hour, 30 * hour, 5, 30 * hour + 1]
        trace = self.folder / "epoch"
        trace.mkdir()
        metadata = ('/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };\n'
                    'clock { name = c; freq = 1000000000; offset_s = 1700000000; };\n'
                    'typealias integer { size = 64; align = 8; map = clock.c.value; } := t;\n'
                    'stream { event.header := struct { t timestamp; }; };\n'
                    'event { name = tick; fields := struct { integer { size = 8; align = 8; } n; }; };\n')
        (trace / "metadata").write_text(metadata)
        (trace / "s").write_bytes(b"".join(struct.pack("<QB", t, i) for i, t in enumerate(times)))
        names = {}
        for keys in ("class", "class,date", "class,date,hour"):
            out = self.convert(trace, "--partition", keys, "--order", "recorded", out=keys)
            files = sorted(out.glob("class=tick/**/*.parquet"))
            names[keys] = sorted(str(f.parent.relative_to(out)) for f in files)
            found = sorted((row for file in files for row in rows(reader, [file])), key=lambda row: row["seq"])
            self.assertEqual([(row["n"], row["time_ns"]) for row in found],
                             [(i, 1_700_000_000 * 10**9 + t) for i, t in enumerate(times)])
            (manifest,) = out.glob("_manifest/*.json")
            tables = json.loads(manifest.read_text())["tables"]
            ticks = [table for table in tables if table["class"] == "tick"]
            self.assertEqual(sum(file["rows"] for table in ticks for file in table["files"]), len(times))
        self.assertEqual(names, {
            "class": ["class=tick"],
            "class,date": ["class=tick/date=2023-11-14", "class=tick/date=2023-11-16"],
            "class,date,hour": ["class=tick/date=2023-11-14/hour=22", "class=tick/date=2023-11-14/hour=23",
                                "class=tick/date=2023-11-16/hour=04"]})

    def test_events_without_utc_are_in_no_date(self):
        out = self.convert(self.trace(dial9.ticks(3)), "--partition", "class,date")
        self.assertEqual({f.parent.name for f in self.files(out)}, {"class=Tick"})

    def test_parts_have_segments_of_their_own(self):
        trace = self.trace(dial9.ticks(5))
        run("convert", "--to", "parquet", "--split-duration", "2ns", "-o", self.folder / "p", trace)
        manifests = sorted(f.stem for f in self.folder.glob("p-*/_manifest/*.json"))
        self.assertGreater(len(manifests), 1)
        self.assertEqual(len(manifests), len(set(manifests)))

    @unittest.skipUnless((TRACES / "ctf").exists(), "the traces of CTF are not there")
    def test_damage_of_a_file_is_of_its_trace(self):
        copy = self.folder / "k3"
        source = next(f.parent for f in sorted((TRACES / "ctf").rglob("metadata")) if len(list(f.parent.iterdir())) == 3)
        shutil.copytree(source, copy)
        for file in copy.iterdir():
            os.chmod(file, 0o644)
            if file.name != "metadata":
                file.write_bytes(file.read_bytes()[:-200])
        out = self.convert(copy, to="sqlite", out="o.db", code=(4,))
        with database(out) as opened:
            traces = {row[0] for row in opened.execute('select trace from "__problem" where damage')}
        self.assertEqual(traces, {"k3"})

    def test_the_same_input_makes_the_same_bytes(self):
        (self.folder / "elsewhere").mkdir()
        content = everything()
        outs = [self.convert(self.trace(content, name), out=out)
                for name, out in [("trace.bin", "a"), ("elsewhere/trace.bin", "b")]]
        files = [{f.relative_to(out): f.read_bytes() for f in out.rglob("*") if f.is_file()} for out in outs]
        self.assertEqual(files[0], files[1])

    def test_bytes_are_those_recorded(self):
        trace = self.trace(everything())
        made = {to: digest(self.convert(trace, to=to, out=f"made.{to}"))
                for to in ("parquet", "arrow", "clickhouse", "sqlite")}
        if os.environ.get("TRACEDECK_RENEW"):
            RECORDED.write_text(json.dumps(made, indent=2) + "\n")
        self.assertEqual(made, json.loads(RECORDED.read_text()), f"if that is meant, renew {RECORDED.relative_to(ROOT)}")

    def test_an_output_that_is_there_is_refused(self):
        trace = self.trace(dial9.ticks(3))
        self.convert(trace)
        self.convert(trace, code=(2,))
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.endswith(".part")], [])

    def test_wrong_options_are_wrong_usage(self):
        trace = self.trace(dial9.ticks(3))
        for options in (["--segment", "a/b"], ["--segment", ".a"], ["--tag", "host"], ["--tag", "=a"], ["--layout", "two"],
                        ["--partition", "date"], ["--partition", "class,date", "--layout", "one"]):
            self.convert(trace, *options, code=(2,))
        done = run("convert", "--to", "jsonl", "--tag", "a=b", "-o", str(self.folder / "x"), str(trace))
        self.assertEqual(done.returncode, 2)

    @reads("duckdb")
    def test_tags_and_segment(self, reader):
        out = self.convert(self.trace(dial9.ticks(3)), "--tag", "host=web17", "--tag", "SEQ=x", "--segment", "s1")
        (file,) = self.files(out)
        self.assertEqual(file.name, "s1-0000.parquet")
        for row in rows(reader, [file]):
            self.assertEqual((row["host"], row["SEQ_2"], row["trace"]), ("web17", "x", "trace.bin"))

    @reads("duckdb")
    def test_one_table(self, reader):
        trace = self.trace(everything())
        out = self.convert(trace, "--layout", "one", "--end", "1h")
        files = sorted(out.glob("*.parquet"))
        self.assertEqual(len(files), 1)
        printed = [dict(parse(line)) for line in run("print", "--output", "jsonl", "--end", "1h", str(trace)).stdout.splitlines()]
        found = rows(reader, files)
        self.assertEqual(len(found), len(printed))
        for row, event in zip(found, printed):
            self.assertEqual((row["time_ns"], row["class"]), (event.get("time"), event["name"] or ""))
            self.assertEqual(parse(row["fields"]) if row["fields"] else None, event.get("fields"))

    @reads("duckdb")
    def test_damage_is_a_row(self, reader):
        out = self.convert(self.trace(dial9.ticks(5) + b"\xee" * 40))
        (file,) = [f for f in self.files(out) if f.parent.name == "class=__problem"]
        damage = [row for row in rows(reader, [file]) if row["damage"]]
        self.assertEqual(len(damage), 1)
        self.assertEqual((damage[0]["length"], damage[0]["seq"]), (40, 5))


class Meaning(Columns):
    """Tables of what events mean."""

    with_states = 0
    FLAGS = ["began_before", "open_at_end", "across_loss", "inferred_end", "negative", "clock_step"]

    def database(self, trace, what, *options):
        out = self.convert(trace, "--what", what, *options, to="sqlite", out=f"{what}.db")
        opened = sqlite3.connect(out)
        self.addCleanup(opened.close)
        return opened

    def check_spans(self, trace):
        texts = ["kind", "category", "name", "track"]
        flags = [*self.FLAGS, "overlap_lane"]
        stages = f"spans all | select {', '.join([*texts, 'time', 'end', 'duration', *flags])}"
        done = run("query", "--output", "jsonl", "-q", stages, str(trace))
        self.assertIn(done.returncode, (0, 4), done.stderr)
        spans = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
        expected = [([span[name] or "" for name in texts], [span["time"], span["end"], span.get("duration")],
                     [int(span[name]) for name in flags]) for span in spans]
        opened = self.database(trace, "all")
        found = []
        if opened.execute("select 1 from __table where class = '__span'").fetchall():
            columns = f"kind, category, name, track, begin_ns, end_ns, duration_ns, {', '.join(self.FLAGS)}, overlap"
            found = [([text or "" for text in row[:4]], list(row[4:7]), list(row[7:]))
                     for row in opened.execute(f"select {columns} from __span")]
        self.assertEqual(sorted(found, key=str), sorted(expected, key=str), trace)
        if opened.execute("select 1 from __table where class = '__state'").fetchall():
            self.check_states(opened)
        return len(found)

    def check_states(self, opened):
        """A track is in one state at a time, and no state ends before it begins."""
        track = "trace, host, process, track, track_kind, parent, pid, tid"
        before = f"lag(end_ns) over (partition by {track} order by row)"
        wrong = f"select * from (select *, {before} as before from states) where begin_ns < before or end_ns < begin_ns"
        self.assertEqual(opened.execute(wrong).fetchall(), [])
        self.with_states += 1

    def test_spans_are_those_of_queries(self):
        if not TRACES.is_dir():
            self.skipTest("there are no reference traces")
        files = [p for p in sorted((TRACES / "dial9").rglob("*")) + sorted((TRACES / "heph").rglob("*"))
                 if p.is_file() and 2_000 < p.stat().st_size < 400_000]
        kernel = TRACES / "ctf/ctf1/succeed_lttng-tracefile-rotation_kernel"
        checked = self.with_states = 0
        for path in [kernel, *files]:
            if checked == 5:
                break
            if run("info", str(path), "-q").returncode == 0:
                checked += self.check_spans(path) > 0
        self.assertGreater(checked, 2)
        self.assertGreater(self.with_states, 0)

    def test_arguments_are_of_both_ends(self):
        schemas = [dial9.schema(0, "JobBegin", [("job", dial9.VARINT), ("kind", dial9.STRING)]),
                   dial9.schema(1, "JobEnd", [("job", dial9.VARINT), ("kind", dial9.STRING), ("result", dial9.VARINT)])]
        events = [dial9.event(0, dial9.varint(7) + dial9.string("a"), 5), dial9.event(1, dial9.varint(7) + dial9.string("b") + dial9.varint(2**64 - 1), 5)]
        trace = self.folder / "trace.bin"
        trace.write_bytes(dial9.header() + b"".join(schemas + events))
        table = self.folder / "jobs.toml"
        table.write_text('table = "jobs"\n[[track]]\nid = "jobs"\nkind = "lanes"\nname = "jobs"\n'
                         '[[slice]]\nbegin = ["JobBegin"]\nend = ["JobEnd"]\ntrack = "jobs"\nmatch = ["job"]\n'
                         'category = "job"\nname = "{kind}"\nargs = ["kind"]\nend_args = ["kind", "result"]\n')
        opened = self.database(trace, "spans", "--table", table)
        ((begin, end, duration, arguments),) = opened.execute("select begin_ns, end_ns, duration_ns, arguments from slices")
        self.assertEqual((begin, end, duration), (5, 10, 5))
        self.assertEqual(json.loads(arguments), {"kind": "b", "result": str(2**64 - 1)})
        self.assertEqual([name for name, in opened.execute("select name from __table")], ["__span"])

    def test_a_tag_is_called_after_the_columns(self):
        """docs/columns.md: `host` is what the trace says, of what events mean, and the tag host is host_2."""
        schemas = [dial9.schema(0, "JobBegin", [("job", dial9.VARINT)]), dial9.schema(1, "JobEnd", [("job", dial9.VARINT)])]
        events = [dial9.event(number, dial9.varint(7), 5) for number in range(2)]
        trace = self.folder / "trace.bin"
        trace.write_bytes(dial9.header() + b"".join(schemas + events))
        opened = self.database(trace, "all", "--tag", "host=web17")
        self.assertEqual(opened.execute("select coalesce(host, ''), host_2 from __span").fetchall(), [("", "web17")])
        self.assertEqual(opened.execute("select host from JobBegin").fetchall(), [("web17",)])

    def test_flows_have_both_ends(self):
        fields = [("job", dial9.VARINT), ("worker", dial9.VARINT)]
        events = [dial9.event(kind, dial9.varint(job) + dial9.varint(worker), delta)
                  for kind, job, worker, delta in ((0, 7, 1, 1000), (0, 8, 1, 500), (1, 7, 2, 2000))]
        trace = self.folder / "trace.bin"
        trace.write_bytes(dial9.header() + dial9.schema(0, "Ask", fields) + dial9.schema(1, "Answer", fields) + b"".join(events))
        table = self.folder / "jobs.toml"
        table.write_text('table = "jobs"\n[[track]]\nid = "worker"\nname = "worker {worker}"\nkey = "worker"\n'
                         '[[flow]]\nfrom = "Ask"\nto = "Answer"\nmatch = "job"\nfrom_track = "worker"\nto_track = "worker"\n')
        opened = self.database(trace, "spans", "--table", table, "--timestamps")
        found = opened.execute("select trace, row, track, begin_ns, begin_time, end_ns, duration_ns, to_trace, to_track from flows").fetchall()
        self.assertEqual(found, [("trace.bin", 0, "worker 1", 1000, None, 3500, 2500, "trace.bin", "worker 2")])

    def test_all_flows(self):
        demo = TRACES / "dial9/tokio-demo.bin.gz"
        if not demo.exists():
            self.skipTest("there are no reference traces")
        counts, segments = [], set()
        for options in ([], ["--flows", "all"]):
            out = self.convert(demo, "--what", "spans", *options, to="sqlite", out=f"{len(options)}.db")
            with database(out) as opened:
                count, least, wrong = opened.execute("select count(*), min(duration_ns), count(*) filter (where end_ns - begin_ns <> duration_ns) from flows").fetchone()
                segments.update(opened.execute("select segment from __segment").fetchone())
            counts.append(count)
            self.assertEqual((wrong, least >= 1_000_000), (0, not options))
        self.assertLess(*counts)
        self.assertEqual(len(segments), 2)

    @reads("ipc")
    def test_samples_have_stacks(self, reader):
        schema = dial9.schema(0, "Sample", [("callchain", dial9.STACK), ("n", dial9.VARINT)])
        events = [dial9.event(0, dial9.stack(16, 2**64 - 1) + dial9.varint(n), 5) for n in range(3)]
        trace = self.folder / "trace.bin"
        trace.write_bytes(dial9.header() + b"".join([schema, *events]))
        table = self.folder / "samples.toml"
        table.write_text('table = "samples"\n[[track]]\nid = "all"\nname = "all"\n'
                         '[[instant]]\nevent = ["Sample"]\ntrack = "all"\nname = "sample"\nargs = ["callchain", "n"]\n')
        out = self.convert(trace, "--what", "spans", "--table", table, to="arrow")
        (file,) = out.glob("class=__sample/*")
        found = rows(reader, [file])
        self.assertEqual([(row["trace"], row["at_ns"], row["track"], row["name"], row["arguments"]) for row in found],
                         [("trace.bin", 5 * n + 5, "all", "sample", f'{{"n":{n}}}') for n in range(3)])
        self.assertEqual([frame["address"] for frame in found[0]["stack"]], [16, 2**64 - 1])

    def test_wrong_options(self):
        trace = self.folder / "trace.bin"
        trace.write_bytes(dial9.ticks(3))
        for options in (["--what", "spans", "--layout", "one"], ["--what", "all", "--begin", "1s"], ["--what", "spans", "--limit", "1"],
                        ["--what", "spans", "--where", "n == 1"], ["--what", "all", "--split-duration", "1s"], ["--what", "some"],
                        ["--table", "x.toml"], ["--flows", "all"]):
            self.convert(trace, *options, code=(2,))


class Times(Columns):
    """Columns of timestamps and of clock values beside `time_ns`."""

    # Behind the epoch of the trace: rounded down, and beyond what 64 bits and timestamps hold.
    VALUES = [0, 999, 1000, 1500, 1_123_456_789, 2**63 + 5]
    # s: about now, before 1970, and before 1900.
    EPOCHS = {"now": 1_700_000_000, "before": -500_000_000, "long": -2_500_000_000}

    def trace(self, name="now"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "metadata").write_text(
            "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };\n"
            f"clock {{ name = c; freq = 1000000000; offset_s = {self.EPOCHS[name]}; absolute = TRUE; }};\n"
            "typealias integer { size = 64; align = 8; map = clock.c.value; } := t;\n"
            "stream { event.header := struct { t timestamp; }; };\n"
            "event { name = tick; fields := struct { integer { size = 8; align = 8; } time; }; };\n")
        (folder / "s").write_bytes(b"".join(struct.pack("<QB", t, i) for i, t in enumerate(self.VALUES)))
        return folder

    def expected(self, name):
        times = [self.EPOCHS[name] * 10**9 + value for value in self.VALUES]
        first, end = -2_208_988_800 * 10**9, 10_413_792_000 * 10**9
        return [(time, time // 1000 if first <= time < end else None, value, i)
                for i, (time, value) in enumerate(zip(times, self.VALUES))]

    def found(self, reader, files):
        return sorted((int(row["time_ns"]["$rounded"] if isinstance(row["time_ns"], dict) else row["time_ns"]),
                       self.micros(row["time"]), int(row["clock_value"]), int(row["time_2"])) for row in rows(reader, files))

    @staticmethod
    def micros(value):
        if isinstance(value, str):
            moment = datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ") - datetime.datetime(1970, 1, 1)
            return moment // datetime.timedelta(microseconds=1)
        if isinstance(value, dict):
            return value["$micros"] if "$micros" in value else round(real(value["$millis"]) * 1000)
        return value

    def check(self, reader, exact=True):
        for name in self.EPOCHS:
            out = self.convert(self.trace(name), "--timestamps", "--raw", to=TARGETS.get(reader, "parquet"), out=f"out-{name}")
            expected = self.expected(name)
            found = self.found(reader, self.files(out))
            if not exact:  # dates of ms, rounded to zero, and decimals as reals
                expected, found = [[(float(time), micros and int(micros / 1000), *rest) for time, micros, *rest in each]
                                   for each in (expected, found)]
            self.assertEqual(found, sorted(expected), name)

    @reads("duckdb")
    def test_in_duckdb(self, reader):
        self.check(reader)

    @reads("hyparquet")
    def test_in_hyparquet(self, reader):
        self.check(reader, exact=False)

    @reads("arrow")
    def test_in_arrow(self, reader):
        self.check(reader)

    @reads("ipc")
    def test_in_ipc(self, reader):
        self.check(reader)

    @reads("sqlite")
    def test_in_sqlite(self, reader):
        self.check(reader)

    def test_sqlite_reckons_with_them(self):
        with database(self.convert(self.trace(), "--timestamps", to="sqlite", out="x.db")) as opened:
            query = "select distinct datetime(time), strftime('%s', time) from tick where time_2 < 4"
            self.assertEqual(opened.execute(query).fetchall(), [("2023-11-14 22:13:20", "1700000000")])

    def test_in_blocks_of_clickhouse(self):
        """Servers of the version that other tests start have no DateTime64."""
        out = self.convert(self.trace(), "--timestamps", "--raw", to="clickhouse")
        self.assertIn("`time` Nullable(DateTime64(6, 'UTC')),\n    `clock_value` Nullable(UInt64),", (out / "tick.sql").read_text())
        columns = native_columns((out / "tick.native").read_bytes())
        self.assertEqual(list(zip(columns["time_ns"], columns["time"], columns["clock_value"], columns["time_2"])), self.expected("now")[:-1])

    def test_one_table(self):
        out = self.convert(self.trace(), "--timestamps", "--raw", "--layout", "one", to="sqlite", out="one.db")
        with database(out) as opened:
            found = opened.execute("select time_ns, time, clock_value, seq from events").fetchall()
        # Its times are of 64 bits.
        expected = self.expected("now")[:-1] + [(None, None, str(self.VALUES[-1]), 5)]
        self.assertEqual([(time, self.micros(micros), *rest) for time, micros, *rest in found], expected)

    def test_clocks_of_another_origin_have_none(self):
        report, trace = self.folder / "report.json", self.folder / "trace.bin"
        trace.write_bytes(dial9.ticks(6))
        with database(self.convert(trace, "--timestamps", "--report", report, to="sqlite", out="x.db")) as opened:
            self.assertEqual(opened.execute("select count(*), count(time), count(time_ns) from Tick").fetchall(), [(6, 0, 6)])
        entries = {entry["what"]: (entry["count"], entry["lossy"]) for entry in json.loads(report.read_text())["entries"]}
        self.assertEqual(entries["times of clocks that do not count from the Unix epoch"], (6, False))

    def test_what_is_beyond_is_counted_once(self):
        report = self.folder / "report.json"
        self.convert(self.trace(), "--timestamps", "--report", report)
        entries = {entry["what"]: entry["count"] for entry in json.loads(report.read_text())["entries"]}
        self.assertEqual(entries["times before the year 1900 or after 2299"], 1)

    def test_what_events_mean_and_losses(self):
        if not TRACES.is_dir():
            self.skipTest("there are no reference traces")
        kernel = TRACES / "ctf/ctf1/succeed_lttng-tracefile-rotation_kernel"
        with database(self.convert(kernel, "--timestamps", "--what", "all", to="sqlite", out="x.db")) as opened:
            pairs = {"__span": ["begin", "end"], "__state": ["begin", "end"], "__instant": ["at"], "__loss": ["begin", "end"]}
            listed = {name for name, in opened.execute("select class from __table")}
            self.assertIn("__state", listed)
            for table in sorted(listed & set(pairs)):
                for name in pairs[table]:
                    stamp = "time" if name == "at" else f"{name}_time"
                    found = opened.execute(f'select {name}_ns, {stamp} from "{table}" where {name}_ns is not null').fetchall()
                    self.assertEqual([self.micros(stamp) for _, stamp in found], [time // 1000 for time, _ in found])

    def test_without_them_there_are_none(self):
        with database(self.convert(self.trace(), to="sqlite", out="x.db")) as opened:
            self.assertEqual([row[1] for row in opened.execute("pragma table_info(tick)")], ["time_ns", "trace", "stream", "seq", "time"])

    def test_results_differ_by_their_segments(self):
        outs = [self.convert(self.trace(), *options, out="-".join(("o", *options)))
                for options in ([], ["--timestamps"], ["--raw"])]
        self.assertEqual(len({file.stem for out in outs for file in out.glob("_manifest/*.json")}), 3)

    def test_wrong_usage(self):
        self.convert(self.trace(), "--raw", "--what", "spans", code=(2,))
        for option in ("--timestamps", "--raw"):
            self.convert(self.trace(), option, to="csv", out="x.csv", code=(2,))


def real(value):
    return float(value["$real"]) if isinstance(value, dict) else value


def native_columns(block):
    """The columns of a block of ClickHouse's format Native, of plain types."""
    numbers = {"UInt8": "B", "Int64": "q", "UInt64": "Q", "DateTime64(6, 'UTC')": "q"}
    at = 0

    def take(size):
        nonlocal at
        at += size
        return block[at - size:at]

    def number():
        value = shift = 0
        while (byte := take(1)[0]) >= 128:
            value, shift = value | (byte & 127) << shift, shift + 7
        return value | byte << shift

    count, many = number(), number()
    columns = {}
    for _ in range(count):
        name, kind = take(number()).decode(), take(number()).decode()
        nulls = take(many) if kind.startswith("Nullable(") else bytes(many)
        kind = kind.removeprefix("Nullable(")[:-1] if kind.startswith("Nullable(") else kind
        values = ([take(number()) for _ in range(many)] if kind == "String" else
                  struct.unpack(f"<{many}{numbers[kind]}", take(many * struct.calcsize(f"<{numbers[kind]}"))))
        columns[name] = [None if null else value for null, value in zip(nulls, values)]
    return columns


class Random(Columns):
    """Random CTF traces of all field classes; TRACEDECK_SEEDS says how many."""

    def check_random(self, reader):
        for seed in sorted({*range(SEEDS), *KNOWN}):
            trace = RandomTrace(seed, final=True, plain=True)
            with self.subTest(seed=seed):
                self.check_events(trace.write(self.folder / f"{seed}"), reader)

    @reads("duckdb")
    def test_duckdb(self, reader):
        self.check_random(reader)

    @reads("hyparquet")
    def test_hyparquet(self, reader):
        self.check_random(reader)

    @reads("ipc")
    def test_ipc(self, reader):
        self.check_random(reader)

    @reads("arrow")
    def test_arrow(self, reader):
        self.check_random(reader)

    @reads("sqlite")
    def test_sqlite(self, reader):
        self.check_random(reader)


def rows_said(file):
    """How many rows a manifest says that a file has."""
    (manifest,) = (file.parents[1] / "_manifest").iterdir()
    files = [each for table in json.loads(manifest.read_text())["tables"] for each in table["files"]]
    return next(each["rows"] for each in files if each["path"] == f"{file.parent.name}/{file.name}")


class Corpora(Columns):
    """The inputs of the fuzz targets, most of them damaged: what is written of them, other programs read, and they say the same."""

    # How many inputs are taken; "all", as `make check-deep` does.
    MANY = os.environ.get("TRACEDECK_CORPUS", "30")
    # How often each is taken with other bytes in it besides.
    CHANGES = int(os.environ.get("TRACEDECK_CHANGES", "1"))
    FORMATS = ([], ["--format", "dial9"], ["--format", "heph"], ["--format", "tband"])
    # As many results are read by one process.
    CHUNK = 40

    def test_inputs_of_fuzz_targets(self):
        most = None if self.MANY == "all" else int(self.MANY)
        inputs = [each for each in corpora.corpora() if each[0] not in corpora.NO_TRACES]
        chosen = corpora.sample(inputs, lambda each: f"{each[0]}/{each[1].name}", most)
        chosen = [(*each, seed) for each in chosen for seed in (None, *range(self.CHANGES))]
        readers = [reader for reader in ("duckdb", "hyparquet", "arrow", "ipc", "sqlite") if not why_unreadable(reader)]
        counts, wrong = collections.Counter(), []
        for begin in range(0, len(chosen), self.CHUNK):
            with tempfile.TemporaryDirectory() as folder:
                self.check_chunk(chosen[begin : begin + self.CHUNK], pathlib.Path(folder), readers, counts, wrong)
        print(f"{len(chosen)} inputs, {counts['traces']} with {counts['events']} events, by {', '.join(readers)}")
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertGreater(counts["events"], 0)

    def check_chunk(self, inputs, folder, readers, counts, wrong):
        events, made = {}, {}
        for number, (corpus, path, seed) in enumerate(inputs):
            trace = folder / f"t{number}"
            source = corpora.trace_of(corpus, path, folder, seed)
            os.symlink(source, trace)
            forms = self.FORMATS if source.is_file() else self.FORMATS[:1]
            printed = [run("print", "--output", "jsonl", "-q", *form, trace).stdout for form in forms]
            # Without events there may be losses and problems.
            form = next((i for i, lines in enumerate(printed) if lines), 0)
            if results := self.write_all(trace, forms[form]):
                name = f"{corpus}/{path.name} {seed} {' '.join(forms[form])}"
                events[name] = [dict(parse(line)) for line in printed[form].splitlines()]
                made[name] = results
        counts["traces"] += sum(map(bool, events.values()))
        counts["events"] += sum(map(len, events.values()))
        for reader in readers:
            wrong += self.differences(reader, events, made)

    def write_all(self, trace, form):
        """The results in the targets; none if it is no trace at all."""
        results = {}
        for target in ("parquet", "arrow", "sqlite", "clickhouse"):
            out = trace.with_name(f"{trace.name}.{''.join(form)}.{target}")
            done = run("convert", "--to", target, "-q", "-o", out, *form, trace)
            self.assertIn(done.returncode, (0, 3, 4), done.stderr)
            if not out.exists():
                return {}
            results[target] = out
        return results

    def differences(self, reader, events, made):
        """The first of each trace."""
        wrong = []
        files = [file for results in made.values() for file in self.files(results[TARGETS.get(reader, "parquet")])]
        notices = [file for file in files if file.parent.name in ("class=__loss", "class=__problem")]
        found = iter(rows(reader, [file for file in files if file not in notices]))
        for name, expected in events.items():
            by_seq = {row["seq"]: row for row in itertools.islice(found, len(expected))}
            self.assertEqual(sorted(by_seq), list(range(len(expected))), f"{reader}: {name}")
            for seq, event in enumerate(expected):
                if difference := self.event_difference(event, by_seq[seq]):
                    wrong.append(f"{reader}: {name}: event {seq}: {difference}: {event}: {by_seq[seq]}")
                    break
        self.assertEqual(list(found), [])
        if reader != "sqlite":
            self.assertEqual(len(rows(reader, notices)), sum(map(rows_said, notices)))
        return wrong


class ClickHouse(Columns):
    """A server of its own reads the blocks, in tables that the statements make."""

    @classmethod
    def setUpClass(cls):
        (cls.server,) = clickhouse_server.start(cls)

    def native(self, trace, *options):
        out = self.folder / "native"
        done = run("convert", "--to", "clickhouse", "-o", str(out), str(trace), *options, "-q")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        for table in self.server.ask("show tables").decode().splitlines():
            self.server.ask(f"drop table `{table}`")
        return self.server.insert(out)

    def rows(self, table, order="seq"):
        return self.server.ask(f"select * from `{table}` order by {order} format JSONEachRow", None,
                        "--output_format_json_quote_64bit_integers", "0")

    def test_everything(self):
        trace = self.folder / "trace.bin"
        trace.write_bytes(everything())
        tables = self.native(trace)
        self.assertEqual(len(tables), 7, tables)
        full, other, last = self.rows("sched%2Fswitch%20a")
        self.assertEqual((full["text"], full["ok"], full["real"]), ("a", 1, 0.1))
        self.assertEqual((full["seq_2"], full["Seq_3"]), (2**64 - 1, -2**63))
        self.assertEqual((full["maybe"], other["maybe"]), (3, None))
        self.assertEqual((full["labels.key"], full["labels.value"]), (["a", "a", "\u00e9"], ["1", "2", ""]))
        self.assertEqual((full["stack"], last["stack"]), ([1, 2**64 - 1], []))
        self.assertEqual((full["pooled.present"], full["pooled"]), (1, [5, 6]))
        self.assertEqual((last["pooled.present"], last["pooled"]), (0, []))
        (bare,) = self.rows("__HIVE_DEFAULT_PARTITION__")
        self.assertEqual((bare["time_ns.present"], bare["time_ns"]), (0, 0))

    def test_events_of_reference_traces(self):
        if not TRACES.is_dir():
            self.skipTest("there are no reference traces")
        traces = [p for p in sorted(TRACES.rglob("*")) if p.is_file() and p.name != "metadata" and p.stat().st_size < 60_000
                  and "ctf" not in p.parts] + sorted({p.parent for p in (TRACES / "ctf").rglob("metadata")})
        checked = 0
        for trace in traces[:: max(1, len(traces) // 24)]:
            if run("info", str(trace), "-q").returncode != 0:
                continue
            shutil.rmtree(self.folder / "native", ignore_errors=True)
            events = [dict(parse(line)) for line in run("print", "--output", "jsonl", str(trace), "-q").stdout.splitlines()]
            found = {}
            for table in self.native(trace):
                if table not in ("__loss", "__problem"):
                    found.update({row["seq"]: row for row in self.rows(table)})
            self.assertEqual(sorted(found), list(range(len(events))), trace)
            for seq, event in enumerate(events):
                self.check_row(trace, event, found[seq])
            checked += 1
        self.assertGreater(checked, 5)

    def check_row(self, trace, event, row):
        self.assertEqual(row["time_ns.present"], int("time" in event), trace)
        self.assertEqual(str(row["time_ns"]), str(event.get("time", row["time_ns"])), trace)
        for name, value in event.get("fields", []):
            # Scalars of names that no other column has; texts that are no UTF-8 are repaired.
            if isinstance(value, int) and name in row and f"{name}_2" not in row and isinstance(row[name], int):
                self.assertEqual(row[name], int(value), f"{trace}: {name}")
            elif isinstance(value, str) and isinstance(row.get(name), str) and f"{name}_2" not in row and name != "stream":
                self.assertTrue(row[name] == value or self.is_blob(value, row[name]), f"{trace}: {name}: {value}: {row[name]}")

    @staticmethod
    def is_blob(expected, actual):
        try:
            return base64.b64decode(expected, validate=True).decode(errors="replace") == actual
        except ValueError:
            return False

    def test_one_table_of_a_pipe(self):
        trace = self.folder / "trace.bin"
        trace.write_bytes(dial9.ticks(200_000))
        sent = subprocess.run([BIN, "convert", "--to", "clickhouse", "--layout", "one",
                               "-o", "-", "--tag", "host=a", str(trace)], capture_output=True)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        statement = re.search(r"    (CREATE TABLE IF NOT EXISTS `events`.*?);\n", (ROOT / "docs/columns.md").read_text(), re.S)
        self.server.ask(statement[1].replace("    `class`", "    `host` String,\n    `class`"))
        for _ in range(2):  # what is inserted twice is there once
            self.server.ask("insert into `events` format Native", sent.stdout)
        self.assertEqual(self.server.ask("select count(), sum(seq) from events final").split(), [b"200000", b"19999900000"])


class Reference(Columns):
    """The reference traces of all formats, as far as each is of a moderate size."""

    MOST_BYTES = 300_000

    def check_folder(self, folder, reader, many=8):
        if not TRACES.is_dir():
            self.skipTest("there are no reference traces")
        files = [p for p in sorted((TRACES / folder).rglob("*")) if p.is_file() and p.stat().st_size < self.MOST_BYTES]
        checked = 0
        for path in files[:: max(1, len(files) // (many * 2))]:
            if checked == many:
                break
            if run("info", str(path), "-q").returncode == 0:
                self.check_events(path, reader)
                checked += 1
        self.assertGreater(checked, 0)

    def check_ctf(self, reader, many=12):
        if not TRACES.is_dir():
            self.skipTest("there are no reference traces")
        traces = sorted({p.parent for p in (TRACES / "ctf").rglob("metadata")})
        checked = 0
        for trace in traces[:: max(1, len(traces) // (many * 2))]:
            size = sum(p.stat().st_size for p in trace.iterdir() if p.is_file())
            if checked == many or size > self.MOST_BYTES:
                continue
            if run("info", str(trace), "-q").returncode == 0:
                self.check_events(trace, reader)
                checked += 1
        self.assertGreater(checked, 0)

    @reads("duckdb")
    def test_dial9_in_duckdb(self, reader):
        self.check_folder("dial9", reader)

    @reads("duckdb")
    def test_heph_in_duckdb(self, reader):
        self.check_folder("heph", reader)

    @reads("duckdb")
    def test_tband_in_duckdb(self, reader):
        self.check_folder("tband", reader)

    @reads("duckdb")
    def test_ctf_in_duckdb(self, reader):
        self.check_ctf(reader)

    @reads("hyparquet")
    def test_ctf_in_hyparquet(self, reader):
        self.check_ctf(reader, 4)

    @reads("hyparquet")
    def test_dial9_in_hyparquet(self, reader):
        self.check_folder("dial9", reader, 4)

    @reads("sqlite")
    def test_dial9_in_sqlite(self, reader):
        self.check_folder("dial9", reader)

    @reads("sqlite")
    def test_heph_in_sqlite(self, reader):
        self.check_folder("heph", reader)

    @reads("sqlite")
    def test_tband_in_sqlite(self, reader):
        self.check_folder("tband", reader)

    @reads("sqlite")
    def test_ctf_in_sqlite(self, reader):
        self.check_ctf(reader)

    @reads("ipc")
    def test_dial9_in_ipc(self, reader):
        self.check_folder("dial9", reader, 4)

    @reads("ipc")
    def test_heph_in_ipc(self, reader):
        self.check_folder("heph", reader, 4)

    @reads("ipc")
    def test_ctf_in_ipc(self, reader):
        self.check_ctf(reader)

    @reads("arrow")
    def test_ctf_in_arrow(self, reader):
        self.check_ctf(reader, 4)

    @reads("arrow")
    def test_dial9_in_arrow(self, reader):
        self.check_folder("dial9", reader, 4)


if __name__ == "__main__":
    unittest.main()

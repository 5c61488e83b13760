"""docs/scale-out.md: traces of a fleet in ClickHouse on two servers, and as Parquet in DuckDB.

The fleet is worlds/fleet.py, which knows what happened. Processes that insert it are killed at random. Skipped without
clickhouse-server, clickhouse-client and curl; TRACEDECK_FLEET_SEGMENTS says how many segments there are.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import clickhouse_server
from command import BIN, ROOT, run
from worlds import fleet, tokio

SEGMENTS = int(os.environ.get("TRACEDECK_FLEET_SEGMENTS", "2000"))
CONVERTERS = 4
SCRIPT = ROOT / "examples/fleet/ship.sh"
DOCUMENT = ROOT / "docs/scale-out.md"


def statements(language):
    """The statements of a language in the document, by the line before them."""
    text = DOCUMENT.read_text()
    return {title: code for title, code in re.findall(r"^([^\n]+)\n\n```" + language + r"\n(.*?)```", text, re.S | re.M)}


class WithDuckDB(unittest.TestCase):
    def duckdb(self, bucket, title):
        """The rows of a statement of the document, by how the line before it begins."""
        if shutil.which("node") is None:
            self.skipTest("there is no Node.js")
        found = re.search("^" + re.escape(title) + r"[^\n]*:\n\n```duckdb\n(.*?)```", DOCUMENT.read_text(), re.S | re.M)
        done = subprocess.run(["node", ROOT / "tests/columns/sql.mjs"], input=found[1].encode(), cwd=bucket, capture_output=True,
                              env={**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", str(ROOT / "build/node_modules"))})
        if done.returncode == 77:
            self.skipTest(done.stderr.decode().strip())
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [json.loads(line) for line in done.stdout.splitlines()]


class Slices(WithDuckDB):
    """Of two hosts whose traces say which they are: the same as one query over both."""

    def test_slices_by_host(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        paths = tokio.World(8).record(folder).paths
        for path in map(pathlib.Path, paths):
            out = folder / path.stem
            done = run("convert", "-q", "--to", "parquet", "--layout", "schema", "--clock", "wall", "--what", "all", "--tag", f"host=rack-{path.stem}",
                       "-o", out, path)
            self.assertEqual(done.returncode, 0, done.stderr)
            shutil.copytree(out, folder / "bucket", dirs_exist_ok=True)
        found = {(row["host"], row["category"] or "", row["name"]): (int(row["count"]), row["max_ms"])
                 for row in self.duckdb(folder / "bucket", "How long slices and waits took, by host, in DuckDB")}
        answer = run("query", "-q", "--output", "jsonl", "spans | count, max(duration) as most by host, category, name", *paths)
        rows = [json.loads(line) for line in answer.stdout.splitlines()[:-1]]
        wanted = {(f"rack-{row['host']}", row["category"], row["name"]): (row["count"], row["most"] / 1e6) for row in rows}
        self.assertEqual(found, wanted)


class Fleet(WithDuckDB):
    @classmethod
    def setUpClass(cls):
        if shutil.which("curl") is None:
            raise unittest.SkipTest("there is no curl")
        cls.servers = clickhouse_server.start(cls, count=2)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.fleet = fleet.fleet(7, SEGMENTS)
        for segment in cls.fleet.segments:
            (cls.folder / segment.name).write_bytes(segment.bytes)
        cls.kills = 0
        rng = random.Random(7)
        hosts = sorted({segment.host for segment in cls.fleet.segments})
        shares = [(hosts[i::CONVERTERS], random.Random(rng.random())) for i in range(CONVERTERS)]
        with concurrent.futures.ThreadPoolExecutor(CONVERTERS) as pool:
            for kills in pool.map(lambda share: sum(cls.ship(host, share[1]) for host in share[0]), shares):
                cls.kills += kills

    @classmethod
    def ship(cls, host, rng):
        """Inserts what a host recorded; returns how often that was killed before it was done."""
        traces = sorted(cls.folder.glob(f"{host}-*.bin"))
        kills = rng.choice((0, 0, 0, 1, 2))
        environment = {**os.environ, "PATH": f"{pathlib.Path(BIN).parent}:{os.environ['PATH']}", "HOST": host, "CLUSTER": "shards",
                       "SHARDS": " ".join(server.url for server in cls.servers)}
        for attempt in range(kills + 1):
            process = subprocess.Popen([SCRIPT, *traces], env=environment, stderr=subprocess.PIPE, start_new_session=True)
            try:
                _, said = process.communicate(timeout=rng.uniform(0.05, 1.0) if attempt < kills else None)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                continue
            assert process.returncode == 0, said.decode()
            return attempt
        raise AssertionError("it was always killed")

    def ask(self, query, server=0):
        return self.servers[server].ask(f"{query} format JSONEachRow", None, "--output_format_json_quote_64bit_integers", "0")

    def test_every_event_counts_once(self):
        self.assertGreater(self.kills, 0)
        counts = statements("sql")["Events of each segment:"]
        found = {row["trace"]: row["events"] for row in self.ask(counts)}
        self.assertEqual(found, {row["trace"]: row["events"] for row in self.ask(counts, server=1)})
        whole = {s.name: s.events - 1 for s in self.fleet.segments if not s.damaged}
        self.assertEqual({name: count for name, count in found.items() if name in whole}, whole)
        for segment in self.fleet.segments:
            self.assertLessEqual(found.get(segment.name, 0), segment.events - 1)

    def test_damage_is_told(self):
        damaged = {row["trace"] for row in self.ask(statements("sql")["Damaged segments:"])}
        self.assertLessEqual(damaged, {s.name for s in self.fleet.segments if s.damaged})
        for segment in self.fleet.segments:
            if segment.damaged and segment.name not in damaged:
                (row,) = self.ask(f"select count() as events from merge(currentDatabase(), '^fleet\\\\.Request%40') final where trace = '{segment.name}'")
                self.assertEqual(row["events"], segment.events - 1, segment.name)

    def test_bad_hosts(self):
        rows = self.ask(statements("sql")["Hosts that are slow, and hosts whose clocks are wrong:"])
        self.assertEqual({row["host"] for row in rows if row["is_slow"]}, self.fleet.slow)
        self.assertEqual({row["host"] for row in rows if row["clock_is_wrong"]}, self.fleet.wrong_clocks)

    def test_the_same_as_parquet(self):
        if shutil.which("node") is None:
            self.skipTest("there is no Node.js")
        out = self.folder / "parquet"
        out.mkdir()
        script = 'for trace; do tracedeck convert -q --to parquet --layout schema --clock wall --tag host=${trace%-*} -o "parquet/$trace" "$trace" 2>errors || [ $? = 4 ]; done'
        names = [segment.name for segment in self.fleet.segments]
        environment = {**os.environ, "PATH": f"{pathlib.Path(BIN).parent}:{os.environ['PATH']}"}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            codes = pool.map(lambda part: subprocess.run(["sh", "-c", script, "sh", *part], cwd=self.folder, env=environment).returncode,
                             (names[::2], names[1::2]))
        self.assertEqual(list(codes), [0, 0])
        bucket = self.folder / "bucket"
        for file in out.glob("*/*/*"):
            (bucket / file.parent.name).mkdir(parents=True, exist_ok=True)
            file.rename(bucket / file.parent.name / file.name)
        rows = self.duckdb(bucket, "Hosts that are slow, and hosts whose clocks are wrong, in DuckDB")
        self.assertEqual({row["host"] for row in rows if row["is_slow"]}, self.fleet.slow)
        self.assertEqual({row["host"] for row in rows if row["clock_is_wrong"]}, self.fleet.wrong_clocks)
        (total,) = self.ask("select count() as events from merge(currentDatabase(), '^fleet\\\\.Request%40') final")
        self.assertEqual(sum(int(row["events"]) for row in rows), total["events"])
        found = {(row["host"], row["trace"]): int(row["events"]) for row in self.duckdb(bucket, "Events of each segment, in DuckDB")}
        self.assertEqual(found, {(row["host"], row["trace"]): row["events"] for row in self.ask(statements("sql")["Events of each segment:"])})
        damaged = {row["trace"] for row in self.duckdb(bucket, "Damaged segments, in DuckDB")}
        self.assertEqual(damaged, {row["trace"] for row in self.ask(statements("sql")["Damaged segments:"])})

    def test_no_segments_overlap(self):
        """But for damaged ones, whose times may be anything."""
        names = {row["segment"]: row["trace"] for row in self.ask(statements("sql")["Events of each segment:"])}
        damaged = {segment.name for segment in self.fleet.segments if segment.damaged}
        for row in self.ask(statements("sql")["Segments that overlap:"]):
            self.assertTrue({names[row["earlier"]], names[row["later"]]} & damaged, row)

    def test_types_of_all_versions_are_told(self):
        rows = self.ask(statements("sql")["Columns of all versions, with their types:"])
        self.assertEqual({row["type"] for row in rows if row["name"] == "took_ns"}, {"UInt64", "Float64"})

    def test_arrival_is_known(self):
        rows = self.ask(statements("sql")["Segments whose times are more than a day from when they arrived:"])
        self.assertEqual(len(rows), len(self.ask(statements("sql")["Events of each segment:"])))


if __name__ == "__main__":
    unittest.main()

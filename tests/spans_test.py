"""`query 'spans | ...'`: the slices and waits that `latency` measures, as rows of any question."""

import json
import os
import signal
import subprocess
import sys
import unittest

import dial9_writer as w
from command import BIN, MEASURED, TIME_LIMIT, TRACES, CommandTest, is_sanitized, needs_traces, run
from latency_test import TABLE, Jobs, jobs

# Each is looked at by another table, or by several.
REFERENCES = (
    "dial9/tokio-demo.bin.gz",
    "dial9/15_bench_mix3_10k.bin",
    "heph/realistic_12k.bin.log",
    "heph/out_of_order.bin.log",
    "tband/all_events_monotone.bin",
    "tband/drops_every50.bin",
    "tband/posix_freertos_committed_log.bin",
    "ctf/ctf1/succeed_lttng-tracefile-rotation_kernel",
    "ctf/tracecompass/context-switches-ust",
    "ctf/tracecompass/glxgears-cyg-profile-fast",
    "ctf/tracecompass/ros2",
    "ctf/tracecompass/scp_src",
)
MEASURES = {
    "count": "count",
    "total": "sum(duration)",
    "max": "max(duration)",
    "p50": "p50(duration)",
    "p90": "p90(duration)",
    "p99": "p99(duration)",
    "p99.9": "p99.9(duration)",
}
ROWS = f"{', '.join(MEASURES.values())} by kind, category, name"


class Spans(Jobs):
    def ask(self, stages, *args, code=0, **more):
        """The rows of the answer, and what it is made of."""
        result = self.check(run("query", "--output", "jsonl", stages, *args, **more), code)
        lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
        return lines[:-1], lines[-1]["answer"], result.stderr.decode()

    def latency(self, *args):
        return json.loads(run("latency", "-q", "--json", "--top", "0", *args).stdout)


def rows_of(answer):
    """What `latency` says of names that have a duration, by what it is of."""
    return {
        (row["kind"], row.get("category", ""), row.get("full_name", row["name"])): {key: row[key] for key in MEASURES if key in row}
        for row in answer["rows"]
        if row["count"] != 0
    }


class OneTruth(Spans):
    def compare(self, *args):
        measured = self.latency(*args)
        result = run("query", "-q", "--output", "jsonl", f"spans | {ROWS}", *args)
        rows = [json.loads(line) for line in result.stdout.decode().splitlines()]
        answer = rows.pop()["answer"]
        wanted = rows_of(measured)
        got = {(row["kind"], row["category"], row.get("full_name", row["name"])): row for row in rows}
        self.assertEqual(got.keys(), wanted.keys())
        for key, figures in wanted.items():
            # Quantiles of few are in no row of `latency`.
            self.assertEqual({name: got[key][MEASURES[name]] for name in figures}, figures, key)
        self.assertEqual(answer["spans"]["whole"], sum(row["count"] for row in measured["rows"]))
        for name in ("left_out", "open"):
            self.assertEqual(answer["spans"][name], sum(row.get(name, 0) for row in measured["rows"]), name)
        for name in ("unmatched_ends", "not_held"):
            self.assertEqual(answer["spans"][name], measured["counts"][name])
        self.assertEqual(answer["read"], measured["events"])
        flags = run("query", "-q", "--output", "jsonl", "spans all | count by whole, open_at_end, across_loss", *args)
        flags = [json.loads(line) for line in flags.stdout.decode().splitlines()][:-1]
        for name, flag in (("open", "open_at_end"), ("across_loss", "across_loss")):
            total = sum(row["count"] for row in flags if row[flag] and not row["whole"])
            self.assertEqual(answer["spans"][name], total)
        return got

    @needs_traces
    def test_the_figures_of_latency(self):
        for name in REFERENCES:
            with self.subTest(name):
                path = TRACES / name
                self.assertTrue(path.exists(), f"{path} is not there")
                one = self.compare("--jobs", "1", path)
                self.assertEqual(one, self.compare("--jobs", "4", path))
                self.assertNotEqual(one, {})

    @needs_traces
    def test_a_window_of_time(self):
        path = TRACES / "dial9/tokio-demo.bin.gz"
        rows = self.compare("--begin", "+1s", "--end", "+2s", path)
        self.assertGreater(len(rows), 3)

    @needs_traces
    def test_a_pipe(self):
        path = TRACES / "heph/realistic_12k.bin.log"
        whole, _, _ = self.ask(f"spans | {ROWS}", path)
        piped, _, _ = self.ask(f"spans | {ROWS}", "-", stdin=path.read_bytes())
        self.assertEqual(piped, whole)

    @needs_traces
    def test_conditions_and_groups_of_latency(self):
        path = TRACES / "dial9/tokio-demo.bin.gz"
        for condition in ('category == "poll" && duration > 1ms', 'kind == "wait"', 'label ~ "span *"'):
            measured = self.latency("--where", condition, "--by", "track", path)
            rows, _, _ = self.ask(f"spans | where {condition} | count, sum(duration) by label, track", path)
            wanted = {
                ((row["category"] + " " if row.get("category") else "") + row.get("full_name", row["name"]), row["by"]): row["total"]
                for row in measured["rows"]
                if row["count"]
            }
            self.assertEqual({(row["label"], row["track"]): row["sum(duration)"] for row in rows}, wanted)


class Rows(Spans):
    def test_spans_by_themselves(self):
        rows, answer, _ = self.ask("spans", "--table", self.table(), self.trace())
        self.assertEqual(
            rows,
            [
                {"time": 10, "duration": 100, "kind": "slice", "category": "job", "name": "7", "track": "jobs"},
                {"time": 20, "duration": 250, "kind": "slice", "category": "job", "name": "7", "track": "jobs"},
            ],
        )
        self.assertEqual((answer["read"], answer["selected"]), (6, 6))
        self.assertEqual(
            answer["spans"],
            {
                "whole": 2,
                "left_out": 2,
                "open": 1,
                "began_before": 1,
                "across_loss": 0,
                "unmatched_ends": 0,
                "not_held": 0,
                "ended_early": 0,
            },
        )

    def test_those_of_unknown_duration(self):
        rows, _, _ = self.ask(
            "spans all | select name, duration, end - time as age, whole, open_at_end, track",
            "--table",
            self.table(),
            self.trace(),
        )
        self.assertIn(
            {"name": "8", "duration": None, "age": 140, "whole": False, "open_at_end": True, "track": "jobs"}, rows
        )
        self.assertEqual(len(rows), 4)
        rows, _, _ = self.ask("spans all | where whole | count", "--table", self.table(), self.trace())
        self.assertEqual(rows, [{"count": 2}])

    def test_arguments(self):
        table = TABLE + 'args = ["job", "kind"]\nend_args = ["job"]\n'
        args = ("--table", self.table(table), self.trace())
        rows, _, errors = self.ask("spans | select job, kind, .kind as argument, duration | sort job", *args)
        self.assertEqual(
            rows,
            [
                {"job": 1, "kind": "slice", "argument": 7, "duration": 100},
                {"job": 2, "kind": "slice", "argument": 7, "duration": 250},
            ],
        )
        self.assertEqual(errors, "")
        rows, _, _ = self.ask("spans | where job == 2", *args)
        self.assertEqual([(row["duration"], row["job"]) for row in rows], [(250, 2)])
        rows, _, _ = self.ask("spans | let twice = duration * 2 | where twice > 300 | count by job", *args)
        self.assertEqual(rows, [{"job": 2, "count": 1}])

    def test_names_that_nothing_has(self):
        table = TABLE + 'args = ["job"]\n'
        rows, _, errors = self.ask("spans | where jobb == 2", "--table", self.table(table), self.trace())
        self.assertEqual(rows, [])
        self.assertIn("no span has `jobb`; did you mean `job`?", errors)
        _, _, errors = self.ask("spans | where durration > 2", "--table", self.table(), self.trace())
        self.assertIn("did you mean `duration`?", errors)
        result = self.check(run("query", "spans | where id == 3", self.trace()), 2)
        self.assertIn("`id` is nothing that is known here", result.stderr.decode())

    def test_a_range_behind_the_last_event_is_said(self):
        for rows in ("spans", "samples"):
            result = self.check(run("query", f"{rows} | count", "--begin", "+10s", "--table", self.table(), self.trace()), 0)
            self.assertIn("no event lies in the range: it begins at +10.000000s", result.stderr.decode())
            self.assertNotIn("none of these events ends a span", result.stderr.decode())

    def test_arguments_move_with_their_slices(self):
        """A slice that overlaps another goes on on a lane, and what it is known by goes with it."""
        table = TABLE.replace('kind = "lanes"', 'kind = "thread"') + 'args = ["job"]\n'
        trace = self.file(
            "t.bin",
            jobs(
                (10, 0, (1, 7)), (20, 0, (2, 7)), (30, 0, (3, 8)), (40, 1, (1,)), (50, 0, (4, 8)), (60, 1, (3,)), (70, 1, (2,)), (80, 1, (4,)),
            ),
        )
        rows, _, _ = self.ask("spans | select time, duration, job | sort job", "--table", self.table(table), trace)
        self.assertEqual(
            [(row["job"], row["time"], row["duration"]) for row in rows],
            [(1, 10, 30), (2, 20, 50), (3, 30, 30), (4, 50, 30)],
        )

    def test_what_was_before_is_known(self):
        rows, _, _ = self.ask("spans | select duration", "--table", self.table(), "--begin", "150", self.trace())
        self.assertEqual(rows, [{"duration": 250}])

    def test_later_stages(self):
        args = ("--table", self.table(), self.trace())
        self.assertEqual(self.ask("spans | limit 1 | select duration", *args)[0], [{"duration": 100}])
        self.assertEqual(self.ask("spans | top 1 by duration | select duration", *args)[0], [{"duration": 250}])
        self.assertEqual(
            self.ask("spans | count by name every 15ns", *args)[0],
            [{"time": 0, "name": "7", "count": 1}, {"time": 15, "name": "7", "count": 1}],
        )
        self.assertEqual(
            self.ask("spans | max(duration) by name | where max > 200", *args)[0], [{"name": "7", "max(duration)": 250}]
        )

    def test_what_ends_early(self):
        rows, answer, errors = self.ask("spans | limit 1 | select duration, missing", "--table", self.table(), self.trace())
        self.assertEqual(rows, [{"duration": 100, "missing": None}])
        self.assertGreater(answer["spans"]["whole"], 0)
        # It may be behind what was read.
        self.assertEqual(errors, "")

    def test_partial_answers(self):
        parts = []
        for name in ("a", "b"):
            parts.append(self.folder / f"{name}.part")
            args = ("--table", self.table(), "--partial", parts[-1], self.trace())
            self.check(run("query", "spans | count, max(duration) by name", *args), 0)
        merged = self.check(run("query", "--merge", "--output", "jsonl", *parts), 0).stdout.decode().splitlines()
        self.assertEqual(json.loads(merged[0]), {"name": "7", "count": 2 * 2, "max(duration)": 250})
        self.assertEqual(json.loads(merged[-1])["answer"]["spans"]["left_out"], 2 * 2)

    def test_in_text(self):
        text = self.check(run("query", "spans | count by name", "--table", self.table(), self.trace()), 0).stdout.decode()
        self.assertIn("; 2 spans, 2 of unknown duration (1 open at the end, 1 from before the trace); none lost", text)


@unittest.skipIf(is_sanitized(), "sanitizers take memory of their own")
class Memory(Spans):
    def test_it_does_not_grow_with_what_is_open(self):
        """Long texts of 12,000 slices that are open at once."""
        jobs_of = range(12_000)
        trace = w.header() + w.schema(0, "JobStart", [("job", w.VARINT), ("kind", w.STRING)])
        trace += w.schema(1, "JobEnd", [("job", w.VARINT)])
        trace += b"".join(w.event(0, w.varint(i) + w.string(f"{i:4000}"), 10) for i in jobs_of)
        trace += b"".join(w.event(1, w.varint(i), 10) for i in jobs_of)
        table = TABLE.replace("{kind}", "job").replace('name = "jobs"', 'key = "job"\nname = "job {job}"') + 'args = ["kind"]\n'
        command = [BIN, "query", "--output", "jsonl", "--table", self.table(table)]
        command += ["spans | count, sum(len(.kind)) as bytes", self.file("t.bin", trace)]
        del trace
        measured = subprocess.run([sys.executable, "-c", MEASURED, *map(os.fspath, command)], capture_output=True, check=True)
        errors, _, most = measured.stderr.decode().rstrip().rpartition("\n")
        [row, _] = [json.loads(line) for line in measured.stdout.splitlines()]
        known = row["bytes"] // 4000
        self.assertEqual(row["count"], len(jobs_of))
        self.assertIn(f"arguments of the begin of {len(jobs_of) - known} slices are not known", errors)
        self.assertGreater(known, 4_000)
        self.assertLess(int(most), 48 << 10)


class Refused(Spans):
    def refused(self, *args):
        return self.check(run("query", *args), 2).stderr.decode()

    def test_usage(self):
        self.assertIn("comes first", self.refused("where n > 1 | spans", self.trace()))
        self.assertIn("comes first", self.refused("spans | spans", self.trace()))
        self.assertIn("spans | where", self.refused("--where", "job > 1", "spans | count", self.trace()))
        self.assertIn("`pair` makes pairs of events", self.refused("spans | pair a b", self.trace()))
        for option in (("--table", self.table()), ("--explain",)):
            said = self.refused(*option, "count", self.trace())
            self.assertIn(f"option '{option[0]}' goes with the stages `spans` and `samples`", said)
        self.assertIn("'--table' does not go with '--merge'", self.refused("--merge", "--table", self.table(), self.trace()))

    def test_a_table_that_is_wrong(self):
        self.assertIn("is `match` meant?", self.refused("--table", self.table(TABLE.replace("match", "mach")), "spans", self.trace()))

    def test_without_a_rule(self):
        rows, answer, errors = self.ask("spans | count by name", self.file("t.bin", w.ticks(3)))
        self.assertEqual((rows, answer["read"], answer["spans"]["whole"]), ([], 3, 0))
        self.assertIn("no table says which of these events begin and end spans", errors)

    def test_explained(self):
        explained = self.check(run("query", "--explain", "spans", self.trace()), 0).stdout.decode()
        self.assertEqual(explained, run("latency", "--explain", self.trace()).stdout.decode())
        self.assertIn('begin = "JobStart"\nend = "JobEnd"', explained)


class Live(Spans):
    def test_rows_come_as_spans_end(self):
        path = self.file("live.bin", jobs((10, 0, (1, 7)), (110, 1, (1,))))
        command = [BIN, "query", "--follow", "--output", "jsonl", "--table", self.table(), "spans | select duration", path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            first = process.stdout.readline()
            self.assertEqual(json.loads(first), {"duration": 100})
            with open(path, "ab") as more:
                more.write(w.event(0, w.varint(2) + w.varint(7), 10) + w.event(1, w.varint(2), 40))
            self.assertEqual(json.loads(process.stdout.readline()), {"duration": 40})
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(json.loads(rest.splitlines()[-1])["answer"]["spans"]["whole"], 2, errors)


if __name__ == "__main__":
    unittest.main()

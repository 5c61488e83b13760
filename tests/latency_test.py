"""`tracedeck latency` and `tracedeck tables`, as users and scripts see them."""

import json
import unittest

import dial9_writer as w
import heph_writer as heph
from command import TRACES, CommandTest, needs_traces, run

TABLE = """
table = "jobs"
applies = { class = "Job*" }
[[track]]
id = "jobs"
kind = "lanes"
name = "jobs"
[[slice]]
begin = "JobStart"
end = "JobEnd"
match = "job"
track = "jobs"
category = "job"
name = "{kind}"
"""

STATES = """
[[track]]
id = "mode"
kind = "state"
name = "mode"
[[state]]
event = "JobStart"
track = "mode"
name = "in {kind}"
"""
COUNTER = """
table = "kinds"
applies = { class = "Job*" }
[[track]]
id = "kinds"
kind = "counter"
name = "kind of {job}"
key = ["job"]
[[counter]]
event = "JobStart"
track = "kinds"
value = "kind"
"""
WAIT = """
[[wait]]
name = "start -> end"
from = "JobStart"
to = "JobEnd"
match = "job"
track = "jobs"
"""


def jobs(*events):
    """A dial9 trace of (time, 0 for a begin or 1 for an end, values)."""
    trace = w.header() + w.schema(0, "JobStart", [("job", w.VARINT), ("kind", w.VARINT)]) + w.schema(1, "JobEnd", [("job", w.VARINT)])
    now = 0
    for time, kind, values in events:
        trace += w.event(kind, b"".join(map(w.varint, values)), time - now)
        now = time
    return trace


class Jobs(CommandTest):
    def table(self, text=TABLE):
        return self.file("jobs.toml", text.encode())

    def trace(self):
        # Three jobs: 100, 250 and one that is still open; an end of a fourth.
        return self.file(
            "t.bin",
            jobs((10, 0, (1, 7)), (20, 0, (2, 7)), (110, 1, (1,)), (130, 0, (3, 8)), (200, 1, (9,)), (270, 1, (2,))),
        )


class Latency(Jobs):
    def rows(self, *args, code=0, **more):
        result = self.check(run("latency", "--json", "--top", "0", *args, **more), code)
        return json.loads(result.stdout)

    def test_a_table_of_the_user(self):
        answer = self.rows("--table", self.table(), self.trace())
        by_name = {row["name"]: row for row in answer["rows"]}
        self.assertEqual(answer["tables"], ["jobs"])
        self.assertEqual(by_name["7"]["count"], 2)
        self.assertEqual(by_name["7"]["total"], 350)
        self.assertEqual((by_name["7"]["p50"], by_name["7"]["max"]), (100, 250))
        self.assertEqual(by_name["7"]["at"], {"time": 20, "track": "jobs"})
        self.assertEqual(by_name["8"], {"kind": "slice", "category": "job", "name": "8", "count": 0, "left_out": 1, "open": 1, "oldest_open": 140, "oldest_open_begin": 130})
        self.assertEqual(answer["counts"]["unmatched_ends"] + answer["counts"]["began_before"], 1)

    def test_without_a_table_names_make_pairs(self):
        answer = self.rows(self.trace())
        self.assertEqual(answer["tables"], ["inferred"])
        self.assertEqual({row["name"] for row in answer["rows"]}, {"Job"})
        explained = self.check(run("latency", "--explain", self.trace()), 0).stdout.decode()
        self.assertIn('begin = "JobStart"\nend = "JobEnd"', explained)
        # What is explained are tables that do the same.
        again = self.rows("--table", self.table(explained), self.trace())
        self.assertEqual(again["rows"], answer["rows"])

    def test_fields_that_say_which(self):
        """Of names in camel case too."""
        for name in ("locationID", "jobId", "aHandle", "somePtr", "id"):
            data = w.header() + w.schema(0, "RunBegin", [(name, w.VARINT)]) + w.schema(1, "RunEnd", [(name, w.VARINT)])
            for kind, value in ((0, 1), (0, 2), (1, 2), (1, 1)):
                data += w.event(kind, w.varint(value), 10)
            row = self.rows(self.file("t.bin", data))["rows"][0]
            self.assertEqual((row["count"], row["total"]), (2, 40), name)

    def test_the_field_that_is_called_as_the_pair_says_which(self):
        fields = [("job", w.VARINT), ("worker", w.VARINT)]
        for begin, end in (("JobStart", "JobEnd"), ("print_job_begin", "print_job_end")):
            data = w.header() + w.schema(0, begin, fields) + w.schema(1, end, fields)
            for kind, job, worker in ((0, 1, 0), (0, 2, 1), (1, 2, 1), (1, 1, 0)):
                data += w.event(kind, w.varint(job) + w.varint(worker), 10)
            row = self.rows(self.file("t.bin", data))["rows"][0]
            self.assertEqual((row["count"], row["total"]), (2, 40), begin)

    def test_no_figure_of_pairs_that_interleave(self):
        fields = [("core", w.VARINT)]
        data = w.header() + w.schema(0, "RunBegin", fields) + w.schema(1, "RunEnd", fields)
        # One of 10; three of which one is open throughout; when all have ended, one of 10.
        for kind in (0, 1, 0, 0, 1, 0, 1, 1, 0, 1):
            data += w.event(kind, w.varint(0), 10)
        trace = self.file("t.bin", data)
        answer = self.rows(trace)
        row = answer["rows"][0]
        self.assertEqual((row["count"], row["total"], row["left_out"]), (2, 20, 3))
        self.assertEqual((answer["counts"]["inferred_ends"], answer["counts"]["unmatched_ends"]), (3, 0))
        result = self.check(run("latency", trace), 0)
        self.assertIn("3 have an end that may be another's", result.stdout.decode())
        self.assertIn("and none of the fields that both have (`core`) is known to say which of them `RunEnd` ends", result.stderr.decode())
        self.assertIn("`match`", result.stderr.decode())

    def test_which_of_pairs_that_interleave_are_open_is_not_known(self):
        fields = [("core", w.VARINT)]
        data = w.header() + w.schema(0, "RunBegin", fields) + w.schema(1, "RunEnd", fields)
        # Three begin, two end: the one that goes on may be any of them.
        for kind in (0, 0, 0, 1, 1):
            data += w.event(kind, w.varint(0), 10)
        trace = self.file("t.bin", data)
        answer = self.rows(trace)
        row = answer["rows"][0]
        self.assertEqual((row["count"], row["left_out"], row["open"]), (0, 3, 1))
        self.assertFalse({"oldest_open", "oldest_open_begin"} & row.keys())
        self.assertEqual((answer["counts"]["inferred_ends"], answer["counts"]["open_at_end"]), (2, 1))
        self.assertIn("still open at the end: 1 of `Run`, but which of them is not known", self.text(trace))
        self.check(run("latency", "--require", 'open("Run") == 1', trace), 0)
        # And one that began alone is known.
        row = self.rows(self.file("one.bin", data + w.event(1, w.varint(0), 10) + w.event(0, w.varint(0), 10)))["rows"][0]
        self.assertEqual((row["open"], row["oldest_open"]), (1, 0))

    def test_events_too_far_from_the_first(self):
        """What 63 bits do not hold is left out, and counted."""
        fields = [("id", w.VARINT)]
        data = w.header() + w.schema(0, "RunBegin", fields) + w.schema(1, "RunEnd", fields)
        for time, kind in ((10, 0), (20, 1), (30, 0), (2**63 + 40, 1)):
            data += w.reset(time) + w.event(kind, w.varint(1))
        trace = self.file("t.bin", data)
        answer = self.rows(trace)
        row = answer["rows"][0]
        self.assertEqual((row["count"], row["max"], row["open"], row["oldest_open"]), (1, 10, 1, 0))
        self.assertEqual((answer["counts"]["too_far"], answer["events"], answer["end"]), (1, 4, 30))
        self.assertIn("1 event left out, 292 years or more from the first", self.text(trace))

    @needs_traces
    def test_data_streams_without_an_id_are_threads(self):
        rows = self.rows("--by", "track", TRACES / "ctf/tracecompass/mpi_ssend_irecv")["rows"]
        self.assertEqual({(row["name"], row["by"], row["count"]) for row in rows}, {("Event_Program", "stream 0", 1), ("Event_Program", "stream 1", 1)})

    def test_more_classes_than_are_at_hand(self):
        data, now = w.header(), 0
        for i in range(150):
            for j, ending in enumerate(("Begin", "End", "Note")):
                data += w.schema(3 * i + j, f"X{i}{ending}", [("id", w.VARINT)])
        for turn in range(3):
            for i in range(450):
                data += w.event(i, w.varint(turn), 10)
        table = self.table(TABLE.replace('"Job*"', '"X*"').replace("JobStart", "X*Begin").replace("JobEnd", "X*End").replace('match = "job"', 'match = ".id"').replace("{kind}", "x"))
        trace = self.file("many.bin", data)
        self.assertEqual([(row["count"], row["total"]) for row in self.rows("--table", table, trace)["rows"]], [(450, 4500)])
        rows = self.rows(trace, self.file("again.bin", data))["rows"]
        self.assertEqual({(row["count"], row["total"]) for row in rows}, {(6, 60)})
        self.assertEqual(len(rows), 150)

    @needs_traces
    def test_the_kernel_as_perf_records_it(self):
        answer = self.rows(TRACES / "ctf/tracecompass/perf-taskset2")
        self.assertEqual(answer["tables"], ["perf"])
        self.assertEqual([(row["name"], row["count"]) for row in answer["rows"]], [("wake -> run", 333)])
        self.assertEqual({t["track"] for t in answer["tracks"] if t["group"] == "cpu state"}, {"running"})

    def test_rules_add_to_one_counter(self):
        rules = """
[[track]]
id = "open"
kind = "counter"
name = "open jobs"
[[counter]]
event = "JobStart"
track = "open"
value = "1"
sum = true
[[counter]]
event = "JobEnd"
track = "open"
value = "-1"
sum = true
"""
        out = self.folder / "t.json"
        self.check(run("convert", "--table", self.table(TABLE + rules), "-o", out, self.trace()), 0)
        values = [e["args"] for e in json.loads(out.read_text())["traceEvents"] if e["ph"] == "C"]
        self.assertEqual([number for each in values for number in each.values()], [1, 2, 1, 2, 1, 0])

    def test_times_beyond_2_64(self):
        """As that of 2^63; but Heph has no such epoch, and only its sum with a time is beyond."""
        for epoch, first, base in ((1 << 63, (1 << 63) + 1000, 1 << 64), ((1 << 64) - 2000, 0, 3 << 62)):
            with self.subTest(epoch=epoch):
                starts = [first + 1000 * i for i in range(5)]
                events = (heph.event(b"s", counter=i, start=t, end=t + 500) for i, t in enumerate(starts))
                trace = self.file("t.log", heph.epoch(epoch) + b"".join(events))
                begin = epoch + first
                answer = json.loads(self.check(run("latency", "--json", trace), 0).stdout)
                (row,) = answer["rows"]
                self.assertEqual((row["count"], row["total"], row["max"]), (5, 2500, 500))
                self.assertEqual((answer["begin"], answer["end"], row["at"]["time"]), (begin, begin + 4500, begin))
                found = json.loads(self.check(run("why", "--json", "--at", "+3us", trace), 0).stdout)
                self.assertEqual((found["begin"], found["duration"]), (begin + 3000, 500))
                rows = self.check(run("query", "--output", "csv", "spans | select time, duration", trace), 0).stdout.decode().split()[1:]
                self.assertEqual(rows, [f"{begin + 1000 * i},500" for i in range(5)])
                said = self.check(run("convert", "-o", self.folder / f"{epoch}.pftrace", trace), 0).stderr.decode()
                self.assertIn(f"all times are {base} ns earlier", said)

    def test_times_beyond_2_63(self):
        """Five spans of 500 ns, of which the third begins at 2^63 ns."""
        epoch = (1 << 63) - 2000
        starts = [1000 * i for i in range(5)]
        trace = self.file("t.log", heph.epoch(epoch) + b"".join(heph.event(b"s", counter=i, start=t, end=t + 500) for i, t in enumerate(starts)))
        answer = json.loads(self.check(run("latency", "--json", trace), 0).stdout)
        (row,) = answer["rows"]
        self.assertEqual((row["count"], row["total"], row["max"]), (5, 2500, 500))
        self.assertEqual((answer["begin"], answer["end"], row["at"]["time"]), (epoch, epoch + 4500, epoch))
        rows = self.check(run("query", "--output", "csv", "spans | select time, end, duration", trace), 0).stdout.decode().split()[1:]
        self.assertEqual(rows, [f"{epoch + t},{epoch + t + 500},500" for t in starts])
        for at in ("+3us", str(epoch + 3000)):
            found = json.loads(self.check(run("why", "--json", "--at", at, trace), 0).stdout)
            self.assertEqual((found["begin"], found["duration"]), (epoch + 3000, 500))
        late = json.loads(self.check(run("latency", "--json", "--begin", str(epoch + 2000), trace), 0).stdout)
        self.assertEqual(late["rows"][0]["count"], 3)
        where = self.check(run("latency", "--json", "--where", f"time > {1 << 63}", trace), 0).stdout
        self.assertEqual(json.loads(where)["rows"][0]["count"], 2)
        answer = json.loads(self.check(run("diff", "--json", trace, trace), 0).stdout)
        # Recorded when they ended.
        self.assertEqual((answer["b"]["begin"], answer["b"]["end"]), (epoch + 500, epoch + 4500))
        said = self.check(run("convert", "-o", self.folder / "x.pftrace", trace), 0).stderr.decode()
        self.assertIn(f"all times are {epoch} ns earlier", said)
        again = self.folder / "x.log"
        self.check(run("convert", "-q", "--to", "heph", "--spans", "-o", again, trace), 0)
        self.assertEqual(json.loads(run("latency", "--json", again).stdout)["begin"], epoch)

    def test_conditions_and_groups(self):
        long = self.rows("--table", self.table(), "--where", "duration > 200", self.trace())
        self.assertEqual([row["count"] for row in long["rows"]], [1])
        by = self.rows("--table", self.table(), "--by", "duration > 200", "--where", "duration > 0", self.trace())
        self.assertEqual({(row["by"], row["count"]) for row in by["rows"]}, {("true", 1), ("false", 1)})
        result = self.check(run("latency", "--where", "durration > 1", self.trace()), 2)
        self.assertIn("no slice and no wait has `durration`; did you mean `duration`?", result.stderr.decode())

    @needs_traces
    def test_groups_by_addresses_are_hexadecimal(self):
        for path, by, name in (("glxgears-cyg-profile-fast", "addr", "0x403760"), ("ros2", "callback", "0x55f52997a8f8")):
            text = self.check(run("latency", "--by", by, TRACES / "ctf/tracecompass" / path), 0).stdout.decode()
            self.assertIn(f"  {name}  ", text)

    def test_groups_by_what_slices_and_waits_are_about(self):
        table = self.table(TABLE + WAIT)
        trace = self.file("by.bin", jobs((0, 0, (1, 7)), (100, 0, (2, 8)), (150, 1, (1,)), (400, 1, (2,)), (500, 0, (1, 8)), (600, 1, (1,))))

        def by(*args):
            return {(row["kind"], row["name"], row["by"]): row["count"] for row in self.rows("--table", table, *args, trace)["rows"]}

        # No table names them: of slices both events have `job`, and `kind` the one that begins.
        self.assertEqual(
            by("--by", "job"),
            {("slice", "7", "1"): 1, ("slice", "8", "2"): 1, ("slice", "8", "1"): 1, ("wait", "start -> end", "1"): 2, ("wait", "start -> end", "2"): 1},
        )
        self.assertEqual(by("--by", ".kind", "--where", 'kind == "slice" && job == 1'), {("slice", "7", "7"): 1, ("slice", "8", "8"): 1})
        self.assertEqual(by("--by", "job * 10", "--where", 'kind == "wait"'), {("wait", "start -> end", "10"): 2, ("wait", "start -> end", "20"): 1})
        self.check(run("latency", "--by", "", trace), 2)
        for option in ("--by", "--where"):
            result = self.check(run("latency", "--table", table, option, "jobb == 1", trace), 2)
            self.assertEqual((result.stdout, result.stderr.decode()), (b"", "tracedeck: error: no slice and no wait has `jobb`; did you mean `job`?\n"))
            self.check(run("diff", "--table", table, option, "jobb == 1", trace, trace), 2)

    def test_what_was_before_is_known(self):
        answer = self.rows("--table", self.table(), "--begin", "150", self.trace())
        by_name = {row["name"]: row for row in answer["rows"]}
        self.assertEqual((by_name["7"]["count"], by_name["7"]["max"]), (1, 250))
        relative = self.rows("--table", self.table(), "--begin", "+140", self.trace())
        self.assertEqual(relative["rows"], answer["rows"])

    def test_requirements(self):
        def require(*conditions, code):
            args = [arg for condition in conditions for arg in ("--require", condition)]
            return self.check(run("latency", "--table", self.table(), *args, self.trace()), code).stderr.decode()

        self.assertEqual(require('max("job 7") <= 250', 'max("job") == 250', 'count("job 7") == 2', 'p50("j*7") < 1us', code=0), "")
        self.assertIn("it is 250ns", require('max("job 7") < 250', code=1))
        self.assertIn('nothing is called "poll"', require('p99("poll") < 1s', code=1))
        self.assertIn('nothing is called "jib"; is "job" meant?', require('count("jib") < 10', code=1))
        self.assertIn('nothing is called "jib"', require('open("jib") == 0', 'left_out("jib") == 0', code=1))
        self.assertEqual(require('absent("jib")', code=0), "")
        self.assertIn('something is called "job"', require('absent("job")', code=1))
        self.assertIn('nothing is called "job 77"; is "job 7" meant?', require('p99("job 77") < 1s', code=1))
        self.assertIn("no duration", require('p99("job 8") < 1s', code=1))
        self.assertIn("p99", require('p98("job") < 1s', code=2))
        self.assertIn("in quotes", require("p99(job) < 1s", code=2))

    def text(self, *args, code=0):
        return self.check(run("latency", *args), code).stdout.decode()

    def test_one_zero_of_time(self):
        """What is shown as +T is what --begin +T and --at +T mean: the trace's first event is the zero, whatever it means."""
        trace = w.header() + w.schema(2, "Noise", [("x", 11)]) + w.schema(0, "JobStart", [("job", 11), ("kind", 11)])
        trace += w.schema(1, "JobEnd", [("job", 11)]) + w.event(2, w.varint(1), 1_000) + w.event(0, w.varint(1) + w.varint(7), 5_000_000)
        trace = self.file("zero.bin", trace + w.event(1, w.varint(1), 1_000_000))
        table = self.table()
        self.assertIn("+0.005000s jobs", self.text("--table", table, trace))
        self.assertEqual(self.rows("--table", table, trace)["begin"], 1_000)
        why = self.check(run("why", "--table", table, "--at", "+0.0055s", trace), 0).stdout.decode()
        self.assertIn("from +0.005000 s", why)

    def test_ranges_without_events_and_filters_without_slices(self):
        table = self.table()
        for args in (("--begin", "+1s"), ("--begin", "end-10ns", "--end", "+20ns")):
            text = self.text("--table", table, *args, self.trace())
            self.assertIn("no event lies in the range", text)
            self.assertIn("0 events of ", text)
            for wrong in ("no slice has ended", "-", "0ns"):
                self.assertNotIn(wrong, text.replace("range: it begins", ""))
        text = self.text("--table", table, "--where", 'category == "jib"', self.trace())
        self.assertIn('none of 4 slices and waits meets --where category == "jib"', text)
        drawn = self.check(run("convert", "--table", table, "--begin", "+1s", "-o", str(self.folder / "y.json"), self.trace()), 0)
        self.assertIn("no event lies in the range", drawn.stderr.decode())

    def test_events_in_the_range_are_counted(self):
        answer = self.rows("--table", self.table(), "--begin", "150", self.trace())
        self.assertEqual((answer["events"], answer["events_in_range"]), (6, 2))
        self.assertIn("2 events of 6 that were read", self.text("--table", self.table(), "--begin", "150", self.trace()))

    def test_what_no_rule_is_about_is_of_the_trace_too(self):
        """Its length, what is still open, and how many events there are."""
        table = self.table(TABLE + STATES)
        notes = w.schema(2, "Note", [("text", w.VARINT)])
        def trace(name, *times):
            data, now = jobs((1000, 0, (1, 7)), (1100, 1, (1,)), (1200, 0, (2, 7))) + notes, 1200
            for time in times:
                data, now = data + w.event(2, w.varint(1), time - now), time
            return self.file(name, data)
        behind = trace("behind.bin", 1300, 5200)
        answer = self.rows("--table", table, behind)
        self.assertEqual((answer["begin"], answer["end"]), (1000, 5200))
        self.assertEqual(answer["rows"][0]["oldest_open"], 4000)
        self.assertEqual([s["open"] for t in answer["tracks"] for s in t.get("states", ()) if s["name"] == "in 7"], [4200])
        self.assertEqual(answer["counts"]["without_rule"], 2)
        text = self.text("--table", table, behind)
        self.assertIn("5 events, 4.20us; no losses; table jobs", text)
        self.assertIn("besides: 2 events that no rule is about", text)
        self.assertEqual(self.rows("--table", table, "--begin", "1250", behind)["counts"]["without_rule"], 2)
        self.assertEqual(self.rows("--table", table, "--begin", "1350", behind)["counts"]["without_rule"], 1)
        before = jobs() + notes + w.event(2, w.varint(1), 10) + jobs((1000, 0, (1, 7)), (1100, 1, (1,)))
        answer = self.rows("--table", table, self.file("before.bin", before))
        self.assertEqual((answer["begin"], answer["end"]), (10, 1100))

    def test_counts_are_of_the_range(self):
        """Also ends without a begin."""
        trace = self.file("range.bin", jobs((10, 1, (9,)), (20, 1, (9,)), (100, 0, (1, 7)), (200, 1, (1,)), (300, 1, (8,)), (310, 1, (8,))))
        whole = self.rows("--table", self.table(), trace)["counts"]
        part = self.rows("--table", self.table(), "--begin", "150", trace)["counts"]
        self.assertEqual((whole["unmatched_ends"], whole["began_before"]), (2, 2))
        self.assertEqual((part["unmatched_ends"], part["began_before"]), (1, 1))
        self.assertIn("besides: 1 end whose begin is not known", self.text("--table", self.table(), "--begin", "150", trace))
        self.assertEqual(self.rows("--table", self.table(), "--begin", "1000", trace)["counts"]["unmatched_ends"], 0)

    def test_what_is_cut_is_said(self):
        events = [(10 * i + j, j, (i, i) if j == 0 else (i,)) for i in range(1, 26) for j in (0, 1)]
        trace = self.file("many.bin", jobs(*events))
        text = self.text("--table", self.table(), trace)
        self.assertIn("and rows with smaller totals: 5 of job; --top 0 shows all", text)
        self.assertNotIn("smaller totals", self.text("--table", self.table(), "--top", "0", trace))
        self.assertIn("  kind == \"slice\"  ", self.text("--table", self.table(), "--by", 'kind == "slice"', trace))

    def test_totals_and_what_is_in_no_other_slice(self):
        table = self.file("nested.toml", TABLE.replace('"lanes"', '"thread"').encode())
        trace = self.file("nested.bin", jobs((0, 0, (1, 7)), (10, 0, (2, 8)), (40, 1, (2,)), (100, 1, (1,))))
        by_name = {row["name"]: row for row in self.rows("--table", table, trace)["rows"]}
        self.assertEqual((by_name["7"]["total"], by_name["7"]["self"]), (100, 70))
        self.assertEqual((by_name["8"]["total"], by_name["8"]["self"]), (30, 30))
        head, first = self.text("--table", table, trace).splitlines()[1:3]
        self.assertEqual(head.split(), ["COUNT", "TOTAL", "SELF", "P50", "P90", "P99", "P99.9", "MAX", "AT"])
        self.assertEqual(first.split()[:5], ["job", "7", "1", "100ns", "70ns"])

    def test_what_goes_on_at_the_end_counts_until_then(self):
        table = self.file("states.toml", (TABLE.replace('"lanes"', '"thread"') + STATES).encode())
        trace = self.file("open.bin", jobs((0, 0, (1, 7)), (10, 0, (2, 8)), (40, 1, (2,)), (100, 0, (2, 9))))
        tracks = {track["group"]: track for track in self.rows("--table", table, trace)["tracks"]}
        self.assertEqual({s["name"]: (s["time"], s.get("open", 0)) for s in tracks["mode"]["states"]}, {"in 7": (10, 0), "in 8": (90, 0)})
        self.assertEqual((tracks["jobs"].get("busy", 0), tracks["jobs"]["busy_open"]), (0, 100))
        text = self.text("--table", table, trace)
        self.assertIn("jobs: in slices 100.0% 100ns (of one that has not ended)", text)
        later = self.file("later.bin", jobs((0, 0, (1, 7)), (10, 0, (2, 8)), (400, 1, (9,))))
        self.assertIn("mode: in 8 97.5% 390ns (still), in 7 2.5% 10ns", self.text("--table", table, later))

    def test_counters(self):
        table = self.file("counter.toml", COUNTER.encode())
        trace = self.file("c.bin", jobs((0, 0, (1, 7)), (10, 0, (1, 3)), (20, 0, (1, 5)), (30, 0, (2, 1))))
        answer = self.rows("--table", table, trace)
        self.assertEqual(answer["counters"][0], {"track": "kind of 1", "group": "kinds", "count": 3, "min": 3, "max": 7, "last": 5})
        lines = [line.split() for line in self.text("--table", table, "--top", "1", trace).splitlines()]
        self.assertIn(["kind", "of", "1", "3", "3", "7", "5"], lines)
        self.assertIn("and 1 counters more; --top 0 shows all".split(), lines)
        # The value that holds at the begin is one of them.
        begun = self.rows("--table", table, "--begin", "+15", trace)["counters"][0]
        self.assertEqual((begun["count"], begun["min"], begun["max"]), (1, 3, 5))

    def test_an_event_that_ends_and_begins(self):
        table = self.table(TABLE.replace('end = "JobEnd"', 'end = "JobStart"'))
        answer = self.rows("--table", table, self.file("p.bin", jobs((0, 0, (1, 7)), (10, 0, (1, 7)), (30, 0, (1, 7)))))
        self.assertEqual([(row["count"], row["total"], row["left_out"]) for row in answer["rows"]], [(2, 30, 1)])
        self.assertEqual(answer["counts"]["began_before"], 0)

    def test_tables_that_do_not_fit_are_said(self):
        def notes(table, *args):
            result = self.check(run("latency", "--table", self.table(table), *args, self.trace()), 0)
            return result.stderr.decode()

        self.assertEqual(notes(TABLE), "")
        self.assertIn("no event is called `JobEnt`; is `JobEnd` meant?", notes(TABLE.replace('"JobEnd"', '"JobEnt"')))
        self.assertIn("none of its events has `kinds`; is `kind` meant?", notes(COUNTER.replace('value = "kind"', 'value = "kinds"')))
        unused = notes(TABLE.replace('{ class = "Job*" }', '{ format = "heph" }'))
        self.assertIn("table jobs was not used: it applies to traces of the format `heph`", unused)

    def test_fields_that_texts_need_are_said(self):
        def notes(table, *args):
            result = self.check(run("latency", "--table", self.table(table), *args, self.trace()), 0)
            return result.stderr.decode()

        self.assertEqual(
            notes(TABLE.replace("{kind}", "{kinds}")),
            "tracedeck: table jobs: [[slice]] from JobStart: events `JobStart` have no `kinds`, for which `?` stands; is `kind` meant?\n",
        )
        self.assertEqual(notes(TABLE.replace("{kind}", "{kinds ?? kind}")), "")
        self.assertIn(
            "table kinds: [[track]] kinds: none of the events on it has `jbo`, which its name needs; is `job` meant?",
            notes(COUNTER.replace("{job}", "{jbo}")),
        )
        self.assertIn(
            "table kinds: events `JobStart` lack `jbo`, which their [[counter]] needs, and are left out of it",
            notes(COUNTER.replace('["job"]', '["jbo"]')),
        )
        self.assertIn("events `JobStart`, `JobEnd` lack `jbo`, which their [[slice]] needs", notes(TABLE.replace('match = "job"', 'match = "jbo"')))

    def test_lookups_that_know_nothing_are_said(self):
        rules = """
[[lookup]]
id = "kind"
event = "JobStart"
key = ["job"]
value = "kind {kind}"
"""
        def notes(name):
            result = self.check(run("latency", "--table", self.table(TABLE.replace("{kind}", name) + rules), self.trace()), 0)
            return result.stderr.decode().removeprefix("tracedeck: table jobs: [[slice]] from JobStart: ")

        self.assertEqual(notes("{kind[job]}"), "")
        self.assertEqual(notes("{kind[jbo]}"), "events `JobStart` have no `kind[jbo]`, for which `?` stands; is `job` meant?\n")
        self.assertEqual(notes("{kind[name]}"), "the [[lookup]] never knew `kind[name]`, for which `?` stands\n")
        self.assertEqual(notes("{kind[name] ?? name}"), "")
        trace = w.header() + w.schema(0, "JobStart", [("job", w.VARINT), ("name", w.VARINT)]) + w.event(0, w.varint(1) + w.varint(2), 5)
        table = self.table(TABLE.replace("{kind}", "{kind[name]}") + rules.replace('"kind {kind}"', '"{.name}"').replace('["job"]', '[".name"]'))
        said = self.check(run("latency", "--table", table, self.file("named.bin", trace)), 0).stderr.decode()
        self.assertIn("the [[lookup]] never knew `kind[name]`, for which `?` stands; is `.name` meant?", said)

    def test_filters_that_do_not_exist_are_said(self):
        def said(name):
            return self.check(run("tables", "--table", self.table(TABLE.replace("{kind}", name))), 2).stderr.decode()

        self.assertIn("there is no filter `hexx`; is `hex` meant?", said("{kind|hexx}"))
        self.assertIn("there is no filter `roman`; those that are: source, span, file, hex,", said("{kind|roman}"))
        self.check(run("tables", "--table", self.table(TABLE.replace("{kind}", "{(kind | 1)}"))), 0)

    def test_keys_that_are_misspelt_are_said(self):
        for wrong, said in (
            (TABLE.replace("begin =", "begn ="), "[[slice]] has no key `begn`; is `begin` meant?"),
            (TABLE.replace('{ class = "Job*" }', '{ format = "cft" }'), "`format` is to be one of dial9, heph, ctf, tband; is `ctf` meant?"),
            (TABLE.replace('"lanes"', '"lane"'), "is `lanes` meant?"),
        ):
            self.assertIn(said, self.check(run("tables", "--table", self.table(wrong)), 2).stderr.decode())

    def test_what_to_do_without_a_table(self):
        tick = w.header() + w.schema(0, "Tick", [("n", w.VARINT)]) + w.event(0, w.varint(1), 10)
        self.assertIn("--table FILE adds one that says what events mean", self.text(self.file("tick.bin", tick)))

    def test_what_comes_late_is_of_the_same_trace(self):
        # A span that holds all others is recorded last: sorting reads the trace once more for it.
        many = 300_000
        spans = [heph.event(b"short", counter=i, start=1000 + i * 10, end=1005 + i * 10) for i in range(many)]
        spans.append(heph.event(b"long", counter=many, start=1000, end=1000 + many * 10))
        result = self.check(run("latency", "--json", self.file("late.log", b"".join(spans))), 0)
        self.assertEqual(result.stderr, b"")
        answer = json.loads(result.stdout)
        self.assertEqual(answer["counts"]["unrelated_clocks"], 0)
        rows = {row["name"]: row for row in answer["rows"]}
        # They lie in it, on one track.
        self.assertEqual((rows["long"]["total"], rows["long"]["self"]), (10 * many, 5 * many))

    def test_several_tables_in_one_file(self):
        both = TABLE.replace('end = "JobEnd"', 'end = "None"') + COUNTER
        listed = self.check(run("tables", "--table", self.table(both)), 0).stdout.decode()
        self.assertIn("jobs", listed)
        self.assertIn("kinds", listed)
        wrong = self.check(run("tables", "--table", self.table(both.replace('value = "kind"', 'value = "kind +"'))), 2).stderr.decode()
        line = both.splitlines().index('value = "kind"') + 1
        self.assertIn(f"jobs.toml:{line}:9: [[counter]]", wrong)

    def test_what_is_waited_for_still(self):
        table = self.file("waits.toml", (TABLE + WAIT).encode())
        trace = self.file("open.bin", jobs((0, 0, (1, 7)), (50, 1, (1,)), (60, 0, (2, 8)), (100, 0, (3, 9)), (400, 1, (3,))))
        row = next(one for one in self.rows("--table", table, trace)["rows"] if one["kind"] == "wait")
        self.assertEqual((row["count"], row["total"], row["left_out"], row["open"], row["oldest_open"]), (2, 350, 1, 1, 340))
        self.assertIn("still open at the end: 1 of `start -> end`, the oldest for 340ns, from +0.000000s", self.text("--table", table, trace))
        self.check(run("latency", "--table", table, "--require", 'open("start -> end") == 0', trace), 1)
        grouped = self.rows("--table", table, "--by", "job", "--where", 'kind == "wait"', trace)["rows"]
        self.assertEqual({(one["by"], one["count"], one.get("open", 0)) for one in grouped}, {("1", 1, 0), ("3", 1, 0), ("?", 0, 1)})
        # `why` finds the same, and so does `query`.
        why = json.loads(self.check(run("why", "--json", "--table", table, "--longest", "start -> end", trace), 0).stdout)
        self.assertEqual((why["kind"], why["duration"], why["open_at_end"]), ("wait", 340, True))
        self.assertIn("had not ended", self.check(run("why", "--table", table, "--longest", "start -> end", trace), 0).stdout.decode())
        question = 'spans all | where kind == "wait" && open_at_end | select label, track, end - time as age'
        rows = self.check(run("query", "--table", table, "--output", "jsonl", question, trace), 0).stdout.splitlines()
        self.assertIn({"label": "start -> end", "track": "start -> end", "age": 340}, [json.loads(row) for row in rows])

    def test_requests_that_nothing_serves_do_not_end_the_measuring(self):
        table = self.file("waits.toml", (TABLE + WAIT).encode())
        events = [(i, 0, (i + 2, 7)) for i in range(70_000)] + [(70_000, 0, (1, 7)), (70_003, 1, (1,))]
        answer = self.rows("--table", table, self.file("waits.bin", jobs(*events)))
        waits = [row for row in answer["rows"] if row["kind"] == "wait"]
        self.assertEqual([(row["count"], row["total"]) for row in waits], [(1, 3)])
        self.assertGreaterEqual(answer["counts"]["not_held"], 32_768)

    @needs_traces
    def test_reference_traces_read_well(self):
        cores = [str(TRACES / f"tband/twocore_core{i}.bin") for i in (0, 1)]
        wrong = self.check(run("latency", *cores), 0)
        self.assertIn("given as FILE@CORE", wrong.stderr.decode())
        right = self.check(run("latency", *(f"{core}@{i}" for i, core in enumerate(cores))), 0)
        self.assertNotIn("FILE@CORE", right.stderr.decode())
        # What waits until the end is seen.
        self.assertIn("Tmr Svc 5: delay until 100.0% 444ms (still), ", self.text(TRACES / "tband/posix_freertos_committed_log.bin"))
        kernel = self.text(TRACES / "ctf/tracecompass/scp_src")
        self.assertIn("\ncpu 0: idle 99.6% 22.9s, ", kernel)
        self.assertIn(", scp 7422 ", kernel)
        self.assertIn("\nbash 230: sleeping ", kernel)
        ros = self.rows(TRACES / "ctf/tracecompass/ros2")["rows"]
        by_kind = lambda kind: sum(row["count"] for row in ros if row.get("category") == kind)
        self.assertEqual(by_kind("publish -> take"), 3_985)
        self.assertGreater(by_kind("publish -> callback"), 3_900)

    def test_tables(self):
        listed = self.check(run("tables"), 0).stdout.decode()
        for name in ("dial9", "heph", "lttng-kernel", "lttng-ust", "perf", "ros2", "tband", "zephyr"):
            self.assertIn(name, listed)
            printed = self.check(run("tables", name), 0).stdout
            # What is printed is read as what it is.
            self.check(run("tables", "--table", self.file("again.toml", printed), name), 0)
        self.assertIn("is 'zephyr' meant", self.check(run("tables", "zephir"), 2).stderr.decode())
        self.assertIn("jobs", self.check(run("tables", "--table", self.table()), 0).stdout.decode())

    def test_tables_that_are_wrong(self):
        def wrong(text, says):
            self.assertIn(says, self.check(run("tables", "--table", self.table(text)), 2).stderr.decode())

        wrong("table = ", "jobs.toml:1:")
        wrong("title = \"x\"", "begins with its name")
        wrong(TABLE.replace("match", "mach"), "is `match` meant?")
        wrong(TABLE.replace('track = "jobs"', 'track = "job"'), "jobs.toml:12:9: a [[slice]] is on the track `job`")
        wrong(TABLE.replace('track = "jobs"', 'track = "job"'), "is `jobs` meant?")
        wrong(TABLE.replace('"{kind}"', '"{kind"'), "jobs.toml:14:8: [[slice]] from JobStart: ")
        wrong(TABLE.replace('"lanes"', '"lane"'), "is to be one of group, process")
        wrong(TABLE.replace('"job"\n', "1\n"), "is to be a text")

    def test_an_empty_answer_is_not_silent(self):
        answer = self.check(run("latency", self.file("t.bin", w.ticks(3))), 0).stdout.decode()
        self.assertIn("no slice has ended", answer)
        self.assertIn("no table is about these events", answer)


if __name__ == "__main__":
    unittest.main()

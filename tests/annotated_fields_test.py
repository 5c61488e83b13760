"""Fields of dial9 with annotations: units behind numbers, gauges and counters as tracks, literals with units in conditions; and
events that no rule is about."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

MS = 1_000_000
POLL = [("worker_id", w.VARINT), ("local_queue", w.U8), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]
USAGE = [("device_index", w.U32), ("busy_ns", w.VARINT), ("rss", w.VARINT | w.OPTIONAL), ("load", w.F64), ("note", w.STRING)]
NOTES = [(1, "unit", "ns"), (1, "kind", "counter"), (2, "unit", "bytes"), (2, "kind", "gauge"), (3, "kind", "gauge"), (3, "metrique.unit", "percent\x1b[2J")]


def recording(*usages, others=()):
    trace = w.header() + w.schema(0, "PollStartEvent", POLL) + w.schema(1, "PollEndEvent", [("worker_id", w.VARINT)])
    trace += w.schema(2, "usage{host=a}", USAGE) + w.annotations(2, *NOTES)
    trace += w.schema(3, "Request", [("status", w.U16)]) + w.schema(4, "JobStart", [("job_id", w.VARINT)]) + w.schema(5, "JobEnd", [("job_id", w.VARINT)])
    trace += w.event(0, w.varint(0) + w.u8(0) + w.varint(7) + w.string("src/a.rs:1:1"), MS)
    for device, busy, rss, load in usages:
        value = w.ABSENT if rss is None else w.present(w.varint(rss))
        trace += w.event(2, w.u32(device) + w.varint(busy) + value + w.f64(load) + w.string("x"), MS)
    for number, value in others:
        trace += w.event(number, value, MS)
    return trace + w.event(1, w.varint(0), MS)


class Annotated(CommandTest):
    def test_units_in_text(self):
        text = self.check(run("print", self.file("t.bin", recording((0, 1500, 4096, 12.5), (0, 1500, None, 1)))), 0).stdout.decode()
        self.assertIn("device_index=0  busy_ns=1500ns  rss=4096 bytes  load=12.5 percent\\x1b[2J  note=\"x\"", text)
        self.assertIn("rss=none  ", text)

    def test_counters(self):
        file = self.file("t.bin", recording((0, 1, 10, 0.5), (1, 2, 20, 1.5), (0, 3, None, 2.5)))
        counters = {each["track"]: each for each in json.loads(self.check(run("latency", "--json", file), 0).stdout)["counters"]}
        shown = {name: (each["count"], each["min"], each["max"], each["last"]) for name, each in counters.items() if "usage" in name}
        self.assertEqual(
            shown,
            {
                "usage{host=a}: busy_ns 0": (2, 1, 3, 3),
                "usage{host=a}: busy_ns 1": (1, 2, 2, 2),
                "usage{host=a}: rss 0": (1, 10, 10, 10),
                "usage{host=a}: rss 1": (1, 20, 20, 20),
                "usage{host=a}: load 0": (2, 0.5, 2.5, 2.5),
                "usage{host=a}: load 1": (1, 1.5, 1.5, 1.5),
            },
        )
        self.assertIn("usage{host=a}: rss 0 (bytes)", run("latency", file).stdout.decode())

    def test_events_that_no_rule_is_about(self):
        others = [(3, w.u16(200)), (4, w.varint(1)), (5, w.varint(1)), (3, w.u16(503))]
        file, out = self.file("t.bin", recording(others=others)), self.folder / "t.json"
        self.check(run("convert", "-q", "-o", out, file), 0)
        instants = [e["args"] for e in json.loads(out.read_bytes())["traceEvents"] if e["ph"] == "i" and e["name"] == "Request"]
        self.assertEqual(instants, [{"status": 200}, {"status": 503}])
        # Those that are pairs are slices all the same.
        rows = {row["name"]: row["count"] for row in json.loads(run("latency", "--json", file).stdout)["rows"]}
        self.assertEqual(rows, {"a.rs:1": 1, "Job": 1})

    def test_arguments_in_why_and_pages(self):
        file = self.file("t.bin", requests())
        self.assertIn("latency=50ms db=25000us body=1500 bytes load=1 percent plain=7", self.check(run("why", "--longest", "span Get", file), 0).stdout.decode())
        page = self.folder / "t.html"
        self.check(run("convert", "-q", "-o", page, file), 0)
        self.assertGreater(page.stat().st_size, 0)


REQUEST = [("took_ns", w.VARINT), ("latency", w.F64), ("db", w.VARINT), ("body", w.VARINT), ("load", w.F64), ("plain", w.VARINT)]
UNITS = [(0, "dial9.role", "span.duration"), (1, "metrique.unit", "ms"), (2, "unit", "us"), (3, "unit", "bytes"), (4, "unit", "percent")]


def requests():
    """Requests of 3 ms, one of 50 ms, of a class with units; and, in another segment, one whose class has none of them."""
    trace = w.header() + w.schema(0, "Get", REQUEST) + w.annotations(0, *UNITS)
    for latency in (3, 3, 50, 3):
        trace += w.event(0, w.varint(latency * MS) + w.f64(latency) + w.varint(latency * 500) + w.varint(1500) + w.f64(1) + w.varint(7), 10 * MS)
    trace += w.header() + w.schema(1, "Get", REQUEST[1:]) + w.schema(2, "Tick", [("n", w.VARINT)])
    trace += w.event(1, w.f64(50) + w.varint(25000) + w.varint(1500) + w.f64(1) + w.varint(7), MS)
    return trace + w.event(2, w.varint(1), MS)


class Units(CommandTest):
    def count(self, condition, code=0):
        result = self.check(run("query", f"where {condition} | count", "--output", "jsonl", self.file("t.bin", requests())), code)
        return json.loads(result.stdout.splitlines()[0])["count"], result.stderr.decode()

    def test_literals_count_what_the_field_does(self):
        for condition, events in (
            ("latency > 10ms", 1),
            ("latency >= 3ms", 4),
            ("latency >= 0.003s", 4),
            ("10ms < latency", 1),
            ("latency == 50000us", 1),
            ("latency > 2999us", 4),
            ("latency > 2 * 5ms", 1),
            ("latency > -5ms", 4),
            ("abs(latency) > 10ms", 1),
            ("(latency ?? 0) > 10ms", 1),
            ("latency in [1ms..4ms, 9s]", 3),
            ("latency in [3ms, 1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s, 10s]", 3),
            ("!(latency > 10ms)", 3),
            ("db > 10ms", 1),
            ("db == 1500us", 3),
            ("db > 1500.5us", 1),
            ("body > 1KiB", 4),
            ("body == 1.5kB", 4),
            ("body == 1500bytes", 4),
        ):
            with self.subTest(condition):
                found, said = self.count(condition)
                self.assertEqual(found, events)
                self.assertIn("1 event could not be compared: there nothing says what", said)

    def test_what_is_calculated_or_bare_is_as_it_stands(self):
        for condition, events in (
            ("latency > 10", 2),
            ("latency * 1ms > 10ms", 2),
            ("plain * 1000000 == 7ms", 5),
            ("plain + 6999993ns == 7ms", 5),
            ("time >= 10ms", 4),
            ("latency + 1 > 50", 2),
        ):
            with self.subTest(condition):
                self.assertEqual(self.count(condition), (events, ""))
        self.assertEqual(self.count("latency - latency == 0ms")[0], 5)

    def test_what_cannot_be_compared_is_an_error(self):
        for condition, why in (
            ("plain > 5ms", "error: nothing says what `plain` counts, to compare it with a time: write a number without a unit"),
            ("plain in [5ms]", "error: nothing says what `plain` counts"),
            ("n == 1ns", "error: nothing says what `n` counts"),
            ("latency > 5MiB", "error: `latency` counts ms, which cannot be compared with bytes: write a number without a unit"),
            ("load > 1ms", "error: `load` counts percent, which cannot be compared with a time"),
            ("time > 5kB", "error: `time` counts ns, which cannot be compared with bytes"),
            ("latency + db > 5ms", "error: nothing says what `latency` counts"),
            ("id < 5ms", "error: nothing says what `id` counts"),
        ):
            with self.subTest(condition):
                found, said = self.count(condition, 2)
                self.assertEqual(found, 0)
                self.assertIn(why, said)
        self.assertEqual(self.count("missing > 5ms")[1].count("missing"), 1)

    def test_everywhere(self):
        file = self.file("t.bin", requests())
        self.assertEqual(len(self.check(run("print", "--where", "db > 10ms", file), 0).stdout.splitlines()), 1)
        answer = self.check(run("query", "sum(latency > 10ms) as slow, count by name", file), 0)
        self.assertRegex(answer.stdout.decode(), r"Get +1 +5\n")
        self.assertIn("1 event could not be compared", answer.stderr.decode())
        self.assertEqual(self.check(run("query", "limit 3 | where latency > 10ms | count", file), 0).stdout.decode().split()[1], "1")

    def test_columns(self):
        file = self.file("t.bin", requests())
        question = "where has(took_ns) | avg(latency), max(db), sum(body), max(load), count by plain"
        lines = self.check(run("query", question, file), 0).stdout.decode().splitlines()
        self.assertEqual(lines[0], "plain  avg(latency) (ms)  max(db) (us)  sum(body) (bytes)  max(load) (percent)  count")
        units = {"avg(latency)": "ms", "max(db)": "us", "sum(body)": "bytes", "max(load)": "percent"}
        last = self.check(run("query", question, "--output", "jsonl", file), 0).stdout.splitlines()[-1]
        self.assertEqual(json.loads(last)["answer"]["units"], units)
        part = self.folder / "t.part"
        self.check(run("query", question, "--partial", part, file), 0)
        merged = self.check(run("query", "--merge", part, part, "--output", "jsonl"), 0).stdout.splitlines()
        self.assertEqual((json.loads(merged[0])["count"], json.loads(merged[-1])["answer"]["units"]), (8, units))
        for condition, rows in (("avg > 10ms", 1), ("avg > 20ms", 0), ("max(db) == 25ms", 1), ("sum(body) > 5KiB", 1), ("avg + 10 > 20ms", 1)):
            with self.subTest(condition):
                answer = run("query", f"{question} | where {condition}", "--output", "jsonl", file)
                self.assertEqual(len(self.check(answer, 0).stdout.splitlines()), rows + 1)
        answer = self.check(run("query", f"{question} | where plain > 5ms", file), 0)
        self.assertIn("nothing says what `plain` counts", answer.stderr.decode())
        rows = self.check(run("query", "where has(took_ns) | select latency as l, latency * 1ms as ns | where ns > 10ms && l > 10ms", file), 0)
        self.assertEqual(rows.stdout.decode().splitlines()[:2], ["l (ms)     ns", "    50  5e+07"])

    # Each of the first class has a duration: a span with its fields as arguments.
    def spans(self, stages, *frames, code=0):
        answer = self.check(run("query", f"spans | {stages}", "--output", "jsonl", self.file("t.bin", requests() + b"".join(frames))), code)
        lines = [json.loads(line) for line in answer.stdout.splitlines()]
        return lines[:-1], lines[-1]["answer"], answer.stderr.decode()

    def test_arguments_of_spans(self):
        for condition, spans in (
            ("latency > 10ms", 1), ("latency >= 0.003s", 4), ("latency in [1ms..4ms]", 3), ("abs(latency) > 10ms", 1), ("db > 10ms", 1),
            ("db == 1500us", 3), ("body == 1.5kB", 4), ("!(latency > 10ms)", 3), ("latency > 10", 1), ("latency * 1ms > 10ms", 1), ("duration > 10ms", 1),
        ):  # fmt: skip
            with self.subTest(condition):
                rows, _, said = self.spans(f"where {condition} | count")
                self.assertEqual((rows, said), ([{"count": spans}], ""))
                rows, *_ = self.spans(f"sort duration | where {condition} | count")
                self.assertEqual(rows, [{"count": spans}])
        for condition, why in (("plain > 5ms", "nothing says what `plain` counts, to compare it with a time"), ("load > 1ms", "nothing says what `load` counts"),
                               ("latency > 5MiB", "nothing says what `latency` counts")):
            with self.subTest(condition):
                rows, _, said = self.spans(f"where {condition} | count")
                self.assertEqual(rows, [{"count": 0}])
                self.assertIn(why, said)
        _, answer, _ = self.spans("max(latency), sum(body)")
        self.assertEqual(answer["units"], {"max(latency)": "ms", "sum(body)": "bytes"})
        rows, *_ = self.spans("max(latency) by name | where max > 10ms")
        self.assertEqual(len(rows), 1)

    def test_arguments_of_latency(self):
        file = self.file("t.bin", requests())
        for condition, spans in (("latency > 10ms", 1), ("db == 1500us", 3), ("latency > 10", 1)):
            answer = json.loads(self.check(run("latency", "--json", "--where", condition, file), 0).stdout)
            self.assertEqual(sum(row["count"] for row in answer["rows"]), spans, condition)
        self.assertIn("nothing says what `plain` counts", run("latency", "--where", "plain > 5ms", file).stderr.decode())

    def test_arguments_whose_units_differ(self):
        """Each value counts what its own class says."""
        us, none = [(0, "dial9.role", "span.duration"), (1, "unit", "us")], [(0, "dial9.role", "span.duration")]
        more = b""
        for number, notes in ((3, us), (4, none)):
            more += w.schema(number, "Put", REQUEST) + w.annotations(number, *notes)
        put = lambda number, latency: w.event(number, w.varint(MS) + w.f64(latency) + w.varint(1) + w.varint(1) + w.f64(1) + w.varint(7), MS)
        rows, _, said = self.spans("where latency > 10ms | count", more + put(3, 20_000) + put(3, 9_000) + put(4, 50) + put(3, 30_000))
        self.assertEqual(rows, [{"count": 3}])
        self.assertIn("1 span could not be compared: there nothing says what `latency` counts", said)
        rows, _, said = self.spans("sort latency | where latency > 10ms | count", more + put(3, 20_000))
        self.assertEqual(rows, [{"count": 0}])
        self.assertIn("`latency` is of numbers that event classes give different units, or none: behind `sort`", said)

    def rule(self, when, event="Get"):
        """How many instants a rule with that condition makes, and what is said."""
        table = f"""table = "mine"
applies = {{ class = "Get" }}
[[track]]
id = "t"
name = "mine"
[[instant]]
event = "{event}"
when = "{when}"
track = "t"
category = "slow"
name = "slow"
"""
        out = self.folder / "t.json"
        done = self.check(run("convert", "-q", "--table", self.file("t.toml", table.encode()), "-o", out, self.file("t.bin", requests())), 0)
        said = run("latency", "--table", self.folder / "t.toml", self.folder / "t.bin").stderr.decode()
        self.assertEqual(done.returncode, 0)
        return sum(event["ph"] == "i" and event["name"] == "slow" for event in json.loads(out.read_bytes())["traceEvents"]), said

    def test_rules_of_tables(self):
        rule = "table mine: [[instant]] of Get: "
        for when, instants, why in (
            ("latency > 10ms", 1, "events `Get` could not be compared: there nothing says what `latency` counts, to compare it with a time"),
            ("latency > 10", 2, None),
            ("latency > 5MiB", 0, "`latency` counts ms, which cannot be compared with bytes: write a number without a unit"),
            ("plain > 5ms", 0, "nothing says what `plain` counts, to compare it with a time"),
            ("plain > 5ms || plain == 7", 5, "nothing says what `plain` counts, to compare it with a time"),
            ("missing > 5ms", 0, "none of its events has `missing > 5ms`"),
        ):
            with self.subTest(when):
                found, said = self.rule(when)
                self.assertEqual(found, instants)
                if why is None:
                    self.assertNotIn(rule, said)
                else:
                    self.assertIn(rule + why, said)
                    self.assertEqual(said.count(rule), 1)

    def test_units_that_differ(self):
        file = self.file("t.bin", requests())
        answer = self.check(run("query", "max(latency)", file), 0)
        self.assertEqual(answer.stdout.decode().splitlines()[0].strip(), "max(latency)")
        self.assertIn("`max(latency)` is of numbers that event classes give different units, or none", answer.stderr.decode())

    def test_statistics_and_schemas(self):
        file = self.file("t.bin", requests())
        text = self.check(run("stats", file), 0).stdout.decode()
        self.assertRegex(text, r"latency \(ms\) +4 +3 +14.75 +50")
        self.assertRegex(text, r"latency +1 +50 +50 +50")
        fields = {f["name"]: f.get("unit") for f in json.loads(self.check(run("stats", "--json", file), 0).stdout)["classes"][0]["fields"]}
        self.assertEqual((fields["latency"], fields["db"], fields["plain"]), ("ms", "us", None))
        self.assertRegex(self.check(run("schema", file), 0).stdout.decode(), r"latency +real, 64 bits\n +@metrique.unit +ms\n")


if __name__ == "__main__":
    unittest.main()

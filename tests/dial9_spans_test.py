"""Spans of dial9: entered by worker or by task, by their types, and in one event that is the end."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

MS = 1_000_000
NO_WORKER = 2**64 - 1
PLACE = "app::handler::handle:src/handler.rs:10"
ENTER, EXIT = f"SpanEnter:{PLACE}", f"SpanExit:{PLACE}"
TASK = ("dial9.tokio.task_id", w.VARINT | w.OPTIONAL)
RUNTIME = {
    "PollStartEvent": [("worker_id", w.VARINT), ("local_queue", w.U8), ("task_id", w.VARINT), ("spawn_loc", w.STRING)],
    "PollEndEvent": [("worker_id", w.VARINT)],
    "WorkerUnparkEvent": [("worker_id", w.VARINT), ("cpu_time_ns", w.VARINT), ("tid", w.U32)],
    "WorkerParkEvent": [("worker_id", w.VARINT), ("cpu_time_ns", w.VARINT), ("tid", w.U32)],
}
BY_TASK = {
    ENTER: [TASK, ("span_id", w.VARINT), ("span_name", w.STRING)],
    EXIT: [TASK, ("span_id", w.VARINT), ("span_name", w.STRING)],
    "SpanCloseEvent": [("span_id", w.VARINT)],
}
BY_WORKER = {ENTER: [("worker_id", w.VARINT), ("span_id", w.VARINT)], EXIT: [("worker_id", w.VARINT), ("span_id", w.VARINT)]}
BY_TYPE = {
    "SpanEnter__MyOp": [("span_instance_id", w.VARINT), ("tid", w.VARINT)],
    "SpanExit__MyOp": [("span_instance_id", w.VARINT), ("tid", w.VARINT)],
    "SpanClose__MyOp": [("span_instance_id", w.VARINT), ("start_timestamp_ns", w.VARINT), ("span_name", w.STRING)],
}
WRITERS = {w.VARINT: w.varint, w.STRING: w.string, w.U8: w.u8, w.U32: w.u32, w.I64: w.i64, w.F64: w.f64}


def value(kind, given):
    if kind & w.OPTIONAL:
        return w.ABSENT if given is None else w.present(value(kind & ~w.OPTIONAL, given))
    return WRITERS[kind](given)


def recording(classes, *events, annotations=()):
    """A trace of (time, class, values), whose first event is at 1 s. `annotations`: (class, entries)."""
    trace = w.header()
    for number, (name, fields) in enumerate(classes.items()):
        trace += w.schema(number, name, fields)
    for name, entries in annotations:
        trace += w.annotations(list(classes).index(name), *entries)
    for time, name, *values in events:
        body = b"".join(value(kind, given) for (_, kind), given in zip(classes[name], values, strict=True))
        trace += w.reset(1000 * MS + time) + w.event(list(classes).index(name), body, 0)
    return trace


def poll(begin, end, task=7, worker=0):
    return (begin, "PollStartEvent", worker, 0, task, "src/a.rs:1:1"), (end, "PollEndEvent", worker)


class Spans(CommandTest):
    def spans(self, trace, category):
        """(begin, duration, name, track) of each, in ms from 1 s on, in the order of begins."""
        file = self.file("t.bin", trace)
        result = self.check(run("query", "--output", "jsonl", f'spans | where category == "{category}"', file), 0)
        self.assertEqual(result.stderr, b"")
        rows = [json.loads(line) for line in result.stdout.decode().splitlines()[:-1]]
        return sorted((row["time"] / MS - 1000, row["duration"] / MS, row["name"].split(":src")[0], row["track"]) for row in rows)


class ByTask(Spans):
    def test_the_worker_is_that_of_the_open_poll(self):
        a, a_end = poll(1 * MS, 23 * MS)
        b, b_end = poll(54 * MS, 61 * MS, worker=1)
        other, other_end = poll(2 * MS, 60 * MS, task=8, worker=2)
        trace = recording(
            RUNTIME | BY_TASK,
            a,
            (2 * MS, ENTER, 7, 1, "handle"),
            other,
            (22 * MS, EXIT, 7, 1, "handle"),
            a_end,
            b,
            (55 * MS, ENTER, 7, 1, "handle"),
            (60 * MS, EXIT, 7, 1, "handle"),
            (60 * MS, "SpanCloseEvent", 1),
            other_end,
            b_end,
        )
        name = "app::handler::handle"
        self.assertEqual(self.spans(trace, "segment"), [(2, 20, name, "worker 0"), (55, 5, name, "worker 1")])
        self.assertEqual([row[:2] for row in self.spans(trace, "span")], [(2, 58)])

    def test_off_the_runtime_and_where_no_poll_is_open(self):
        begin, end = poll(10 * MS, 20 * MS)
        trace = recording(
            RUNTIME | BY_TASK,
            (1 * MS, ENTER, None, 1, "handle"),
            (2 * MS, ENTER, 7, 2, "handle"),
            (3 * MS, EXIT, 7, 2, "handle"),
            (5 * MS, EXIT, None, 1, "handle"),
            begin,
            end,
            (21 * MS, ENTER, 7, 3, "handle"),
            (22 * MS, EXIT, 7, 3, "handle"),
        )
        tracks = [(row[0], row[3]) for row in self.spans(trace, "segment")]
        self.assertEqual(tracks, [(1, "off the runtime"), (2, "worker not known"), (21, "worker not known")])

    def test_no_worker_is_no_number(self):
        trace = recording(BY_WORKER, (1 * MS, ENTER, NO_WORKER, 1), (4 * MS, EXIT, NO_WORKER, 1))
        self.assertEqual([row[3] for row in self.spans(trace, "segment")], ["off the runtime"])
        text = run("latency", self.file("t.bin", trace)).stdout.decode()
        self.assertNotIn(str(NO_WORKER), text)


class ByType(Spans):
    def test_entered_and_closed(self):
        trace = recording(
            RUNTIME | BY_TYPE,
            (0, "WorkerUnparkEvent", 0, 0, 100),
            (0, "WorkerUnparkEvent", 1, 0, 101),
            (1 * MS, "SpanEnter__MyOp", 1, 100),
            (2 * MS, "SpanEnter__MyOp", 1, 100),
            (3 * MS, "SpanExit__MyOp", 1, 100),
            (5 * MS, "SpanExit__MyOp", 1, 100),
            (6 * MS, "WorkerParkEvent", 1, 0, 101),
            (6 * MS, "WorkerUnparkEvent", 1, 0, 102),
            (7 * MS, "SpanEnter__MyOp", 1, 102),
            (7 * MS, "SpanEnter__MyOp", 2, 103),
            (9 * MS, "SpanExit__MyOp", 1, 102),
            (9 * MS, "SpanExit__MyOp", 2, 103),
            (10 * MS, "SpanClose__MyOp", 1, 990 * MS, "my_op"),
            (11 * MS, "SpanClose__MyOp", 2, 1005 * MS, ""),
        )
        self.assertEqual(
            self.spans(trace, "segment"),
            [(1, 4, "MyOp", "worker 0"), (2, 1, "MyOp", "worker 0"), (7, 2, "MyOp", "thread 103"), (7, 2, "MyOp", "worker 1")],
        )
        # Two that overlap are on lanes of one track.
        self.assertEqual(self.spans(trace, "span"), [(-10, 20, "my_op", "span MyOp"), (5, 6, "MyOp", "span MyOp")])

    def test_the_close_alone_is_a_span(self):
        classes = {"SpanClose__MyOp": BY_TYPE["SpanClose__MyOp"]}
        closes = [(n * 100 * MS, "SpanClose__MyOp", n, (1000 + n * 90) * MS, "my_op") for n in range(1, 6)]
        trace = recording(classes, *closes)
        self.assertEqual([row[:3] for row in self.spans(trace, "span")], [(90 * n, 10 * n, "my_op") for n in range(1, 6)])
        # In pictures too.
        file, out = self.file("t.bin", trace), self.folder / "t.json"
        self.check(run("convert", "-q", "-o", out, file), 0)
        events = [e for e in json.loads(out.read_bytes())["traceEvents"] if e.get("cat") == "span"]
        self.assertEqual([e["ph"] for e in events], ["b", "e"] * 5)

    def test_a_begin_behind_the_end(self):
        classes = {"SpanClose__MyOp": BY_TYPE["SpanClose__MyOp"]}
        trace = recording(classes, (1 * MS, "SpanClose__MyOp", 1, 2000 * MS, "my_op"))
        answer = json.loads(self.check(run("latency", "--json", self.file("t.bin", trace)), 0).stdout)
        self.assertEqual([row.get("left_out") for row in answer["rows"]], [1])


class InOneEvent(Spans):
    FIELDS = [("took", w.F64), ("operation", w.STRING)]
    ROLES = ((0, "dial9.role", "span.duration"), (0, "unit", "ms"), (1, "dial9.role", "span.name"))

    def rows(self, *values, fields=None, roles=ROLES):
        trace = recording({"metrique:Request": fields or self.FIELDS}, (100 * MS, "metrique:Request", *values), annotations=[("metrique:Request", roles)])
        return [row[:3] for row in self.spans(trace, "span")]

    def test_durations_in_their_units(self):
        self.assertEqual(self.rows(2.5, "GetItem"), [(97.5, 2.5, "GetItem")])
        self.assertEqual(self.rows(2.5, ""), [(97.5, 2.5, "metrique:Request")])
        whole = [("took", w.VARINT), ("operation", w.STRING)]
        for unit, scale in (("ns", 1e-6), ("us", 1e-3), ("ms", 1), ("s", 1e3), (None, 1e-6)):
            roles = [(0, "dial9.role", "span.duration")] + ([(0, "metrique.unit", unit)] if unit else [])
            [(begin, took, _)] = self.rows(3, "", fields=whole, roles=roles)
            self.assertAlmostEqual(took, 3 * scale)
            self.assertAlmostEqual(begin, 100 - 3 * scale)

    def test_begins(self):
        fields = [("started", w.VARINT)]
        self.assertEqual(self.rows(1090 * MS, fields=fields, roles=[(0, "dial9.role", "span.start")])[0][:2], (90, 10))

    def refused(self, fields, roles, *values):
        trace = recording({"Request": fields}, (100 * MS, "Request", *values), annotations=[("Request", roles)])
        answer = json.loads(self.check(run("latency", "--json", self.file("t.bin", trace)), 0).stdout)
        self.assertEqual(answer["rows"], [])

    def test_what_is_no_span(self):
        both = [("a", w.VARINT), ("b", w.VARINT)]
        self.refused(both, [(0, "dial9.role", "span.start"), (1, "dial9.role", "span.duration")], 1, 2)
        self.refused(both, [(0, "dial9.role", "span.duration"), (1, "dial9.role", "span.duration")], 1, 2)
        self.refused(both, [(0, "dial9.role", "span.unheard_of")], 1, 2)
        self.refused(both, [(0, "dial9.role", "span.duration"), (0, "unit", "bytes")], 1, 2)


class Tables(Spans):
    def refused(self, rule):
        table = self.file("t.toml", f'table = "t"\n[[track]]\nid = "x"\nname = "x"\n[[slice]]\nbegin = "A"\ntrack = "x"\nname = "n"\n{rule}\n'.encode())
        return self.check(run("tables", "--table", table), 2).stderr.decode()

    def test_keys_that_do_not_go_together(self):
        self.assertIn("`start` and `duration` are of events without `end`", self.refused('end = "B"\nstart = "s"'))
        self.assertIn("`during` and `who` go together", self.refused('who = "task"'))
        self.assertIn("no [[wait]] of one key is `during` `poll`", self.refused('during = "poll"\nwho = "task"'))
        self.assertIn("is to be like @KEY=VALUE", self.refused('start = "@role"'))
        self.assertIn("there is no [[track]] of that id", self.refused('elsewhere = "y"'))

    def test_own_events(self):
        """A begin, a duration and a name that a table of one's own says."""
        classes = {"Done": [("began_us", w.VARINT), ("what", w.STRING)]}
        trace = recording(classes, (100 * MS, "Done", 1_070_000, "compress"), annotations=[("Done", [(0, "unit", "us")])])
        table = 'table = "t"\n[[track]]\nid = "x"\nname = "x"\n[[slice]]\nbegin = "Done"\nstart = "began_us"\ntrack = "x"\nname = "{what}"\n'
        args = ("query", "--output", "jsonl", "--table", self.file("t.toml", table.encode()), "spans", self.file("t.bin", trace))
        [row, _] = [json.loads(line) for line in self.check(run(*args), 0).stdout.decode().splitlines()]
        self.assertEqual((row["time"], row["duration"], row["name"]), (1070 * MS, 30 * MS, "compress"))


if __name__ == "__main__":
    unittest.main()

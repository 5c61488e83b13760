"""What queries say about pairs, times and names that nothing is called: never an answer of no rows without a word."""

import json
import unittest

import dial9_writer as w
import heph_writer as h
from command import CommandTest, run

MS = 1_000_000


def trace():
    """Two `Begin`s and their `End`s, 1 ms apart; the last is over after 5 ms."""
    return b"".join(
        [
            w.header(),
            w.schema(0, "Begin", [("task_id", w.VARINT), ("name", w.STRING)]),
            w.schema(1, "End", [("task_id", w.VARINT), ("name", w.STRING), ("state", w.VARINT)]),
            w.schema(2, "Idle", [("load", w.VARINT)]),
            w.event(0, w.varint(7) + w.string("read"), delta=0),
            w.event(1, w.varint(7) + w.string("done") + w.varint(0), delta=1 * MS),
            w.event(0, w.varint(8) + w.string("write"), delta=1 * MS),
            w.event(1, w.varint(8) + w.string("failed") + w.varint(1), delta=3 * MS),
        ]
    )


PAIR = "pair Begin End on task_id"


class Asked(CommandTest):
    def setUp(self):
        super().setUp()
        self.trace = self.file("trace.bin", trace())

    def ask(self, stages, code=0):
        result = self.check(run("query", "--output", "jsonl", stages, self.trace), code, stages)
        lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
        return lines[:-1], (lines[-1]["answer"] if lines else None), result.stderr.decode()


class Times(Asked):
    ALIKE = {
        f"{PAIR} | where %s | count": ["time", "end", "a.time", "b.time", "time + 0"],
        f"{PAIR} | select time as begun, end - 0 as ended | where %s | count": ["begun", "ended"],
        "limit 100 | where %s | count": ["time"],
        "max(time) by name | where %s | count": ["max"],
        "where %s | count": ["time", "time + 0"],
    }

    def test_texts_beside_columns_of_time_are_times(self):
        for stages, columns in self.ALIKE.items():
            for column in columns:
                with self.subTest(stages=stages, column=column):
                    [row], _, _ = self.ask(stages % f'{column} > "500us"')
                    self.assertEqual([row], self.ask(stages % f"{column} > 500us")[0])
                    self.assertGreater(row["count"], 0)
                    self.assertEqual([row], self.ask(stages % f'{column} in ["500us".."10h"]')[0])

    def test_times_that_only_a_trace_knows_stand_before(self):
        for text in ["end-1s", "+1ms", "12:03:04.5"]:
            stages = f'{PAIR} | where end > "{text}"'
            _, _, said = self.ask(stages, 2)
            self.assertIn("write ns, or put the condition before", said)
            self.assertIn("\n" + " " * (4 + stages.index('"')) + "^", said)

    def test_long_differences_take_no_time(self):
        self.ask("where time" + " - 1" * 190 + ' > "500us" | select time' + " - 1" * 190)

    def test_what_is_no_time_is_an_error(self):
        self.assertIn("^", self.ask(f'{PAIR} | where end > "soon"', 2)[2])

    def test_dates_need_a_clock_that_counts_from_1970(self):
        _, _, said = self.ask(f'{PAIR} | where end > "2013-02-18T12:00:01Z"', 2)
        self.assertIn("does not count from 1970", said)

    def test_durations_are_no_texts(self):
        for stages in [
            f'{PAIR} | where duration > "1ms"',
            'where duration > "1ms" | count',
            f'{PAIR} | select end - time as d | where d in ["1ms"]',
        ]:
            self.assertIn("write 1ms without quotes", self.ask(stages, 2)[2], stages)


class Sides(Asked):
    def test_what_is_named_before_a_pair_is_named_behind_it(self):
        rows, _, said = self.ask(f"{PAIR} | select a.name, a.fields.name as f, b.stream.segment as s, a.common.x as c")
        self.assertEqual([row["f"] for row in rows], ["read", "write"])
        self.assertEqual([row["s"] for row in rows], [0, 0])
        self.assertIn("no event class has a field `common.x`", said)

    def test_no_name_is_suggested_for_itself(self):
        self.assertNotIn("did you mean `x`", self.ask("select common.x, load.x")[2])


class Losses(CommandTest):
    def test_what_a_condition_leaves_out_moves_no_loss(self):
        # Time steps back behind the loss, so that it has none of its own and goes by the event before it.
        made = [("other", 0, 2000), ("other", 5, 1500), ("begin", 6, 1600), ("end", 7, 3000)]
        events = [h.event(name.encode(), counter=counter, start=time, end=time) for name, counter, time in made]
        trace = self.file("trace.heph", h.epoch(0) + b"".join(events))
        printed = self.check(run("print", "-q", "--order", "time", "--records", "all", "--output", "jsonl", trace), 0).stdout.decode()
        self.assertIn('{"loss":{"stream":{"id":1},"events":4}}', printed)
        for front in ("", 'where name != "other" | ', "where time > 1600 or time == 1600 | "):
            result = self.check(run("query", "--output", "jsonl", f"{front}pair begin end", trace), 0)
            pairs = json.loads(result.stdout.splitlines()[-1])["answer"]["pairs"]
            self.assertEqual((pairs["complete"], pairs["void"]), (0, 1), front)


    def test_what_another_trace_lost_counts_unless_the_trace_is_a_key(self):
        def made(name, lost):
            events = [("begin", 0, 1000), ("other", 1 + lost, 1500), ("end", 2 + lost, 2000)]
            return self.file(name, h.epoch(0) + b"".join(h.event(n.encode(), counter=c, start=t, end=t) for n, c, t in events))

        traces = made("whole.heph", 0), made("lossy.heph", 3)
        for stages, want in {
            "pair begin end nested": (0, 2),
            "pair begin end on trace": (1, 1),
            "pair begin end on trace, stream.id": (1, 1),
            "pair begin end on stream.id nested": (0, 2),  # both have one of that id
        }.items():
            result = self.check(run("query", "--output", "jsonl", stages, *traces), 0)
            pairs = json.loads(result.stdout.splitlines()[-1])["answer"]["pairs"]
            self.assertEqual((pairs["complete"], pairs["void"]), want, stages)


class Names(Asked):
    def test_names_of_no_event(self):
        for stages, said in {
            "pair Begin nosuch on task_id": "no event is called `nosuch`",
            "pair Begn End on task_id": "no event is called `Begn`; did you mean `Begin`?",
            'pair Begin "sys_*"': "no event's name matches `sys_*`",
            'where name == "Begn" | count': "no event is called `Begn`; did you mean `Begin`?",
            'where name =~ /^x/ | count': "no event's name matches `/^x/`",
        }.items():
            self.assertIn(said, self.ask(stages)[2], stages)
            self.assertNotIn("field of that name", self.ask(PAIR)[2])

    def test_keys_of_streams(self):
        trace = self.file("trace.heph", h.epoch(0) + h.event(b"poll", h.number(b"id", 1), substream=3))
        for word in ("substream", "counter", "substraem", "common.substream"):
            for question in (f"count by {word}", f"where {word} == 1 | count"):
                near = "counter" if word == "counter" else "substream"
                said = self.check(run("query", question, trace), 0).stderr.decode()
                self.assertIn(f"no event class has a field `{word}`; did you mean `stream.{near}`?", said)
        self.assertIn("did you mean `stream.segment`?", self.ask("count by segment")[2])
        self.assertNotIn("did you mean", self.check(run("query", "count by stream.substream", trace), 0).stderr.decode())

    def test_names_that_events_have(self):
        self.assertEqual(self.ask(PAIR)[2], "")
        self.assertNotIn("no event", self.ask('where name == "Begin" || name == "Later" | limit 1')[2])


class Words(Asked):
    def test_keys_that_no_event_has_are_counted(self):
        _, answer, _ = self.ask("pair Begin End on a.state == b.task_id")
        self.assertEqual((answer["pairs"]["complete"], answer["pairs"]["without_key"]), (0, 2))
        text = run("query", "pair Begin End on a.state == b.task_id", self.trace).stdout.decode()
        self.assertIn("2 events without a key", text)

    def test_fields_of_events_are_named_by_their_side(self):
        said = self.ask(f"{PAIR} | where state > 0", 2)[2]
        self.assertIn("`state` is nothing that is known here; there are time, end, duration, task_id; of its events `a.state` and `b.state`", said)

    def test_events_are_sorted_by_what_is_selected(self):
        self.assertIn("`select` it first", self.ask("sort task_id", 2)[2])

    def test_names_end_where_rows_are_made(self):
        self.assertIn("`let` named it before", self.ask(f"let late = task_id > 3 | {PAIR} | where late", 2)[2])

    def test_conditions_that_drop_all_say_so_once(self):
        said = self.ask(f"{PAIR} | where duration > 1h | where duration > 2h")[2]
        self.assertEqual(said.count("no row meets the condition behind `pair`"), 1)
        self.assertIn("behind `limit`", self.ask("limit 3 | where load > 3")[2])
        self.assertNotIn("no row", self.ask(f"{PAIR} | where duration > 1ns")[2])

    def test_events_without_durations(self):
        for stages in ["where duration > 1ms", "p99(duration)"]:
            self.assertIn("these events have no duration; `pair` makes some", self.ask(stages)[2])
        self.assertNotIn("no duration", self.ask("limit 3")[2])


class Damage(Asked):
    """A thread writes what it has recorded when its buffer is full, so that what is damaged may be of any time of the file."""

    HEAD = w.header() + w.schema(0, "PollStartEvent", [("worker_id", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)])
    HEAD += w.schema(1, "PollEndEvent", [("worker_id", w.VARINT)])
    BROKEN = b"\xff" * 16

    @staticmethod
    def polls(count):
        return b"".join(w.event(0, w.varint(0) + w.varint(7) + w.string("a.rs:1:1"), 10) + w.event(1, w.varint(0), 10) for _ in range(count))

    def behind(self):
        return self.HEAD + w.reset(1000) + self.polls(2)

    def counts(self, data):
        """Pairs that are made and void, and polls that are known and left out."""
        path = self.file("damaged.bin", data)
        answers = [
            run("query", "--format", "dial9", "--output", "jsonl", "pair PollStartEvent PollEndEvent on worker_id | count", path),
            run("latency", "--format", "dial9", "--json", path),
        ]
        self.assertEqual([each.returncode for each in answers], [4, 4], answers[0].stderr)
        pairs = json.loads(answers[0].stdout.decode().splitlines()[-1])["answer"]["pairs"]
        [row] = json.loads(answers[1].stdout)["rows"]
        return (pairs["complete"], pairs["void"]), (row["count"], row.get("left_out", 0))

    def test_what_is_open_behind_damage_is_void_as_for_latency(self):
        self.assertEqual(self.counts(self.HEAD + self.polls(3) + self.BROKEN + self.behind()), ((3, 2), (3, 2)))

    def test_damage_before_the_first_event(self):
        self.assertEqual(self.counts(self.HEAD + self.BROKEN + self.behind()), ((0, 2), (0, 2)))

    def test_damage_before_the_first_class(self):
        self.assertEqual(self.counts(w.header() + self.BROKEN + self.behind()), ((0, 2), (0, 2)))


if __name__ == "__main__":
    unittest.main()

"""Names of slices, waits, tasks and tracks: what tells them apart, how they are shown, and what means them."""

import collections
import json
import types
import unittest

import dial9_writer as w
import perfetto_decoder
from command import CommandTest, run
from worlds import ctf, loss

START = [("worker_id", w.VARINT), ("local_queue", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]
END = [("worker_id", w.VARINT)]
ENTER = [("worker_id", w.VARINT), ("span_id", w.VARINT), ("span_name", w.STRING)]
METADATA = [("entries", w.STRING_MAP)]
US, MS = 1_000, 1_000_000


def polls(places, host=None):
    """Polls on one worker, one behind the other: (place, duration); of a function, a segment too."""
    trace, now, classes = w.header(), 0, {}

    def number(name, fields):
        nonlocal trace
        if name not in classes:
            classes[name] = len(classes)
            trace += w.schema(classes[name], name, fields)
        return classes[name]

    def emit(name, fields, body, time):
        nonlocal trace, now
        of = number(name, fields)
        trace += w.event(of, body, time - now)
        now = time

    if host is not None:
        emit("SegmentMetadataEvent", METADATA, w.string_map(("host", host)), 0)
    time = MS
    for place, duration in places:
        if place.endswith(")"):
            span, enter = w.varint(0) + w.varint(time) + w.string("x"), place[:-1]
            emit(f"SpanEnter:{enter}", ENTER, span, time)
            time += duration
            emit(f"SpanExit:{enter}", ENTER, span, time)
        else:
            emit("PollStartEvent", START, w.varint(0) + w.varint(0) + w.varint(1) + w.string(place), time)
            time += duration
            emit("PollEndEvent", END, w.varint(0), time)
        time += 10 * US
    return trace


CRATES = [("crates/a/src/lib.rs:10:5", 2 * MS)] * 5 + [("crates/b/src/lib.rs:10:5", 3 * MS)] * 7
FUNCTIONS = [("app::routes::get:src/routes.rs:10)", MS)] * 3 + [("app::ddb::get:src/ddb.rs:20)", 2 * MS)] * 2


class Names(CommandTest):
    def trace(self, places, name="t.bin", host=None):
        return self.file(name, polls(places, host))

    def answer(self, command, *args):
        return json.loads(self.check(run(command, "--json", *args), 0).stdout)

    def counts(self, *args):
        return {f"{row.get('category', '')} {row['name']}": row["count"] for row in self.answer("latency", *args)["rows"] if row["count"]}

    def gate(self, path, wish):
        return run("latency", "--require", wish, path).returncode

    def test_places_are_told_apart_by_all_of_them(self):
        path = self.trace(CRATES + FUNCTIONS + [("src/main.rs:5:1", MS), ("src/main.rs:5:9", MS)])
        self.assertEqual(
            self.counts(path),
            {
                "poll a/src/lib.rs:10": 5, "poll b/src/lib.rs:10": 7, "segment routes::get": 3, "segment ddb::get": 2,
                "poll main.rs:5:1": 1, "poll main.rs:5:9": 1,
            },
        )
        full = {row["name"]: row["full_name"] for row in self.answer("latency", path)["rows"]}
        self.assertEqual(full["a/src/lib.rs:10"], "crates/a/src/lib.rs:10:5")
        self.assertEqual(full["ddb::get"], "app::ddb::get:src/ddb.rs:20")

    def test_the_shortest_ending_is_shown(self):
        self.assertEqual(self.counts(self.trace(CRATES[:5] + FUNCTIONS[:3])), {"poll lib.rs:10": 5, "segment get": 3})

    def test_any_ending_means_a_place(self):
        path = self.trace(CRATES + FUNCTIONS)
        for name in ("poll a/src/lib.rs:10", "poll crates/a/src/lib.rs:10", "a/src/lib.rs:10:5", "poll crates/a/src/lib.rs:10:5"):
            self.assertEqual(self.gate(path, f'count("{name}") == 5'), 0, name)
        for name in ("segment ddb::get", "segment app::ddb::get", "segment app::ddb::get:src/ddb.rs:20", "segment ddb.rs:20"):
            self.assertEqual(self.gate(path, f'count("{name}") == 2'), 0, name)
        for name in ("poll c/src/lib.rs:10", "poll ib.rs:10", "et", "segment b::get"):
            self.assertEqual(self.gate(path, f'count("{name}") < 99'), 1, name)

    def test_a_gate_holds_for_each_that_ends_so(self):
        path = self.trace(CRATES)
        self.assertEqual(self.gate(path, 'count("poll lib.rs:10") >= 5'), 0)
        result = run("latency", "--require", 'count("poll lib.rs:10") == 5', path)
        self.assertEqual(result.returncode, 1)
        self.assertIn('of "poll crates/b/src/lib.rs:10:5", it is 7', result.stderr.decode())
        # So it is of a category and a glob: what holds of all together is no answer.
        for name in ("poll", "poll *lib.rs:10", "poll *", "*"):
            self.assertEqual(self.gate(path, f'count("{name}") >= 5'), 0, name)
            self.assertEqual(self.gate(path, f'count("{name}") == 12'), 1, name)

    def test_one_slow_place_among_many_fast_polls(self):
        slow = self.trace([("crates/a/src/lib.rs:10:5", MS // 10)] * 300 + [("crates/b/src/lib.rs:10:5", 9 * MS)] * 2)
        for name in ("poll lib.rs:10", "poll *lib.rs:10", "poll *", "poll", "*"):
            result = run("latency", "--require", f'p99("{name}") < 5ms', slow)
            self.assertEqual(result.returncode, 1, name)
            self.assertIn('of "poll crates/b/src/lib.rs:10:5", it is 9', result.stderr.decode())
        for name in ("poll lib.rs:10", "poll *"):
            result = run("diff", "--require", f'p99("{name}") < 5ms', slow, slow)
            self.assertEqual(result.returncode, 1, name)
            self.assertIn('of "poll crates/b/src/lib.rs:10:5", it is 9', result.stderr.decode())
            self.assertEqual(run("diff", "--require", f'p99("{name}") <= A', slow, slow).returncode, 0)

    def test_why_says_which_it_took(self):
        path = self.trace(CRATES)
        answer = self.answer("why", "--longest", "poll lib.rs:10", path)
        self.assertEqual((answer["name"], answer["of"], answer["alike"]), ("poll b/src/lib.rs:10", 7, ["poll a/src/lib.rs:10"]))
        text = self.check(run("why", "--longest", "poll lib.rs:10", path), 0).stdout.decode()
        self.assertIn("poll a/src/lib.rs:10 is called so too", text)
        answer = self.answer("why", "--longest", "a/src/lib.rs:10", path)
        self.assertEqual((answer["name"], answer["of"], "alike" in answer), ("poll a/src/lib.rs:10", 5, False))

    def test_diff_pairs_what_is_one(self):
        a, b = self.trace(CRATES[:5], "a.bin"), self.trace(CRATES[5:], "b.bin")
        rows = {row["name"]: ("a" in row, "b" in row) for row in self.answer("diff", a, b)["rows"]}
        self.assertEqual(rows, {"a/src/lib.rs:10": (True, False), "b/src/lib.rs:10": (False, True)})
        both = self.trace(CRATES, "c.bin")
        rows = {row["name"]: ("a" in row, "b" in row) for row in self.answer("diff", a, both)["rows"]}
        self.assertEqual(rows, {"a/src/lib.rs:10": (True, True), "b/src/lib.rs:10": (False, True)})
        self.assertEqual(run("diff", "--require", 'count("poll a/src/lib.rs:10") == A', a, both).returncode, 0)

    def test_conditions(self):
        path = self.trace(CRATES)
        spans = lambda text: self.check(run("query", "--output", "jsonl", f"spans | {text}", path), 0).stdout.decode().splitlines()
        rows = [json.loads(line) for line in spans("count by name")]
        self.assertEqual(
            {row["name"]: row["count"] for row in rows if "name" in row}, {"crates/a/src/lib.rs:10:5": 5, "crates/b/src/lib.rs:10:5": 7}
        )
        for where, count in (
            ('name == "lib.rs:10"', 12), ('name == "a/src/lib.rs:10"', 5), ('label == "poll b/src/lib.rs:10:5"', 7),
            ('name in ["b/src/lib.rs:10", "x"]', 7), ('name != "b/src/lib.rs:10"', 5), ('name == "ib.rs:10"', 0),
        ):
            answer = self.answer("latency", "--where", where, path)
            self.assertEqual(sum(row["count"] for row in answer["rows"]), count, where)
            self.assertEqual(json.loads(spans(f"where {where} | count")[0])["count"], count, where)

    def test_pictures_tell_them_apart(self):
        path = self.trace(CRATES)
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-o", out, path), 0)
        names = collections.Counter(s.name for s in perfetto_decoder.Trace(out.read_bytes()).slices if s.category == "poll")
        self.assertEqual(sorted(names.values()), [5, 7])


class Hosts(CommandTest):
    """Two machines with threads, processors and workers of the same numbers."""

    CLASSES = {
        "sched_switch": {
            "prev_comm": "char16", "prev_tid": "i32", "prev_prio": "i32", "prev_state": "i64", "next_comm": "char16", "next_tid": "i32", "next_prio": "i32",
        }
    }

    def kernel(self, name, slices, **env):
        """A thread 100 that runs for each of the times on cpu 0, 10 ms apart."""
        events, time = [], MS
        switch = lambda at, before, after: types.SimpleNamespace(
            time=at, name="sched_switch",
            fields={"prev_comm": before[0], "prev_tid": before[1], "prev_prio": 20, "prev_state": 1 if before[1] else 0,
             "next_comm": after[0], "next_tid": after[1], "next_prio": 20},
        )
        idle, app = ("swapper/0", 0), ("app", 100)
        for duration in slices:
            events += [switch(time, idle, app), switch(time + duration, app, idle)]
            time += duration + 10 * MS
        env = {"domain": "kernel", "tracer_name": "lttng-modules", "tracer_major": 2, "tracer_minor": 13, **env}
        uuid = f"33333333-2222-4333-8444-{sum(name.encode()):012d}"
        return ctf.Trace(self.CLASSES, env=env, offset=1_700_000_000 * 10**9, uuid=uuid).write(
            self.folder / name, {0: [loss.Packet(events, 0, begin=events[0].time, end=events[-1].time)]}
        )

    def answer(self, *args):
        return json.loads(self.check(run("latency", "--json", "--top", "0", *args), 0).stdout)

    def running(self, *paths):
        return {
            (track.get("host"), track["track"]): sum(s["time"] + s.get("open", 0) for s in track["states"] if s["name"] == "running")
            for track in self.answer(*paths)["tracks"] if track["group"] == "task"
        }

    def test_threads_of_two_hosts_are_two(self):
        web, db = self.kernel("web", [MS, MS], hostname="web1"), self.kernel("db", [8 * MS] * 3, hostname="db1")
        self.assertEqual(self.running(web, db), {("web1", "web1: app"): 2 * MS, ("db1", "db1: app"): 24 * MS})
        text = self.check(run("latency", web, db), 0).stdout.decode()
        self.assertIn("\nweb1: cpu 0: ", text)
        self.assertIn("\ndb1: app 100: ", text)
        # One alone needs no name, nor do two traces of one machine.
        self.assertEqual(self.running(web), {(None, "app"): 2 * MS})
        more = self.kernel("more", [4 * MS], hostname="web1")
        self.assertEqual(list(self.running(web, more)), [(None, "app")])

    def test_what_tells_machines_apart(self):
        boots = "01234567-89ab-4cde-8f01-23456789abcd", "11234567-89ab-4cde-8f01-23456789abcd"
        for first, second, machines in (
            ({"hostname": "a", "machine_id": "x"}, {"hostname": "a", "machine_id": "y"}, 2),
            ({"hostname": "a", "machine_id": "x"}, {"hostname": "b", "machine_id": "x"}, 1),
            ({"hostname": "a", "boot_id": boots[0]}, {"hostname": "a", "boot_id": boots[1]}, 2),
            ({"hostname": "a", "boot_id": "abcd-11"}, {"hostname": "a", "boot_id": "efgh-22"}, 1),
            ({"hostname": "a", "machine_id": "x"}, {"hostname": "a"}, 1),
            ({"hostname": "a"}, {}, 2),
        ):
            paths = [self.kernel(f"{number}", [MS], **env) for number, env in enumerate((first, second))]
            self.assertEqual(len(self.running(*paths)), machines, (first, second))

    def test_states_end_with_their_trace(self):
        web, db = self.kernel("web", [MS], hostname="web1"), self.kernel("db", [8 * MS] * 3, hostname="db1")
        states = {
            track["track"]: {s["name"]: (s["time"], s.get("open", 0)) for s in track["states"]}
            for track in self.answer(web, db)["tracks"] if track["group"] == "cpu state" and track["host"] == "web1"
        }
        self.assertEqual(states["running"].get("idle", (0, 0)), (0, 0))

    def test_workers_of_two_hosts(self):
        first, second = self.file("a.bin", polls(CRATES[:5], "web1")), self.file("b.bin", polls(CRATES[:3], "web2"))
        answer = json.loads(run("latency", "--json", first, second).stdout)
        self.assertEqual({(row["host"], row["name"]): row["count"] for row in answer["rows"]}, {("web1", "lib.rs:10"): 5, ("web2", "lib.rs:10"): 3})
        self.assertEqual({t["track"] for t in answer["tracks"] if t["group"] == "worker"}, {"web1: worker 0", "web2: worker 0"})
        failed = run("latency", "--require", 'count("poll lib.rs:10") >= 4', first, second)
        self.assertEqual(failed.returncode, 1)
        self.assertIn('of "web2: poll crates/a/src/lib.rs:10:5", it is 3', failed.stderr.decode())
        # As they are shown.
        self.assertEqual(run("latency", "--require", 'count("web1: poll lib.rs:10") == 5', first, second).returncode, 0)
        why = json.loads(self.check(run("why", "--json", "--longest", "web2: poll lib.rs:10", first, second), 0).stdout)
        self.assertEqual(why["track"], "web2: worker 0")
        self.assertEqual(run("why", "--longest", "web3: poll lib.rs:10", first, second).returncode, 1)
        # What lies before a range says it too.
        part = json.loads(run("latency", "--json", "--begin", "+4ms", first, second).stdout)
        self.assertEqual({row["host"] for row in part["rows"]}, {"web1", "web2"})

    def test_perfetto_names_them(self):
        web, db = self.kernel("web", [MS, MS], hostname="web1"), self.kernel("db", [8 * MS] * 3, hostname="db1")
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-o", out, web, db), 0)
        decoded = perfetto_decoder.Trace(out.read_bytes())
        names = {track.get("name") for track in decoded.tracks.values()}
        self.assertLessEqual({"web1: cpu 0", "db1: cpu 0"}, names)


if __name__ == "__main__":
    unittest.main()

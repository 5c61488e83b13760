"""`query 'samples | ...'`: sampled stacks and what their threads were inside of, compared with the polls of simulated runtimes."""

import json
import unittest

import dial9_writer as w
from command import TRACES, CommandTest, run
from workers_test import COMPRESS, FUTEX, MS, US, poll, recording, short_polls
from worlds import tokio

CASES = TRACES.parent / "cases/services"
WORKER, ANOTHER = 100, 101
COLUMNS = "select time, name, track, tid, thread, inside, symbol, stack"


def sample(time, tid=WORKER, worker=0, source=1, stack=FUTEX):
    return (time, "CpuSampleEvent", worker, tid, source, "tokio-rt-worker", stack)


def unpark(time, tid=WORKER, worker=0):
    return (time, "WorkerUnparkEvent", worker, 0, tid)


def park(time, tid=WORKER, worker=0):
    return (time, "WorkerParkEvent", worker, 0, tid)


class Samples(CommandTest):
    def ask(self, stages, *args, code=(0,)):
        """The rows of the answer, what it is made of, and what is said beside."""
        result = run("query", "--output", "jsonl", stages, *args)
        self.assertIn(result.returncode, code, result.stderr)
        lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
        return lines[:-1], lines[-1]["answer"], result.stderr.decode()

    def trace(self, *events):
        return self.file("t.bin", recording(*sorted(events, key=lambda event: event[0])))

    def inside(self, *events):
        """{time: inside} of the samples among the events."""
        rows, *_ = self.ask("samples | select time, inside", self.trace(*events))
        return {row["time"]: row["inside"] for row in rows}

    def count(self, condition, trace):
        return self.ask(f"samples | where {condition} | count", trace)[0][0]["count"]


class WorldsTest(Samples):
    """A sample is inside a poll where its thread was the worker of a poll that went on."""

    def said_and_true(self, seed, loss):
        world = tokio.World(seed)
        folder = self.folder / f"{seed}{loss}"
        folder.mkdir()
        path = world.record_one(folder, loss).paths[0]
        rows, answer, _ = self.ask("samples | where name != \"dump\" | select time, tid, inside", path, code=(0, 4))
        polls = world.runtime.polls

        def truth(row):
            return [p for p in polls if p.thread.tid == row["tid"] and p.begin <= row["time"] and (p.end is None or p.end >= row["time"])]

        return [(row, truth(row)) for row in rows], answer["samples"]

    def check_world(self, variant, loss, rounds=range(1, 30)):
        known = 0
        for turn in rounds:
            seed = turn * len(tokio.VARIANTS) + tokio.VARIANTS.index(variant)
            rows, counts = self.said_and_true(seed, loss)
            wrong = []
            for row, polls in rows:
                if row["inside"] is None:
                    continue
                known += 1
                said = row["inside"].partition(" > ")[0]
                if not said and not polls:
                    continue
                # Once another thread has the worker it is none any more.
                if not said and any(p.handed_over for p in polls):
                    continue
                if not any(said == f"poll {p.task.place.removeprefix('src/').rsplit(':', 1)[0]}" for p in polls):
                    wrong.append((row, polls))
            with self.subTest(seed=seed, loss=loss):
                self.assertLessEqual(len(wrong), counts["perhaps_inside"], wrong[:1])
                if loss == tokio.NONE:
                    self.assertEqual((len(wrong), counts["doubtful"], counts["perhaps_inside"]), (0, 0, 0))
        self.assertGreater(known, 30)

    def test_workers_that_sleep_wait_and_are_preempted(self):
        self.check_world("samples", tokio.NONE)

    def test_with_losses(self):
        for loss in tokio.LOSSES:
            self.check_world("samples", loss)

    def test_workers_that_are_handed_over(self):
        for loss in (tokio.NONE, *tokio.LOSSES):
            self.check_world("block_in_place", loss)


class RulesTest(Samples):
    def test_blocking_inside_a_poll_and_idle_parking(self):
        events = (unpark(US), *poll(MS, 2 * MS), park(3 * MS), unpark(9 * MS), *poll(10 * MS, 12 * MS))
        found = self.inside(*events, sample(1500 * US), sample(2500 * US), sample(5 * MS), sample(11 * MS))
        self.assertEqual(found, {1500 * US: "poll a.rs:1", 2500 * US: "", 5 * MS: "", 11 * MS: "poll a.rs:1"})
        trace = self.folder / "t.bin"
        for condition, count in (('inside("poll")', 2), ('!inside("poll")', 2), ('inside("poll a.rs:1")', 2), ('inside("a.rs:1")', 2),
                                 ('inside("src/a.rs:1:1")', 2), ('inside("park")', 0), ('inside ~ "poll*"', 2), ('inside == ""', 2),
                                 ('inside("poll") && symbol == "futex_wait"', 2), ('track == "worker 0" && inside("poll")', 2)):
            self.assertEqual(self.count(condition, trace), count, condition)

    def test_a_thread_that_is_not_the_worker(self):
        events = (unpark(US), *poll(MS, 20 * MS), sample(2 * MS), sample(3 * MS, ANOTHER), sample(4 * MS, 7, worker=255))
        rows, *_ = self.ask(f"samples | {COLUMNS}", self.trace(*events))
        self.assertEqual([(row["track"], row["tid"], row["inside"]) for row in rows],
                         [("worker 0", WORKER, "poll a.rs:1"), (f"thread {ANOTHER}", ANOTHER, ""), ("no worker", 7, "")])
        # Where no park says whose the worker is, its number counts.
        self.assertEqual(self.inside(*poll(MS, 20 * MS), sample(2 * MS)), {2 * MS: "poll a.rs:1"})

    def test_columns(self):
        events = (*short_polls(), *poll(MS, 2 * MS), sample(1500 * US, source=0, stack=COMPRESS))
        rows, answer, said = self.ask(f"samples | {COLUMNS}", self.trace(*events))
        self.assertEqual(rows, [{"time": 1500 * US, "name": "on cpu", "track": "worker 0", "tid": WORKER, "thread": "tokio-rt-worker",
                                 "inside": "poll a.rs:1", "symbol": "app::compress", "stack": "app::compress"}])
        self.assertEqual((answer["samples"], said), ({"sampled": 1, "doubtful": 0, "perhaps_inside": 0}, ""))
        rows, *_ = self.ask("samples", self.folder / "t.bin")
        self.assertEqual(list(rows[0]), ["time", "name", "track", "inside", "symbol"])
        text = run("query", "samples | count by symbol", self.folder / "t.bin").stdout.decode()
        self.assertIn("1 sample; none lost", text)

    def test_behind_a_loss_it_is_unknown(self):
        content = recording(unpark(US), *poll(MS, 2 * MS), (3 * MS, "PollStartEvent", 0, 0, 1, "src/a.rs:1:1"))
        behind = recording(sample(4 * MS), (5 * MS, "PollEndEvent", 0), sample(6 * MS))
        rows, answer, said = self.ask("samples | select time, inside", self.file("t.bin", content + b"\xff\xff" * 4 + behind), code=(4,))
        # Until the end of the file anything may be missing.
        self.assertEqual([row["inside"] for row in rows], [None, None])
        self.assertEqual(answer["samples"]["doubtful"], 2)

    def test_what_began_before_the_trace(self):
        trace = self.trace(unpark(US), sample(2 * MS), (3 * MS, "PollEndEvent", 0), sample(4 * MS))
        rows, answer, said = self.ask("samples | select inside", trace)
        self.assertEqual((rows, answer["samples"]["perhaps_inside"]), ([{"inside": ""}] * 2, 1))
        self.assertIn("1 sample was taken before the end of what had begun before the trace, which `inside` does not know of them", said)

    def test_a_part_of_the_time(self):
        events = (unpark(US), *poll(MS, 20 * MS), sample(2 * MS), sample(11 * MS), sample(15 * MS))
        rows, answer, _ = self.ask("samples | select time, inside", self.trace(*events), "--begin", "0.010", "--end", "0.012")
        self.assertEqual(rows, [{"time": 11 * MS, "inside": "poll a.rs:1"}])
        self.assertEqual(answer["samples"]["sampled"], 1)

    def test_no_sample(self):
        rows, answer, said = self.ask("samples", self.file("t.bin", w.ticks(3)))
        self.assertEqual((rows, answer["samples"]["sampled"]), ([], 0))
        self.assertIn("no sampled stack is in what was asked for", said)

    def test_wrong_usage(self):
        trace = self.trace(*poll(MS, 2 * MS))
        for asked, said in (("samples | where inside(5) | count", "inside() wants a text"), ("count | samples", "`samples` comes first"),
                            ("samples | where job == 1 | count", "`job` is nothing that is known here"), ("samples all", "the next stage")):
            self.assertIn(said, self.check(run("query", asked, trace), 2).stderr.decode())
        said = self.check(run("query", "samples | count", "--where", "tid == 1", trace), 2).stderr.decode()
        self.assertIn("a condition on events does not go with `samples`", said)


@unittest.skipUnless(CASES.exists(), f"{CASES} is not there")
class CasesTest(Samples):
    def test_block_in_place(self):
        """The poll of 30 ms ran on another thread than the samples are of."""
        rows, *_ = self.ask('samples | count by track, tid, inside("poll") as blocks', CASES / "block_in_place_samples.bin")
        self.assertEqual(rows, [{"track": "thread 100", "tid": 100, "blocks": False, "count": 3}])

    def test_stacks(self):
        rows, *_ = self.ask("samples | count by stack", CASES / "inline.bin")
        self.assertEqual({row["stack"]: row["count"] for row in rows}, {
            "app::parse_json < app::handle < tokio::Harness::poll < main": 20, "app::hash_password < app::handle < tokio::Harness::poll < main": 20})
        rows, *_ = self.ask('samples | count by name, inside("poll") as blocks', CASES / "profile_only.bin")
        self.assertEqual({row["name"]: (row["blocks"], row["count"]) for row in rows}, {"on cpu": (False, 100), "descheduled": (False, 10)})


if __name__ == "__main__":
    unittest.main()

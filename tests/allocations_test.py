"""`query 'allocations | ...'`: sampled allocations and whether they are live, compared with the worlds that made them and with the
weights of folded stacks."""

import collections
import json
import math
import unittest

import dial9_writer as w
from command import TRACES, CommandTest, run
from pprof_test import HEADER, META, MIB, RATE, SYMBOLS, alloc, free, symbol, weight
from worlds import tokio_heap

MEMORY = TRACES.parent / "cases/services/memory.bin"
SEEDS = range(1, 9)
OVERFLOW = w.schema(7, "MemoryProfileOverflowEvent", [("dropped_allocs", w.VARINT), ("dropped_frees", w.VARINT)])


class Allocations(CommandTest):
    def ask(self, stages, trace, *args, code=0):
        """The rows of the answer, what it is made of, and what is said beside."""
        result = self.check(run("query", "--output", "jsonl", stages, trace, *args), code)
        lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
        return lines[:-1], lines[-1]["answer"], result.stderr.decode()

    def trace(self, *frames):
        return self.file("t.bin", HEADER + b"".join(frames))

    def folded(self, kind, trace, *args):
        """Bytes by the stack, the innermost function first."""
        out = run("convert", "-q", "--to", "folded", "--weight", kind, *args, "-o", "-", trace).stdout.decode()
        stacks = (line.rsplit(" ", 1) for line in out.splitlines())
        return {" < ".join(reversed(stack.split(";"))): int(value) for stack, value in stacks}

    def bytes_by(self, key, condition, trace, *args):
        rows, *_ = self.ask(f"allocations | where {condition} | sum(weight_bytes) as bytes by {key}", trace, *args)
        return {row[key]: row["bytes"] for row in rows}

    def assert_close(self, found, expected):
        self.assertEqual(found.keys(), expected.keys())
        for key, value in expected.items():
            self.assertTrue(math.isclose(found[key], value, rel_tol=1e-9, abs_tol=0.6), (key, found[key], value))


class WorldsTest(Allocations):
    """What the world did is what is said."""

    def setUp(self):
        super().setUp()
        self.worlds = [(world := tokio_heap.World(seed), world.record(self.folder_of(seed))) for seed in SEEDS]

    def folder_of(self, seed):
        folder = self.folder / str(seed)
        folder.mkdir()
        return folder

    def test_each_allocation(self):
        columns = "time, size, weight, weight_bytes, live, freed_at, lifetime, symbol, stack, tid, address"
        for world, path in self.worlds:
            rows, answer, said = self.ask(f"allocations | select {columns}", path)
            expected = {
                made.time: {
                    "time": made.time, "size": made.size, "live": made.freed_at is None, "freed_at": made.freed_at,
                    "lifetime": made.freed_at and made.freed_at - made.time, "symbol": made.stack[0], "stack": " < ".join(made.stack),
                    "tid": made.tid, "address": made.address,
                }
                for made in world.sampled()
            }
            weights = {row["time"]: (row.pop("weight"), row.pop("weight_bytes")) for row in rows}
            self.assertEqual({row["time"]: row for row in rows}, expected)
            self.assertEqual(len(rows), len(expected))
            for made in world.sampled():
                true = made.weight(world.rate)
                for found, value in zip(weights[made.time], (true, true * made.size)):
                    self.assertTrue(math.isclose(found, value, rel_tol=1e-12))
            live = sum(made.freed_at is None for made in world.sampled())
            self.assertEqual(answer["allocations"], {"sampled": len(rows), "live": live, "untracked": 0, "not_held": 0, "unscaled": 0, "unmatched_frees": 0})
            self.assertEqual(said, "")

    def test_bytes_are_those_of_folded_stacks(self):
        for _, path in self.worlds:
            self.assert_close(self.bytes_by("stack", "true", path), self.folded("bytes", path))
            self.assert_close(self.bytes_by("stack", "live", path), self.folded("live-bytes", path))

    def test_what_is_live_at_a_moment(self):
        for world, path in self.worlds:
            moments = sorted(made.time for made in world.sampled())
            for moment in (moments[len(moments) // 3], moments[-2]):
                expected = collections.Counter()
                for made in world.sampled():
                    if made.live_at(moment):
                        expected[made.stack[0]] += made.size * made.weight(world.rate)
                condition = f"time <= {moment}ns && (live || freed_at > {moment}ns)"
                self.assert_close(self.bytes_by("symbol", condition, path), expected)
                end = ("--end", f"{moment // 10**9}.{moment % 10**9:09}")
                self.assert_close(self.bytes_by("symbol", "live", path, *end), expected)
                self.assert_close(self.bytes_by("stack", "live", path, *end), self.folded("live-bytes", path, *end))

    def test_from_a_begin_on(self):
        for world, path in self.worlds:
            moment = sorted(made.time for made in world.sampled())[len(world.sampled()) // 2]
            begin = ("--begin", f"{moment // 10**9}.{moment % 10**9:09}")
            rows, *_ = self.ask("allocations | select time, live", path, *begin)
            expected = {made.time for made in world.sampled() if made.freed_at is None or made.freed_at >= moment}
            self.assertEqual({row["time"] for row in rows}, expected)
            self.assert_close(self.bytes_by("stack", "live", path, *begin), self.folded("live-bytes", path, *begin))

    def test_they_stand_for_all_that_was_allocated(self):
        """Sums of weights are about what there was: within five standard deviations."""
        for world, path in self.worlds:
            for condition, chosen in (("true", world.allocations), ("live", [a for a in world.allocations if a.freed_at is None])):
                rows, *_ = self.ask(f"allocations | where {condition} | sum(weight_bytes) as bytes, sum(weight) as count", path)
                spread = math.sqrt(sum(made.size**2 * (made.weight(world.rate) - 1) for made in chosen))
                self.assertLessEqual(abs(rows[0]["bytes"] - sum(made.size for made in chosen)), 5 * spread + 1)
                spread = math.sqrt(sum(made.weight(world.rate) - 1 for made in chosen))
                self.assertLessEqual(abs(rows[0]["count"] - len(chosen)), 5 * spread + 1)

    def test_several_traces(self):
        paths = [path for _, path in self.worlds[:3]]
        rows, *_ = self.ask("allocations | count by trace", paths[0], *paths[1:])
        self.assertEqual(sorted(row["count"] for row in rows), sorted(len(world.sampled()) for world, _ in self.worlds[:3]))

    def test_partial_answers_add_up(self):
        parts = []
        for number, (_, path) in enumerate(self.worlds[:3]):
            parts.append(self.folder / f"{number}.part")
            self.check(run("query", "-q", "allocations | where live | sum(weight_bytes) by symbol", "--partial", parts[-1], path), 0)
        merged = [json.loads(line) for line in run("query", "--output", "jsonl", "--merge", *parts).stdout.decode().splitlines()]
        whole, answer, _ = self.ask("allocations | where live | sum(weight_bytes) by symbol", *[path for _, path in self.worlds[:3]])
        column = "sum(weight_bytes)"
        self.assert_close({row["symbol"]: row[column] for row in merged[:-1]}, {row["symbol"]: row[column] for row in whole})
        self.assertEqual(merged[-1]["answer"]["allocations"], answer["allocations"])


@unittest.skipUnless(MEMORY.exists(), f"{MEMORY} is not there")
class MemoryTest(Allocations):
    def test_what_allocates_and_what_leaks(self):
        made = self.bytes_by("symbol", "true", MEMORY)
        self.assertAlmostEqual(made["app::tmp"] / MIB, 100, delta=0.2)
        live = self.bytes_by("symbol", "live", MEMORY)
        self.assertEqual(list(live), ["leaky::grow"])
        self.assertAlmostEqual(live["leaky::grow"] / MIB, 40, delta=0.1)
        self.assert_close(self.bytes_by("stack", "live", MEMORY), self.folded("live-bytes", MEMORY))
        self.assert_close(self.bytes_by("stack", "true", MEMORY), self.folded("bytes", MEMORY))
        rows, answer, said = self.ask("allocations | where live | count by size", MEMORY)
        self.assertEqual(rows, [{"size": 4 * MIB, "count": 10}])
        self.assertEqual(answer["lost"], 1290)
        self.assertIn("events were lost, perhaps frees too: what those freed counts as live", said)


class RulesTest(Allocations):
    GROW, TEMPORARY = (0x1010, 0x3030), (0x2020, 0x3030)

    def test_what_is_shown_by_itself(self):
        trace = self.trace(SYMBOLS, META, alloc(1024, 0x100, *self.GROW), free(0x100), alloc(64, 0x200, *self.GROW))
        rows, answer, said = self.ask("allocations", trace)
        self.assertEqual([(row["size"], row["live"], row["lifetime"], row["symbol"]) for row in rows], [(1024, False, 1000, "leaf"), (64, True, None, "leaf")])
        self.assertEqual(list(rows[0]), ["time", "size", "weight_bytes", "live", "lifetime", "symbol"])
        self.assertTrue(math.isclose(rows[0]["weight_bytes"], 1024 * weight(1024)))
        self.assertEqual((answer["read"], said), (7, ""))
        text = run("query", "allocations | where live | sum(weight_bytes)", trace).stdout.decode()
        self.assertIn(f"{RATE / 1024 + 0.03:.1f} KiB", text)
        self.assertIn("2 sampled allocations, 1 live at the end; none lost", text)

    def test_where_frees_are_not_tracked_it_is_not_known_what_is_live(self):
        trace = self.trace(META, alloc(64, 0, *self.GROW), alloc(64, 0x200, *self.GROW))
        rows, answer, said = self.ask("allocations | select size, live, address", trace)
        self.assertEqual([row["live"] for row in rows], [None, True])
        self.assertEqual([row["address"] for row in rows], [None, 0x200])
        self.assertEqual((answer["allocations"]["untracked"], answer["allocations"]["live"]), (1, 1))
        self.assertIn("frees of 1 allocation are not tracked: `live` is unknown, and they are in no figure of what is live", said)
        for condition, count in (("live", 1), ("!live", 0), ("live ?? true", 2), ("!has(live)", 1)):
            rows, *_ = self.ask(f"allocations | where {condition} | count", trace)
            self.assertEqual([row["count"] for row in rows], [count], condition)

    def test_without_a_rate_each_counts_once(self):
        rows, answer, said = self.ask("allocations | select weight, weight_bytes", self.trace(alloc(64, 0x100, *self.GROW)))
        self.assertEqual((rows, answer["allocations"]["unscaled"]), ([{"weight": 1, "weight_bytes": 64}], 1))
        self.assertIn("1 allocation was sampled at a rate that is not recorded: each counts once", said)

    def test_what_was_freed_at_an_unknown_time(self):
        # Its address is used again; and a free says that it is of another allocation.
        free_of_another = w.event(3, w.u32(7) + w.varint(0x200) + w.varint(0) + w.varint(77), 1000)
        trace = self.trace(META, alloc(1, 0x100), alloc(2, 0x100), alloc(3, 0x200), free_of_another, free(0x300))
        rows, answer, _ = self.ask("allocations | select size, live, freed_at, lifetime | sort size", trace)
        unknown = {"freed_at": None, "lifetime": None}
        self.assertEqual(rows, [{"size": 1, "live": False, **unknown}, {"size": 2, "live": True, **unknown}, {"size": 3, "live": False, **unknown}])
        self.assertEqual(answer["allocations"]["unmatched_frees"], 1)

    def test_lost_frees(self):
        lost = OVERFLOW + w.event(7, w.varint(0) + w.varint(3), 10)
        sentence = "events were lost, perhaps frees too: what those freed counts as live"
        self.assertIn(sentence, self.ask("allocations", self.trace(META, alloc(64, 0x100), lost))[2])
        self.assertNotIn(sentence, self.ask("allocations", self.trace(META, alloc(64, 0x100), free(0x100), lost))[2])

    def test_stacks(self):
        inlined = symbol(0x1000, "outer") + symbol(0x1000, "inner", 1) + symbol(0x3000, "main")
        trace = self.trace(inlined, META, alloc(64, 0x100, *self.GROW), alloc(64, 0x200, 0x9999, 0x3030), alloc(64, 0x300))
        rows, *_ = self.ask("allocations | select symbol, stack", trace)
        self.assertEqual([row["symbol"] for row in rows], ["inner", "0x9999", None])
        self.assertEqual([row["stack"] for row in rows], ["inner < outer < main", "0x9999 < main", None])
        for function, count in (("inner", 1), ("outer", 1), ("main", 0)):
            rows, *_ = self.ask(f'allocations | where symbol == "{function}" | count', trace)
            self.assertEqual(rows[0]["count"], count, function)

    def test_quantities(self):
        trace = self.trace(META, alloc(2 * MIB, 0x100), free(0x100), alloc(64, 0x200))
        for condition, count in (("size > 1MiB", 1), ("weight_bytes > 100KiB", 2), ("lifetime >= 1us", 1), ("lifetime > 1us", 0)):
            rows, *_ = self.ask(f"allocations | where {condition} | count", trace)
            self.assertEqual(rows[0]["count"], count, condition)
        self.assertIn("freed_at", run("query", "allocations | where frede_at > 1 | count", trace).stderr.decode())

    def test_more_than_are_followed(self):
        most, more = 1 << 20, 5
        one = alloc(64, 1 << 28)
        before, behind = one.split(w.varint(1 << 28))
        made = (before + w.varint((1 << 28) + i) + behind for i in range(most + more))
        trace = self.trace(META, *made, free((1 << 28) + 7), free((1 << 28) + most))
        rows, answer, _ = self.ask("allocations | count by live", trace)
        self.assertEqual(rows, [{"live": None, "count": more}, {"live": False, "count": 1}, {"live": True, "count": most - 1}])
        self.assertEqual((answer["allocations"]["not_held"], answer["allocations"]["unmatched_frees"]), (more, 1))

    def test_wrong_usage(self):
        trace = self.trace(META, alloc(64, 0x100))
        said = self.check(run("query", "allocations | count", "--where", "size > 1", trace), 2).stderr.decode()
        self.assertIn("a condition on events does not go with `allocations`", said)
        for option in (("--table", "x.toml"), ("--explain",)):
            self.check(run("query", "allocations | count", *option, trace), 2)

    def test_no_allocation(self):
        rows, answer, said = self.ask("allocations | count", self.trace(META))
        self.assertEqual((rows[0]["count"], answer["allocations"]["sampled"]), (0, 0))
        self.assertIn("no sampled allocation is in what was asked for", said)

    def test_broken_input(self):
        rows, *_ = self.ask("allocations | count", self.trace(META, alloc(64, 0x100), b"\xff\xff"), code=4)
        self.assertEqual(rows[0]["count"], 1)
        # Fields of other types than a recorder writes are no numbers and no stacks.
        odd = w.schema(8, "AllocEvent", [("tid", w.STRING), ("size", w.STRING), ("addr", w.F64), ("callchain", w.VARINT)])
        trace = self.trace(META, odd, w.event(8, w.string("x") + w.string("y") + w.f64(1) + w.varint(3), 10))
        rows, *_ = self.ask("allocations | select size, live, symbol, stack", trace)
        self.assertEqual(rows, [{"size": 0, "live": None, "symbol": None, "stack": None}])


if __name__ == "__main__":
    unittest.main()

"""Partial answers: what parts of a trace, or thousands of traces, add up to is the answer over all of it."""

import gzip
import json
import os
import random
import subprocess
import sys
import unittest

import dial9_writer as w
from command import BIN, MEASURED, ROOT, CommandTest, is_sanitized, run
from query_pipelines.pipelines import Pipelines, text_of
from query_pipelines.traces import ALL
from query_pipelines_test import FIRST_SEED, SEEDS, TraceTest, is_near, is_number, parse_answer
from tband_test import event as tband_event

SCHEMA = w.header() + w.schema(0, "Tick", [("key", w.VARINT), ("n", w.VARINT)])


def same(got, want):
    """Whether two values are equal, sums of reals but for rounding."""
    if is_number(got) and is_number(want):
        return isinstance(got, float) == isinstance(want, float) and is_near(got, want, 1e-12 if isinstance(want, float) else 0, 1e-6)
    return got == want


def same_rows(got, want):
    if [[name for name, _ in row] for row in got] != [[name for name, _ in row] for row in want]:
        return False
    return all(same(value, wanted) for row, other in zip(got, want) for (_, value), (_, wanted) in zip(row, other))


class Parts(TraceTest):
    def windows(self, lines, rng):
        """Options that divide a trace by time into up to four parts, in order."""
        times = sorted({line["time"] for line in lines if "time" in line})
        cuts = sorted(rng.sample(times[1:], min(len(times) - 1, rng.randint(1, 3))))
        return [
            [*(["--begin", str(begin)] if begin else []), *(["--end", str(end - 1)] if end else [])]
            for begin, end in zip([None, *cuts], [*cuts, None])
        ]

    def ask(self, seed, kind, operands, lines):
        """What is wrong with the parts of a random pipeline's answer; nothing if they do not add up."""
        rng = random.Random(seed)
        text = text_of(Pipelines(seed, kind).pipeline(), rng)
        if text.startswith("pair") or "| pair" in text:
            return None
        # Events without a time may be of several windows.
        how = ["--order", "time", "--where", "time == time", *operands]
        whole = self.check(run("query", "-q", text, "--output", "jsonl", *how), 0)
        parts = []
        for number, window in enumerate(self.windows(lines, rng)):
            parts.append(self.folder / f"{number}.part")
            result = run("query", "-q", text, *window, "--partial", parts[-1], *how)
            if result.returncode == 2:
                self.assertIn(b"option '--partial': partial answers", result.stderr)
                return None
            self.check(result, 0, text)
        self.asked += 1
        together = self.check(run("query", "--merge", "-q", "--output", "jsonl", *parts), 0)
        rows, counts = parse_answer(together.stdout)
        want, whole_counts = parse_answer(whole.stdout)
        if not same_rows(rows, want):
            return f"{kind.__name__}: {text}: {rows[:3]}, not {want[:3]}"
        self.assertEqual((counts["partial_answers"], counts["selected"]), (len(parts), whole_counts["selected"]), text)
        return None

    def test_random_pipelines(self):
        self.asked = 0
        traces = [self.trace(kind, FIRST_SEED + 1) for kind in ALL]
        wrong = [self.ask(FIRST_SEED + i, *traces[i % len(traces)]) for i in range(SEEDS)]
        self.assertEqual(list(filter(None, wrong)), [])
        self.assertGreater(self.asked, SEEDS // 10)


class Files(CommandTest):
    def part(self, name, question, content, *args):
        path = self.folder / name
        self.check(run("query", "-q", question, "--partial", path, *args, "-", stdin=content), 0)
        return path

    def merged(self, *args, code=0):
        result = self.check(run("query", "--merge", "--output", "jsonl", *args), code)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return lines[:-1], lines[-1]["answer"] if lines else None, result.stderr.decode()

    def test_stages_behind_the_aggregates_come_last(self):
        # In each part another key has most; together it is the one that is second in both.
        contents = [SCHEMA + b"".join(w.event(0, w.varint(key) + w.varint(1), delta=1) for key in keys) for keys in ([1] * 5 + [2] * 4, [3] * 5 + [2] * 4)]
        question = "count, sum(n) by key | where count > 4 | top 1 by count | select key, count * 10 as tens"
        parts = [self.part(f"{i}.part", question, content) for i, content in enumerate(contents)]
        rows, counts, _ = self.merged(*parts)
        self.assertEqual(rows, [{"key": 2, "tens": 80}])
        self.assertEqual((counts["read"], counts["partial_answers"]), (18, 2))
        # Parts of parts.
        all_of_it = self.folder / "all.part"
        self.check(run("query", "-q", "--merge", *parts, "--partial", all_of_it), 0)
        self.assertEqual(self.merged(all_of_it)[:2], (rows, counts))
        self.assertEqual(self.merged("-", *parts, code=3)[:2], (rows, counts))
        # Their names in a list.
        names = self.file("names", "".join(f"{part}\n" for part in parts).encode())
        self.assertEqual(self.merged("--files-from", names)[:2], (rows, counts))

    def test_the_condition_beside_is_part_of_the_question(self):
        content = SCHEMA + b"".join(w.event(0, w.varint(i % 3) + w.varint(i), delta=1) for i in range(30))
        with_it = self.part("a.part.gz", "where n > 3 | count", content, "--where", 'key == 1 or key == 2', "--where", "has(n)")
        self.assertEqual(gzip.open(with_it).read(8), b"TDPART\r\n")
        self.assertEqual(self.merged(with_it)[0], [{"count": 18}])
        without = self.part("b.part", "where  n>3 |count", content)
        spaced = self.part("c.part", "where n > 3\n| count", content)
        self.assertEqual(self.merged(without, spaced)[0], [{"count": 52}])
        rows, counts, said = self.merged(without, with_it, spaced, code=3)
        self.assertEqual((rows, counts["partial_answers"]), ([{"count": 52}], 2))
        self.assertIn("only answers to the same question add up", said)
        self.assertIn("a.part.gz", said)

    def test_estimates_are_called_so(self):
        def part(name, first, last):
            return self.part(name, "distinct(n) as ns, distinct(key) as keys | sort keys", SCHEMA + b"".join(w.event(0, w.varint(i % 3) + w.varint(i), delta=1) for i in range(first, last)))

        few = part("few.part", 0, 1024)
        rows, counts, _ = self.merged(few, part("same.part", 3, 900))
        self.assertEqual((rows, "estimates" in counts), ([{"ns": 1024, "keys": 3}], False))
        parts = [few, part("more.part", 1000, 3000)]
        rows, counts, _ = self.merged(*parts)
        self.assertLess(abs(rows[0]["ns"] - 3000), 200)
        self.assertEqual((rows[0]["keys"], counts["estimates"]), (3, ["ns"]))
        said = run("query", "--merge", *parts).stdout.decode()
        self.assertRegex(said, rf"~{rows[0]['ns']} +3\n(.|\n)*; estimates, about 2 % off: ns\n")
        said = run("query", "--merge", "--output", "csv", *parts)
        self.assertEqual(said.stdout.decode(), f"ns,keys\n{rows[0]['ns']},3\n")
        self.assertIn("estimates, about 2 % off: ns", said.stderr.decode())

    def test_keys_of_distinct(self):
        content = SCHEMA + b"".join(w.event(0, w.varint(i % 3) + w.varint(i), delta=1) for i in range(9))
        digits = "0123456789abcdef0123456789ABCDEF"
        key = self.file("key", f"{digits[:16]}\n {digits[16:]}\n".encode())
        usual = self.part("usual.part", "distinct(n)", content)
        one = self.part("one.part", "distinct(n)", content, "--partial-key", key)
        same = self.part("same.part", "distinct(n)", content, "--partial-key", digits)
        self.assertEqual(one.read_bytes(), same.read_bytes())
        self.assertNotIn(bytes.fromhex(digits), one.read_bytes())
        self.assertEqual(self.merged(one, same)[0], [{"distinct(n)": 9}])
        rows, counts, said = self.merged(one, usual, code=3)
        self.assertEqual((rows, counts["partial_answers"]), ([{"distinct(n)": 9}], 1))
        self.assertIn(f"made with another key for `distinct` than {one}", said)
        self.assertEqual(self.merged("--partial-key", digits, usual, one, code=3)[0], [{"distinct(n)": 9}])
        said = self.check(run("query", "distinct(n)", "--partial-key", self.file("bad", b"12"), "-", stdin=content), 2).stderr.decode()
        self.assertIn("a key is of 32 hexadecimal digits", said)

    def test_pairs_are_of_each_part(self):
        schema = w.header() + w.schema(0, "A", [("key", w.VARINT)]) + w.schema(1, "B", [("key", w.VARINT)])
        content = schema + b"".join(w.event(i % 2, w.varint(1), delta=100) for i in range(11))
        parts = [self.part(f"{i}.part", "pair A B on key | count, sum(duration) by key", content) for i in range(3)]
        rows, counts, _ = self.merged(*parts)
        self.assertEqual(rows, [{"key": 1, "count": 15, "sum(duration)": 1500}])
        self.assertEqual((counts["pairs"]["complete"], counts["pairs"]["without_end"]), (15, 3))

    def test_times_that_may_be_in_ticks_are_called_so(self):
        frames = b"".join(tband_event(4 + i % 2, 100 + i, 7) for i in range(6))
        said = "times and durations may not be in ns: of the traces that partial answers are of, 2 did not say how long a tick is, and 1 ns was taken"
        for number, (question, is_of_times) in enumerate((("count, max(time) by name", True), ("count by task_id", False), ("count every 1us", True), ("where time > 3 | count", True))):
            parts = [self.part(f"{number}.{i}.part", question, frames, "--format", "tband") for i in range(2)]
            parts.append(self.part(f"{number}.known.part", question, tband_event(2, 1000) + frames, "--format", "tband"))
            self.assertEqual(said in self.merged(*parts)[2], is_of_times, question)
            both = self.folder / f"{number}.part"
            self.check(run("query", "-q", "--merge", *parts, "--partial", both), 0)
            self.assertEqual(said in self.merged(both)[2], is_of_times, question)
            self.assertNotIn("may not be in ns", self.merged(parts[-1])[2])

    def test_what_is_unsound_is_left_out_as_a_whole(self):
        content = SCHEMA + b"".join(w.event(0, w.varint(i % 3) + w.varint(i), delta=1) for i in range(30))
        good = self.part("good.part", "p50(n), count by key", content)
        want = self.merged(good)[:2]
        bytes_of = good.read_bytes()
        self.assertIn(f"(the one of 0.1.0 is {bytes_of[8]};", (ROOT / "docs/query.md").read_text(encoding="utf-8"))
        # The block behind the question, the mark of the key and the counts.
        starts = [9]
        while starts[-1] < len(bytes_of):
            starts.append(starts[-1] + 12 + int.from_bytes(bytes_of[starts[-1]:][:4], "little"))
        at, end = starts[3], starts[4]
        cases = {
            "cut": (bytes_of[:-5], "is cut short, and nothing of it is used"),
            "longer": (bytes_of + b"x", "is damaged here"),
            "flipped": (bytes_of[:60] + bytes([bytes_of[60] ^ 1]) + bytes_of[61:], "is damaged here"),
            "newer": (bytes_of[:8] + b"\x07" + bytes_of[9:], "is of version 7, and this program reads version 6"),
            "older": (bytes_of[:8] + b"\x05" + bytes_of[9:], "is of version 5, and this program reads version 6; write it anew"),
            "doubled": (bytes_of[:at] + bytes_of[at:end] * 2 + bytes_of[end:], "is damaged here"),
            "empty": (b"", "this is no partial answer"),
            "a trace": (content, "this is no partial answer"),
            "cut gzip": (gzip.compress(bytes_of)[:-20], "is cut short there"),
        }
        for name, (damaged, sentence) in cases.items():
            bad = self.file(name, damaged)
            for order in ((bad, good), (good, bad)):
                rows, counts, said = self.merged(*order, code=3)
                self.assertEqual((rows, counts), want, name)
                self.assertIn(sentence, said)
                self.assertIn(str(bad), said)
            self.assertEqual(self.merged(bad, code=3)[0], [])
        self.assertIn("there is no such file", self.merged(self.folder / "none", good, code=3)[2])

    def test_what_is_named_twice_is_said(self):
        part = self.part("a.part", "count", SCHEMA + w.event(0, w.varint(1) + w.varint(2), delta=1))
        link = self.folder / "b.part"
        link.symlink_to(part)
        other = self.part("c.part", "count", SCHEMA + w.event(0, w.varint(1) + w.varint(2), delta=1))
        rows, _, said = self.merged(part, other, part)
        self.assertEqual(rows, [{"count": 3}])
        self.assertIn(f"{part} is named more than once, and counts as often", said)
        self.assertIn(f"{link} is the file {part} too, and counts once more", self.merged(part, link)[2])
        self.assertNotIn("counts", self.merged(part, other)[2])

    def test_usage(self):
        trace = self.file("trace", SCHEMA)
        said = self.check(run("query", "--merge", "count by name", trace), 2).stderr.decode()
        self.assertIn("--merge takes no STAGES", said)
        self.assertIn("leave out 'count by name'", said)
        lost = self.folder / "nowhere" / "x.part"
        self.assertIn(f"{lost}: there is no such", run("query", "count", trace, "--partial", lost).stderr.decode())
        for args, sentence in (
            (["--merge"], "'--merge' needs FILEs"),
            (["--merge", "--where", "n > 1", "x"], "option '--where' does not go with '--merge'"),
            (["--merge", "--partial", "y", "--json", "x"], "option '--json' does not go with '--partial'"),
            (["count", "--output", "csv", "--partial", "y", trace], "option '--output' does not go with '--partial'"),
            (["select n", "--partial", "y", trace], "this query has none"),
            (["limit 5 | count", "--partial", "y", trace], "it is about all events together\n    limit 5 | count\n    ^^^^^^^"),
            (["sort time | first(time)", "--partial", "y", trace], "it is about all events together"),
        ):
            result = self.check(run("query", *args, cwd=self.folder), 2)
            self.assertIn(sentence, result.stderr.decode())
        self.assertFalse((self.folder / "y").exists())
        self.check(run("query", "count", "--partial", self.folder / "no" / "y", trace), 2)
        self.check(run("query", "count", "--partial", "y", "missing", cwd=self.folder), 3)
        self.assertEqual(list(self.folder.glob("y*")), [])
        printed = self.check(run("query", "count", "--partial", "-", trace), 0)
        self.assertTrue(printed.stdout.startswith(b"TDPART"))
        self.assertIn(b"0 events read", printed.stderr)


@unittest.skipIf(is_sanitized(), "sanitizers take memory of their own")
class Many(CommandTest):
    def merge(self, parts):
        """The rows, which were made within 64 MiB."""
        out = self.folder / "out"
        with out.open("wb") as file:
            command = [sys.executable, "-c", MEASURED, BIN, "query", "--merge", "-q", "--output", "jsonl", *map(os.fspath, parts)]
            measured = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=True)
        self.assertLess(int(measured.stderr), 64 << 10)
        return [json.loads(line) for line in out.read_bytes().splitlines()]

    def test_a_thousand_hosts(self):
        made = []
        for host in range(8):
            content = SCHEMA + b"".join(w.event(0, w.varint(i % 50) + w.varint(i * (host + 1)), delta=1) for i in range(2000))
            path = self.folder / f"{host}.part"
            self.check(run("query", "-q", "count, sum(n), p99(n), distinct(n) by key", "--partial", path, "-", stdin=content), 0)
            made.append(path)
        parts = [self.folder / f"host{i:04}.part" for i in range(1000)]
        for i, path in enumerate(parts):
            os.link(made[i % 8], path)
        *rows, answer = self.merge(parts)
        self.assertEqual(answer["answer"]["partial_answers"], 1000)
        self.assertEqual(answer["answer"]["read"], 2_000_000)
        self.assertEqual([row["count"] for row in rows], [40_000] * 50)
        want = [125 * sum(i * host for host in range(1, 9) for i in range(key, 2000, 50)) for key in range(50)]
        self.assertEqual([row["sum(n)"] for row in rows], want)

    def test_many_groups(self):
        count = 60_000
        parts = []
        for part in range(4):
            content = SCHEMA + b"".join(w.event(0, w.varint(i * 7919 % count + part * count // 2) + w.varint(i % 1000), delta=1) for i in range(count))
            parts.append(self.folder / f"{part}.part")
            self.check(run("query", "-q", "count, p50(n) by key", "--partial", parts[-1], "-", stdin=content), 0)
        *rows, answer = self.merge(parts)
        self.assertEqual(len(rows), count * 5 // 2)
        self.assertEqual(sum(row["count"] for row in rows), 4 * count)
        self.assertEqual([row["key"] for row in rows], list(range(count * 5 // 2)))


if __name__ == "__main__":
    unittest.main()

"""Pages, decoded from docs/page.md alone, against the marks they were made of."""

import base64
import collections
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKS = os.environ.get("PAGE_MARKS", str(ROOT / "build/release/bin/page-marks"))
BEGIN, END, INSTANT, STATE, COUNTER, FLOW_OUT, FLOW_IN, WAIT, GAP = range(9)
NO_DURATION = 1 | 2 | 4 | 8 | 128 | 256
MOVED, REAL, OPEN = 256, 1024, 2
CONTINUED = 65536


class Block:
    def __init__(self, data):
        self.data, self.at = data, 0

    def v(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def s(self):
        value = self.v()
        return value >> 1 if value & 1 == 0 else -((value + 1) >> 1)

    def take(self, size):
        self.at += size
        return self.data[self.at - size : self.at]


class Page:
    """The blocks and the index of a page."""

    def __init__(self, text):
        self.text = text
        blocks = re.findall(r'<script type=b id=b(\d+)>"([A-Za-z0-9+/=]*)"</script>', text)
        self.blocks = {int(number): data for number, data in blocks}
        index = re.search(r'<script type="application/json" id=index>(.*?)</script>', text, re.S)[1]
        assert "<" not in index
        self.index = json.loads(index)

    def block(self, number):
        return Block(zlib.decompress(base64.b64decode(self.blocks[number]), wbits=-15))

    def slices(self, row):
        """(begin, end, name, flags, earlier, cpu, spent, arguments) of a row."""
        found = []
        for number, first, last, count, *rest in row[4]:
            made = self.slices_of_block(number, first, row[0] == 4)
            assert len(made) == count
            assert min(s[0] for s in made) == (rest[0] if rest else first)
            assert max(s[1] for s in made) == last
            found += made
        assert len(found) == row[3]
        return found

    def slices_of_block(self, number, first, waits):
        block = self.block(number)
        count, columns = block.v(), block.v()
        table = [block.v() for _ in range(block.v())]
        block.v()
        gaps = [block.s() if waits else block.v() for _ in range(count)]
        block.v()
        lengths = [block.v() for _ in range(count)]
        wide = columns & 1
        places = struct.unpack(f"<{count}{'H' if wide else 'B'}", block.take(count * (2 if wide else 1)))
        flags, at = {}, 0
        for _ in range(block.v()):
            at += block.v()
            flag = block.v()
            flags[at] = (flag, block.v() if flag & CONTINUED else 0)
        cpus = [block.v() - 1 for _ in range(count)] if columns & 2 else [-1] * count
        spent = [block.s() for _ in range(count)] if columns & 4 else [0] * count
        texts = [block.take(block.v()) for _ in range(count)] if columns & 8 else [b""] * count
        assert block.at == len(block.data)
        found, time = [], first
        for i in range(count):
            if waits:
                time += gaps[i]
                begin, end = time - lengths[i], time
            else:
                begin = time + gaps[i]
                end = time = begin + lengths[i]
            found.append((begin, end, table[places[i]], *flags.get(i, (0, 0)), cpus[i], spent[i], texts[i]))
        return found

    def points(self, row):
        found = []
        for number, first, _, _ in row[4]:
            block = self.block(number)
            count, real = block.v(), block.v()
            block.v()
            times, time = [], first
            for _ in range(count):
                time += block.v()
                times.append(time)
            block.v()
            value = 0
            for at in times:
                value = struct.unpack("<d", block.take(8))[0] if real else value + block.s()
                found.append((at, value))
        return found

    def flows(self):
        found = []
        for number, first, _, count, *_ in self.index["flows"]:
            block = self.block(number)
            assert block.v() == count
            end = first
            for _ in range(count):
                end += block.s()
                begin = end - block.s()
                found.append((begin, end, block.v(), block.v()))
        return found

    def pyramid(self, row):
        """Levels of bins (share, count byte, longest byte, name)."""
        block = self.block(row[5])
        sizes = [block.v() for _ in range(block.v())]
        wide = block.v()
        table = [block.v() for _ in range(block.v())]
        levels = []
        for size in sizes:
            share, count, longest = block.take(size), block.take(size), block.take(size)
            names = struct.unpack(f"<{size}{'H' if wide else 'B'}", block.take(size * (2 if wide else 1)))
            levels.append(list(zip(share, count, longest, (table[name] for name in names))))
        assert block.at == len(block.data)
        return levels

    def details(self):
        """By (kind, name): (longest, noted)."""
        found = {}
        for number, *keys in self.index["details"]:
            for key, lists in zip(keys, json.loads(self.block(number).data)):
                found[key >> 32, key & 0xFFFFFFFF] = lists
        return found


def make(shape, count, **environment):
    """A page and its marks."""
    with tempfile.TemporaryDirectory() as folder:
        page, marks = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "marks.jsonl")
        subprocess.run([MARKS, shape, str(count), page, marks], check=True, capture_output=True,
                       env={**os.environ, **environment}, timeout=300)
        return Page(page.read_text("utf-8")), [json.loads(line) for line in marks.read_text("utf-8").splitlines()]


class Interpretation:
    """What is to be found in the page, kept as simply as can be."""

    def __init__(self, marks, base, end):
        self.slices = collections.Counter()  # (track, begin, end, name)
        self.durations = collections.defaultdict(list)  # of (kind, name)
        self.selves = collections.Counter()
        self.instants, self.waits = collections.Counter(), collections.Counter()
        self.states, self.points = collections.Counter(), collections.defaultdict(list)
        self.flows, self.gaps = [], []
        stacks, states, left = collections.defaultdict(list), {}, {}
        for m in marks:
            kind, track, time, name = m["kind"], m["track"], m["time"] - base, m["name"]
            if kind == BEGIN:
                stacks[track].append([time, m["flags"] & ~MOVED, 0])
            elif kind == END:
                begin, flags, inside = stacks[track].pop()
                flags |= m["flags"]
                self.slices[track, begin, time, name] += 1
                whole = time - (begin if m["flags"] & MOVED else m["value"] - base)
                if stacks[track]:
                    stacks[track][-1][2] += time - begin
                if not flags & NO_DURATION:
                    self.durations[0, name].append(whole)
                    self.selves[name] += whole - inside
            elif kind == INSTANT:
                self.instants[track, time, name] += 1
            elif kind == STATE:
                if track in states:
                    self.end_state(track, *states[track], time, m["value"], name == 0)
                states[track] = (time, name, m["cpu"])
            elif kind == COUNTER:
                self.points[track].append((time, m["real"] if m["flags"] & REAL else m["value"]))
            elif kind == FLOW_OUT:
                left[m["value"]] = (time, track)
            elif kind == FLOW_IN and m["value"] in left:
                self.flows.append((left[m["value"]][0], time, left[m["value"]][1], track))
            elif kind == WAIT:
                self.waits[track, m["value"] - base, time, name] += 1
                self.durations[4, name].append(time - (m["value"] - base))
            elif kind == GAP:
                self.gaps.append([m["value"] - base, time, name, track])
        for track, state in states.items():
            self.end_state(track, *state, end, 0, True)

    def end_state(self, track, begin, name, cpu, time, spent, unknown):
        if name == 0 or time <= begin:
            return
        self.states[track, begin, time, name, cpu, spent] += 1
        if not unknown:
            self.durations[1, name].append(time - begin)


@unittest.skipUnless(os.path.exists(MARKS), "page-marks is not built")
class PageTest(unittest.TestCase):
    def compare(self, page, marks):
        index = page.index
        base = int(index["base"])
        expected = Interpretation(marks, base, index["span"])
        seen = {kind: collections.Counter() for kind in range(5)}
        points = {}
        for row in index["rows"]:
            kind, track = row[0], row[1]
            if kind == 3:
                points[track] = page.points(row)
                continue
            slices = page.slices(row)
            if kind != 4:
                for before, after in zip(slices, slices[1:]):
                    self.assertLessEqual(before[1], after[0], "slices of a row overlap")
            for begin, end, name, _, _, cpu, spent, _ in slices:
                key = {0: (track, begin, end, name), 1: (track, begin, end, name, cpu, spent),
                       2: (track, begin, name), 4: (track, begin, end, name)}[kind]
                seen[kind][key] += 1
        self.assertEqual(seen[0], expected.slices)
        self.assertEqual(seen[1], expected.states)
        self.assertEqual(seen[2], expected.instants)
        self.assertEqual(seen[4], expected.waits)
        self.assertEqual(points, dict(expected.points))
        self.assertEqual(page.flows(), expected.flows)
        self.assertEqual(index["gaps"], expected.gaps)
        self.compare_tallies(index, expected)

    def compare_tallies(self, index, expected):
        tallies = {(t["kind"], t["name"]): t for t in index["tallies"] if t["count"]}
        self.assertEqual(set(tallies), set(expected.durations))
        for (kind, name), durations in expected.durations.items():
            tally, durations = tallies[kind, name], sorted(durations)
            self.assertEqual(tally["count"], len(durations))
            self.assertEqual(tally["total"], sum(durations))
            self.assertEqual(tally["max"], durations[-1])
            self.assertEqual(sum(count for _, count in tally["parts"]), len(durations))
            if kind == 0:
                self.assertEqual(tally["self"], expected.selves[name])
            for key, part in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
                exact = durations[max(0, math.ceil(round(part * len(durations), 6)) - 1)]
                self.assertLessEqual(abs(tally[key] - exact), 0.004 * exact, (kind, name, key))

    def test_disorder(self):
        page, marks = make("odd", 0)
        self.compare(page, marks)
        names = [""] + [text for _, text in page.index["names"]]
        flags = {(names[s[2]], s[0]): s[3] for row in page.index["rows"] if row[0] == 0 for s in page.slices(row)}
        self.assertEqual(flags["c", 0], 1)
        self.assertEqual(flags["a", 700], 8)
        self.assertEqual(flags["a", 800], 4)
        self.assertEqual(flags["a", 1100], 128)
        self.assertEqual(flags["a", 1200], MOVED)
        self.assertEqual(flags["a", 1300], CONTINUED)
        self.assertEqual(flags["b", 1700], OPEN)
        counts = dict(map(tuple, page.index["counts"]))
        self.assertEqual(counts["flows that arrive without having left"], 1)

    def test_style_and_scripts_are_small(self):
        page, _ = make("runtime", 1)
        parts = re.findall(r"<style>\n(.*?)</style>|<script>\n(.*?)</script>", page.text, re.S)
        self.assertEqual(len(parts), 2)
        self.assertLessEqual(sum(len("".join(part).encode()) for part in parts), 60 * 1024)

    def test_a_runtime_of_each_size(self):
        for count in (1, 1000, 60_000):
            with self.subTest(count=count):
                self.compare(*make("runtime", count))

    def test_little_memory_gives_the_same_marks(self):
        self.compare(*make("runtime", 40_000, PAGE_MEMORY="200000"))

    def test_pyramids_say_what_slices_do(self):
        page, _ = make("flat", 100_000)
        row = page.index["rows"][0]
        first, width, slices = row[4][0][1], 2 ** row[6], page.slices(row)
        levels = page.pyramid(row)
        self.assertLessEqual(len(levels[0]) * 16, row[3] + 16)
        self.assertLessEqual(len(levels[-1]), 64)
        for level, bins in enumerate(levels):
            size = width * 4**level
            taken, begun = [0] * len(bins), [0] * len(bins)
            longest, names = [(0, 0)] * len(bins), [set() for _ in bins]
            for begin, end, name, *_ in slices:
                begun[(begin - first) // size] += 1
                for i in range((begin - first) // size, (max(end - 1, begin) - first) // size + 1):
                    taken[i] += min(end, first + (i + 1) * size) - max(begin, first + i * size)
                    names[i].add(name)
                    longest[i] = max(longest[i], (end - begin, 0))
            for i, (share, count, length, name) in enumerate(bins):
                self.assertEqual(share == 0, not names[i])
                if not names[i]:
                    continue
                self.assertLessEqual(abs(share - taken[i] / size * 255), 1)
                self.assertEqual(count >= 128, len(names[i]) > 1)
                expected = 0 if begun[i] == 0 else min(127, 1 + int(math.log2(begun[i]) * 4))
                self.assertEqual(count & 127, expected)
                self.assertEqual(length, 1 + int(math.log2(longest[i][0]) * 4))
                self.assertIn(name, names[i])

    def test_the_longest_have_their_arguments(self):
        page, marks = make("runtime", 20_000)
        longest = collections.defaultdict(list)
        begins, tasks = collections.defaultdict(list), {}
        for m in marks:
            if m["kind"] == BEGIN:
                begins[m["track"]].append(m.get("task_id"))
            if m["kind"] == END:
                longest[m["name"]].append((m["time"] - m["value"], m["value"]))
                tasks[m["name"], m["value"], m["track"]] = begins[m["track"]].pop()
        base, rows = int(page.index["base"]), page.index["rows"]
        slices = [page.slices(row) if row[0] == 0 else None for row in rows]
        for (kind, name), (kept, _) in page.details().items():
            if kind != 0:
                continue
            self.assertEqual([s[4] for s in kept], sorted((d for d, _ in longest[name]), reverse=True)[:1000])
            for row, at, begin, end, duration, _, *arguments in kept:
                self.assertEqual(slices[row][at][:3], (begin, end, name))
                self.assertEqual(duration, end - begin)
                task = tasks[name, begin + base, rows[row][1]]
                self.assertEqual(arguments[0]["task_id"] if arguments else None, task)

    def test_all_arguments(self):
        page, marks = make("runtime", 3_000, PAGE_ALL="1")
        expected = collections.Counter(m["task_id"] for m in marks if m["kind"] == BEGIN and "task_id" in m)
        seen = collections.Counter(json.loads(s[7])["task_id"] for row in page.index["rows"] if row[0] == 0
                                   for s in page.slices(row) if s[7])
        self.assertEqual(seen, expected)

    def test_marked_slices_keep_their_arguments(self):
        page, _ = make("odd", 0)
        noted = [s for (kind, _), lists in page.details().items() if kind == 0 for part in lists for s in part if len(s) > 6]
        self.assertEqual([s[6] for s in noted], [{"task_id": 42, "where": "here"}])

    def test_names_that_want_out(self):
        page, _ = make("hostile", 0)
        self.assertNotIn("onerror", re.sub(r"<script type=\"application/json\".*?</script>", "", page.text, flags=re.S))
        self.assertEqual(page.text.count("<script"), page.text.count("</script>"))
        for category, text in page.index["names"]:
            self.assertLessEqual(len(text.encode()), 1024 + 3)
        self.assertIn("__proto__", [text for _, text in page.index["names"]])


if __name__ == "__main__":
    unittest.main()

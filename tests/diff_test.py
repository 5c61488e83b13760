"""`tracedeck diff`: two traces side by side, and what is beyond chance, computed here in a second way."""

import bisect
import collections
import itertools
import json
import math
import random
import statistics
import unittest

import dial9_writer as w
import heph_writer as h
import jsonschema
from command import ROOT, TRACES, CommandTest, needs_traces, parse_lines, run

MOST_BLOCKS = 64
KINDS = 12


def trace(slices, marks=(), damage=()):
    """A dial9 trace of slices (begin, duration, kind), `KIND_begin{id}` and `KIND_end{id}`, of single events (time, name),
    and of times at which bytes are damaged."""
    kinds = sorted({kind for _, _, kind in slices})
    names = [f"{kind}_{side}" for kind in kinds for side in ("begin", "end")] + sorted({name for _, name in marks})
    schemas = b"".join(w.schema(i, name, [("id", w.VARINT)]) for i, name in enumerate(names))
    frames = [w.header(), schemas]
    events = [(time, 2, name, 0) for time, name in marks] + [(time, 3, None, 0) for time in damage]
    for number, (begin, duration, kind) in enumerate(slices):
        events.append((begin, 0, f"{kind}_begin", number))
        events.append((begin + duration, 1, f"{kind}_end", number))
    now = 0
    for time, _, name, number in sorted(events, key=lambda event: event[:2]):
        if name is None:
            frames += [b"\xff", w.header(), schemas, w.reset(time)]
        elif time - now >= 1 << 24:
            frames.append(w.reset(time))
        if name is None or time - now >= 1 << 24:
            now = time
        if name is not None:
            frames.append(w.event(names.index(name), w.varint(number), time - now))
            now = time
    return b"".join(frames)


def steady(rng, count, *, kinds=("job",), scale=10_000, length=1_000_000_000):
    """Independent slices, spread over `length` ns, of exponential durations."""
    return [
        (rng.randrange(length), round(rng.expovariate(1 / scale)), rng.choice(kinds)) for _ in range(count)
    ]


def bursts(rng, count, length=1_000_000_000):
    """The same, each 100 of them slow or fast together."""
    slices = []
    for _ in range(count // 100):
        at, scale = rng.randrange(length), rng.choice([1_000, 30_000])
        slices += [(at + rng.randrange(1_000_000), round(rng.expovariate(1 / scale)), "job") for _ in range(100)]
    return slices


# The second way: docs/timeline.md, in fractions and by integration.


def choose(n, k):
    return math.comb(n, k) if 0 <= k <= n else 0


def fisher(x, n, m, hits):
    """Twice the probability of the tail that x is in, where x of `hits` among n + m values are among the n."""
    if x * (n + m) < hits * n:
        x, n, m = hits - x, m, n
    others = n + m - hits
    tail, term = 0, choose(hits, x) * choose(others, n - x)
    for i in range(x, min(hits, n) + 1):
        tail += term
        # That of i + 1: what it is divided by divides it.
        term = term * (hits - i) * (n - i) // ((i + 1) * (others - n + i + 1))
    return min(1.0, 2 * tail / choose(n + m, n))


def student(t, freedom):
    """How probable it is to be beyond t, both ways: Simpson's rule over the angle whose tangent is t / sqrt(freedom)."""
    steps = 4000
    angle = math.atan(t / math.sqrt(freedom))
    width = (math.pi / 2 - angle) / steps

    def density(i):
        return max(0.0, math.cos(angle + i * width)) ** (freedom - 1)

    area = density(0) + density(steps) + sum((4 if i % 2 else 2) * density(i) for i in range(1, steps))
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return 2 * scale * area * width / 3


def residuals(blocks):
    hits, size = (sum(column) for column in zip(*blocks))
    return [h - s * hits / size for h, s in blocks]


def block_variance(blocks):
    """Of hits / size, if blocks do not depend on each other."""
    count, size = len(blocks), sum(s for _, s in blocks)
    return sum(value**2 for value in residuals(blocks)) * count / (count - 1) / size**2


def equal_blocks(blocks):
    return sum(s for _, s in blocks) ** 2 / sum(s * s for _, s in blocks)


def freedom_of(blocks):
    hits = sum(h for h, _ in blocks)
    blocks_hit = hits**2 / sum(h * h for h, _ in blocks) if hits else equal_blocks(blocks)
    return max(1, min(equal_blocks(blocks), blocks_hit) - 1)


def neighbours(values, reach):
    """(sum, variance, blocks) of weighed products of blocks less than `reach` apart, in units of the mean square."""
    count, squares = len(values), sum(value**2 for value in values)
    if squares <= 0:
        return 0, 0, 0
    total = varying = 0
    for apart in range(1, min(reach, count)):
        weight = 1 - apart / reach
        products = [x * y for x, y in zip(values, values[apart:])]
        total += weight * (sum(products) + squares * (count - apart) / count**2)
        varying += weight**2 * sum(product**2 for product in products)
    return total * count / squares, varying * (count / squares) ** 2, count


def look_at_neighbours(a, b):
    """How much more longer blocks vary, and the evidence that blocks depend on each other."""
    more, evidence = 1, 0
    for reach in (2, 4, 8, 16, 24):
        sides = [neighbours(values, reach) for values in (a, b)]
        total, variance, count = (sum(column) for column in zip(*sides))
        if variance <= 0:
            continue
        evidence = max(evidence, total / math.sqrt(variance), *(t / math.sqrt(v) - 1.2 for t, v, _ in sides if v > 0))
        if reach <= 8:
            more = max(more, 1 + 2 * total / count)
    return more, evidence


def most_evidence(values):
    if values >= 1000:
        return 2.6
    if values >= 300:
        return 2.6 - 0.5 * math.log(1000 / values) / math.log(1000 / 300)
    return 2.1 * (values - 40) / 260


def rank_blocks(slices, all_values):
    """Sums of the ranks of values among all, and the variance of a rank."""
    ordered = sorted(all_values)
    def rank(value):
        return (bisect.bisect_left(ordered, value) + bisect.bisect_right(ordered, value)) / 2 / len(ordered)
    ends = [begin + duration for begin, duration in slices]
    blocks = collections.defaultdict(lambda: [0, 0])
    for number, (_, duration) in zip(in_blocks(min(ends), max(ends), ends), slices):
        blocks[number][0] += rank(duration)
        blocks[number][1] += 1
    variance = sum((rank(value) - 0.5) ** 2 for value in ordered) / len(ordered)
    return [tuple(block) for _, block in sorted(blocks.items())], variance


DEPENDENT, UNTOLD = "dependent", "untold"


def with_blocks(probability, a, b, variance, known):
    """Of the difference of the ratios of two lists of blocks; `known` are the slices of both."""
    values = min(len(side) for side in known)
    if values < 40 or min(len(a), len(b)) < 24:
        return UNTOLD
    ranks = [rank_blocks(side, [duration for _, duration in side]) for side in known]
    more, evidence = look_at_neighbours(*(residuals(blocks) for blocks, _ in ranks))
    _, own = look_at_neighbours(residuals(a), residuals(b))
    if evidence > most_evidence(values) or own > most_evidence(values) + 0.9:
        return DEPENDENT
    sizes = [sum(s for _, s in blocks) for blocks in (a, b)]
    real = []
    for blocks, size, (ranked, of_rank) in zip((a, b), sizes, ranks):
        ratio = max(1, block_variance(ranked) / (of_rank / size))
        of_values, of_blocks = variance / size * ratio, block_variance(blocks)
        freedom = freedom_of(blocks) if of_blocks > of_values else equal_blocks(blocks) - 1
        real.append((max(of_values, of_blocks) * more, freedom))
    total = sum(v for v, _ in real)
    freedom = total**2 / sum(v * v / f for v, f in real)
    deviations = -statistics.NormalDist().inv_cdf(probability / 2) if probability < 1 else 0
    return student(deviations / math.sqrt(total / sum(variance / size for size in sizes)), freedom)


def chance_of_shares(known, part):
    threshold = near([duration for side in known for _, duration in side], part)
    a, b = (share_blocks(side, threshold) for side in known)
    hits_a, size_a = (sum(column) for column in zip(*a))
    hits_b, size_b = (sum(column) for column in zip(*b))
    hits, share = hits_a + hits_b, (hits_a + hits_b) / (size_a + size_b)
    extremes = fisher(min(hits, size_a), size_a, size_b, hits), fisher(max(0, hits - size_b), size_a, size_b, hits)
    if min(extremes) > 0.01:
        return UNTOLD
    return with_blocks(fisher(hits_a, size_a, size_b, hits), a, b, share * (1 - share), known)


def chance_of_medians(known):
    """Of ranks; where the shares above the median of both do not differ too, that of those."""
    everything = [duration for side in known for _, duration in side]
    (a, variance), (b, _) = (rank_blocks(side, everything) for side in known)
    means = [sum(h for h, _ in blocks) / len(side) for blocks, side in zip((a, b), known)]
    deviations = abs(means[0] - means[1]) / math.sqrt(variance * sum(1 / len(side) for side in known))
    ranks, shares = with_blocks(math.erfc(deviations / math.sqrt(2)), a, b, variance, known), chance_of_shares(known, 0.5)
    for what in (UNTOLD, DEPENDENT):
        if what in (ranks, shares):
            return what
    return ranks if shares <= 0.025 else max(ranks, shares)


def in_blocks(first, last, times):
    """Numbers of blocks of `times`."""
    shift = 0
    while (last >> shift) - (first >> shift) >= MOST_BLOCKS:
        shift += 1
    return [time >> shift for time in times]


def near(values, part):
    """The least value of those that divide the sorted values best at a quantile; values below 256 are exact."""
    values = sorted(values)
    return min(
        sorted(set(values)), key=lambda value: abs(sum(v >= value for v in values) / len(values) - (1 - part))
    )


def share_blocks(slices, threshold):
    ends = [begin + duration for begin, duration in slices]
    numbers = in_blocks(min(ends), max(ends), ends)
    blocks = collections.defaultdict(lambda: [0, 0])
    for number, (_, duration) in zip(numbers, slices):
        blocks[number][0] += duration >= threshold
        blocks[number][1] += 1
    return [tuple(block) for _, block in sorted(blocks.items())]


class DiffTest(CommandTest):
    def diff(self, a, b, *args, code=0, **more):
        result = self.check(run("diff", *args, a, b, **more), code)
        return result.stdout.decode(), result.stderr.decode()

    def answer(self, a, b, *args, code=0, **more):
        answer = json.loads(self.diff(a, b, "--json", *args, code=code, **more)[0])
        schema = json.loads((ROOT / "docs/json/diff.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(answer)
        return answer

    def pair(self, a, b):
        return self.file("a.bin", a), self.file("b.bin", b)


def marks(answer):
    """What is beyond chance."""
    rows = [
        (row["name"], figure)
        for row in answer["rows"]
        for figure in ("rate", "p50", "p99")
        if row.get(figure, {}).get("beyond_chance")
    ]
    return rows + [
        (each["name"], "events") for each in answer["events"] if each.get("rate", {}).get("beyond_chance")
    ]


class Figures(DiffTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        self.slices_a = steady(rng, 3000, kinds=("x", "y"))
        self.slices_b = steady(rng, 2000, kinds=("x", "z"), length=2_000_000_000)
        ticks = [(rng.randrange(1_000_000_000), "tick") for _ in range(50)]
        self.a, self.b = self.pair(trace(self.slices_a, ticks), trace(self.slices_b))

    def test_are_those_of_latency(self):
        answer = self.answer(self.a, self.b)
        for side, path in (("a", self.a), ("b", self.b)):
            latency = json.loads(self.check(run("latency", "--json", path), 0).stdout)
            want = {
                row["name"]: {key: row[key] for key in ("count", "total", "p50", "p99", "max", "left_out", "open") if key in row}
                for row in latency["rows"]
            }
            self.assertEqual({row["name"]: row[side] for row in answer["rows"] if side in row}, want)
            self.assertEqual(answer[side]["counts"], latency["counts"])
            self.assertEqual(answer[side]["tables"], latency["tables"])
            self.assertEqual((answer[side]["begin"], answer[side]["end"]), (latency["begin"], latency["end"]))

    def test_counts_of_events(self):
        answer = self.answer(self.a, self.b)
        for side, path in (("a", self.a), ("b", self.b)):
            printed = parse_lines(self.check(run("print", "--output", "jsonl", path), 0).stdout)
            want = collections.Counter(dict(line)["name"] for line in printed)
            self.assertEqual({each["name"]: each[side]["count"] for each in answer["events"] if side in each}, want)
            self.assertEqual(answer[side]["events"], len(printed))

    def test_order_and_headings(self):
        answer = self.answer(self.a, self.b)
        self.assertEqual([row["name"] for row in answer["rows"]], ["x", "y", "z"])
        text = self.diff(self.a, self.b)[0]
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^A .*a\.bin: 6,050 events, [\d.]+m?s; no losses")
        self.assertRegex(lines[1], r"^B .*b\.bin: 4,000 events, 2\.00s; no losses")
        self.assertIn("3 of 3 names", lines[2])
        # x came half as often a second in B, and as fast.
        self.assertRegex(text, r"(?m)^beyond chance\n  x +1,\d+ +1,\d+ +-\d+ %\* ")
        self.assertRegex(text, r"(?m)^only in A *\n  y ")
        self.assertRegex(text, r"(?m)^only in B *\n  z ")
        self.assertEqual(marks(answer)[0], ("x", "rate"))
        self.assertIn(("tick", "events"), marks(answer))

    def test_top(self):
        kinds = [f"k{i:02}" for i in range(30)]
        rng = random.Random(2)
        a, b = self.pair(*(trace(steady(rng, 300, kinds=kinds)) for _ in "ab"))
        text = self.diff(a, b)[0]
        self.assertEqual(len([line for line in text.splitlines() if line.startswith("  k")]), 20)
        self.assertIn("and 10 more; --top 0 shows all", text)
        self.assertNotIn(" more;", self.diff(a, b, "--top", "0")[0])
        self.assertEqual(len(self.answer(a, b)["rows"]), 30)
        self.assertEqual(len(self.answer(a, b, "--top", "7")["rows"]), 7)

    def test_options_are_of_both(self):
        long = self.answer(self.a, self.b, "--where", "duration > 20us", "--by", "track")
        for side, slices in (("a", self.slices_a), ("b", self.slices_b)):
            want = collections.Counter(kind for _, duration, kind in slices if duration > 20_000)
            self.assertEqual({row["name"]: row[side]["count"] for row in long["rows"] if side in row}, want)
        self.assertTrue(all("by" in row for row in long["rows"]))
        late = self.answer(self.a, self.b, "--begin", "+500ms")
        for side, slices in (("a", self.slices_a), ("b", self.slices_b)):
            # Each from its own first event on.
            begin = min(begin for begin, _, _ in slices) + 500_000_000
            if side == "a":
                begin = self.answer(self.a, self.b)["a"]["begin"] + 500_000_000
            want = collections.Counter(kind for start, duration, kind in slices if start + duration >= begin)
            self.assertEqual({row["name"]: row[side]["count"] for row in late["rows"] if side in row}, want)
            self.assertGreaterEqual(late[side]["begin"], begin)
            counted = sum(each[side]["count"] for each in late["events"] if side in each)
            self.assertLess(counted, 2 * len(slices))

    def test_which_tables_were_applied(self):
        b, a = (self.check(run("latency", "--explain", each), 0).stdout.decode() for each in (self.b, self.a))
        self.assertEqual(self.diff(self.a, self.a, "--explain"), (a, ""))
        # What both have is there once.
        both = self.diff(self.b, self.a, "--explain")[0]
        self.assertTrue(both.startswith(b))
        for table in a.split("\ntable = "):
            self.assertEqual(both.count(table.strip("\n")), 1)

    def test_traces_of_a_list_and_their_clocks(self):
        want = self.diff(self.a, self.b, "--json")[0]
        listed = self.file("list", f"{self.a}\n{self.b}\n".encode())
        self.assertEqual(self.check(run("diff", "--json", "--files-from", listed), 0).stdout.decode(), want)
        self.check(run("diff", "--files-from", listed, self.a), 2)
        later = self.answer(self.a, self.b, "--clock-offset", f"{self.a}=1000000000")
        self.assertEqual([row["a"]["p50"] for row in later["rows"] if "a" in row], [row["a"]["p50"] for row in json.loads(want)["rows"] if "a" in row])
        self.assertEqual(later["b"], json.loads(want)["b"])
        self.assertEqual(later["a"]["begin"], json.loads(want)["a"]["begin"] + 1_000_000_000)
        self.diff(self.a, self.b, "--clock", "wall")

    def test_the_same_in_every_way_of_reading(self):
        want = self.diff(self.a, self.b, "--json")[0]
        for jobs in ("1", "4"):
            self.assertEqual(self.diff(self.a, self.b, "--json", "--jobs", jobs)[0], want)
        piped = json.loads(self.diff("-", self.b, "--json", stdin=self.a.read_bytes())[0])
        self.assertEqual(piped["rows"], json.loads(want)["rows"])
        piped = json.loads(self.diff(self.a, "-", "--json", stdin=self.b.read_bytes())[0])
        self.assertEqual(piped["events"], json.loads(want)["events"])


class Chance(DiffTest):
    def test_nothing_differs_from_itself(self):
        same = self.file("a.bin", trace(steady(random.Random(3), 2000, kinds=("x", "y"))))
        answer = self.answer(same, same)
        self.assertEqual(marks(answer), [])
        self.assertGreater(answer["tests"], 8)
        self.assertTrue(all(row[figure]["chance"] > 0.99 for row in answer["rows"] for figure in ("rate", "p50", "p99") if figure in row))
        self.assertIn("0 of 2 names, 0 of 4 kinds of events", self.diff(same, same)[0])

    def test_is_computed_right(self):
        rng = random.Random(4)
        seen = collections.Counter()
        for round_ in range(28):
            scale = rng.choice([20, 30, 40])

            def made(count, scale):
                # Below 256, where the histograms are exact.
                return [
                    (begin, min(duration, 255), kind)
                    for begin, duration, kind in steady(rng, count, scale=scale, length=rng.choice([1000, 10**7, 10**9]))
                ]

            slices = [made(rng.choice([30, rng.randrange(200, 900)]), 30), made(rng.randrange(200, 900), scale)]
            if round_ % 4 == 1:
                # Ever slower, in five steps.
                slices[0] = [(begin, min(duration * (1 + 5 * i // len(slices[0])), 255), kind) for i, (begin, duration, kind) in enumerate(sorted(slices[0]))]
            if round_ % 3 == 0:
                # Bursts: what comes later takes longer.
                slices[0] = [(begin, duration // (1 + begin % 5), kind) for begin, duration, kind in sorted(slices[0])]
            answer = self.answer(*self.pair(*map(trace, slices)))
            (row,) = answer["rows"]
            known = [[(begin, duration) for begin, duration, _ in side] for side in slices]
            for figure, want in (("p50", chance_of_medians(known)), ("p99", chance_of_shares(known, 0.99))):
                seen[want if isinstance(want, str) else "known"] += 1
                if want == UNTOLD:
                    self.assertNotIn(figure, row, round_)
                elif want == DEPENDENT:
                    self.assertEqual(row[figure], {"beyond_chance": False, "dependent": True}, round_)
                else:
                    self.assertAlmostEqual(row[figure]["chance"] / want, 1, places=5, msg=(round_, figure, want))
        self.assertGreater(seen["known"], 15)
        self.assertGreater(min(seen[DEPENDENT], seen[UNTOLD]), 1)

    def test_a_slower_trace_is_found(self):
        rng = random.Random(5)
        kinds = [f"k{i}" for i in range(KINDS)]
        before = steady(rng, 20_000, kinds=kinds)
        after = [
            (begin, duration * 13 // 10 if kind == "k7" else duration, kind)
            for begin, duration, kind in steady(rng, 20_000, kinds=kinds)
        ]
        a, b = self.pair(trace(before), trace(after))
        answer = self.answer(a, b)
        self.assertEqual(answer["rows"][0]["name"], "k7")
        self.assertEqual({name for name, _ in marks(answer)}, {"k7"})
        self.assertIn(("k7", "p50"), marks(answer))
        self.assertRegex(self.diff(a, b)[0], r"(?m)^beyond chance\n  k7 .* \+\d\d %\*")
        self.assertEqual(marks(self.answer(b, a)), marks(answer))

    def test_false_alarms_are_as_rare_as_promised(self):
        # 1 of 100 comparisons may have any mark, of however many names.
        rng = random.Random(6)
        kinds = [f"k{i}" for i in range(KINDS)]
        alarms = 0
        for _ in range(40):
            a, b = self.pair(*(trace(steady(rng, rng.randrange(500, 3000), kinds=kinds)) for _ in "ab"))
            # How much there is differs, which rates tell; durations do not.
            alarms += any(figure in ("p50", "p99") for _, figure in marks(self.answer(a, b)))
        self.assertLessEqual(alarms, 3)

    def test_bursts_are_no_difference(self):
        rng = random.Random(7)
        alarms = independent = 0
        for _ in range(30):
            sides = [bursts(rng, 3000) for _ in "ab"]
            alarms += bool(marks(self.answer(*self.pair(*map(trace, sides)))))
            durations = [[duration for _, duration, _ in side] for side in sides]
            threshold = statistics.median(durations[0] + durations[1])
            hits = [sum(duration > threshold for duration in side) for side in durations]
            independent += fisher(hits[0], 3000, 3000, sum(hits)) <= 0.01
        self.assertLessEqual(alarms, 3)
        # Without blocks of time nearly all would be called different.
        self.assertGreater(independent, 15)

    def test_too_little_is_known(self):
        a, b = self.pair(trace([(100, 5, "x"), (200, 6, "x")]), trace([(100, 500, "x"), (900, 600, "x")]))
        (row,) = self.answer(a, b)["rows"]
        self.assertFalse({"p50", "p99"} & set(row))
        text = self.diff(a, b)[0]
        self.assertRegex(text, r"\n  x .* 5ns +500ns +x100\? +6ns +600ns\n")
        a = self.file("a.bin", trace([(100, 5, "x"), (110, 6, "x")]))
        self.assertIn("too little is known (?) of 1 name and 2 kinds of events", self.diff(a, a)[0])


class Doubts(DiffTest):
    def test_one_has_nothing_in_common_with_the_other(self):
        a, b = self.pair(trace([(100, 5, "x")]), trace([(100, 5, "y")]))
        answer = self.answer(a, b)
        self.assertIn("no name is in both A and B", answer["doubts"])
        self.assertEqual([sorted(set(row) & {"a", "b"}) for row in answer["rows"]], [["a"], ["b"]])
        self.assertIn("no name is in both A and B", self.diff(a, b)[0])

    def test_nothing_is_in_either(self):
        ticks = self.file("t.bin", w.ticks(5))
        self.assertIn("no slice has ended in A or B", self.diff(ticks, ticks)[0])
        empty = self.file("e.bin", w.header())
        text = self.diff(empty, empty)[0]
        self.assertIn("no slice has ended in A or B", text)
        self.assertIn("the events of B are all of one time", text)

    def test_losses(self):
        def spans(counters):
            return b"".join(
                h.event(b"work", counter=counter, start=1000 * i, end=1000 * i + 10 + i % 7) for i, counter in enumerate(counters)
            )

        whole = list(range(400))
        lossy = whole[:100] + [counter + 250 for counter in whole[100:]]
        a, b = self.pair(spans(whole), spans(lossy))
        answer = self.answer(a, b)
        self.assertEqual(answer["b"]["counts"]["lost_events"], 250)
        self.assertTrue(any("events of B were lost" in doubt for doubt in answer["doubts"]))
        self.assertFalse(any("rate" in row for row in answer["rows"] + answer["events"]))
        self.assertIn("0 %?", self.diff(a, b)[0])
        message = self.diff(a, b, "--require", 'count("span work") <= 2 * A', code=1)[1]
        self.assertIn("in B, it is not known: events were lost", message)
        self.diff(a, b, "--strict", code=4)

    def test_durations_that_losses_hide(self):
        # Of 400 jobs some lie across damage; the others are faster in B. Those could all have been slow.
        def jobs(duration):
            rng = random.Random(duration)
            return [(10_000 * i, duration + rng.randrange(7), "job") for i in range(400)]

        def hidden(count):
            return self.file("b.bin", trace(jobs(20), damage=[10_000 * i + 5 for i in range(20, 20 + count)]))

        a = self.file("a.bin", trace(jobs(25)))
        for count, is_beyond in ((3, True), (100, True), (350, False)):
            (row,) = self.answer(a, hidden(count), code=4)["rows"]
            self.assertEqual((row["b"]["count"], row["b"]["left_out"], row["b"]["across_loss"]), (400 - count, count, count))
            self.assertEqual(row["p50"]["beyond_chance"], is_beyond)
        text = self.diff(a, hidden(100), code=4)[0]
        self.assertIn("in no figure, their durations are not known: 100 in B (100 across losses)", text)

    def test_different_tables(self):
        span = h.event(b"work", start=0, end=10)
        a, b = self.pair(trace([(100, 5, "x")]), span)
        self.assertTrue(any("different tables (inferred; heph)" in doubt for doubt in self.answer(a, b)["doubts"]))

    def test_broken_input(self):
        good = self.file("good.bin", trace([(100, 5, "x"), (200, 5, "x")]))
        missing, text = self.folder / "missing", self.file("text", b"no trace")
        for bad in (missing, text):
            for args in ([good, bad], [bad, good]):
                out, said = self.diff(*args, code=3)
                self.assertEqual(out, "")
                self.assertIn(bad.name, said)
        damaged = self.file("damaged.bin", good.read_bytes() + b"\xff\x00")
        out, said = self.diff(good, damaged, code=4)
        self.assertIn("damaged.bin", said)
        self.assertIn("events of B were lost or could not be read", out)


class MovedPlaces(DiffTest):
    """Of dial9's polls and spans, which are named by lines of source."""

    @staticmethod
    def polls(seed, *lines, scale=60_000):
        rng = random.Random(seed)
        span = [("worker_id", w.VARINT), ("span_id", w.VARINT)]
        frames = [w.header(), w.schema(0, "PollStartEvent", [("worker_id", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]),
                  w.schema(1, "PollEndEvent", [("worker_id", w.VARINT)])]
        for number, line in enumerate(lines):
            frames += [w.schema(2 + 2 * number + side, f"Span{what}:app::h{number}:src/h.rs:{line}", span) for side, what in enumerate(("Enter", "Exit"))]
        ids = itertools.count(1)
        for _ in range(500):
            for number, line in enumerate(lines):
                lasting = 10 + round(rng.expovariate(1 / scale))
                ids_of_span = w.varint(0) + w.varint(next(ids))
                frames += [w.event(0, w.varint(0) + w.varint(2) + w.string(f"src/main.rs:{line}:5"), 400_000),
                           w.event(2 + 2 * number, ids_of_span, 10), w.event(3 + 2 * number, ids_of_span, lasting), w.event(1, w.varint(0), 10)]
        return b"".join(frames)

    def test_are_compared(self):
        a, b = self.polls(1, 40), self.polls(2, 43, scale=90_000)
        answer = self.answer(*self.pair(a, b))
        rows = {(row["category"], row["name"]): row for row in answer["rows"]}
        row = rows["poll", "main.rs:43"]
        self.assertEqual((row["full_name"], row["moved_from"]), ("src/main.rs:43:5", "src/main.rs:40:5"))
        self.assertEqual((row["a"]["count"], row["b"]["count"]), (500, 500))
        self.assertTrue(row["p50"]["beyond_chance"])
        self.assertEqual(rows["segment", "h0"]["moved_from"], "app::h0:src/h.rs:40")
        events = {one["name"]: one for one in answer["events"]}
        self.assertEqual(events["SpanEnter:app::h0:src/h.rs:43"]["moved_from"], "SpanEnter:app::h0:src/h.rs:40")
        self.assertEqual([row for row in answer["rows"] if "a" not in row or "b" not in row], [])
        text, _ = self.diff(*self.pair(a, b))
        self.assertIn("poll main.rs:43 is compared with src/main.rs:40:5 of A: only the line differs", text)
        self.assertNotIn("only in", text)
        for name in ("poll main.rs:40", "poll main.rs:43"):
            self.check(run("diff", "-q", "--require", f'count("{name}") == A', self.folder / "a.bin", self.folder / "b.bin"), 0)

    def test_where_each_took_the_line_of_the_next(self):
        rows = self.answer(*self.pair(self.polls(1, 40, 43), self.polls(2, 43, 46)))["rows"]
        self.assertEqual(sorted((row["name"], row["moved_from"]) for row in rows if row["category"] == "poll"),
                         [("main.rs:43", "src/main.rs:40:5"), ("main.rs:46", "src/main.rs:43:5")])

    def test_are_left_apart_where_several_may_be_meant(self):
        rows = self.answer(*self.pair(self.polls(1, 40), self.polls(2, 43, 60)))["rows"]
        self.assertEqual(sorted(("a" in row, "b" in row) for row in rows if row["category"] == "poll"),
                         [(False, True), (False, True), (True, False)])


class Requirements(DiffTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(8)
        self.a, self.b = self.pair(
            trace(steady(rng, 2000, kinds=("x", "y"), scale=10_000)), trace(steady(rng, 2000, kinds=("x", "y"), scale=15_000))
        )

    def require(self, *conditions, code):
        args = [arg for condition in conditions for arg in ("--require", condition)]
        return self.diff(self.a, self.b, "-q", *args, code=code)[1]

    def test_that_hold(self):
        said = self.require(
            'p50("x") <= 1.9 * A', 'p50("x") > a', 'max("*") < 1s', 'rate("x") > 0.8 * A', 'count("y") >= 0.5 * A', 'slower("x") == 1', code=0
        )
        self.assertEqual(said, "")

    def test_that_do_not_hold(self):
        self.assertRegex(self.require('p50("x") <= 1.1 * A', code=1), r"does not hold: it is [\d.]+us, and [\d.]+us in A")
        self.assertIn("does not hold: it is 2", self.require('slower("*") == 0', code=1))
        self.assertRegex(self.require('rate("x") < 10', code=1), r"it is [\d.e+]+ a second")
        self.assertIn('in B, nothing is called "z"', self.require('p99("z") <= A', code=1))
        self.assertIn('nothing is called "z"', self.require('slower("z") == 0', code=1))

    def test_that_are_only_of_one(self):
        self.b = self.file("b.bin", trace(steady(random.Random(9), 100, kinds=("x", "z"))))
        self.assertIn('in A, nothing is called "z"', self.require('p99("z") <= A', code=1))
        self.assertEqual(self.require('count("y") == 0', 'count("y") <= 0.5 * A', 'absent("y")', code=0), "")
        self.assertIn('in B, nothing is called "w"', self.require('count("w") == 0', code=1))

    def test_that_are_wrong(self):
        for condition, says in {
            'p98("x") < A': "p99",
            'p99("x") < B': "multiple of A",
            'p99("x") < 1.1 * B': "A, the first trace",
            'p99("x") < 1ms * A': "without a unit",
            'p99("x") < 2 * A * 3': "nothing is to follow",
            'slower("x") < A': "a number is to follow",
            "p99(x) < A": "in quotes",
        }.items():
            self.assertIn(says, self.require(condition, code=2), condition)
        # Of one trace there is no A.
        for condition in ('p99("x") < A', 'p99("x") < 1.1 * A', 'rate("x") > 1', 'slower("x") == 0'):
            self.check(run("latency", "--require", condition, self.a), 2)

    def test_losses_leave_it_unknown(self):
        jobs = [(10_000 * i, 20, "job") for i in range(100)]
        self.a, self.b = self.pair(trace(jobs), trace(jobs, damage=[500_005]))
        for a, b in ((self.a, self.b), (self.b, self.a)):
            self.a, self.b = a, b
            for condition in ('slower("job") == 0', 'p50("job") <= 2 * A', 'count("job") <= 2 * A'):
                self.assertIn("it is not known: events were lost", self.require(condition, code=1))

class Usage(DiffTest):
    def test_operands(self):
        a = self.file("a.bin", trace([(100, 5, "x")]))
        for operands in ([a], [a, a, a]):
            self.assertIn("two TRACEs, A and B", self.check(run("diff", *operands), 2).stderr.decode())
        self.assertIn("only once", self.check(run("diff", "-", "-"), 2).stderr.decode())
        self.assertIn("no end", self.check(run("diff", a, "tcp://localhost:1"), 2).stderr.decode())
        self.assertIn("Usage: tracedeck diff [OPTIONS] A B", self.check(run("diff", "--help"), 0).stdout.decode())

    @needs_traces
    def test_recordings(self):
        demo = TRACES / "dial9/tokio-demo.bin.gz"
        self.assertEqual(marks(self.answer(demo, demo)), [])
        # A directory is one side.
        ros = TRACES / "ctf/tracecompass/ros2"
        answer = self.answer(ros, ros)
        self.assertEqual(marks(answer), [])
        self.assertTrue(answer["rows"])


if __name__ == "__main__":
    unittest.main()

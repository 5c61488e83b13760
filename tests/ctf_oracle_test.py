"""The fast reader of CTF 2 against a second reader, the specification's decoding procedure written down literally.

Random traces of both spellings, damaged ones, and what the writers make of them. TRACEDECK_SEEDS is how many
random traces each test makes (80 unless said), TRACEDECK_FIRST_SEED where they begin: a failure names its seed.
"""

import base64
import gzip
import json
import os
import random
import unittest

from command import TRACES, CommandTest, Pairs, equal, first_difference, needs_traces, parse, parse_lines, plain, run
from ctf_oracle.lines import Trace, shown_real
from ctf_oracle.mutations import mutated
from ctf_oracle.traces import RandomTrace
from ctf_oracle.values import real

FIRST_SEED = int(os.environ.get("TRACEDECK_FIRST_SEED", "0"))
SEEDS = range(FIRST_SEED, FIRST_SEED + int(os.environ.get("TRACEDECK_SEEDS", "80")))
PRINT = ["print", "--order", "recorded", "--output", "jsonl"]
SIZE = 3
ODD_TIMES = ("ctf/packet-times", "ctf/event-time")
# Those that have shown a fault: headers that say the class twice, classes that events do not say, lists of numbers as text.
KNOWN = (1048, 1082, 1192)
# So many traces are read by one command.
BATCH = 40
ORACLE = TRACES / "ctf"


def expected(folder):
    path = folder.with_name(folder.name + ".jsonl")
    content = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(path.name + ".gz").read_bytes())
    return parse_lines(content)


class Reading:
    """What the command says about traces: its events, its problems by file, and by file the rules and places of times
    that cannot be, which `validate` reports."""

    def __init__(self, paths):
        result = run(*PRINT, "--as-stored", "--records", "all", *paths)
        self.code, self.stderr = result.returncode, result.stderr
        self.lines, self.problems, self.odd_times = [], {}, {}
        for line in parse_lines(result.stdout):
            if "id" in (key for key, _ in line):
                # Which of several traces an event is of is what their order shows.
                self.lines.append(Pairs((key, value) for key, value in line if key != "trace"))
            elif line[0][0] == "problem":
                problem = dict(line[0][1])
                if problem["rule"] not in ODD_TIMES:
                    self.problems.setdefault(problem["file"], []).append(problem["offset"])
        for line in parse_lines(run("validate", "--json", *paths).stdout):
            finding = dict(line)
            if finding["rule"] in ODD_TIMES:
                self.odd_times.setdefault(finding["file"], []).append((finding["rule"], finding["offset"]))


def faults_differ(trace, reading):
    """What to say when the problems of a trace are not in the packets that the oracle finds faulty, or None."""
    for file in trace.files:
        times = reading.odd_times.get(str(file.path), [])
        if times != file.odd_times:
            return f"{file.path.name}: odd times {times}, want {file.odd_times}"
        found = reading.problems.get(str(file.path), [])
        for packet in file.faulty:
            if not any(packet.begin <= offset <= packet.end for offset in found):
                return f"{file.path.name}: {packet.fault.sentence}, in the packet at {packet.begin}, byte {packet.fault.offset}"
        for offset in found:
            if not any(packet.begin <= offset <= packet.end for packet in file.faulty):
                return f"{file.path.name}: nothing is wrong at {offset}"
    return None


def difference(traces):
    """What to say when the command and the oracle do not agree about some traces, or None."""
    reading = Reading([trace.folder for trace in traces])
    said = first_difference([line for trace in traces for line in trace.lines], reading.lines)
    if said is None:
        said = next(filter(None, (faults_differ(trace, reading) for trace in traces)), None)
    code = 4 if any(trace.damaged for trace in traces) else 0
    if said is None and reading.code != code:
        said = f"exit code {reading.code}, want {code}"
    return said and f"{said}\n{reading.stderr.decode(errors='replace')[:600]}"


class OracleTest(CommandTest):
    def compare(self, makers, smaller=lambda size: (), at_once=BATCH):
        """Compares the command with the oracle for traces that functions write into a folder: name, function."""
        makers = list(makers)
        self.assertGreater(len(makers), 0)
        for begin in range(0, len(makers), at_once):
            batch = [self.oracle(name, write) for name, write in makers[begin : begin + at_once]]
            if difference(batch) is None:
                continue
            for trace in batch:
                said = difference([trace])
                if said is not None:
                    self.fail(self.smallest(smaller) or f"{trace.name}: {said}")
            self.fail(f"only together: {difference(batch)}")

    def oracle(self, name, write):
        folder = self.folder / f"t{len(list(self.folder.iterdir()))}"
        write(folder)
        trace = Trace(folder)
        trace.name, trace.folder = name, folder
        return trace

    def smallest(self, smaller):
        """The difference that the smallest trace shows, of those that a function from size to makers gives."""
        for size in range(SIZE):
            for name, write in smaller(size):
                trace = self.oracle(name, write)
                said = difference([trace])
                if said is not None:
                    return f"{name}: {said}\n{self.shown(trace)}"
        return None

    @staticmethod
    def shown(trace):
        streams = "".join(f"{file.path.name}: {file.path.read_bytes().hex(' ')}\n" for file in trace.files)
        return (trace.folder / "metadata").read_text() + streams


def random_traces(final, size=SIZE, **more):
    for seed in (*SEEDS, *KNOWN):
        yield f"seed {seed}, size {size}, {'2.0' if final else 'RC 3.0'}", RandomTrace(seed, final, size, **more).write


class Damaged:
    """A trace, damaged."""

    write = RandomTrace.write

    def __init__(self, whole, rng):
        self.metadata = whole.metadata
        self.files = {name: mutated(rng, data) for name, data in whole.files.items()}


def damaged_traces(final, size=SIZE, count=4):
    for seed in SEEDS:
        whole, rng = RandomTrace(seed, final, size, plain=True), random.Random(seed)
        for i in range(count):
            name = f"seed {seed}, damage {i}, size {size}, {'2.0' if final else 'RC 3.0'}"
            yield name, Damaged(whole, rng).write


@needs_traces
class OracleAndReferenceTraces(unittest.TestCase):
    """The oracle is right about the traces that others have checked."""

    def test_valid(self):
        folders = [path for part in ("rc3", "final") for path in sorted((ORACLE / part).iterdir()) if path.is_dir()]
        self.assertGreater(len(folders), 100)
        for folder in folders:
            with self.subTest(folder.name):
                trace = Trace(folder)
                self.assertIsNone(first_difference(expected(folder), trace.lines))
                self.assertEqual(trace.faulty, [])

    def test_faulty(self):
        rows = (ORACLE / "rc3-decode-error/expect.tsv").read_text().splitlines()[1:]
        for row in rows:
            name, codes, events = row.split("\t")[:3]
            # Extensions are the reader's to refuse; here they are not looked at.
            if "-ext-" in name:
                continue
            with self.subTest(name):
                trace = Trace(ORACLE / "rc3-decode-error" / name)
                self.assertIn("4" if trace.damaged else "0", codes.split("|"))
                self.assertGreaterEqual(len(trace.lines), int(events))


class OracleAndEncoder(OracleTest):
    """The oracle reads what the encoder says it wrote."""

    def check_all(self, final):
        lines = 0
        for seed in SEEDS:
            with self.subTest(seed=seed):
                made = RandomTrace(seed, final)
                trace = self.oracle("", made.write)
                self.assertEqual([packet.fault.sentence for packet in trace.faulty], [])
                self.assertIsNone(first_difference(made.lines, trace.lines))
                lines += len(trace.lines)
        self.assertGreater(lines, 4 * len(SEEDS))

    def test_rc3(self):
        self.check_all(final=False)

    def test_final(self):
        self.check_all(final=True)


class RandomTraces(OracleTest):
    def check_all(self, final, **more):
        self.compare(random_traces(final, **more), lambda size: random_traces(final, size, **more))

    def test_rc3(self):
        self.check_all(final=False)

    def test_final(self):
        self.check_all(final=True)

    def test_rc3_with_faults(self):
        self.check_all(final=False, wild=True)

    def test_final_with_faults(self):
        self.check_all(final=True, wild=True)


class DamagedTraces(OracleTest):
    def check_all(self, final):
        # Those of one seed name one trace.
        self.compare(damaged_traces(final), lambda size: damaged_traces(final, size), at_once=1)

    def test_rc3(self):
        self.check_all(final=False)

    def test_final(self):
        self.check_all(final=True)


def can_write(*targets):
    """Whether the command converts CTF traces to these."""
    result = run("formats", "--json")
    if result.returncode != 0:
        return False
    return all(f'"{target}"' in result.stdout.decode() for target in targets)


def content(line, packet_context=True):
    """A line without its place: events of another writer's packets are equal in it."""
    kept = [(key, value) for key, value in line if key != "stream"]
    if not packet_context:
        kept = [(key, without_packet(value) if key == "context" else value) for key, value in kept]
    return Pairs((key, value) for key, value in kept if value or key != "context")


def without_packet(context):
    return Pairs((name, value) for name, value in context if name != "packet")


def holds(got, want):
    """Whether parsed JSON holds what is wanted: a writer may add members for lengths and selectors whose fields the
    target has not, and what has no place for one is a text, as are values without a class in the target. RC 3.0 has no
    enumerations without mappings: they are written as integers."""
    if isinstance(want, Pairs) and isinstance(got, Pairs):
        left = iter(got)
        if all(any(key == name and holds(more, value) for key, more in left) for name, value in want):
            return True
    elif isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(holds, got, want))
    elif equal(want, got):
        return True
    if is_enumeration(want) and want[1][1] == [] and equal(want[0][1], got):
        return True
    return isinstance(got, str) and is_text_of(got, want)


def is_enumeration(value):
    return isinstance(value, Pairs) and [name for name, _ in value] == ["value", "labels"]


def is_text_of(got, want):
    """Whether a text is a value, as tracedeck/lower/value_text.hpp says that values are texts."""
    try:
        return says(parse(got), want)
    except ValueError:
        return False


def says(text, want):
    """Whether parsed text says a value. Variants say the option, and optionals are lists where null could be inside."""
    if is_enumeration(want):
        return says(text, want[0][1])
    if isinstance(want, Pairs) and isinstance(text, Pairs):
        is_same = [name for name, _ in text] == [name for name, _ in want]
        if is_same and all(says(a, b) for (_, a), (_, b) in zip(text, want)):
            return True
    elif isinstance(want, list) and isinstance(text, list):
        if len(text) == len(want) and all(map(says, text, want)):
            return True
    elif isinstance(text, str):
        return says_text(text, want)
    elif equal(text, want) or (isinstance(want, float) and text == want):
        return True
    if not isinstance(text, (Pairs, list)) or len(text) != 1:
        return False
    return says(text[0][1] if isinstance(text, Pairs) else text[0], want)


def says_text(text, want):
    """The same of a string: one of the trace, or what JSON has no values for."""
    if isinstance(want, int):
        return int(text, 16) == want
    if text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") == want:
        return True
    # Not a number, infinity.
    if text.startswith("nan:") or text in ("inf", "-inf"):
        return want == shown_real(float(text[:4].rstrip(":")))
    try:
        content = bytes.fromhex(text)
    except ValueError:
        return False
    if isinstance(want, str) and base64.b64encode(content).decode() == want:
        return True
    return equal(shown_real(real([byte >> i & 1 for byte in content for i in range(8)])), want)


def by_stream(lines):
    """The lines of each data stream after those of another: a file with packets of several is written as one each."""
    streams = {}
    for line in lines:
        streams.setdefault(repr(dict(line).get("stream")), []).append(line)
    return [line for part in streams.values() for line in part]


def first_lost(want, got):
    """What to say about the first line that is not held, or None."""
    for i, (a, b) in enumerate(zip(want, got)):
        if not holds(b, a):
            return f"line {i + 1}: want {json.dumps(plain(a))[:600]}, got {json.dumps(plain(b))[:600]}"
    return None if len(want) == len(got) else f"want {len(want)} lines, got {len(got)}"


def first_missing(want, got):
    """What to say about the first line that no line holds that is not another one's, or None."""
    left = list(got)
    for i, line in enumerate(want):
        place = next((j for j, each in enumerate(left) if holds(each, line)), None)
        if place is None:
            return f"line {i + 1}: {json.dumps(plain(line))[:600]} is missing"
        del left[place]
    return f"{len(left)} lines more" if left else None


class Writers(OracleTest):
    """What the writers make of random traces, read by the oracle."""

    def needs(self, *targets):
        if not can_write(*targets):
            self.skipTest(f"the command does not write {' and '.join(targets)}")

    def convert(self, path, target, code=0):
        out = path.with_name(path.name + "." + target)
        result = run("convert", "--order", "recorded", "-o", out, "--to", target, path)
        self.check(result, code, f"{path.name} to {target}")
        return out

    def each(self, check, **more):
        for final in (False, True):
            for name, write in random_traces(final, **more):
                with self.subTest(name):
                    check(self.oracle(name, write))

    def read_by_oracle(self, target):
        def check(trace):
            folder = self.convert(trace.folder, target, 4 if trace.damaged else 0)
            written = Trace(folder)
            written.folder = folder
            self.assertEqual([packet.fault.sentence for packet in written.faulty], [])
            want, got = ([content(line, False) for line in by_stream(side.lines)] for side in (trace, written))
            self.assertIsNone(first_lost(want, got))
            self.assertIsNone(difference([written]))

        self.each(check, plain=True)

    def test_ctf2rc(self):
        self.needs("ctf2rc")
        self.read_by_oracle("ctf2rc")

    def test_ctf2(self):
        self.needs("ctf2")
        self.read_by_oracle("ctf2")

    def test_around(self):
        """RC 3.0 to 2.0 to 1.8 to RC 3.0."""
        self.needs("ctf2rc", "ctf2", "ctf1")

        def check(trace):
            path = self.convert(trace.folder, "ctf2", 4 if trace.damaged else 0)
            # Packets of 2.0 were copied as they are, those of RC 3.0 made anew.
            path = self.convert(path, "ctf1", 4 if Trace(path).damaged else 0)
            self.assertNotIn(b"tracedeck/mark", run("validate", path).stdout)
            path = self.convert(path, "ctf2rc")
            want = [content(line, False) for line in by_stream(trace.lines)]
            # Event records that go back in time lie before the begin of the packet that they are written to.
            result = self.check(run(*PRINT, path), 4 if Trace(path).damaged else 0)
            got = [content(line, False) for line in parse_lines(result.stdout)]
            # CTF 1.8 has no data streams with an id beside others without, so that it is not known whose lines are whose.
            streams = {repr(dict(line).get("stream")) for line in trace.lines}
            self.assertIsNone((first_lost if len(streams) < 2 else first_missing)(want, got))

        self.each(check, plain=True)


if __name__ == "__main__":
    unittest.main()

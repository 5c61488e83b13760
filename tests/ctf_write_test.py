"""What the `ctf1` target writes, read back by babeltrace2: same events, names, times and values."""

import collections
import gzip
import json
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import dial9_writer as dial9
import tband_test as tband
from command import CommandTest, TRACES, parse_lines, plain, run

BABELTRACE = shutil.which("babeltrace2")
# Times that babeltrace2 cannot have at the end of a packet.
UNREADABLE = {"04_timestamps"}
NOMINAL = {"SegmentMetadata", "SymbolTableEntry"}


def babeltrace(directory):
    """Lines of (nanoseconds, name, values as text)."""
    command = [BABELTRACE, "--clock-seconds", "--no-delta", "--clock-gmt", str(directory)]
    result = subprocess.run(command, capture_output=True, timeout=300, check=False)
    lines = []
    for line in result.stdout.decode("utf-8", "replace").split("\n"):
        match = re.match(r"\[(-?)(\d+)\.(\d{9})\] (?:\(\S+\) )?(.*?): (\{.*\})$", line)
        if match:
            sign, seconds, nanoseconds, name, rest = match.groups()
            time = int(seconds) * 10**9 + int(nanoseconds)
            lines.append((-time if sign else time, name, rest))
    return result, lines


@unittest.skipUnless(BABELTRACE, "babeltrace2 is not installed")
@unittest.skipUnless(TRACES.is_dir(), f"the reference traces are not at {TRACES}")
class Babeltrace(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def convert(self, trace, *options):
        out = self.directory / "out"
        shutil.rmtree(out, ignore_errors=True)
        result = run("convert", "--order", "time", "--to", "ctf1", *options, trace, "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return out

    def events(self, trace):
        result = run("print", "--output", "jsonl", "--order", "time", trace)
        return [plain(line) for line in parse_lines(result.stdout) if "fields" in plain(line)]

    def compare(self, trace, *options):
        want = self.events(trace)
        result, got = babeltrace(self.convert(trace, *options))
        self.assertEqual(result.returncode, 0, result.stderr.decode()[-2000:])
        if not all("time" in event for event in want):
            return len(want), result.stdout.count(b"\n")
        # What dial9 gives a time although it did not happen then has that of the event before.
        at = lambda time, name: (None if name in NOMINAL else time, name)
        self.assertEqual(
            collections.Counter(at(event["time"], event["name"]) for event in want if event["time"] < 2**63),
            collections.Counter(at(time, name) for time, name, _ in got),
        )
        return len(want), len(got)

    def test_dial9_traces(self):
        for trace in sorted((TRACES / "dial9").glob("*.bin")):
            if trace.stem in UNREADABLE:
                continue
            for options in ((), ("--packet-size", "4096")):
                with self.subTest(trace=trace.stem, options=options):
                    self.compare(trace, *options)

    def test_values_of_every_dial9_type(self):
        trace = TRACES / "dial9" / "02_all_types.bin"
        _, got = babeltrace(self.convert(trace))
        by_name = {}
        for _, name, values in got:
            by_name.setdefault(name, []).append(values)
        checked = 0
        for event in self.events(trace):
            texts = by_name[event["name"]]
            values = texts.pop(0)
            for name, value in event["fields"].items():
                if isinstance(value, bool):
                    self.assertIn(f'{name} = ( "{str(value).lower()}"', values)
                elif isinstance(value, int):
                    self.assertIn(f"{name} = {value}", values)
                elif name.startswith("h_") and value.isascii() and value.isalnum():
                    self.assertIn(f'{name} = "{value}"', values)
                else:
                    continue
                checked += 1
        self.assertGreater(checked, 5)

    # Several traces, which become one; tags that are no labels of the options, so that another is added.
    PRINTED_OTHERWISE = {
        "lttng-ust-per-pid-small-buffers",
        "succeed_meta-variant-one-underscore",
        "succeed_meta-variant-reserved-keywords",
    }

    def test_ctf1_traces_by_way_of_ctf2(self):
        """What babeltrace2 printed of a trace, it prints of what it became."""
        for printed in sorted((TRACES / "ctf" / "ctf1").glob("*.babeltrace2*")):
            name = printed.name.partition(".babeltrace2")[0]
            if name in self.PRINTED_OTHERWISE:
                continue
            with self.subTest(trace=name):
                at = printed.with_name(name)
                for target in ("ctf2", "ctf1"):
                    out = self.directory / f"{name}.{target}"
                    run("convert", "--to", target, at, "-o", out)
                    at = out
                result = subprocess.run([BABELTRACE, "--clock-gmt", "--no-delta", str(at)],
                                        capture_output=True, timeout=300, check=False)
                data = printed.read_bytes()
                want = gzip.decompress(data) if printed.suffix == ".gz" else data
                self.assertEqual(result.stdout, want)

    def test_ctf2_traces(self):
        for name in ("057-struct-three", "070-dl-array", "077-opt-bool-selector", "082-variant-two",
                     "109-clock-discarded-seq", "081-opt-nested", "039-vl-uint"):
            trace = TRACES / "ctf" / "rc3" / name
            with self.subTest(trace=name):
                want = len(self.events(trace))
                result = subprocess.run([BABELTRACE, str(self.convert(trace))],
                                        capture_output=True, timeout=300, check=False)
                self.assertEqual(result.returncode, 0, result.stderr.decode()[-2000:])
                self.assertEqual(result.stdout.count(b"\n"), want)


@unittest.skipUnless((TRACES / "ctf").is_dir(), f"the reference traces are not at {TRACES}")
class RoundTrip(unittest.TestCase):
    """The same lines, packet contexts with their sizes included where the dialects on the way can have the heads."""

    # CTF 1.8 lacks event headers whose variant no labels select. Integers of variable length may make events there those
    # of another class, which events without a header cannot say.
    OTHER_HEADS = ("variable-length-", '"compact"', "104-clock-27bit-wrap", "023-int-display-bases")

    def lines(self, trace, heads=True):
        result = run("print", "--output", "jsonl", "--order", "recorded", trace)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        said = set() if heads else self.said_by_heads(trace)
        for line in lines:
            packet = line.get("context", {}).get("packet", {})
            for name in said & packet.keys():
                del packet[name]
            if packet == {}:
                line.get("context", {}).pop("packet", None)
            if line.get("context") == {}:
                del line["context"]
        return lines

    def said_by_heads(self, trace):
        """The names of the members of packet contexts that have a role."""

        def has_role(field_class):
            if isinstance(field_class, list):
                return any(map(has_role, field_class))
            return isinstance(field_class, dict) and ("roles" in field_class or any(map(has_role, field_class.values())))

        result = run("schema", "--as-stored", "--output", "metadata", trace)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        fragments = [json.loads(each) for each in result.stdout.decode().split("\x1e") if each.strip()]
        contexts = [each.get("packet-context-field-class", {}) for each in fragments]
        return {
            member["name"]
            for context in contexts
            for member in context.get("member-classes", ())
            if has_role(member["field-class"])
        }

    def check(self, corpus, targets):
        for trace in sorted((TRACES / "ctf" / corpus).iterdir()):
            if not trace.is_dir():
                continue
            with self.subTest(trace=trace.name), tempfile.TemporaryDirectory() as directory:
                at = trace
                for target in targets:
                    out = Path(directory) / target
                    result = run("convert", "--order", "recorded", "--to", target, at, "-o", out)
                    self.assertEqual(result.returncode, 0, result.stderr.decode())
                    at = out
                said = trace.name + (trace / "metadata").read_text(errors="replace")
                heads = not any(each in said for each in self.OTHER_HEADS)
                self.assertEqual(self.lines(trace, heads), self.lines(at, heads))

    def test_a_recording_in_another_dialect_and_back(self):
        """LTTng's: classes are there once, and packets say what they said, their heads too."""
        trace = TRACES / "ctf/ctf1/succeed_wk-heartbeat-u"
        want = self.lines(trace)
        self.assertIn("timestamp_begin", want[0]["context"]["packet"])
        with tempfile.TemporaryDirectory() as folder:
            there, back = Path(folder) / "there", Path(folder) / "back"
            for source, to, out in ((trace, "ctf2", there), (there, "ctf1", back)):
                result = run("convert", "-q", "--to", to, source, "-o", out)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                # What was recorded file by file comes side by side.
                self.assertEqual(*(sorted(map(json.dumps, lines)) for lines in (self.lines(out), want)))
            self.assertEqual((there / "metadata").read_text().count('"event-record-class"'), 1)
            for stream in trace.glob("u_*"):
                self.assertLessEqual(abs((back / stream.name).stat().st_size - stream.stat().st_size), 8)

    def test_losses_come_back_from_another_format(self):
        """Packets are ours then, and end where what was lost begins and ends."""
        for corpus, target, name in (
            ("rc3", "ctf2rc", "103-clock-8bit-wrap"),
            ("rc3", "ctf2rc", "109-clock-discarded-seq"),
            ("final", "ctf2", "109-clock-discarded-seq"),
            ("ctf1", "ctf1", "barectf-seq-num-discard"),
            ("ctf1", "ctf1", "packet-seq-num_2-lost-before-last"),
        ):
            trace = TRACES / "ctf" / corpus / name
            with self.subTest(trace=name, target=target), tempfile.TemporaryDirectory() as folder:
                by, back = Path(folder) / "by.bin", Path(folder) / "back"
                for source, to, out in ((trace, "dial9", by), (by, target, back)):
                    result = run("convert", "-q", "--order", "recorded", "--to", to, source, "-o", out)
                    self.assertEqual(result.returncode, 0, result.stderr.decode())
                lost = [self.losses(each) for each in (trace, back)]
                self.assertNotEqual(lost[0], [])
                self.assertEqual(*lost)

    def losses(self, trace):
        result = run("print", "--records", "all", "--output", "jsonl", trace)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return [line["loss"] for line in lines if "loss" in line]

    def test_rc3_through_all_dialects_and_back(self):
        self.check("rc3", ("ctf2", "ctf1", "ctf2rc"))

    def test_final_through_all_dialects_and_back(self):
        self.check("final", ("ctf2rc", "ctf1", "ctf2"))


class DataStreamIds(CommandTest):
    """An id identifies a data stream among those of its class, and stays when the heads are replaced."""

    def test_streams_of_two_classes_keep_one_id(self):
        def member(name, role):
            return {"name": name, "field-class": {"type": "variable-length-unsigned-integer", "roles": [role]}}

        header = [member("c", "data-stream-class-id"), member("s", "data-stream-id")]
        fragments = [
            {"type": "preamble", "version": 2},
            {"type": "trace-class", "packet-header-field-class": {"type": "structure", "member-classes": header}},
        ]
        for number in (0, 1):
            value = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}
            payload = {"type": "structure", "member-classes": [{"name": "v", "field-class": value}]}
            fragments.append({"type": "data-stream-class", "id": number})
            fragments.append(
                {"type": "event-record-class", "data-stream-class-id": number, "payload-field-class": payload}
            )
        trace = self.folder / "trace"
        trace.mkdir()
        (trace / "metadata").write_text("".join(f"\x1e{json.dumps(each)}\n" for each in fragments))
        for name, content in {"a": b"\0\7\1", "b": b"\1\7\2", "c": b"\1\3\3"}.items():
            (trace / name).write_bytes(content)
        out = self.folder / "out"
        self.check(run("convert", "--to", "ctf1", trace, "-o", out), 0)
        events = [json.loads(line) for line in run("print", "--output", "jsonl", out).stdout.splitlines()]
        self.assertEqual(
            [(event["stream"]["class"], event["stream"]["id"], event["fields"]["v"]) for event in events],
            [(0, 7, 1), (1, 7, 2), (1, 3, 3)],
        )


class SharedClasses(CommandTest):
    """Aliases that use each other twice: 2^14 classes when they are spelt out."""

    def test_they_come_back(self):
        byte = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}
        fragments = [
            {"type": "preamble", "version": 2},
            {"type": "field-class-alias", "name": "a0", "field-class": byte},
        ]
        for i in range(1, 14):
            members = [{"name": name, "field-class": f"a{i - 1}"} for name in "xy"]
            shared = {"type": "structure", "member-classes": members}
            fragments.append({"type": "field-class-alias", "name": f"a{i}", "field-class": shared})
        none = {"type": "dynamic-length-array", "length-field-location": {"path": ["n"]}, "element-field-class": "a13"}
        fragments.append({"type": "data-stream-class"})
        members = [{"name": "n", "field-class": byte}, {"name": "none", "field-class": none}]
        payload = {"type": "structure", "member-classes": members}
        fragments.append({"type": "event-record-class", "payload-field-class": payload})
        trace = self.folder / "trace"
        trace.mkdir()
        (trace / "metadata").write_text("".join(f"\x1e{json.dumps(each)}\n" for each in fragments))
        (trace / "stream").write_bytes(b"\0\0\0")
        self.assertEqual(run("print", trace).stdout.count(b"\n"), 3)
        self.assertIn(b"class-11", self.check(run("schema", "--output", "metadata", trace), 0).stdout)
        for target in ("ctf2rc", "ctf1"):
            out = self.folder / target
            self.check(run("convert", "--strict", "--to", target, trace, "-o", out), 0)
            self.assertEqual(run("print", out).stdout, run("print", trace).stdout)


if __name__ == "__main__":
    unittest.main()


class ManyStreams(CommandTest):
    """Data streams of the source and files of the result."""

    def convert(self, trace, target, *options, **more):
        out = self.folder / f"out.{target}"
        self.check(run("convert", *options, "--to", target, trace, "-o", out, **more), 0)
        return out

    def events(self, trace, *options):
        return [json.loads(line) for line in self.check(run("print", "--output", "jsonl", *options, trace), 0)
                .stdout.splitlines()]

    def test_segments_of_dial9_are_no_data_streams(self):
        schema = dial9.schema(0, "Tick", [("n", dial9.VARINT)])
        trace = b""
        for i in range(2000):
            trace += dial9.header()
            if i % 10 == 3:
                trace += schema + dial9.event(0, dial9.varint(i), delta=i + 1)
        path = self.file("t.bin", trace)
        want = self.events(path)
        for target in ("ctf2rc", "ctf2", "ctf1"):
            out = self.convert(path, target)
            self.assertEqual(sorted(file.name for file in out.iterdir()), ["metadata", "stream-0000"])
            self.assertEqual([event["context"]["packet"]["segment"] for event in self.events(out, "--as-stored")],
                             [event["stream"]["segment"] for event in want])
            self.assertEqual(self.events(out), want)
            again = self.folder / f"{target}.bin"
            self.check(run("convert", "--to", "dial9", out, "-o", again), 0)
            self.assertEqual(self.events(again), want)

    def test_empty_segments_make_one_file(self):
        path = self.file("t.bin", 50 * dial9.header())
        out = self.convert(path, "ctf2")
        self.assertEqual(sorted(file.name for file in out.iterdir()), ["metadata", "stream-0000"])
        count = [json.loads(self.check(run("info", "--json", each), 0).stdout)["streams"]["count"] for each in (path, out)]
        self.assertEqual(count, [50, 50])

    def test_events_that_step_back_are_in_order_in_a_few_streams(self):
        trace = dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT)])
        times = [100, 50, 120, 60, 10, 130, 70]
        for n, time in enumerate(times):
            trace += dial9.reset(time) + dial9.event(0, dial9.varint(n), delta=0)
        path = self.file("t.bin", trace)
        for target in ("ctf2rc", "ctf2", "ctf1"):
            out = self.convert(path, target)
            self.assertEqual(len(list(out.iterdir())), 1 + 3)
            self.assertEqual(self.check(run("validate", out), 0).stdout, b"")
            self.assertEqual([event["time"] for event in self.events(out, "--as-stored")], sorted(times))
            self.assertEqual([event["time"] for event in self.events(out)], times)

    def test_more_files_than_descriptors(self):
        cores = range(200)
        trace = b"".join(tband.event(0, 10 * core, core) + tband.event(4, 10 * core + 1, core) for core in cores)
        trace += b"".join(tband.event(0, 5000 + 10 * core, core) + tband.event(5, 5001 + 10 * core, core)
                          for core in cores)
        path = self.file("t", trace)
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        out = self.convert(path, "ctf2", "--format", "tband", "--packet-size", "4096", preexec_fn=limit)
        self.assertEqual(len(list(out.iterdir())), 201)
        self.assertEqual(len(self.events(out)), len(self.events(path, "--format", "tband")))

"""Every result of `convert` is a valid trace: `validate` finds no error in it.

Each trace goes to one of the targets, the next trace to the next target; with TRACEDECK_CONVERT_ALL=1 each goes to
all of them. A trace that is rewritten as it was keeps its own faults.
"""

import concurrent.futures
import json
import os
import tempfile
from pathlib import Path

import dial9_writer as dial9
import heph_writer as heph
from command import CommandTest, TRACES, needs_traces, run
from ctf_cases import CASES, metadata_bytes, read_case

TARGETS = ("dial9", "heph", "tband", "ctf2rc", "ctf2", "ctf1")
DIRECTORIES = ("ctf2rc", "ctf2", "ctf1")
ALL = os.environ.get("TRACEDECK_CONVERT_ALL", "") not in ("", "0")


def format_of(target):
    return "ctf" if target in DIRECTORIES else target


def errors_in(trace, trace_format):
    """What `validate` calls an error; None when it cannot be read at all."""
    result = run("validate", "--json", "--format", trace_format, trace)
    if result.returncode not in (0, 1):
        return None
    findings = [json.loads(line) for line in result.stdout.decode("utf-8", "replace").splitlines()]
    return [each for each in findings if each["severity"] == "error"]


def convert(trace, trace_format, target, folder, *options):
    """What is wrong with the trace in `target`, as words; empty: nothing."""
    with tempfile.TemporaryDirectory(dir=folder) as directory:
        out = Path(directory) / "out"
        converted = run("convert", "--format", trace_format, "--to", target, *options, trace, "-o", out)
        if converted.returncode == 3:
            return ""
        if converted.returncode not in (0, 4):
            return f"{trace} to {target}: exit {converted.returncode}, {converted.stderr.decode()[-300:]}"
        errors = errors_in(out, format_of(target))
        if errors and not options and format_of(target) == trace_format and errors_in(trace, trace_format):
            return ""
        return f"{trace} to {target}: {errors[:2]}" if errors or errors is None else ""


class Converted(CommandTest):
    def check_all(self, traces, *options):
        """`traces`: (path, format)"""
        jobs = []
        for number, (trace, trace_format) in enumerate(traces):
            targets = TARGETS if ALL else [TARGETS[number % len(TARGETS)]]
            jobs += [(trace, trace_format, target, self.folder, *options) for target in targets]
        self.assertTrue(jobs)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [words for words in pool.map(lambda job: convert(*job), jobs) if words]
        self.assertEqual(wrong, [], "\n".join(wrong[:20]))

    def check_each(self, trace, trace_format, *options):
        """To all targets."""
        for target in TARGETS:
            self.assertEqual(convert(trace, trace_format, target, self.folder, *options), "")

    def ctf(self, name, fragments, streams):
        trace = self.folder / name
        trace.mkdir()
        text = fragments if isinstance(fragments, str) else None
        lines = text.splitlines() if text else [json.dumps(each) for each in fragments]
        (trace / "metadata").write_bytes(metadata_bytes("text" if text else "", lines))
        for file, content in streams.items():
            (trace / file).write_bytes(content)
        return trace


@needs_traces
class ReferenceTraces(Converted):
    def files(self, name):
        no_traces = (".jsonl", ".jsonl.gz", ".tsv", ".md", ".py")
        for path in sorted((TRACES / name).rglob("*")):
            if path.is_file() and not path.name.endswith(no_traces):
                yield path, name

    def test_dial9(self):
        self.check_all(self.files("dial9"))

    def test_heph(self):
        self.check_all(self.files("heph"))

    def test_tband(self):
        self.check_all(self.files("tband"))

    def test_ctf(self):
        self.check_all([(path.parent, "ctf") for path in sorted((TRACES / "ctf").rglob("metadata"))])

    def test_some_of_a_trace(self):
        for name in ("dial9", "heph", "tband"):
            self.check_all(list(self.files(name))[::3], "--limit", "2")
        ctf = [(path.parent, "ctf") for path in sorted((TRACES / "ctf").rglob("metadata"))]
        self.check_all(ctf[::7], "--limit", "2")


class OwnTraces(Converted):
    def test_dial9(self):
        trace = (
            dial9.header()
            + dial9.schema(1, "Poll", [("worker", 9), ("name", 7)])
            + dial9.string_pool((5, b"main"))
            + dial9.event(1, dial9.varint(3) + dial9.u32(5), delta=7)
        )
        self.check_each(self.file("t.bin", trace), "dial9")

    def test_heph(self):
        body = heph.event(b"poll", heph.number(b"n", 3), start=5, end=9) + heph.event(b"poll", start=7, end=8)
        self.check_each(self.file("t.heph", heph.epoch(10) + body), "heph")

    def test_cases(self):
        """The traces of the CTF cases."""
        traces = []
        for path in CASES:
            folder = self.folder / path.stem
            folder.mkdir()
            traces.append((read_case(path).write(folder), "ctf"))
        self.check_all(traces)

    def test_lengths_in_headers_of_ctf1(self):
        """CTF 1.8 has fields of the user's in headers, also such that are lengths; CTF 2 does not."""
        text = """/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { integer { size = 8; align = 8; } stream_id; integer { size = 8; align = 8; } n; }; };
stream { id = 0;
  event.header := struct { integer { size = 8; align = 8; } id; integer { size = 8; align = 8; } m; }; };
event { name = "e"; id = 0; stream_id = 0; fields := struct {
  integer { size = 8; align = 8; } a[trace.packet.header.n];
  integer { size = 8; align = 8; } b[stream.event.header.m]; }; };
"""
        stream = bytes([0, 2, 0, 1, 10, 11, 12, 0, 3, 20, 21, 22, 23, 24])
        trace = self.ctf("lengths", text, {"stream": stream})
        want = [{"a": [10, 11], "b": [12]}, {"a": [20, 21], "b": [22, 23, 24]}]
        other = self.ctf("other", text, {"stream": stream})
        for traces in ([trace], [trace, other]):
            at = traces
            for target in DIRECTORIES:
                out = self.folder / f"{target}{len(traces)}"
                self.check(run("convert", "--to", target, *at, "-o", out), 0)
                self.assertEqual(errors_in(out, "ctf"), [])
                printed = self.check(run("print", "--output", "jsonl", out), 0).stdout.splitlines()
                got = [json.loads(line)["fields"] for line in printed]
                values = [{name: each[name] for name in ("a", "b")} for each in got]
                self.assertCountEqual(values, want * len(traces), target)
                at = [out]

    def test_a_packet_that_ends_before_it_begins(self):
        def member(name, *roles):
            kind = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}
            return {"name": name, "field-class": {**kind, "roles": list(roles)}}

        begin, end = "packet-beginning-default-clock-timestamp", "packet-end-default-clock-timestamp"
        context = {"type": "structure", "member-classes": [member("s", "packet-total-size"), member("b", begin), member("e", end)]}
        clock = {"type": "clock-class", "name": "c", "frequency": 1000}
        stream = {"type": "data-stream-class", "default-clock-class-name": "c", "packet-context-field-class": context}
        payload = {"type": "structure", "member-classes": [member("v")]}
        event = {"type": "event-record-class", "payload-field-class": payload}
        trace = self.ctf("t", [{"type": "preamble", "version": 2}, clock, stream, event], {"stream": b"\x20\x0a\x09\x01"})
        for target in ("ctf2", "ctf1"):
            self.assertEqual(convert(trace, "ctf", target, self.folder), "")

    def test_damage_is_in_the_receipt(self):
        begin = dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT)]) + dial9.event(0, dial9.varint(1), delta=1)
        whole = self.file("whole.d9", begin + dial9.event(0, dial9.varint(2), delta=1))
        damaged = self.file("damaged.d9", begin + b"\xff\xfe" + dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT)]))
        for target in (*TARGETS, "perfetto", "chrome", "html"):
            for trace, count, code in ((whole, [], 0), (damaged, [1], 4)):
                out = self.folder / f"{target}-{code}"
                report = json.loads(self.check(run("convert", "--to", target, "--report", "-", trace, "-o", out), code).stdout)
                entries = [each for each in report["entries"] if each["what"] == "damaged ranges"]
                self.assertEqual([each["count"] for each in entries], count, target)
                self.assertTrue(all(each["lossy"] for each in entries))

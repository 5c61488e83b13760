"""Stacks are whole: functions that were inlined stand in them everywhere, the innermost first, with file and line."""

import base64
import collections
import json
import re
import unittest
import zlib

import dial9_writer as w
import perfetto_decoder
from command import TRACES, CommandTest, needs_traces, run

SYMBOL = [("addr", w.VARINT), ("size", w.VARINT), ("symbol_name", w.STRING), ("inline_depth", w.VARINT), ("source_file", w.STRING), ("source_line", w.U32)]
SAMPLE = [("worker_id", w.VARINT), ("tid", w.VARINT), ("source", w.VARINT), ("thread_name", w.STRING), ("callchain", w.STACK)]
POLL = [("worker_id", w.VARINT), ("local_queue", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]
MS = 1_000_000


def symbol(address, name, depth=0, file="", line=0):
    return w.event(3, w.varint(address) + w.varint(0) + w.string(name) + w.varint(depth) + w.string(file) + w.u32(line), 0)


def recording():
    """A poll of 10 ms with three samples: two in what was inlined twice, one of an address without a name."""
    trace = w.header() + w.schema(0, "PollStartEvent", POLL) + w.schema(1, "PollEndEvent", [("worker_id", w.VARINT)])
    trace += w.schema(2, "CpuSampleEvent", SAMPLE) + w.schema(3, "SymbolTableEntry", SYMBOL)
    trace += w.event(0, w.varint(0) + w.varint(0) + w.varint(7) + w.string("src/a.rs:1:1"), MS)
    for stack in ((0x1000, 0x2000), (0x1000, 0x2000), (0x3000, 0x2000)):
        trace += w.event(2, w.varint(0) + w.varint(10) + w.varint(0) + w.string("tokio") + w.stack(*stack), MS)
    trace += w.event(1, w.varint(0), 7 * MS)
    trace += symbol(0x1000, "app::poll", 0, "/home/me/app/src/poll.rs", 5) + symbol(0x1000, "app::parse", 2, "/home/me/app/src/json.rs", 7)
    return trace + symbol(0x1000, "app::handle", 1, "/home/me/app/src/handle.rs") + symbol(0x2000, "main")


class Stacks(CommandTest):
    def setUp(self):
        super().setUp()
        self.trace = self.file("t.bin", recording())

    def converted(self, name):
        out = self.folder / name
        self.check(run("convert", "-q", "-o", out, self.trace), 0)
        return out

    def test_text(self):
        text = self.check(run("print", self.trace), 0).stdout.decode()
        self.assertIn("callchain=[0x1000 (app::parse src/json.rs:7 < app::handle src/handle.rs < app::poll src/poll.rs:5), 0x2000 (main)]", text)
        self.assertIn("callchain=[0x3000, 0x2000 (main)]", text)

    def test_folded(self):
        lines = self.converted("t.folded").read_text().splitlines()
        self.assertEqual(sorted(lines), ["main;0x3000 1", "main;app::poll;app::handle;app::parse 2"])

    def test_why(self):
        answer = json.loads(self.check(run("why", "--json", "--longest", "poll", self.trace), 0).stdout)
        inlined, other = answer["samples"]
        self.assertEqual((inlined["count"], inlined["stack"]), (2, ["app::parse", "app::handle", "app::poll", "main"]))
        self.assertEqual(inlined["places"], ["src/json.rs:7", "src/handle.rs", "src/poll.rs:5", ""])
        self.assertEqual(other["stack"], ["0x3000", "main"])
        self.assertNotIn("places", other)
        text = self.check(run("why", "--longest", "poll", self.trace), 0).stdout.decode()
        self.assertIn("app::parse (src/json.rs:7) < app::handle (src/handle.rs) < app::poll (src/poll.rs:5) < main", text)

    def test_questions(self):
        result = self.check(run("query", "--output", "jsonl", "where has(callchain) | count by stack(callchain) as s", self.trace), 0)
        rows = [json.loads(line) for line in result.stdout.decode().splitlines()[:-1]]
        self.assertEqual(rows, [{"s": "0x3000 < main", "count": 1}, {"s": "app::parse < app::handle < app::poll < main", "count": 2}])

    def test_pictures(self):
        events = json.loads(self.converted("t.json").read_bytes())["traceEvents"]
        stacks = [e["args"]["callchain"] for e in events if e.get("name") == "on cpu"]
        whole = "app::parse (src/json.rs:7) < app::handle (src/handle.rs) < app::poll (src/poll.rs:5) < main"
        self.assertEqual(stacks, [whole, whole, "0x3000 < main"])
        blocks = re.findall(r'<script type=b id=b\d+>"([^"]*)"', self.converted("t.html").read_text())
        self.assertTrue(any(whole.encode() in zlib.decompress(base64.b64decode(each), -15) for each in blocks))
        decoded = perfetto_decoder.Trace(self.converted("t.pftrace").read_bytes())
        self.assertEqual([stack for _, stack in decoded.callstacks][0], ("main", "app::poll", "app::handle", "app::parse"))
        frames = {decoded.names["function_names"][f["function_name_id"]]: f for f in decoded.names["frames"].values() if "function_name_id" in f}
        self.assertEqual(decoded.names["source_paths"][frames["app::parse"]["source_path_iid"]], "/home/me/app/src/json.rs")
        self.assertEqual(frames["app::parse"]["line_number"], 7)

    @needs_traces
    def test_a_recording(self):
        out = self.folder / "demo.folded"
        self.check(run("convert", "-q", "-o", out, TRACES / "dial9/tokio-demo.bin.gz"), 0)
        frames, functions = collections.Counter(), set()
        for line in out.read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            kind, *stack = stack.split(";")
            own = [frame for frame in stack if "metrics_service" in frame]
            frames[kind] += int(count) * len(own if kind == "dump" else stack)
            if kind == "on cpu":
                functions.update(own)
        self.assertEqual((frames["on cpu"], len(functions), frames["dump"]), (3_428, 11, 49_426))


if __name__ == "__main__":
    unittest.main()

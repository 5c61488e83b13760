"""Traces for Perfetto: made-up time lines with everything in them, read by a decoder of our own, by protoc and by Perfetto's
trace processor."""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import perfetto_decoder
from command import TIME_LIMIT, TRACES, CommandTest, needs_traces, run
from exported import PROCESSOR_RUNS, ExportedTest, answers, needs_processor, rows
from timeline_oracle import random_traces

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = (50, 57)

needs_protoc = unittest.skipUnless(shutil.which("protoc"), "protoc (protobuf-compiler) is not installed")


def track_name(track):
    return track.get("name") or track.get("thread", {}).get("thread_name")


# What is asked of Perfetto's own reader about each file, at once.
ARGUMENTS = ("debug.offset", "debug.ratio", "debug.ok", "debug.sizes", "debug.state", "debug.large")
QUERIES = {
    "wrong": "select name, idx, value from stats where severity != 'info' and value > 0",
    "slices": "select hex(name), ts, dur, depth, ifnull(category, '') from slice",
    "counters": "select ts, value from counter",
    "flows": "select o.ts, o.name, i.ts, i.name from flow join slice o on slice_out = o.id join slice i on slice_in = i.id",
    "states": "select value, ts, dur from state",
    "running": "select ts, tid, ucpu from sched join thread using (utid)",
    "tasks": "select ts, tid, state from thread_state join thread using (utid)",
    "arguments": "select distinct key, display_value from slice join args using (arg_set_id)"
    f" where category = 'poll' and key in {ARGUMENTS}",
}


class PerfettoTest(ExportedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {level: cls.folder / f"scene{level}.pftrace" for level in LEVELS}
        cls.traces = {level: perfetto_decoder.Trace(file.read_bytes()) for level, file in cls.files.items()}
        if PROCESSOR_RUNS:
            cls.theirs = {level: dict(zip(QUERIES, answers(file, *QUERIES.values()))) for level, file in cls.files.items()}

    def test_nothing_is_unknown_or_would_be_dropped(self):
        for level, trace in self.traces.items():
            self.assertEqual(trace.problems, [], level)
            self.assertEqual(trace.attributes["tracedeck.lost_events"], 7002)

    def test_marks_are_all_there(self):
        counts, trace = self.counts, self.traces[57]
        # Ten slices and twenty instants are too deep; one end brings its begin along; losses and instants are slices too.
        slices = counts["slice_begin"] - 10 - 20 + 1 + counts["gap"] + counts["instant"]
        self.assertEqual(len(trace.slices), slices)
        self.assertEqual(len(trace.counters), counts["counter"])
        self.assertEqual(len(trace.flows), counts["flow_in"])
        self.assertEqual(len(trace.tasks), counts["task_state"])
        states = counts["state"] - counts["task_state"] - counts["unknown_state"]
        self.assertEqual(len(trace.states), states - 1)  # one is the same again
        self.assertEqual(len(self.traces[50].slices), slices + counts["state"] - counts["unknown_state"])

    def test_slices_nest_and_last_as_they_did(self):
        trace = self.traces[57]
        of = collections.defaultdict(list)
        for each in trace.slices:
            of[track_name(trace.tracks[each.track])].append(each)
        polls = [s for s in of["worker 0"] + of["worker 1"] if s.category == "poll"]
        reads = [s for s in of["worker 0"] + of["worker 1"] if s.name == 'read "x"']
        self.assertEqual({(s.end - s.begin, s.depth) for s in polls}, {(4000, 0)})
        self.assertEqual({(s.end - s.begin, s.depth) for s in reads}, {(1000, 1)})
        self.assertEqual({s.args.get("wake -> poll (ns)") for s in polls}, {3000})
        self.assertEqual([s.args.get("events were lost inside") for s in polls].count(True), 4)
        self.assertEqual(sorted(s.depth for s in of["deep"]), list(range(500)))
        self.assertEqual([s.end for s in of["GET"]].count(None), 2)
        self.assertEqual(
            sorted((s.name, s.end - s.begin) for s in of["trace quality"]),
            [("damaged", 201_000), ("lost 7002 events", 300_000)],
        )
        late = {s.name: s for s in of["late"]}
        self.assertEqual(late["before"].args, {"began before what is shown": True})
        self.assertEqual(late["late \ufffd"].depth, 1)  # within what began before the trace

    def test_flows_lead_from_the_wake_to_the_poll(self):
        for begin, _, name, end, _, poll in self.traces[57].flows:
            self.assertEqual((end - begin, name, poll[:8]), (3000, "wake", "main.rs:"))

    @needs_protoc
    def test_protoc_knows_every_field(self):
        for level, file in self.files.items():
            with open(file, "rb") as data:
                done = subprocess.run(
                    ["protoc", f"--proto_path={HERE}", "--decode=tracedeck.Trace", "perfetto.proto"],
                    stdin=data,
                    capture_output=True,
                    timeout=TIME_LIMIT,
                )
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            text = done.stdout.decode()
            self.assertEqual(re.findall(r"(?m)^ *\d+[: {].*", text), [])
            self.assertEqual(len(re.findall(r"(?m)^packet \{", text)), len(self.traces[level].packets))

    @needs_processor
    def test_perfettos_own_reader_finds_nothing_wrong(self):
        for level in LEVELS:
            self.assertEqual(self.theirs[level]["wrong"], [])

    @needs_processor
    def test_perfettos_own_reader_reads_the_same_slices(self):
        for level in LEVELS:
            theirs = self.theirs[level]["slices"]
            ours = [
                [s.name.encode().hex().upper(), s.begin, -1 if s.end is None else s.end - s.begin, s.depth, s.category or ""]
                for s in self.traces[level].slices
            ]
            self.assertEqual(sorted(theirs), sorted([str(v) for v in row] for row in ours))

    @needs_processor
    def test_perfettos_own_reader_reads_the_same_counters_and_flows(self):
        for level, trace in self.traces.items():
            theirs = self.theirs[level]
            self.assertEqual(
                sorted((int(t), float(v)) for t, v in theirs["counters"]), sorted((t, float(v)) for _, t, v in trace.counters)
            )
            self.assertEqual(
                sorted((int(a), b, int(c), d) for a, b, c, d in theirs["flows"]),
                sorted((a, b, c, d) for a, _, b, c, _, d in trace.flows),
            )

    @needs_processor
    def test_perfettos_own_reader_reads_the_same_states_and_tasks(self):
        theirs, trace = self.theirs[57], self.traces[57]
        ours = [[s.name, str(s.begin), str(-1 if s.end is None else s.end - s.begin)] for s in trace.states]
        self.assertEqual(sorted(theirs["states"]), sorted(ours))
        running = [t for t in trace.tasks if t.state == perfetto_decoder.RUNNING]
        self.assertEqual(sorted(theirs["running"]), sorted([str(t.time), str(t.tid), str(t.cpu)] for t in running))
        letters = {1: "Created", 2: "R", 3: "Running", 4: "S", 5: "D", 6: "T", 7: "Z", 8: "X"}
        self.assertEqual(
            sorted(theirs["tasks"]), sorted([str(t.time), str(t.tid), letters[t.state]] for t in trace.tasks)
        )

    @needs_processor
    def test_perfettos_own_reader_reads_the_same_arguments(self):
        self.assertEqual(
            sorted(self.theirs[57]["arguments"]),
            sorted([
                ["debug.large", "18446744073709551615"],
                ["debug.offset", "-3"],
                ["debug.ok", "true"],
                ["debug.ratio", "0.5"],
                ["debug.sizes", "[10,4096]"],
                ["debug.state", "busy"],
            ]),
        )


class WakesTest(CommandTest):
    """Arrows from the worker that woke a task to the poll that it waited for."""

    def setUp(self):
        super().setUp()
        events = (
            (1_000, "PollStartEvent", 0, 0, 1, "a.rs:1:1"),
            (2_000, "WakeEventEvent", 1, 2, 0),
            (3_000, "PollEndEvent", 0),
            (2_003_000, "PollStartEvent", 1, 0, 2, "b.rs:2:2"),
            (2_004_000, "WakeEventEvent", 2, 1, 1),
            (2_005_000, "PollEndEvent", 1),
            (2_006_000, "PollStartEvent", 0, 0, 1, "a.rs:1:1"),
            (2_007_000, "PollEndEvent", 0),
        )
        self.trace = self.file("wakes.bin", random_traces.dial9_segment(events))

    def convert(self, suffix, *options):
        file = self.folder / f"out{len(options)}{suffix}"
        self.check(run("convert", "-q", "-o", file, *options, self.trace), 0)
        return file

    def test_of_long_waits(self):
        flows = perfetto_decoder.Trace(self.convert(".pftrace").read_bytes()).flows
        self.assertEqual([(begin, name, end, poll) for begin, _, name, end, _, poll in flows], [(2_000, "wake -> poll", 2_003_000, "b.rs:2")])

    def test_of_all(self):
        file = self.convert(".pftrace", "--flows", "all")
        flows = perfetto_decoder.Trace(file.read_bytes()).flows
        self.assertEqual([(begin, end, poll) for begin, _, _, end, _, poll in flows], [(2_000, 2_003_000, "b.rs:2"), (2_004_000, 2_006_000, "a.rs:1")])
        if PROCESSOR_RUNS:
            self.assertEqual(rows(file, "select count(*) from flow"), [["2"]])

    def test_in_chrome(self):
        for options, count in (((), 1), (("--flows", "all"), 2)):
            events = [one["ph"] for one in json.loads(self.convert(".json", *options).read_text())["traceEvents"]]
            self.assertEqual((events.count("s"), events.count("f")), (count, count))


REAL = (
    "dial9/tokio-demo.bin.gz",
    "heph/realistic_12k.bin.log",
    "tband/all_events_monotone.bin",
    "ctf/ctf1/succeed_lttng-tracefile-rotation_kernel",
    "ctf/tracecompass/ros2",
)


@needs_traces
class RealTest(unittest.TestCase):
    """What the command makes of real traces."""

    def test_decoder_and_perfettos_own_reader_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in REAL:
                with self.subTest(name):
                    file = pathlib.Path(folder) / "out.pftrace"
                    file.unlink(missing_ok=True)
                    done = run("convert", "--to", "perfetto", "-q", "-o", file, TRACES / name)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    trace = perfetto_decoder.Trace(file.read_bytes())
                    self.assertEqual(trace.problems, [])
                    if PROCESSOR_RUNS:
                        self.compare(file, trace)

    def compare(self, file, trace):
        callstacks = "__intrinsic_track_event_callstacks"
        innermost = f"select f.name, count(*) from {callstacks} e join stack_profile_callsite c on c.id = e.callsite_id "
        innermost += "join stack_profile_frame f on f.id = c.frame_id where f.name != '' group by 1"
        counted = ("slice", "counter", "flow", "sched", "thread_state", "state", callstacks)
        sums = "select (select sum(dur) from slice where dur > 0), " + ", ".join(f"(select count(*) from {t})" for t in counted)
        wrong, sums, innermost = answers(file, QUERIES["wrong"], sums, innermost)
        self.assertEqual(wrong, [])
        running = sum(t.state == perfetto_decoder.RUNNING for t in trace.tasks)
        lists = (trace.slices, trace.counters, trace.flows, range(running), trace.tasks, trace.states, trace.callstacks)
        total = sum(s.end - s.begin for s in trace.slices if s.end is not None)
        self.assertEqual([int(v) if v.isdigit() else 0 for v in sums[0]], [total, *map(len, lists)])
        # Each function as often as it is the innermost one of a stack.
        ours = collections.Counter(one[-1] for _, one in trace.callstacks if isinstance(one[-1], str))
        self.assertEqual({name: int(count) for name, count in innermost}, ours)


class DecoderTest(unittest.TestCase):
    """What the decoder must not overlook."""

    def problems(self, packets):
        clocks = "0A06 0840 1064 1801 0A04 0841 1064 0A04 0806 1064"
        first = bytes.fromhex(f"5001 6801 3214 {clocks} DA03 03 D00340")
        data = b"".join(b"\x0a" + bytes([len(p)]) + p for p in [first, *map(bytes.fromhex, packets)])
        return perfetto_decoder.Trace(data).problems

    TRACK = "5001 E203 05 0801 1201 61"

    def test_a_sound_trace_has_none(self):
        self.assertEqual(self.problems([self.TRACK, "4001 5001 6802 5A04 4801 5801", "4001 5001 6802 5A04 4802 5801"]), [])

    def test_faults(self):
        for packets, words in [
            ([self.TRACK, "4001 5001 6802 5A04 4802 5801"], "an end without a begin"),
            (["4001 5001 6802 5A04 4801 5801"], "an event of type 1 on track 1"),
            ([self.TRACK, "4001 5001 5A04 4803 5801"], "without the flag"),
            ([self.TRACK, "4001 5001 6802 5A06 4803 5801 2801"], "unknown field 5"),
            ([self.TRACK, "4001 5001 6802 5A04 4804 5801"], "an event of type 4 on track 1"),
            ([self.TRACK, "4001 5001 6802 AA07 06 0800 1805 2003", "4001 5001 6802 AA07 06 0800 1805 2003"], "cannot be"),
        ]:
            self.assertIn(words, " ".join(self.problems(packets)), packets)

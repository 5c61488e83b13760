"""JSON for Chrome's trace viewer: a made-up time line with everything in it, compared with the same for Perfetto."""

import collections
import decimal
import json
import unittest

import heph_writer as h
import perfetto_decoder
from command import CommandTest, run
from exported import ExportedTest, answers, needs_processor

BEGIN = 1_000_000_000_000  # of the made-up time line, ns
# What flows are given where no slice is open.
MADE_UP = "flow"


def nanoseconds(microseconds):
    exact = microseconds * 1000
    assert exact == int(exact)
    return int(exact)


def slices_of(events):
    """(name, begin, duration, depth) of each slice, to the nanosecond."""
    stacks, found = collections.defaultdict(list), []
    # In the order of time; what has the same stays in the order of the file.
    for event in sorted(events, key=lambda e: e.get("ts", -1)):
        phase, time = event["ph"], nanoseconds(event.get("ts", 0))
        track = (event["pid"], event["tid"], event.get("id2", {}).get("local"))
        if phase in "Bb":
            stacks[track].append((event["name"], time))
        elif phase in "Ee":
            name, begin = stacks[track].pop()  # raises where an end has no begin
            assert event.get("name", name) == name, event
            found.append((name, begin, time - begin, len(stacks[track])))
        elif phase in "in":
            found.append((event["name"], time, 0, len(stacks[track])))
        elif phase == "X":
            # Begins before all that is inside.
            found.append((event["name"], time, nanoseconds(event["dur"]), 0))
    assert not any(stacks.values()), stacks
    return found


class ChromeTest(ExportedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.folder / "scene.json"
        cls.text = cls.file.read_text(encoding="utf-8")
        cls.document = json.loads(cls.text, parse_float=decimal.Decimal)
        cls.events = cls.document["traceEvents"]
        cls.trace = perfetto_decoder.Trace((cls.folder / "scene50.pftrace").read_bytes())

    def test_the_document_says_what_it_is(self):
        self.assertEqual(self.document["displayTimeUnit"], "ns")
        self.assertEqual(self.document["otherData"]["tracedeck.lost_events"], 7002)
        self.assertTrue(all(line.startswith("{") for line in self.text.splitlines()[1:-1]))

    def test_tracks_are_introduced_before_anything_is_on_them(self):
        known = set()
        for event in self.events:
            if event["ph"] == "M":
                known.add((event["name"], event["pid"], event["tid"]))
            elif event["ph"] not in "C" and event["pid"] != (1 << 22) - 1:
                self.assertIn(("thread_name", event["pid"], event["tid"]), known)

    def test_slices_are_those_for_perfetto_to_the_nanosecond(self):
        ours = collections.Counter(s[:3] for s in slices_of(self.events) if s[0] != MADE_UP)
        # What does not end lasts until the trace does.
        end = self.counts["end"]
        theirs = collections.Counter(
            (s.name, s.begin - BEGIN, (end if s.end is None else s.end) - s.begin) for s in self.trace.slices
        )
        self.assertEqual(ours, theirs)

    def test_counters_are_those_for_perfetto(self):
        ours = sorted((nanoseconds(e["ts"]) + BEGIN, float(e["args"]["value"])) for e in self.events if e["ph"] == "C")
        self.assertEqual(ours, sorted((t, float(v)) for _, t, v in self.trace.counters))

    def test_flows_are_pairs_whose_numbers_are_their_own(self):
        begun = {e["id"]: nanoseconds(e["ts"]) for e in self.events if e["ph"] == "s"}
        ended = {e["id"]: nanoseconds(e["ts"]) for e in self.events if e["ph"] == "f"}
        self.assertEqual(begun.keys(), ended.keys())
        self.assertEqual(len(begun), self.counts["flow_out"])
        self.assertEqual({ended[i] - begun[i] for i in begun}, {3000})
        self.assertEqual({e["bp"] for e in self.events if e["ph"] == "f"}, {"e"})

    @needs_processor
    def test_perfettos_own_reader_reads_the_same_and_finds_nothing_wrong(self):
        wrong, slices, counters, flows = answers(
            self.file,
            "select name, idx, value from stats where severity != 'info' and value > 0",
            "select hex(name), ts, dur from slice",
            "select count(*) from counter",
            "select count(*) from flow",
        )
        self.assertEqual(wrong, [])
        ours = [[n.encode().hex().upper(), str(b), str(d)] for n, b, d, _ in slices_of(self.events)]
        self.assertEqual(sorted(slices), sorted(ours))
        self.assertEqual(counters, [[str(self.counts["counter"])]])
        self.assertEqual(flows, [[str(self.counts["flow_in"])]])


class HephTest(CommandTest):
    def test_tracks_are_grouped_by_stream(self):
        """A stream is a worker, and what runs on it is below it."""
        spans = [h.event(b"a", stream=stream, substream=substream, counter=counter, start=1, end=9)
                 for stream, substream, counter in ((1, 0, 0), (1, 7, 1), (2, 0, 0))]
        out = self.folder / "out.json"
        self.check(run("convert", "-q", "-o", out, self.file("t.bin.log", h.epoch(0) + b"".join(spans))), 0)
        events = json.loads(out.read_bytes())["traceEvents"]
        processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        tracks = {(processes[e["pid"]], e["args"]["name"]) for e in events if e["name"] == "thread_name"}
        self.assertEqual(tracks, {("stream 1", "1/0"), ("stream 1", "1/7"), ("stream 2", "2/0")})


if __name__ == "__main__":
    unittest.main()

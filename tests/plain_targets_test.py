"""Heph and Tonbandgeraet as targets: what others read of the results, and what the receipts say."""

import json

import dial9_writer as dial9
import heph_reader
import heph_writer as heph
import tband_reader
from command import TRACES, CommandTest, needs_traces, run
from ctf_cases import metadata_bytes

EPOCH = 1610113734118010000


class PlainTargets(CommandTest):
    def convert(self, trace, target, *options):
        out, report = self.folder / f"out.{target}", self.folder / "report"
        self.check(run("convert", "--to", target, "--report", report, "-o", out, *options, trace), 0)
        return out.read_bytes(), json.loads(report.read_text())

    def printed(self, trace):
        lines = self.check(run("print", "--output", "jsonl", trace), 0).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def polls(self):
        schema = dial9.schema(1, "PollStart", [("worker_id", dial9.VARINT), ("name", dial9.STRING)])
        schema += dial9.schema(2, "PollEnd", [("worker_id", dial9.VARINT)])
        body = b""
        for number in range(5):
            body += dial9.event(1, dial9.varint(number % 2) + dial9.string(b"a"), delta=100)
            body += dial9.event(2, dial9.varint(number % 2), delta=30)
        return self.file("polls.bin", dial9.header() + schema + body)


class Heph(PlainTargets):
    def test_events_become_spans_without_a_length(self):
        trace = self.polls()
        content, report = self.convert(trace, "heph")
        options, events = heph_reader.read(content)
        printed = self.printed(trace)
        self.assertEqual([each["description"] for each in events], [each["name"] for each in printed])
        self.assertEqual([dict(each["attributes"]) for each in events], [each["fields"] for each in printed])
        self.assertTrue(all(each["start"] == each["end"] for each in events))
        self.assertEqual([each["start"] - events[0]["start"] for each in events], [each["time"] - printed[0]["time"] for each in printed])
        self.assertTrue(report["lossy"])
        named = {(each.get("class"), each.get("path")) for each in report["entries"]}
        self.assertIn(("PollStart", None), named)
        self.assertIn((None, "stream"), named)
        self.assertTrue(all(each["lossy"] and (each.get("class") or each.get("path")) for each in report["entries"]))

    def test_of_many_classes_without_events_some_are_named_and_all_are_counted(self):
        schemas = b"".join(dial9.schema(i, f"Class{i}", [("n", dial9.VARINT)]) for i in range(3000))
        trace = self.file("many.bin", dial9.header() + schemas + dial9.event(7, dial9.varint(1), delta=5))
        _, report = self.convert(trace, "heph")
        without = [each for each in report["entries"] if each["what"] == "classes without events"]
        named = [each for each in without if "class" in each]
        self.assertEqual(len(named), 1024)
        self.assertEqual(len(without), 1025)
        self.assertEqual(sum(each["count"] for each in without), 2999)
        self.assertNotIn("Class7", [each["class"] for each in named])

    def test_a_part_lacks_no_class_that_has_no_event_in_it(self):
        events = (heph.event(b"ab"[i % 8 == 7 :][:1], counter=i, start=10 * i, end=10 * i) for i in range(8))
        source = self.file("s.log", heph.epoch(5) + b"".join(events))
        for options in (("--end", "+30ns"), ("--limit", "3"), ("--split-duration", "40ns")):
            with self.subTest(options):
                out = self.folder / f"{options[0]}.log"
                self.check(run("convert", "--strict", "--to", "heph", "-o", out, *options, source), 0)

    def test_arrays_of_variable_length_before_numbers(self):
        number = {"type": "variable-length-unsigned-integer"}
        array = {"type": "static-length-array", "length": 2, "element-field-class": number}
        members = [{"name": "a", "field-class": array}, {"name": "n", "field-class": number}]
        payload = {"type": "structure", "member-classes": members}
        event = {"type": "event-record-class", "name": "e", "payload-field-class": payload}
        trace = self.folder / "ctf"
        trace.mkdir()
        fragments = [{"type": "preamble", "version": 2}, {"type": "trace-class"}, {"type": "data-stream-class"}, event]
        (trace / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in fragments]))
        (trace / "stream").write_bytes(b"\x81\x01\x02\x05" + b"\x03\x04\x06")
        _, events = heph_reader.read(self.convert(trace, "heph")[0])
        values = [dict(each["attributes"]) for each in events]
        self.assertEqual(values, [{"a": [129, 2], "n": 5}, {"a": [3, 4], "n": 6}])

    def test_an_empty_result_is_said_to_be_empty(self):
        trace = self.file("t", dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT)]))
        for target in ("heph", "tband", "dial9"):
            out = self.folder / f"out.{target}"
            said = self.check(run("convert", "--to", target, "-o", out, "--where", "n == 1", trace), 0).stderr.decode()
            empty = f"{out}: it is empty, as there was no event to write; --format {target} reads it"
            self.assertEqual(empty in said, out.stat().st_size == 0, said)
            self.check(run("info", "--format", target, out), 0)
        self.assertEqual((self.folder / "out.heph").stat().st_size, 0)

    def test_strict(self):
        self.check(run("convert", "--strict", "--to", "heph", "-o", self.folder / "o", self.polls()), 4)
        trace = self.file("t", heph.epoch(EPOCH) + heph.event(b"e", heph.number(b"n", 1), start=3, end=5))
        out = self.folder / "same"
        self.check(run("convert", "--strict", "--limit", "9", "--to", "heph", "-o", out, trace), 0)
        self.assertEqual(out.read_bytes(), trace.read_bytes())

    def test_spans_of_time_lines(self):
        trace = self.polls()
        content, report = self.convert(trace, "heph", "--spans")
        _, spans = heph_reader.read(content)
        query = self.check(run("query", "--output", "jsonl", "spans", trace), 0).stdout.splitlines()
        wanted = [each for each in map(json.loads, query) if "duration" in each]
        self.assertEqual(len(spans), 5)
        self.assertEqual([each["end"] - each["start"] for each in spans], [each["duration"] for each in wanted])
        self.assertEqual([each["description"] for each in spans], [f"{each['category']} {each['name']}".strip() for each in wanted])
        self.assertEqual(len({each["stream"] for each in spans}), len({each["track"] for each in wanted}))
        self.check(run("validate", self.folder / "out.heph"), 0)
        self.assertEqual(report["events"], 10)

    def test_counters_of_what_is_left_out(self):
        """Events that end in the order of recording, and begin in another: parts by time miss counters."""
        times = [(1000 * i + 3000 * (i % 3 == 1), 5000) for i in range(20)]
        events = [heph.event(b"e", heph.number(b"n", i), stream=1, counter=(2**32 - 9 + i) % 2**32, start=s, end=s + length) for i, (s, length) in enumerate(times)]
        lossless = self.file("lossless.log", heph.epoch(0) + b"".join(events))
        lossy = self.file("lossy.log", heph.epoch(0) + b"".join(events[:4] + events[9:]))
        report = self.folder / "report"
        for source, selection, count in (
            (lossless, [], 0), (lossy, [], 0), (lossless, ["--where", "n != 3 && n != 7"], 2), (lossy, ["--where", "n != 3"], 1),
            (lossy, ["--where", "n != 12"], 1), (lossless, ["--split-duration", "6us"], None),
        ):  # fmt: skip
            with self.subTest((source, selection)):
                for old in self.folder.glob("out*"):
                    old.unlink()
                self.check(run("convert", "-q", "--to", "heph", *selection, "--report", report, source, "-o", self.folder / "out.heph"), 0)
                entries = [each for each in json.loads(report.read_text())["entries"] if each["what"].startswith("counters between others")]
                results = self.folder.glob("out*")
                lost = sum(json.loads(run("info", "--json", each).stdout)["losses"]["events"] for each in results) - 5 * (source == lossy)
                self.assertEqual(sum(each["count"] for each in entries), lost)
                self.assertFalse(any(each["lossy"] for each in entries))
                if count is None:
                    self.assertGreater(lost, 0)
                else:
                    self.assertEqual(lost, count)

    def test_split_parts_stand_alone(self):
        trace = self.polls()
        out = self.folder / "p.heph"
        self.check(run("convert", "--split-duration", "200", "--to", "heph", "-o", out, trace), 0)
        parts = sorted(self.folder.glob("p-*.heph"))
        self.assertGreater(len(parts), 1)
        self.assertEqual(sum(len(heph_reader.read(part.read_bytes())[1]) for part in parts), 10)


class Tband(PlainTargets):
    def test_events_become_markers(self):
        trace = self.polls()
        content, report = self.convert(trace, "tband")
        events = tband_reader.read(content)
        names = {integers[0]: text for number, _, integers, text in events if number == 0x06}
        markers = [(names[integers[0]], json.loads(text)) for number, _, integers, text in events if number == 0x07]
        self.assertEqual(markers, [(each["name"], each["fields"]) for each in self.printed(trace)])
        self.assertEqual([each[0] for each in events[:2]], [0x02, 0x06])
        named = {each.get("class") or each["path"] for each in report["entries"]}
        self.assertLessEqual({"PollStart", "PollEnd", "evtmarker", "evtmarker_name", "ts_resolution_ns"}, named)

    def test_each_class_has_a_marker_of_its_own(self):
        classes = ["first", "second", "third", "fourth"]
        schemas = b"".join(dial9.schema(n, name, [("n", dial9.VARINT)]) for n, name in enumerate(classes, 1))
        body = b"".join(dial9.event(n, dial9.varint(n), delta=1) for n in (1, 2, 3, 4, 3, 2, 1))
        content, _ = self.convert(self.file("t", dial9.header() + schemas + body), "tband")
        events = tband_reader.read(content)
        names = {integers[0]: text for number, _, integers, text in events if number == 0x06}
        self.assertEqual(names, {1_000_000 + n: name for n, name in enumerate(classes)})
        markers = [names[integers[0]] for number, _, integers, _ in events if number == 0x07]
        self.assertEqual(markers, [classes[n - 1] for n in (1, 2, 3, 4, 3, 2, 1)])

    def test_durations_are_in_the_message(self):
        trace = self.file("t", heph.event(b"e", heph.number(b"n", 1), start=3, end=5))
        content, report = self.convert(trace, "tband")
        text = tband_reader.read(content)[-1][3]
        self.assertEqual(json.loads(text), {"@duration": 2, "@common": {"substream": 0, "counter": 0}, "n": 1})
        self.assertIn("that events have a duration", {each["what"] for each in report["entries"] if each.get("class") == "e"})


@needs_traces
class ReferenceTraces(PlainTargets):
    def test_others_read_as_many_events(self):
        traces = [*sorted((TRACES / "dial9").glob("*.bin"))[:12]]
        traces += [each.parent for each in sorted((TRACES / "ctf").rglob("metadata"))[::9]]
        for trace in traces:
            with self.subTest(trace.name):
                out, report = self.folder / "o", self.folder / "report"
                for target in ("heph", "tband"):
                    result = run("convert", "--to", target, "--report", report, "-o", out, trace)
                    if result.returncode not in (0, 4):
                        continue
                    events = json.loads(report.read_text())["events"]
                    if target == "heph":
                        self.assertEqual(len(heph_reader.read(out.read_bytes())[1]), events)
                        continue
                    own = {0x00, 0x01, 0x02, 0x06}
                    read = [each for each in tband_reader.read(out.read_bytes()) if each[0] not in own]
                    self.assertEqual(len(read), events)

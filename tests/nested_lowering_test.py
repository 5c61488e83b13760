"""What CTF cannot say of another trace: written as others read it, and read as it was; marks that others have edited."""

import json
import shutil
import subprocess

import dial9_writer as dial9
import heph_writer as heph
from command import EQUAL_TRACES, CommandTest, run
from ctf_cases import metadata_bytes

EPOCH = 1_600_000_000_000_000_000
TARGETS = ("ctf1", "ctf2", "ctf2rc")
# Recorded when they end, so that the outer one comes behind the inner one.
SPANS = heph.epoch(EPOCH) + b"".join(
    heph.event(name, heph.number(b"task", i) + heph.string(b"of", b"t%d" % i), stream=3, counter=i, start=start, end=end)
    for i, (name, start, end) in enumerate(((b"inner", 50, 60), (b"inner", 70, 80), (b"outer", 10, 90), (b"next", 95, 96)))
)  # fmt: skip


class NestedLowering(CommandTest):
    def lines(self, *args, code=0, **more):
        result = self.check(run("print", "--output", "jsonl", *args, **more), code)
        return [json.loads(line) for line in result.stdout.decode().splitlines()], result.stderr.decode()

    def lowered(self, content, target):
        out = self.folder / f"out.{target}"
        shutil.rmtree(out, ignore_errors=True)
        self.check(run("convert", "-q", self.file("source", content), "--to", target, "-o", out), 0)
        return out

    def edited(self, out, before, after):
        text = (out / "metadata").read_bytes()
        self.assertIn(before, text)
        (out / "metadata").write_bytes(text.replace(before, after))

    def assert_as_stored(self, out, why):
        shown, _ = self.lines(out)
        stored, _ = self.lines("--as-stored", out)
        in_order = lambda lines: sorted(json.dumps({**line, "stream": 0, "context": 0}) for line in lines)
        self.assertEqual(in_order(shown), in_order(stored))
        self.assertIn(why, self.check(run("validate", out), 0).stdout)

    def test_what_steps_back_comes_back_in_its_order(self):
        want, _ = self.lines("--order", "recorded", self.file("source", SPANS))
        for target in TARGETS:
            with self.subTest(target):
                out = self.lowered(SPANS, target)
                self.assertEqual(self.lines("--order", "recorded", out)[0], want)
                stored, _ = self.lines("--as-stored", "--order", "time", out)
                self.assertEqual([(line["name"], line["time"] - EPOCH, line["fields"]["duration"]) for line in stored],
                                 [("outer", 10, 80), ("inner", 50, 10), ("inner", 70, 10), ("next", 95, 1)])
                self.assertEqual([line["fields"].get("tracedeck_order") for line in stored], [2, None, None, None])
                files = sorted(file.name for file in out.iterdir() if file.name.startswith("stream"))
                self.assertEqual(files, ["stream-0000", "stream-0001"])

    def test_values_that_fields_do_not_hold_are_text(self):
        content = dial9.header() + dial9.schema(0, "E", [("s", dial9.STRING), ("n", dial9.VARINT)])
        content += dial9.event(0, dial9.string(b"a") + dial9.varint(1))
        content += dial9.event(0, dial9.string(b"a\0b") + dial9.varint(2))
        want, _ = self.lines(self.file("source", content))
        for target in TARGETS:
            with self.subTest(target):
                out = self.lowered(content, target)
                self.assertEqual(self.lines(out)[0], want)
                stored = [line["fields"] for line in self.lines("--as-stored", out)[0]]
                self.assertEqual(stored, [{"s": "a", "n": 1}, {"s": '"a\\u0000b"', "n": 2}])

    BYTE = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}

    def test_what_is_known_of_data_streams_that_have_not_begun(self):
        # One after the other: the second begins when all that is known was described with the first.
        aligned = {**self.BYTE, "alignment": 8}
        structure = lambda **members: {"type": "structure", "member-classes": [{"name": n, "field-class": c} for n, c in members.items()]}
        header = structure(stream={**aligned, "roles": ["data-stream-class-id"]})
        fragments = [{"type": "preamble", "version": 2}, {"type": "trace-class", "packet-header-field-class": header}]
        head = structure(id={**aligned, "roles": ["event-record-class-id"]})
        for stream in range(2):
            attributes = {"my": {"x": stream}}
            fragments.append({"type": "data-stream-class", "id": stream, "name": f"s{stream}", "attributes": attributes, "event-record-header-field-class": head})
        for stream in range(2):
            for event in range(3):
                of = {"id": event, "data-stream-class-id": stream, "name": f"e{stream}{event}"}
                fragments.append({"type": "event-record-class", **of, "payload-field-class": structure(n=aligned, m=aligned)})
        trace = self.folder / "source"
        trace.mkdir()
        (trace / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in fragments]))
        (trace / "a").write_bytes(bytes([0, 1, 7, 8, 1, 9, 10]))
        (trace / "b").write_bytes(bytes([1, 2, 11, 12]))
        for target in ("ctf1", "ctf2rc"):
            with self.subTest(target):
                out, back = self.folder / f"out.{target}", self.folder / f"back.{target}"
                self.check(run("convert", "-q", "--order", "recorded", "--to", target, "-o", out, trace), 0)
                self.check(run("validate", out), 0)
                self.check(run("convert", "-q", "--to", "ctf2", "-o", back, out), 0)
                for one in (out, back):
                    compared = subprocess.run([EQUAL_TRACES, trace, one], capture_output=True, text=True, check=False)
                    self.assertEqual(compared.stdout, "")

    def of_ctf2(self, name, environment=None, class_id=BYTE):
        """A trace of CTF 2 with heads, whose events have one field."""
        head = lambda role, of=self.BYTE: {**of, "roles": [role]}
        structure = lambda **members: {
            "type": "structure",
            "member-classes": [{"name": name, "field-class": of} for name, of in members.items()],
        }
        trace_class = {"type": "trace-class", "packet-header-field-class": structure(s=head("data-stream-class-id"))}
        if environment:
            trace_class["environment"] = environment
        stream = {"type": "data-stream-class", "id": 7, "event-record-header-field-class": structure(i=head("event-record-class-id", class_id))}
        stream["packet-context-field-class"] = structure(size=head("packet-total-length"))
        event = {"type": "event-record-class", "name": "e", "data-stream-class-id": 7, "payload-field-class": structure(n=self.BYTE)}
        trace = self.folder / name
        trace.mkdir()
        fragments = [{"type": "preamble", "version": 2}, trace_class, stream, event]
        (trace / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in fragments]))
        (trace / "stream").write_bytes(b"\7\x30\0\1\0\2" + b"\7\x20\0\3")
        return trace

    def entries(self, target, *sources):
        out, report = self.folder / f"out.{target}", self.folder / "report"
        shutil.rmtree(out, ignore_errors=True)
        self.check(run("convert", "-q", *sources, "--to", target, "--report", report, "-o", out), 0)
        return out, json.loads(report.read_text())["entries"]

    def test_heads_that_the_target_replaces(self):
        fixed = self.of_ctf2("fixed")
        variable = self.of_ctf2("variable", class_id={"type": "variable-length-unsigned-integer"})
        heads = lambda entries: {
            each["what"]: (each.get("class"), each["path"], each["count"], each["input"], each["offset"], each["lossy"])
            for each in entries
            if each["what"].startswith("heads of")
        }
        for target in TARGETS:
            self.assertEqual(heads(self.entries(target, fixed)[1]), {})
        self.assertEqual(heads(self.entries("ctf2rc", variable)[1]), {})
        self.assertEqual(
            heads(self.entries("ctf1", variable)[1]),
            {
                "heads of events": ("e", "event_header", 3, str(variable), 2, False),
                "heads of packets": (None, "stream.7", 2, str(variable), 0, False),
            },
        )
        for target in TARGETS:
            _, entries = self.entries(target, fixed, variable)
            for what, count in (("heads of events", 6), ("heads of packets", 4)):
                self.assertEqual(sum(each["count"] for each in entries if each["what"] == what), count)

    def test_the_environment_of_a_further_trace(self):
        one, two = (self.of_ctf2(str(pid), {"host": "a", "pid": pid}) for pid in (1, 2))
        for target in TARGETS:
            with self.subTest(target):
                out, entries = self.entries(target, one, two)
                said = json.loads(run("info", "--json", out).stdout)
                self.assertEqual((said["environment"], said["others"]["first"][0]["environment"]), ({"host": "a", "pid": 1}, {"host": "a", "pid": 2}))
                self.assertEqual([each for each in entries if each["lossy"]], [])
                of_others = [(each["path"], each["input"]) for each in entries if each["what"].startswith("entries of the environment")]
                self.assertEqual(of_others, [("environment.pid", str(two))])
                classes = [len(json.loads(line)["event_classes"]) for line in run("schema", "--json", out).stdout.splitlines()]
                self.assertEqual(classes, [1, 1])

    def test_data_streams_with_and_without_a_clock(self):
        """babeltrace2 wants a clock of all data streams of CTF 1.8, or of none."""
        timed, untimed = self.file("timed", SPANS), self.of_ctf2("untimed")
        for sources in ([timed, untimed], [untimed, timed], [untimed]):
            with self.subTest(sources):
                out, _ = self.entries("ctf1", *sources)
                without_heads = lambda lines: [{**line, "context": None} for line in lines]
                want, _ = self.lines(*sources)
                self.assertCountEqual(without_heads(self.lines(out)[0]), without_heads(want))
                stored, _ = self.lines("--as-stored", out)
                self.assertEqual({"time" in line for line in stored}, {sources != [untimed]})
                if shutil.which("babeltrace2"):
                    read = subprocess.run(["babeltrace2", out], capture_output=True, timeout=60)
                    self.assertEqual((read.returncode, len(read.stdout.splitlines())), (0, len(want)), read.stderr)

    def test_a_mark_of_a_class_that_is_not_described(self):
        for target, quote in (("ctf1", b'\\"'), ("ctf2", b'"'), ("ctf2rc", b'"')):
            with self.subTest(target):
                out = self.lowered(SPANS, target)
                key = quote + b"event-class" + quote + b":"
                for i in range(3):
                    self.edited(out, key + b"%d" % i, key + b"%d" % (i + 70))
                self.assert_as_stored(out, b"the class that it names is not described")

    def test_a_class_that_was_changed(self):
        for target in ("ctf2", "ctf2rc"):
            with self.subTest(target):
                out = self.lowered(SPANS, target)
                self.edited(out, b'{"name":"duration"', b'{"name":"length"')
                self.assert_as_stored(out, b"the class has other fields than it says")
                # Events that are shown as they are stored come in data streams that have begun.
                streams = json.loads(self.check(run("info", "--json", out), 0).stdout)["streams"]["first"]
                self.assertTrue({"class": 0, "id": 0} in streams and {"class": 0, "id": 1} in streams, streams)

    def test_a_clock_that_was_changed(self):
        for target, before, after in (("ctf1", b"freq = 1000000000", b"freq = 1000000"),
                                      ("ctf2", b'"frequency":1000000000', b'"frequency":1000000')):
            with self.subTest(target):
                out = self.lowered(SPANS, target)
                self.edited(out, before, after)
                self.assert_as_stored(out, b"its clock ticks otherwise than it says")

    def test_keys_that_packets_do_not_say(self):
        content = dial9.header() + dial9.schema(0, "E", [("n", dial9.VARINT)]) + dial9.event(0, dial9.varint(1))
        for keys in (b'"keys":[]', b'"keys":["a","b"]', b'"keys":["segment","b","c","d","e","f","g","h"]'):
            with self.subTest(keys):
                out = self.lowered(content, "ctf2")
                self.edited(out, b'"keys":["segment"]', keys)
                self.assert_as_stored(out, b"its packets do not say the keys that it names")

    def test_an_entry_that_is_no_mark(self):
        out = self.lowered(SPANS, "ctf1")
        self.edited(out, b'tracedeck_mark_stream_0 = "{', b'tracedeck_mark_stream_0 = "[')
        shown, _ = self.lines(out)
        self.assertTrue(all("duration" in line["fields"] for line in shown))
        self.assertIn(b"is ignored: it cannot be read", self.check(run("validate", out), 0).stdout)

    def test_classes_without_events_come_back_however_many(self):
        content = dial9.header() + b"".join(dial9.schema(i, f"c{i}", [("n", dial9.VARINT)]) for i in range(1500))
        content += dial9.event(3, dial9.varint(5), delta=5)
        for target in TARGETS:
            with self.subTest(target):
                out = self.lowered(content, target)
                described = json.loads(self.check(run("schema", "--json", out), 0).stdout)
                self.assertEqual({each["name"] for each in described["event_classes"]}, {f"c{i}" for i in range(1500)})
                self.assertEqual(len(json.loads(run("info", "--json", out).stdout)["classes"]), 1500)
                stored = json.loads(run("schema", "--json", "--as-stored", out).stdout)["event_classes"]
                # Those of which no more than marks are there, and the one with an event.
                self.assertEqual(len([each for each in stored if each["name"].startswith("c")]), 1024 + 1)
                back = self.folder / "back.dial9"
                said = run("convert", "-q", "--report", "-", out, "--to", "dial9", "-o", back)
                self.assertFalse(json.loads(self.check(said, 0).stdout)["lossy"])
                again = json.loads(run("schema", "--json", back).stdout)["event_classes"]
                self.assertEqual({each["name"] for each in again}, {f"c{i}" for i in range(1500)})

    def test_packets_are_passed_over_where_only_times_say_what_they_hold(self):
        def segment(begin):
            ticks = dial9.event(0, dial9.varint(7) + dial9.string(b"of them"), delta=8) * 2000
            return dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT), ("s", dial9.STRING)]) + dial9.reset(begin) + ticks

        ranges = [["--begin", "150us"], ["--end", "120us"], ["--begin", "101us", "--end", "205us"], ["--begin", "end-1us"]]
        # One behind the other, and side by side.
        for step, is_read in ((100_000, False), (10_000, True)):
            source = self.file("source", b"".join(segment(step * i) for i in range(3)))
            for target in TARGETS:
                out = self.folder / f"packets.{target}"
                shutil.rmtree(out, ignore_errors=True)
                self.check(run("convert", "-q", "--packet-size", "4K", "--to", target, "-o", out, source), 0)
                for args in ranges:
                    with self.subTest((step, target, args)):
                        all_records = ["print", "--records", "all", "--output", "jsonl", "--order", "recorded", *args]
                        want = [line for line in run(*all_records, source).stdout.splitlines() if b'"class"' not in line]
                        said = [line for line in run(*all_records, out).stdout.splitlines() if b'"class"' not in line]
                        self.assertEqual(said, want)
                        infos = [json.loads(run("info", "--json", *args, each).stdout) for each in (source, out)]
                        self.assertEqual(*[(each["events"], each["streams"], each.get("time")) for each in infos])
                # What is odd in the first packet is met by who reads it.
                stream = next(each for each in sorted(out.iterdir()) if each.name != "metadata")
                content = bytearray(stream.read_bytes())
                content[2000:2064] = b"\xff" * 64
                stream.write_bytes(content)
                self.assertIn(b"ctf/utf8", run("print", out).stderr)
                with self.subTest((step, target)):
                    self.assertEqual(b"ctf/utf8" in run("print", "--begin", "end-1us", out).stderr, is_read)

    def test_marks_that_take_too_much(self):
        out = self.lowered(SPANS, "ctf2")
        result = self.check(run("validate", "--max-state", "20K", out), 0)
        self.assertIn(b"more than --max-state", result.stdout)


if __name__ == "__main__":
    import unittest

    unittest.main()

"""Results in CTF 1.8 that babeltrace2 reads, whatever the source has, and results that it wrote anew."""

import json
import shutil
import struct
import subprocess
import unittest

import dial9_writer as dial9
import heph_writer as heph
from command import EQUAL_TRACES, TRACES, CommandTest, needs_traces, run
from ctf_cases import metadata_bytes

needs_babeltrace2 = unittest.skipUnless(shutil.which("babeltrace2"), "babeltrace2 is not installed")

PREAMBLE = {"type": "preamble", "version": 2}
CLOCK = {"type": "clock-class", "name": "c", "frequency": 1_000_000_000, "origin": "unix-epoch"}
LAST = 2**64 - 1


def number(length, **members):
    return {"type": "fixed-length-unsigned-integer", "length": length, "alignment": 8, "byte-order": "little-endian", **members}


BYTE = number(8)
BOOLEAN = {"type": "fixed-length-boolean", "length": 8, "alignment": 8, "byte-order": "little-endian"}
KIND = number(8, mappings={"small": [[0, 0]], "big": [[1, 255]]})


def structure(**members):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": of} for name, of in members.items()]}


def location(origin, *path):
    return {"origin": origin, "path": list(path)}


def variant(*selector):
    option = lambda name, ranges, of: {"name": name, "selector-field-ranges": ranges, "field-class": of}
    options = [option("small", [[0, 0]], BYTE), option("big", [[1, 255]], number(32))]
    return {"type": "variant", "selector-field-location": location(*selector), "options": options}


def optional(*selector):
    return {"type": "optional", "selector-field-location": location(*selector), "field-class": BYTE}


def array(*length):
    return {"type": "dynamic-length-array", "length-field-location": location(*length), "element-field-class": BYTE}


def roots(**classes):
    return {name.replace("_", "-") + "-field-class": of for name, of in classes.items()}


class Results(CommandTest):
    def source(self, name, fragments, stream):
        trace = self.folder / name
        trace.mkdir()
        (trace / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in (PREAMBLE, *fragments)]))
        (trace / "stream").write_bytes(stream)
        return trace

    def bare(self, name, stream, common=None, **event):
        """Events without heads."""
        of = {"type": "data-stream-class", **(roots(event_record_common_context=common) if common else {})}
        return self.source(name, [of, {"type": "event-record-class", "name": "e", **roots(**event)}], stream)

    def converted(self, source, *args):
        out = self.folder / f"{source.name}.ctf1"
        self.check(run("convert", "-q", "--to", "ctf1", "-o", out, *args, source), 0)
        return out

    def read(self, trace):
        result = subprocess.run(["babeltrace2", trace], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        return result.stdout.splitlines()

    def equal(self, one, other):
        compared = subprocess.run([EQUAL_TRACES, one, other], capture_output=True, text=True, check=False)
        self.assertEqual(compared.stdout, "")

    def test_selectors_and_lengths_anywhere(self):
        cases = {
            "variant by the common context": self.bare(
                "a", b"\0\7" + b"\2" + struct.pack("<I", 70_000), structure(kind=KIND),
                payload=structure(v=variant("event-record-common-context", "kind"))),
            "optional by a field of a structure": self.bare(
                "b", b"\1\7" + b"\0", payload=structure(o=structure(has=BOOLEAN), v=optional("event-record-payload", "o", "has"))),
            "optional in a specific context": self.bare(
                "c", b"\1\7\1" + b"\0\2", specific_context=structure(has=BOOLEAN, v=optional("event-record-specific-context", "has")),
                payload=structure(x=BYTE)),
            "variant in a specific context": self.bare(
                "d", b"\0\7\1" + b"\1\1\0\0\0\2", specific_context=structure(kind=KIND, v=variant("event-record-specific-context", "kind")),
                payload=structure(x=BYTE)),
            "array in a specific context": self.bare(
                "e", b"\2\7\7\1" + b"\0\2", specific_context=structure(n=BYTE, v=array("event-record-specific-context", "n")),
                payload=structure(x=BYTE)),
            "array by a specific context": self.bare(
                "f", b"\2\7\7" + b"\0", specific_context=structure(n=BYTE), payload=structure(v=array("event-record-specific-context", "n"))),
            "array of a structure by a field around it": self.bare(
                "g", b"\2\7\7" + b"\0", payload=structure(n=BYTE, o=structure(v=array("event-record-payload", "n")))),
            "variant beside its selector": self.bare("h", b"\0\7" + b"\1\1\0\0\0", payload=structure(kind=KIND, v=variant("event-record-payload", "kind"))),
        }  # fmt: skip
        for what, source in cases.items():
            with self.subTest(what):
                out = self.converted(source)
                self.equal(source, out)
                if shutil.which("babeltrace2"):
                    self.assertEqual(len(self.read(out)), 2)
        # What can stay needs no field more.
        self.assertNotIn(b"v_tag", (self.folder / "h.ctf1" / "metadata").read_bytes())

    def heads(self, name, classes, packet, event, identifies=True):
        header = {"magic": number(32, roles=["packet-magic-number"])}
        context = {"size": number(64, roles=["packet-total-size"]), "content": number(64, roles=["packet-content-size"]),
                   "begin": number(64, roles=["default-clock-timestamp"]), "end": number(64, roles=["packet-end-default-clock-timestamp"])}  # fmt: skip
        of_event = {"t": number(64, roles=["default-clock-timestamp"])}
        if identifies:
            of_event = {"id": number(64, roles=["event-record-class-id"]), **of_event}
        fragments = [
            CLOCK,
            {"type": "trace-class", **roots(packet_header=structure(**header))},
            {"type": "data-stream-class", "default-clock-class-name": "c",
             **roots(packet_context=structure(**context), event_record_header=structure(**of_event))},
            *({"type": "event-record-class", "id": each, "name": f"e{each}", **roots(payload=structure(x=BYTE))} for each in classes),
        ]  # fmt: skip
        body = b"".join(event)
        size = 8 * (4 + 32 + len(body))
        return self.source(name, fragments, struct.pack("<IQQQQ", 0xC1FC1FC1, size, size, *packet) + body)

    @needs_babeltrace2
    def test_packets_that_end_at_the_last_value(self):
        events = [struct.pack("<QQB", 0, time, 1) for time in (5, 6)]
        source = self.heads("end", [0], (1, LAST), events)
        report = self.folder / "report"
        out = self.converted(source, "--report", report)
        self.assertEqual(len(self.read(out)), 2)
        lossy = [(each["what"], each["count"]) for each in json.loads(report.read_text())["entries"] if each["lossy"]]
        self.assertEqual(lossy, [("ends of packets from 2^63-1 ns after the clock's origin on, which babeltrace2 does not read", 1)])
        # One that it can read stays.
        source = self.heads("readable", [0], (1, 2**63 - 2), events)
        self.equal(source, self.converted(source))
        self.assertEqual(len(self.read(self.folder / "readable.ctf1")), 2)

    def test_what_it_cannot_read_is_counted(self):
        source = self.heads("late", [0], (1, 2**63 + 9), [struct.pack("<QQB", 0, time, 1) for time in (5, 2**63, 2**63 + 9)])
        report = self.folder / "report"
        self.converted(source, "--report", report)
        entries = json.loads(report.read_text())["entries"]
        self.assertEqual([each["count"] for each in entries if each["what"].startswith("events from 2^63-1 ns")], [2])
        # The packet ends with its last event anyway.
        self.assertEqual([each["what"] for each in entries if each["lossy"]], [])

    @needs_babeltrace2
    def test_ids_of_classes(self):
        for name, ids in (("wide", (LAST, 2**63)), ("last", (2**63 - 1, 7))):
            with self.subTest(name):
                source = self.heads(name, ids, (1, 9), [struct.pack("<QQB", each, 5, 1) for each in ids])
                out = self.converted(source)
                self.assertEqual(len(self.read(out)), 2)
                self.equal(source, out)

    @needs_babeltrace2
    def test_a_second_class_beside_one_without_ids(self):
        source = self.heads("untold", (0, 1), (1, 9), [struct.pack("<QB", 5, 1)], identifies=False)
        out = self.converted(source)
        self.assertEqual(len(self.read(out)), 1)
        self.assertEqual(run("schema", "--names", out).stdout, run("schema", "--names", source).stdout)

    @needs_babeltrace2
    def test_names_with_an_underscore_in_front(self):
        members = [heph.number(name, i) for i, name in enumerate((b"_a", b"a", b"b", b"__b", b"_b"))]
        source = self.file("names.log", heph.epoch(0) + heph.event(b"e", b"".join(members), stream=1, counter=0, start=1, end=2))
        out = self.folder / "names.ctf1"
        self.check(run("convert", "-q", "--to", "ctf1", "-o", out, source), 0)
        self.equal(source, out)
        self.assertEqual(len(self.read(out)), 1)

    @needs_babeltrace2
    def test_what_it_wrote_anew_is_restored(self):
        content = dial9.header() + b"".join(dial9.schema(i, f"c{i}", [("n", dial9.VARINT), ("s", dial9.STRING)]) for i in range(3))
        content += b"".join(dial9.event(i % 3, dial9.varint(i) + dial9.string(b"x\0y" if i == 4 else b"z"), delta=5) for i in range(9))
        source = self.file("source", content)
        self.check(run("convert", "-q", "--to", "ctf1", "-o", self.folder / "first", source), 0)
        self.check_anew(source, self.folder / "first")

    @needs_babeltrace2
    def test_streams_of_one_clock_that_it_wrote_anew(self):
        """Losses are events of another data stream class."""
        content = heph.epoch(5) + b"".join(heph.event(b"e", counter=counter, start=time, end=time + 1) for counter, time in ((0, 1), (4, 9)))
        source = self.file("lost.heph", content)
        self.check(run("convert", "-q", "--to", "ctf1", "-o", self.folder / "first", source), 0)
        self.check_anew(source, self.folder / "first")
        metadata = next((self.folder / "anew").rglob("metadata")).read_bytes()
        self.assertEqual(metadata.count(b"clock {"), 2)

    def check_anew(self, source, first):
        anew = self.folder / "anew"
        shutil.rmtree(anew, ignore_errors=True)
        command = ["babeltrace2", first, "--component=sink.ctf.fs", f'--params=path="{anew}"']
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        self.assertEqual(self.check(run("validate", anew), 0).stdout, b"")
        self.assertEqual(run("schema", "--names", anew).stdout, run("schema", "--names", source).stdout)
        # Which of those with one time is first depends on the data streams.
        in_any_order = lambda trace: sorted(run("print", "--output", "jsonl", "--order", "time", trace).stdout.splitlines())
        self.assertTrue(in_any_order(anew) == in_any_order(source))

    @needs_babeltrace2
    @needs_traces
    def test_reference_traces_that_it_wrote_anew(self):
        # It writes an empty string as what was there before: these have none.
        for source in ("dial9/02_all_types.bin", "tband/posix_freertos_committed_log.bin", "heph/attr_scalars_small.bin.log"):
            with self.subTest(source):
                first = self.folder / "first"
                shutil.rmtree(first, ignore_errors=True)
                self.check(run("convert", "-q", "--to", "ctf1", "-o", first, TRACES / source), 0)
                self.check_anew(TRACES / source, first)

    def test_descriptions_that_say_no_class(self):
        """As earlier versions wrote them: each before its class, or all in front once another program has been there."""
        source = self.heads("source", (0, 1), (1, 9), [struct.pack("<QQB", each, 5, 1) for each in (0, 1)])
        out = self.converted(source)
        metadata = out / "metadata"
        text = metadata.read_text()
        names = ["stream_0", "event_0_0", "event_0_1"]
        for i, name in enumerate(names):
            text = text.replace(f"tracedeck_mark_{name} ", f"tracedeck_mark_{i} ")
        metadata.write_text(text)
        self.equal(source, out)
        entries = [line for line in text.splitlines() if "tracedeck_mark_" in line]
        self.assertEqual(len(entries), len(names))
        kept = "\n".join(line for line in text.splitlines() if line not in entries).replace("env {\n};\n", "")
        metadata.write_text(kept.replace("stream {", "env {\n" + "\n".join(entries) + "\n};\nstream {", 1))
        result = self.check(run("validate", out), 0)
        self.assertIn(b"ctf/tsdl-embedded-description", result.stdout)
        self.assertIn(b"3 entries `tracedeck_mark_N` stand together", result.stdout)
        self.assertEqual(len(run("print", out).stdout.splitlines()), 2)

    def test_a_description_of_no_class(self):
        source = self.heads("source", (0, 1), (1, 9), [struct.pack("<QQB", each, 5, 1) for each in (0, 1)])
        out = self.converted(source)
        metadata = out / "metadata"
        metadata.write_text(metadata.read_text().replace("tracedeck_mark_event_0_1 ", "tracedeck_mark_event_0_7 "))
        result = self.check(run("validate", out), 0)
        self.assertIn(b"`tracedeck_mark_event_0_7` describes a class that the trace does not have", result.stdout)
        self.assertIn(b"no mark says what the event class", result.stdout)

    def test_selectors_as_earlier_results_have_them(self):
        source = self.bare("source", b"\0\7" + b"\2" + struct.pack("<I", 70_000), structure(kind=KIND),
                           payload=structure(v=variant("event-record-common-context", "kind")))  # fmt: skip
        out = self.converted(source)
        metadata, stream = out / "metadata", out / "stream"
        text = metadata.read_text()
        begin = text.index("enum", text.index("fields := struct"))
        end = text.index("variant", begin)
        metadata.write_text((text[:begin] + text[end:]).replace("variant <_v_tag>", "variant <stream.event.context._kind>"))
        content = stream.read_bytes()
        tagged = [struct.pack("<BBB", 0, 0, 7), struct.pack("<BBI", 2, 1, 70_000)]
        for each in tagged:
            self.assertEqual(content.count(each), 1)
            content = content.replace(each, each[:1] + each[2:])
        bits = 8 * len(stream.read_bytes())
        content = content.replace(struct.pack("<Q", bits), struct.pack("<Q", bits - 16))
        stream.write_bytes(content)
        self.assertEqual(self.check(run("validate", out), 0).stdout, b"")
        self.equal(source, out)

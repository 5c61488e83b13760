"""What a conversion says of a trace is true: it comes back, or a receipt or a finding names what does not."""

import json
import shutil
import struct
import subprocess

import dial9_writer as dial9
import heph_writer as heph
from command import EQUAL_TRACES, CommandTest, run
from ctf_cases import metadata_bytes


def unsigned(length, role=None):
    roles = {"roles": [role]} if role else {}
    return {"type": "fixed-length-unsigned-integer", "length": length, "byte-order": "little-endian", "alignment": 8, **roles}


def structure(*members):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": of} for name, of in members]}


def clock(name, **more):
    return {"type": "clock-class", "id": name, "frequency": 1000000000, "origin": "unix-epoch", **more}


TIME = structure(("t", unsigned(64, "default-clock-timestamp")))
SIZES = (("ts", unsigned(32, "packet-total-length")), ("cs", unsigned(32, "packet-content-length")))
BEGIN = ("b", unsigned(64, "packet-beginning-default-clock-timestamp"))
END = ("e", unsigned(64, "packet-end-default-clock-timestamp"))
DISCARDED = ("d", unsigned(64, "discarded-event-record-counter-snapshot"))
SEQUENCE = ("s", unsigned(64, "packet-sequence-number"))


class Truth(CommandTest):
    def convert(self, source, to, name, *options, code=0):
        """The result, its receipt, and what was said."""
        out, report = self.folder / name, self.folder / "report"
        shutil.rmtree(out, ignore_errors=True)
        result = self.check(run("convert", "-v", "--to", to, "-o", out, "--report", report, *options, source), code)
        return out, json.loads(report.read_text())["entries"], result.stderr.decode()

    def differences(self, source, to, source_format, *, back=None):
        """What differs when the trace has gone there and come back, and the paths of lossy entries."""
        back = back or source_format
        there, first, _ = self.convert(source, to, f"there-{to}")
        options = ("--dial9-version", "0.4") if back == "dial9" else ()
        again, second, _ = self.convert(there, back, f"back-{to}", *options)
        as_format = "ctf" if back.startswith("ctf") else back
        compared = subprocess.run([EQUAL_TRACES, source, again, as_format], capture_output=True, text=True, check=False)
        self.assertIn(compared.returncode, (0, 1), compared.stderr)
        found = [json.loads(line) for line in compared.stdout.splitlines()]
        return found, [entry for entry in first + second if entry["lossy"]]

    def ctf(self, name, streams, *, header=(), context=(), clocks=(clock("c"),), stream_clocks=("c",), environment=None):
        """A trace of CTF 2.0. `streams`: for each file its packets: class, header, context, events (time, x)."""
        lines = [{"type": "preamble", "version": 2}]
        members = (("magic", unsigned(32, "packet-magic-number")), ("cid", unsigned(8, "data-stream-class-id")), *header)
        lines.append({"type": "trace-class", "packet-header-field-class": structure(*members),
                      **({"environment": environment} if environment else {})})  # fmt: skip
        lines += clocks
        for number, of in enumerate(stream_clocks):
            lines.append({"type": "data-stream-class", "id": number, "default-clock-class-id": of,
                          "packet-context-field-class": structure(*SIZES, *context),
                          "event-record-header-field-class": TIME})  # fmt: skip
            lines.append({"type": "event-record-class", "id": 0, "data-stream-class-id": number, "name": f"ev{number}",
                          "payload-field-class": structure(("x", unsigned(8)))})  # fmt: skip
        folder = self.folder / name
        folder.mkdir()
        (folder / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in lines]))
        for number, packets in enumerate(streams):
            content = b""
            for stream_class, head, more, events in packets:
                begin = struct.pack("<IB", 0xC1FC1FC1, stream_class) + head
                body = b"".join(struct.pack("<QB", time, x) for time, x in events)
                rest = b"".join(struct.pack("<Q", value) for value in more)
                size = 8 * (len(begin) + 8 + len(rest) + len(body))
                content += begin + struct.pack("<II", size, size) + rest + body
            (folder / f"s{number}").write_bytes(content)
        return folder

    def shown(self, *args, code=0):
        result = self.check(run("print", "--output", "jsonl", *args), code)
        return [json.loads(line) for line in result.stdout.decode().splitlines()]


class Damaged(Truth):
    def test_a_copy_lacks_what_cannot_be_read_and_no_more(self):
        context, size = (BEGIN, END, DISCARDED, SEQUENCE), 64
        packets = [(0, b"", (1000 * i, 1000 * i + 900, 0, i), [(1000 * i + 10, i), (1000 * i + 20, i)]) for i in range(8)]
        for name, edits in {
            "magic": {3: (0, b"\0\0\0\0")},
            "first": {0: (0, b"\0\0\0\0")},
            "class": {3: (4, b"\x09")},
            "several": {2: (0, b"\0\0\0\0"), 5: (0, b"\0\0\0\0")},
            "content": {3: (9, struct.pack("<I", 8 * size + 80))},
            "event": {3: (9, struct.pack("<I", 8 * size - 16))},
            "garbage": {3: (0, b"\x55" * size)},
        }.items():
            trace = self.ctf(name, [packets], context=context)
            content = bytearray((trace / "s0").read_bytes())
            self.assertEqual(len(content), 8 * (size - 1))
            for packet, (at, edit) in edits.items():
                at += packet * (size - 1)
                content[at : at + len(edit)] = edit
            (trace / "s0").write_bytes(content)
            out, _, said = self.convert(trace, "ctf2", f"{name}.out", code=4)
            with self.subTest(name):
                values = lambda of, code: [each["fields"]["x"] for each in self.shown(of, code=code)]
                read = values(trace, 4)
                # Of a packet that is damaged inside, what comes before is shown, and none of it copied.
                damaged = [packet for packet in edits if read.count(packet) == 1]
                self.assertEqual(damaged, [3] if name == "event" else [])
                self.assertEqual(values(out, 0), [each for each in read if each not in damaged])
                self.assertEqual(said.count("the whole packet is left out"), len(damaged))


class Losses(Truth):
    def test_bounds_and_sizes_come_back_or_are_named(self):
        events = lambda begin: [(begin + 100, 0), (begin + 101, 1)]
        traces = {
            "begin": ((BEGIN, DISCARDED), [(0, 0), (1000, 1), (2000, 5)]),
            "none": ((DISCARDED,), [(0,), (1,), (5,)]),
            "end": ((END, DISCARDED), [(900, 0), (1900, 1), (2900, 5)]),
            "first": ((BEGIN, END, DISCARDED, SEQUENCE), [(0, 900, 3, 4), (1000, 1900, 3, 5), (2000, 2900, 5, 7)]),
            "both": ((BEGIN, END, DISCARDED, SEQUENCE), [(0, 900, 2, 0), (1000, 1900, 2, 1), (2000, 2900, 9, 4)]),
            "empty": ((BEGIN, END, SEQUENCE), [(0, 900, 0), (1000, 1900, 3)]),
        }
        for name, (context, packets) in traces.items():
            stream = [(0, b"", values, events(1000 * i)) for i, values in enumerate(packets)]
            if name == "empty":
                stream[-1] = (*stream[-1][:-1], [])
            trace = self.ctf(name, [stream], context=context)
            for target in ("dial9", "ctf1", "ctf2rc"):
                with self.subTest(name, target=target):
                    found, lossy = self.differences(trace, target, "ctf2")
                    paths = {entry.get("path") for entry in lossy}
                    self.assertLessEqual({each["place"] for each in found}, paths)
                    if name in ("first", "both", "empty"):
                        self.assertEqual((found, lossy), ([], []))

    def test_data_streams_end_when_they_did(self):
        """A stream that was recorded to the end, and one that was not."""
        streams = [[(0, b"", (0, 9000), [(5, 1)])], [(0, b"", (0, 700), [(6, 2)]), (0, b"", (800, 900), [])]]
        trace = self.ctf("t", streams, context=(BEGIN, END))

        def ends(of):
            times = json.loads(self.check(run("info", "--json", of), 0).stdout)["streams"]["times"]
            return sorted(each["time"]["last"] for each in times)

        self.assertEqual(ends(trace), [900, 9000])
        for target in ("dial9", "ctf1", "ctf2rc"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "ctf2"), ([], []))
                self.assertEqual(ends(self.folder / f"back-{target}"), [900, 9000])

    def test_parts_tell_those_before_their_first_packets(self):
        counters = [(0, 0), (3, 1), (3, 2), (8, 5), (8, 6), (8, 9), (9, 10), (9, 11)]
        packets = [(0, b"", (1000 * i, 1000 * i + 900, *each), [(1000 * i + 10, i), (1000 * i + 20, i)])
                   for i, each in enumerate(counters)]  # fmt: skip
        trace = self.ctf("t", [packets], context=(BEGIN, END, DISCARDED, SEQUENCE))
        lost = lambda *paths, options=(): sorted(
            tuple(each["loss"].get(key, 0) for key in ("events", "packets", "begin", "end"))
            for path in paths for each in self.shown("--records", "all", *options, path) if "loss" in each)  # fmt: skip
        whole = lost(trace)
        self.assertEqual((len(whole), sum(each[0] for each in whole), sum(each[1] for each in whole)), (5, 9, 4))
        for target in ("ctf2", "ctf1", "ctf2rc"):
            for duration in ("1us", "2us", "3us"):
                with self.subTest(target, duration=duration):
                    _, entries, _ = self.convert(trace, target, "run", "--split-duration", duration)
                    parts = sorted(self.folder.glob("run-*"))
                    self.assertEqual(lost(*parts), whole)
                    self.assertEqual(sum((self.events(part) for part in parts), []), self.events(trace))
                    self.assertEqual([each for each in entries if each["lossy"]], [])
                    for part in parts:
                        self.assertEqual(self.check(run("validate", part), 0).stdout, b"")
                        shutil.rmtree(part)
            for bounds in (("--begin", "3000"), ("--begin", "+3us", "--end", "+5us"), ("--end", "4500"), ("--begin", "5010")):
                with self.subTest(target, bounds=bounds):
                    out, entries, _ = self.convert(trace, target, "cut", *bounds)
                    self.assertEqual(lost(out), lost(trace, options=bounds))
                    self.assertEqual([each for each in entries if each["lossy"]], [])

    def events(self, of):
        return [(each["time"], each["fields"]["x"]) for each in self.shown(of)]

    def test_losses_of_events_that_say_them_are_no_others(self):
        content = heph.epoch(5) + b"".join(
            heph.event(b"e", counter=counter, start=time, end=time + 1) for counter, time in ((0, 1), (4, 9), (5, 12), (9, 20))
        )
        trace = self.file("l.heph", content)
        for target in ("ctf1", "ctf2", "dial9"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "heph"), ([], []))


class Clocks(Truth):
    def test_equal_ones_stay_apart_and_unused_ones_stay(self):
        clocks = (clock("a"), clock("b"), clock("unused"), clock("slow", frequency=1000))
        trace = self.ctf("t", [[(0, b"", (), [(5, 1)])], [(1, b"", (), [(6, 2)])]], clocks=clocks, stream_clocks=("b", "a"))
        for target in ("dial9", "ctf1", "ctf2rc", "ctf2"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "ctf2"), ([], []))

    def test_data_stream_classes_without_data_streams_keep_their_classes(self):
        trace = self.ctf("t", [[(0, b"", (), [(5, 1)])]], stream_clocks=("c", "c"))
        for target in ("dial9", "ctf1", "ctf2rc", "ctf2"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "ctf2"), ([], []))
                classes = json.loads(self.check(run("schema", "--json", self.folder / f"back-{target}"), 0).stdout)
                self.assertIn("ev1", json.dumps(classes))

    def test_names_that_become_the_same_identifier_stay_apart(self):
        clocks = (clock("a b"), clock("a-b", frequency=1000), clock("a_b"), clock("", frequency=7), clock("_"), clock("struct"))
        uses = ("a b", "a-b", "", "struct")
        streams = [[(number, b"", (), [(5 + number, number)])] for number in range(len(uses))]
        trace = self.ctf("t", streams, clocks=clocks, stream_clocks=uses)
        for target in ("ctf1", "dial9", "ctf2rc"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "ctf2"), ([], []))
        times = lambda of: [(each["name"], each["time"], each["fields"]) for each in self.shown(of)]
        self.assertEqual(times(self.folder / "there-ctf1"), times(trace))

    def test_traces_share_what_says_the_same(self):
        one = self.ctf("one", [[(0, b"", (), [(5, 1)])]])
        other = self.ctf("other", [[(0, b"", (), [(6, 2)])]])
        self.check(run("convert", "-q", "--to", "ctf2", "-o", self.folder / "both", one, other), 0)
        stored = json.loads(self.check(run("info", "--json", "--as-stored", self.folder / "both"), 0).stdout)
        self.assertEqual(len(stored["clocks"]), 1)


class Ids(Truth):
    HAS = ("has", unsigned(8))
    ID = ("id", {"type": "optional", "field-class": unsigned(8, "data-stream-id"), "selector-field-ranges": [[1, 1]],
                 "selector-field-location": {"origin": "packet-header", "path": ["has"]}})  # fmt: skip
    EITHER = ("v", {"type": "variant", "selector-field-location": {"origin": "packet-header", "path": ["has"]},
                    "options": [{"field-class": unsigned(16, "data-stream-id"), "selector-field-ranges": [[0, 0]]},
                                {"field-class": unsigned(8, "data-stream-id"), "selector-field-ranges": [[1, 1]]}]})  # fmt: skip
    TWICE = (("first", unsigned(8, "data-stream-id")), ("id", unsigned(8, "data-stream-id")))

    def test_those_of_any_head_come_back_or_are_named(self):
        present, absent = lambda value: bytes([1, value]), bytes([0])
        for name, header, heads in (
            ("optional", (self.HAS, self.ID), (present(4), present(7))),
            ("first-absent", (self.HAS, self.ID), (absent, present(4))),
            ("second-absent", (self.HAS, self.ID), (present(4), absent)),
            ("variant", (self.HAS, self.EITHER), (present(4), bytes([0, 7, 0]))),
            ("twice", self.TWICE, (bytes([9, 4]), bytes([9, 7]))),
        ):
            streams = [[(0, head, (), [(5 + i, i)])] for i, head in enumerate(heads)]
            trace = self.ctf(name, streams, header=header)
            for target in ("dial9", "ctf1", "ctf2rc", "ctf2"):
                with self.subTest(name, target=target):
                    found, lossy = self.differences(trace, target, "ctf2")
                    self.assertLessEqual({each["place"] for each in found}, {entry.get("path") for entry in lossy})
                    if "absent" not in name:
                        self.assertNotIn("stream", {each["kind"] for each in found})


class Marks(Truth):
    def test_entries_of_the_environment_may_be_called_as_they_are(self):
        environment = {"host": "a", "tracedeck_mark_stream_0": "u", "tracedeck_mark_event_0_0": "{}", "tracedeck_mark_event_0_0_": 7,
                       "tracedeck_mark_0": "v"}  # fmt: skip
        trace = self.ctf("t", [[(0, b"", (), [(5, 1)])]], environment=environment)
        of = lambda path: json.loads(self.check(run("info", "--json", path), 0).stdout)["environment"]
        for target in ("ctf1", "dial9", "ctf2rc"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "ctf2"), ([], []))
                self.assertEqual(of(self.folder / f"there-{target}"), of(trace))
        self.assertEqual(self.check(run("validate", self.folder / "there-ctf1"), 0).stdout, b"")


class References(Truth):
    def test_one_that_leads_nowhere_comes_back_inside_of_a_list(self):
        elements = (
            (dial9.VARINT, dial9.varint(5)),
            (dial9.POOLED_STRING, dial9.u32(77)),
            (dial9.POOLED_STACK, dial9.u32(78)),
            (dial9.LIST, dial9.dynamic_list((dial9.POOLED_STRING, dial9.u32(79)))),
        )
        content = dial9.header() + dial9.schema(0, "Ev", [("x", dial9.LIST)])
        for element in elements:
            content += dial9.event(0, dial9.dynamic_list(element), delta=1)
        trace = self.file("t.dial9", content)
        as_text = self.check(run("print", trace), 0).stdout
        self.assertEqual(as_text.count(b"unresolved("), 3)
        for target in ("ctf1", "ctf2", "ctf2rc"):
            with self.subTest(target):
                self.assertEqual(self.differences(trace, target, "dial9"), ([], []))
                self.assertEqual(self.check(run("print", self.folder / f"there-{target}"), 0).stdout, as_text)


    def test_a_stack_without_a_pool_is_empty_which_is_counted(self):
        fields = [("s", dial9.POOLED_STACK), ("o", dial9.POOLED_STACK | dial9.OPTIONAL), ("p", dial9.STACK)]
        content = dial9.header() + dial9.stack_pool((1, [7, 8])) + dial9.schema(0, "Ev", fields)
        for each, optional in ((1, dial9.ABSENT), (77, dial9.present(dial9.u32(1))), (78, dial9.present(dial9.u32(79))), (1, dial9.ABSENT)):
            content += dial9.event(0, dial9.u32(each) + optional + dial9.stack(5), delta=1)
        trace = self.file("t.dial9", content)
        out, entries, _ = self.convert(trace, "dial9", "old.dial9", "--dial9-version", "0.3", "--strict", code=4)
        lost = {(each["class"], each["path"]): each["count"] for each in entries if each["lossy"]}
        self.assertEqual(lost, {("Ev", "s"): 2, ("Ev", "o"): 1})
        stacks = [[each["fields"][name] for name in ("s", "o")] for each in self.shown(out)]
        self.assertEqual([[None if of is None else len(of) for of in each] for each in stacks], [[2, None], [0, 2], [0, 0], [2, None]])


class Appended(Truth):
    def result_of(self, name, labels, tick):
        """dial9 made of a trace of CTF 1.8 with one enumeration, one entry of the environment and one clock."""
        folder = self.folder / name
        folder.mkdir()
        entries = ", ".join(f'"{label}" = {number}' for number, label in enumerate(labels))
        (folder / "metadata").write_text(
            f'/* CTF 1.8 */ trace {{ major = 1; minor = 8; byte_order = le; }};\nenv {{ host = "{name}"; }};\n'
            f"clock {{ name = c; freq = {10**9 // tick}; offset = 0; }};\n"
            "stream { event.header := struct { integer { size = 64; align = 8; map = clock.c.value; } timestamp; }; };\n"
            f"event {{ name = ev; fields := struct {{ enum : integer {{ size = 8; align = 8; }} {{ {entries} }} x; }}; }};\n"
        )
        (folder / "s").write_bytes(b"".join(struct.pack("<QB", 4 * 10**number, number) for number in range(len(labels))))
        return self.convert(folder, "dial9", f"{name}.dial9")[0]

    def test_each_has_its_own_labels_clocks_and_environment(self):
        one = self.result_of("one", ("IDLE", "BUSY"), 25)
        two = self.result_of("two", ("FAILED", "DONE"), 1000)
        both = self.file("both.dial9", one.read_bytes() + two.read_bytes())
        self.assertEqual(self.shown(both), self.shown(one) + self.shown(two))
        text = self.check(run("print", "--order", "recorded", both), 0)
        self.assertEqual([line.split("x=")[1].split("(")[0] for line in text.stdout.decode().splitlines()],
                         ["IDLE", "BUSY", "FAILED", "DONE"])  # fmt: skip
        self.assertNotIn(b"tracedeck/mark", text.stderr)
        twice = self.file("twice.dial9", 2 * one.read_bytes())
        self.assertEqual(self.shown(twice), 2 * self.shown(one))

    def test_they_stay_apart_in_any_target(self):
        one = self.result_of("one", ("IDLE", "BUSY"), 25)
        two = self.result_of("two", ("FAILED", "DONE"), 1000)
        both = self.file("both.dial9", one.read_bytes() + two.read_bytes())

        def traces(of):
            described = json.loads(self.check(run("info", "--json", of), 0).stdout)
            all_of = (described, *described["others"]["first"])
            return [(each["clocks"], each["environment"]) for each in all_of]

        self.assertEqual(len(traces(both)), 2)
        events = lambda of: [(each["time"], each["fields"]) for each in self.shown("--order", "time", of)]
        for target in ("ctf1", "ctf2", "ctf2rc"):
            with self.subTest(target):
                out, entries, _ = self.convert(both, target, f"both-{target}")
                self.assertEqual(traces(out), traces(both))
                self.assertEqual(events(out), events(both))
                self.assertEqual([each for each in entries if each["lossy"]], [])


class Edited(Truth):
    def slow(self, name):
        """A trace whose clock does not count ns."""
        return self.ctf(name, [[(0, b"", (), [(4, 0), (40, 1), (400, 2)])]],
                        clocks=(clock("c", frequency=40_000_000),))  # fmt: skip

    def test_a_time_that_was_moved_counts(self):
        out = self.convert(self.slow("t"), "dial9", "out.dial9")[0]
        whole = out.read_bytes()
        # Frames of events hold the ns since the one before.
        frame = lambda delta: dial9.event(65533, delta=delta)
        self.assertEqual(whole.count(frame(900)), 1)
        moved = self.file("moved.dial9", whole.replace(frame(900), frame(1900)))
        self.assertEqual([each["time"] for each in self.shown(out)], [100, 1000, 10000])
        self.assertEqual([each["time"] for each in self.shown(moved)], [100, 2000, 11000])
        told = self.check(run("validate", moved), 0).stdout
        self.assertEqual(told.count(b"has another time than the value of its clock"), 1)
        self.assertNotIn(b"another time", self.check(run("validate", out), 0).stdout)

    def test_a_mark_that_is_cut_garbage_or_missing_is_a_finding(self):
        source = self.ctf("t", [[(0, b"", (), [(4, 0)])], [(1, b"", (), [(5, 0)])]], stream_clocks=("c", "c"),
                          clocks=(clock("a"), clock("b"), clock("c")))  # fmt: skip
        for target in ("ctf1", "dial9"):
            out = self.convert(source, target, f"out-{target}")[0]
            path = out / "metadata" if out.is_dir() else out
            whole = path.read_bytes()
            quote = b'\\"' if target == "ctf1" else b'"'
            texts = (
                (b'entity":"event-class'.replace(b'"', quote), b'entity":"event-klass'.replace(b'"', quote)),
                (b'"ordinal":1,"id":"b"'.replace(b'"', quote), b'"ordinal":7,"id":"b"'.replace(b'"', quote)),
                (b'"entity":"trace"'.replace(b'"', quote), b'"entity"!"trace"'.replace(b'"', quote)),
            )
            for old, new in texts:
                with self.subTest(target, new=new):
                    self.assertIn(old, whole)
                    path.write_bytes(whole.replace(old, new))
                    self.assertIn(b"tracedeck/mark", self.check(run("validate", out), 0).stdout)
            path.write_bytes(whole)
            self.assertNotIn(b"tracedeck/mark", self.check(run("validate", out), 0).stdout)

    def test_a_mark_that_is_gone_is_a_finding(self):
        content = dial9.header() + dial9.schema(0, "A", [("n", dial9.VARINT)]) + dial9.event(0, dial9.varint(1))
        out = self.convert(self.file("t.dial9", content), "ctf2", "out")[0]
        lines = (out / "metadata").read_bytes().split(b"\x1e")
        for kind in (b"event-record-class", b"data-stream-class"):
            with self.subTest(kind):
                edited = []
                for line in lines:
                    if line and json.loads(line)["type"] == kind.decode():
                        line = json.dumps({k: v for k, v in json.loads(line).items() if k != "attributes"}).encode()
                    edited.append(line)
                (out / "metadata").write_bytes(b"\x1e".join(edited))
                self.assertIn(b"tracedeck/mark", self.check(run("validate", out), 0).stdout)


    def test_classes_without_a_mark_are_converted_too(self):
        packet = lambda stream_class: (stream_class, b"", (0, 90), [(10, stream_class), (20, stream_class)])
        trace = self.ctf("t", [[packet(0)], [packet(1)]], context=(BEGIN, END), stream_clocks=("c", "c"))
        out = self.convert(trace, "ctf1", "out")[0]
        metadata = out / "metadata"
        lines = metadata.read_text().splitlines(keepends=True)
        kept = [line for line in lines if "tracedeck_mark_event_1_0" not in line]
        self.assertEqual(len(lines), len(kept) + 1)
        metadata.write_text("".join(kept))
        events = lambda of: [(each["time"], each["name"], each["fields"]) for each in self.shown("--order", "time", of)]
        self.assertEqual(len(events(out)), 4)
        for target in ("ctf2", "ctf2rc", "dial9"):
            with self.subTest(target):
                again, entries, _ = self.convert(out, target, f"again-{target}")
                self.assertEqual(events(again), events(out))
                self.assertEqual([each for each in entries if each["lossy"]], [])


class Rendered(Truth):
    def test_what_lines_leave_out_is_named(self):
        content = (
            dial9.header()
            + dial9.schema(0, "A", [("n", dial9.VARINT)])
            + dial9.annotations(0, (0, b"unit", b"ms"))
            + dial9.schema(1, "Never", [("n", dial9.VARINT)])
            + dial9.event(0, dial9.varint(1))
        )
        trace = self.file("t.dial9", content)
        for target in ("jsonl", "csv"):
            with self.subTest(target):
                _, entries, said = self.convert(trace, target, f"out.{target}", "--strict", code=4)
                lost = {entry["what"]: entry["count"] for entry in entries if entry["lossy"]}
                self.assertEqual(lost, {"attributes of traces, classes and fields": 1, "classes without events": 1})
                self.assertIn("lost: attributes", said)


class Cut(Truth):
    def test_what_describes_takes_the_time_of_the_first_event(self):
        symbol = dial9.schema(0, "SymbolTableEntry", [("addr", dial9.VARINT), ("size", dial9.VARINT),
                                                      ("symbol_name", dial9.STRING), ("inline_depth", dial9.VARINT)])  # fmt: skip
        names = dial9.event(0, dial9.varint(4096) + dial9.varint(16) + dial9.string("main") + dial9.varint(0))
        content = dial9.header() + symbol + names + dial9.schema(1, "Tick", [("n", dial9.VARINT)])
        content += dial9.reset(5_000_000)
        content += b"".join(dial9.event(1, dial9.varint(i), delta=1_000_000) for i in range(10))
        trace = self.file("t.dial9", content)
        for target in ("heph", "tband"):
            with self.subTest(target):
                out = self.convert(trace, target, f"out.{target}", "--begin", "+3ms")[0]
                times = [each["time"] for each in self.shown(out) if "time" in each]
                self.assertGreaterEqual(min(times), 9_000_000)
                self.assertLessEqual(max(times), 15_000_000)

    def test_a_part_of_dial9_has_the_classes_of_its_events(self):
        content = dial9.header() + b"".join(dial9.schema(i, f"E{i}", [("n", dial9.VARINT)]) for i in range(4))
        content += b"".join(dial9.event(i % 4, dial9.varint(i), delta=100) for i in range(40))
        trace = self.file("t.dial9", content)
        out = self.convert(trace, "dial9", "out.dial9", "--limit", "2")[0]
        classes = json.loads(self.check(run("info", "--json", out), 0).stdout)["classes"]
        self.assertEqual({each["name"]: each["events"] for each in classes}, {"E0": 1, "E1": 1})
        self.assertEqual(self.check(run("validate", out), 0).stdout, b"")

    def test_parts_of_a_duration_have_the_events_of_their_time(self):
        # Two buffers, the second of which begins with the time of the first.
        content = dial9.header() + dial9.schema(0, "Tick", [("n", dial9.VARINT)])
        for _ in range(2):
            content += dial9.reset(1_000) + b"".join(dial9.event(0, dial9.varint(i), delta=10) for i in range(10))
        trace = self.file("t.dial9", content)
        self.convert(trace, "dial9", "run.dial9", "--split-duration", "50")
        counts = [len(self.shown(part)) for part in sorted(self.folder.glob("run-*"))]
        self.assertEqual(counts, [10, 10])

    def test_a_receipt_gives_the_reason(self):
        symbol = dial9.schema(0, "SymbolTableEntry", [("addr", dial9.VARINT), ("size", dial9.VARINT),
                                                      ("symbol_name", dial9.STRING), ("inline_depth", dial9.VARINT)])  # fmt: skip
        names = dial9.event(0, dial9.varint(4096) + dial9.varint(16) + dial9.string("main") + dial9.varint(0))
        trace = self.file("t.dial9", dial9.header() + symbol + names)
        _, entries, _ = self.convert(trace, "ctf2", "out")
        words = [entry["what"] for entry in entries]
        self.assertIn("nominal times, at which nothing happened", words)
        self.assertNotIn("times of clocks that do not count nanoseconds", words)


if __name__ == "__main__":
    import unittest

    unittest.main()

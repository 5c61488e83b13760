"""What dial9 cannot say of another trace: written as others read it, and read as it was."""

import json

import dial9_reader
import dial9_writer as dial9
import heph_writer as heph
import tband_test as tband
from command import TRACES, CommandTest, needs_traces, run
from ctf_cases import metadata_bytes

EPOCH = 1_600_000_000_000_000_000
SPANS = heph.epoch(EPOCH) + b"".join(
    heph.event(b"poll", heph.number(b"task", i) + heph.string(b"of", b"t%d" % i), stream=2 + i % 2, counter=i // 2,
               substream=i, start=100 * i, end=100 * i + 30)
    for i in range(6)
)  # fmt: skip
# From each format, with arrays, variants, contexts, clocks of other ticks, losses.
REFERENCES = (
    "heph/attr_scalars_small.bin.log",
    "tband/all_events_monotone.bin",
    "tband/drops_every50.bin",
    "ctf/ctf1/succeed_wk-heartbeat-u",
    "ctf/final/066-sl-array-13-vl",
    "ctf/final/027-uenum-hex",
    "ctf/rc3/124-header-locations",
    "ctf/tracecompass/CTF2-7.0-lttng-crash",
)


class Lowering(CommandTest):
    def lines(self, *args, code=0, **more):
        result = self.check(run("print", "--output", "jsonl", *args, **more), code)
        return [json.loads(line) for line in result.stdout.decode().splitlines()], result.stderr.decode()

    def lowered(self, source, *options):
        out = self.folder / "out.dial9"
        self.check(run("convert", "-q", *options, source, "-o", out), 0)
        return out

    def test_others_read_it(self):
        out = self.lowered(self.file("a.heph", SPANS))
        rows = [row for row in dial9_reader.events(out.read_bytes()) if not row[0].startswith("tracedeck.")]
        self.assertEqual(
            rows,
            [
                (
                    "poll",
                    EPOCH + 100 * i,
                    {
                        "duration": 30,
                        "task": i,
                        "of": f"t{i}",
                        "common.substream": i,
                        "common.counter": i // 2,
                        "stream.id": 2 + i % 2,
                    },
                )
                for i in range(6)
            ],
        )
        self.check(run("validate", out), 0)

    def test_it_is_read_as_it_was(self):
        source = self.file("a.heph", SPANS)
        out = self.lowered(source)
        self.assertEqual(self.lines(out)[0], self.lines(source)[0])
        piped, _ = self.lines("-", stdin=out.read_bytes())
        self.assertEqual(piped, self.lines(source)[0])
        said = json.loads(run("info", "--json", out).stdout)
        self.assertEqual((said["format"], said["restored_from"], said["restored_from_version"]), ("heph", "dial9", "1"))
        for command in ("info", "schema"):
            self.assertIn(b"heph 0.1.0, restored from dial9 1\n", run(command, out).stdout)
        described = json.loads(run("schema", "--json", out).stdout)
        self.assertEqual((described["restored_from"], described["restored_from_version"]), ("dial9", "1"))
        stored = json.loads(run("info", "--json", "--as-stored", out).stdout)
        self.assertEqual(stored["format"], "dial9")
        self.assertNotIn("restored_from", stored)
        names = {row["name"] for row in self.lines("--as-stored", out)[0]}
        self.assertEqual(names, {"tracedeck.mark", "poll"})

    def test_it_comes_back(self):
        source = self.file("a.heph", SPANS)
        back = self.folder / "back.heph"
        self.check(run("convert", "-q", self.lowered(source), "-o", back), 0)
        self.assertEqual(self.lines(back)[0], self.lines(source)[0])

    def test_a_part_stands_alone(self):
        source = self.file("a.heph", SPANS)
        out = self.lowered(source, "--where", "task > 3")
        self.assertEqual(self.lines(out)[0], self.lines("--where", "task > 3", source)[0])
        again = self.folder / "again.dial9"
        self.check(run("convert", "-q", "--where", "task == 4", out, "-o", again), 0)
        self.assertEqual(self.lines(again)[0], self.lines("--where", "task == 4", source)[0])

    def test_times_are_those_of_the_clock(self):
        source = self.file("a.heph", SPANS)
        self.assertEqual(
            self.lines("--clock-offset", "5000000000", self.lowered(source))[0],
            self.lines("--clock-offset", "5000000000", source)[0],
        )

    def test_several_sources(self):
        one, other = self.file("a.heph", SPANS), self.file("b.heph", SPANS.replace(b"poll", b"wait"))
        out = self.folder / "both.dial9"
        self.check(run("convert", "-q", one, other, "-o", out), 0)
        self.assertCountEqual(self.lines(out)[0], self.lines(one, other)[0])
        said = json.loads(run("info", "--json", out).stdout)
        self.assertEqual((said["events"], sorted(each["name"] for each in said["classes"])), (12, ["poll", "wait"]))
        self.check(run("stats", out), 0)
        self.check(run("schema", out), 0)

    def test_events_of_several_sources_say_which(self):
        for folder in ("east", "west"):
            (self.folder / folder).mkdir()
        sources = [self.file(f"{name}/a.heph", SPANS.replace(b"poll", name.encode())) for name in ("east", "west")]
        for target in ("dial9", "ctf1", "ctf2", "ctf2rc"):
            with self.subTest(target):
                out = self.folder / f"both.{target}"
                self.check(run("convert", "-q", *sources, "--to", target, "-o", out), 0)
                named = {row["name"]: row["trace"] for row in self.lines(out)[0]}
                self.assertEqual(named, {"east": "east/a.heph", "west": "west/a.heph"})
                for order in ("recorded", "time"):
                    self.assertEqual({row["trace"] for row in self.lines("--order", order, out)[0]}, set(named.values()))
                self.assertIn(b"west/a.heph", run("print", out).stdout)
                self.assertTrue(run("print", "--output", "csv", out).stdout.startswith(b"trace,"))
                said = json.loads(run("info", "--json", out).stdout)
                of_others = [each["name_among_others"] for each in said["others"]["first"]]
                self.assertEqual([said["name_among_others"], *of_others], list(named.values()))
                self.assertIn(b"name         west/a.heph", run("info", out).stdout)
                self.assertIn(b"name west/a.heph\n", run("schema", out).stdout)
                # With another trace beside it, and through another format.
                beside = {row["trace"] for row in self.lines(out, sources[0])[0]}
                self.assertEqual(beside, {f"{out.name}/east/a.heph", f"{out.name}/west/a.heph", "a.heph"})
                again = self.folder / f"again.{target}"
                self.check(run("convert", "-q", out, "--to", "dial9" if target == "ctf1" else "ctf1", "-o", again), 0)
                self.assertEqual({row["trace"] for row in self.lines(again)[0]}, set(named.values()))
                alone = self.folder / f"alone.{target}"
                self.check(run("convert", "-q", sources[0], "--to", target, "-o", alone), 0)
                self.assertNotIn("trace", self.lines(alone)[0][0])

    def test_ids_have_their_names(self):
        # Names that come late, are replaced, count per core, and per task.
        text = tband.RESOLUTION + tband.event(0x54, 1, 3) + tband.event(4, 2, 7) + tband.event(0x7F, 3, 1, 8)
        text += tband.event(3, 7, b"UART") + tband.event(0x5F, 3, b"sensor") + tband.event(0x7E, 1, 3, b"level")
        text += tband.event(0, 4, 1) + tband.event(3, 7, b"DMA") + tband.event(4, 5, 7) + tband.event(0x54, 6, 9)
        text += tband.event(0x7F, 7, 1, 8) + tband.event(0x5F, 3, b"again") + tband.event(0x55, 8, 3)
        source = self.file("a.tband", text)
        printed = self.check(run("print", source), 0).stdout
        for shown in (b"task_id=3 (sensor)", b"task_id=3 (again)", b"isr_id=7 (UART)", b"isr_id=7 (DMA)", b"valmarker_id=1 (level)"):
            self.assertIn(shown, printed)
        names = self.check(run("query", "--output", "jsonl", "where task_id ~ 'sens*' | count", source), 0).stdout
        latencies = self.check(run("latency", "--json", source), 0).stdout
        for target in ("dial9", "ctf1", "ctf2", "ctf2rc"):
            with self.subTest(target):
                out = self.folder / f"out.{target}"
                self.check(run("convert", "-q", source, "--to", target, "-o", out), 0)
                # Of different data streams only the times say which is first.
                self.assertEqual(sorted(run("print", out).stdout.splitlines()), sorted(printed.splitlines()))
                self.assertEqual(run("query", "--output", "jsonl", "where task_id ~ 'sens*' | count", out).stdout, names)
                again = json.loads(run("latency", "--json", out).stdout)
                self.assertEqual(again["rows"], json.loads(latencies)["rows"])
        # What can be read only once has them from where they are given.
        piped = run("print", "-", stdin=(self.folder / "out.dial9").read_bytes()).stdout
        self.assertIn(b"task_id=3 (again)", piped)
        self.assertNotIn(b"task_id=3 (sensor)", piped.splitlines()[1])
        # Each of several traces has its own.
        other = self.file("b.tband", tband.RESOLUTION + tband.event(0x5F, 3, b"motor") + tband.event(0x55, 9, 3))
        for target in ("dial9", "ctf2"):
            both = self.folder / f"both.{target}"
            self.check(run("convert", "-q", source, other, "--to", target, "-o", both), 0)
            self.assertEqual(
                sorted(line.split()[3:] for line in run("print", both).stdout.splitlines()),
                sorted(line.split()[3:] for line in run("print", source, other).stdout.splitlines()),
            )

    def test_a_target_that_keeps_no_names_says_so(self):
        sources = [self.file(name, dial9.ticks(1)) for name in ("a", "b")]
        for target in ("dial9", "heph", "tband"):
            report = self.folder / "report"
            self.check(run("convert", "-q", "--to", target, "--report", report, *sources, "-o", self.folder / "out"), 0)
            lost = [each for each in json.loads(report.read_text())["entries"] if each["what"] == "names of traces"]
            self.assertEqual([(each["count"], each["path"], each["input"]) for each in lost], [(2, "trace", str(sources[0]))])
            self.check(run("convert", "-q", "--to", target, "--report", report, sources[0], "-o", self.folder / "out"), 0)
            self.assertNotIn("names of traces", report.read_text())

    def test_arrays_and_structures_are_lists_and_maps_where_version_04_is_asked_for(self):
        byte = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}
        structure = lambda **members: {
            "type": "structure",
            "member-classes": [{"name": name, "field-class": of} for name, of in members.items()],
        }
        text = {"type": "null-terminated-string"}
        pair = {"type": "static-length-array", "length": 2}
        optional = {"type": "optional", "field-class": text, "selector-field-location": {"path": ["some"]}}
        payload = structure(
            numbers={**pair, "element-field-class": byte},
            places={**pair, "element-field-class": structure(at=byte, name=text)},
            some={**byte, "type": "fixed-length-boolean"},
            inside=structure(maybe=optional, state={**byte, "mappings": {"OPEN": [[1, 2], [5, 5]]}}),
        )
        payload["member-classes"][3]["field-class"]["member-classes"][0]["field-class"]["selector-field-location"] = {
            "path": [None, "some"]
        }
        payload["member-classes"].append({"name": "state", "field-class": {**byte, "mappings": {"OPEN": [[1, 2], [5, 5]]}}})
        source = self.folder / "source"
        source.mkdir()
        fragments = [{"type": "preamble", "version": 2}, {"type": "trace-class"}, {"type": "data-stream-class"}]
        fragments.append({"type": "event-record-class", "name": "e", "payload-field-class": payload})
        (source / "metadata").write_bytes(metadata_bytes("", [json.dumps(each) for each in fragments]))
        (source / "stream").write_bytes(b"\1\2\7a\0\x08b\0" + b"\1c\0\5" + b"\2" + b"\3\4\7\0\x08\0" + b"\0\5" + b"\0")
        want, _ = self.lines(source)
        versions = {}
        for version in ("0.3", "0.4"):
            out = self.lowered(source, "--dial9-version", version)
            self.assertEqual(self.lines(out)[0], want)
            self.check(run("validate", out), 0)
            versions[version] = [row["fields"] for row in self.lines("--as-stored", out)[0] if row["name"] == "e"]
        first, second = versions["0.4"]
        self.assertEqual((first["numbers"], second["numbers"]), ([1, 2], [3, 4]))
        self.assertEqual(first["places"], [[["at", 7], ["name", "a"]], [["at", 8], ["name", "b"]]])
        self.assertEqual((first["inside"], second["inside"]), ([["maybe", ["c"]], ["state", 5]], [["maybe", []], ["state", 5]]))
        self.assertEqual(versions["0.3"][0]["inside.state"], 5)
        schema = run("schema", "--as-stored", "--json", self.lowered(source, "--dial9-version", "0.4")).stdout
        self.assertIn(b'{"key":"label.OPEN","value":"1..2, 5"}', schema)
        out = self.lowered(source, "--dial9-version", "0.4", "--limit", "1")
        self.assertEqual(self.lines(out)[0], want[:1])

    def test_marks_have_times(self):
        """Viewers want a time of every event; none lies before the first event or behind the last."""
        source = self.file("late.log", heph.epoch(EPOCH) + b"".join(heph.event(b"e%d" % i, b"", stream=1, counter=i, start=50 + i, end=60 + i) for i in range(3)))
        out = self.folder / "late.dial9"
        self.check(run("convert", "-q", "--to", "dial9", "-o", out, source), 0)
        rows = [json.loads(line) for line in run("print", "--as-stored", "--output", "jsonl", out).stdout.splitlines()]
        self.assertEqual(rows[0]["name"], "tracedeck.mark")
        times = [row["time"] for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertEqual((times[0], times[-1]), (EPOCH + 50, EPOCH + 52))

    def test_what_version_03_lacks_is_named(self):
        element = dial9.u32(1) + bytes([dial9.U8]) + b"\5"
        content = dial9.header() + dial9.schema(1, "e", [("list", dial9.LIST), ("n", dial9.U8)]) + 3 * dial9.event(1, element + b"\7")
        source, report = self.file("t", content), self.folder / "report"
        self.check(run("convert", "-q", "--dial9-version", "0.3", "--report", report, source, "-o", self.folder / "o.dial9"), 0)
        entries = json.loads(report.read_text())["entries"]
        self.assertEqual([(each["class"], each["path"], each["count"], each["input"], each["lossy"]) for each in entries],
                         [("e", "list", 3, str(source), True)])

    def test_the_schema_is_that_of_all_sources(self):
        sources = [self.file(name, heph.event(name.encode(), heph.number(b"n", 1))) for name in ("one", "two")]
        out = self.folder / "out.dial9"
        self.check(run("convert", "-q", *sources, "-o", out), 0)
        described = [json.loads(line) for line in self.check(run("schema", "--json", out), 0).stdout.splitlines()]
        self.assertEqual([[each["name"] for each in trace["event_classes"]] for trace in described], [["one"], ["two"]])
        text = self.check(run("schema", out), 0).stdout.decode()
        self.assertLess(text.index("one"), text.index("two"))
        metadata = self.check(run("schema", "--output", "metadata", out), 0).stdout
        self.assertIn(b"tracedeck.mark", metadata)
        stored = self.check(run("schema", "--as-stored", "--json", out), 0).stdout.splitlines()
        self.assertEqual(len(stored), 1)

    def test_info_speaks_of_all_sources(self):
        out = self.folder / "both.dial9"
        sources = self.file("a.heph", SPANS), self.file("b.heph", SPANS)
        self.check(run("convert", "-q", *sources, "-o", out), 0)
        said = json.loads(run("info", "--json", out).stdout)
        self.assertEqual((said["format"], said["others"]["count"]), ("heph", 1))
        other = said["others"]["first"][0]
        self.assertEqual((other["format"], other["clocks"]), ("heph", said["clocks"]))
        lines = [line.split() for line in run("info", out).stdout.decode().splitlines()]
        self.assertIn(["with", "heph", "0.1.0"], lines)
        # Their clocks differ in what they count from, so that no common time is one of day.
        device = self.file("a.tband", tband.CORE0)
        self.check(run("convert", "-q", sources[0], device, "-o", out), 0)
        times = next(line for line in run("info", out).stdout.decode().splitlines() if line.split()[0] == "time")
        self.assertNotIn("Z", times)
        alone = json.loads(run("info", "--json", self.lowered(self.file("a.heph", SPANS))).stdout)
        self.assertNotIn("others", alone)

    def test_the_receipt_says_where(self):
        source = self.file("a.heph", SPANS)
        report = self.folder / "report.json"
        out = self.folder / "out.dial9"
        self.check(run("convert", "-q", "--report", report, source, "-o", out), 0)
        receipt = json.loads(report.read_text())
        self.assertFalse(receipt["lossy"])
        first = receipt["entries"][0]
        self.assertEqual((first["class"], first["input"], first["count"]), ("poll", str(source), 6))
        self.assertEqual(first["offset"], len(heph.epoch(EPOCH)))

    def test_marks_that_are_none(self):
        source = self.file("a.heph", SPANS)
        whole = self.lowered(source).read_bytes()
        for old, new, said in (
            (b'"format":"heph"', b'"form@t":"heph"', "a mark is ignored"),
            (b'"has-duration":true', b'"has-duration":null', "a mark is ignored"),
            (b'{"event-class":0', b'{"event-class":7', "the class that it names is not described"),
            (b"common.counter", b"common.kounter", "the class has other fields than it says"),
            (b'"width":32', b'"width":17', "holds what its mark does not allow"),
        ):
            with self.subTest(new=new):
                self.assertIn(old, whole)
                edited = self.file("edited.dial9", whole.replace(old, new))
                if new == b'"width":17':
                    # A counter that 17 bits do not hold.
                    big = heph.epoch(EPOCH) + heph.event(b"poll", counter=200_000, start=1, end=2)
                    plain = self.lowered(self.file("big.heph", big)).read_bytes()
                    edited = self.file("edited.dial9", plain.replace(old, new))
                    self.assertNotEqual(plain.replace(old, new), plain)
                rows, told = self.lines("-v", edited)
                self.assertIn("tracedeck/mark", told)
                self.assertIn(said, told)
                self.assertEqual({row["name"] for row in rows if row["name"] != "tracedeck.mark"}, {"poll"})
                self.assertIn("stream.id", rows[-1]["fields"])

    def test_marks_that_take_too_much(self):
        out = self.lowered(self.file("a.heph", SPANS))
        rows, told = self.lines("-v", "--max-state", "16KiB", out)
        self.assertIn("all together would take more than --max-state", told)
        self.assertEqual(rows[-1]["stream"], {"segment": 0})

    def test_a_class_of_much_and_no_field(self):
        # 900 structures in each of 1,000: of no field, and of a step for each.
        nothing = {"kind": "structure"}
        inner = {"kind": "structure", "members": [[f"m{i}", 0] for i in range(900)]}
        outer = {"kind": "structure", "members": [[f"m{i}", 1] for i in range(1000)]}
        entities = (
            {"entity": "trace", "tracedeck": 1, "format": "heph", "version": "1"},
            {"entity": "stream-class", "ordinal": 0},
            {"entity": "event-class", "ordinal": 0, "fields": [nothing, inner, outer], "name": "e", "stream-class": 0,
             "payload": 2},
            {"entity": "data-stream", "ordinal": 0, "stream-class": 0},
        )  # fmt: skip
        shape = '{"event-class":0,"stream-keys":[],"stream-number":false,"packet-context":false,"any-integer":false}'
        fields = [("class", dial9.VARINT | dial9.OPTIONAL), ("trace", dial9.VARINT), ("text", dial9.STRING)]

        def mark(class_id, text):
            return dial9.event(1, class_id + dial9.varint(0) + dial9.string(text), delta=None)

        trace = dial9.header() + dial9.schema(1, "tracedeck.mark", fields, 0) + dial9.schema(2, "e", (), 0)
        trace += b"".join(mark(dial9.ABSENT, json.dumps(each, separators=(",", ":"))) for each in entities)
        trace += mark(dial9.present(dial9.varint(2)), shape) + 2 * dial9.event(2, delta=None)
        out = self.file("much.dial9", trace)
        rows, told = self.lines("-v", out)
        # The second takes more values than 64 for each byte of the trace.
        self.assertNotEqual(rows[0]["stream"], {"segment": 0})
        self.assertEqual(rows[1]["stream"], {"segment": 0})
        self.assertEqual(told.count("[Marks]"), 1)
        self.assertIn("the mark of class `e` is ignored: its events have more values than the trace has bytes", told)
        self.assertEqual(json.loads(run("info", "--json", out).stdout)["restored_from"], "dial9")
        rows, told = self.lines("-v", "--max-state", "8MiB", out)
        self.assertIn("the mark of class `e` is ignored: all together would take more than --max-state", told)
        self.assertEqual(rows[0]["stream"], {"segment": 0})

    def test_no_marks_of_what_it_holds(self):
        source = self.file("a.bin", dial9.ticks(3))
        out = self.lowered(source, "--where", "n >= 0")
        self.assertNotIn(b"tracedeck", out.read_bytes())

    @needs_traces
    def test_references(self):
        for name in REFERENCES:
            with self.subTest(name=name):
                source = TRACES / name
                out = self.folder / "r.dial9"
                run("convert", "-q", source, "--to", "dial9", "-o", out)
                bare = lambda row: {k: v for k, v in row.items() if k != "context"}
                self.assertEqual(
                    [bare(row) for row in self.lines(out)[0]],
                    [bare(row) for row in map(json.loads, run("print", "--output", "jsonl", source).stdout.splitlines())],
                )
                self.assertEqual(run("validate", "-q", out).returncode, 0)
                self.assertGreater(len(list(dial9_reader.events(out.read_bytes()))), 0)

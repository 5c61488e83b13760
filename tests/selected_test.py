"""What is selected of a trace stands alone: what its events need to be understood is there too."""

import json
import struct

import dial9_writer as dial9
import heph_writer as heph
import tband_test as tband
from command import CommandTest, run
from ctf_cases import metadata_bytes


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


class Selected(CommandTest):
    def convert(self, trace, target, *options, trace_format=None):
        out = self.folder / f"out.{target}"
        if out.is_dir():
            for file in out.iterdir():
                file.unlink()
            out.rmdir()
        form = ["--format", trace_format] if trace_format else []
        self.check(run("convert", *form, *options, "--to", target, trace, "-o", out), 0)
        return out

    def events(self, trace, *options):
        return lines(self.check(run("print", "--output", "jsonl", *options, trace), 0))


class Tband(Selected):
    NAMES = tband.event(3, 7, b"UART") + tband.event(0x5F, 3, b"sensor")
    TRACE = tband.RESOLUTION + NAMES + tband.event(4, 100, 7) + tband.event(5, 300, 7) + tband.event(0x55, 500, 3)

    def test_names_and_resolution_from_before_the_cut(self):
        out = self.convert(self.file("t", self.TRACE), "tband", "--begin", "7500", trace_format="tband")
        text = self.check(run("print", "--format", "tband", out), 0).stdout.decode()
        self.assertIn("isr_id=7 (UART)", text)
        self.assertIn("task_id=3 (sensor)", text)
        events = self.events(out, "--format", "tband")
        self.assertEqual([(e["name"], e["time"]) for e in events if "time" in e],
                         [("isr_exit", 7500), ("task_to_rdy_state", 12500)])

    def test_they_are_in_json_lines_and_do_not_count(self):
        out = self.convert(self.file("t", self.TRACE), "jsonl", "--begin", "7500", "--limit", "1", trace_format="tband")
        names = [json.loads(line)["name"] for line in out.read_text().splitlines()]
        self.assertEqual(names, ["ts_resolution_ns", "isr_name", "task_name", "isr_exit"])

    def test_a_limit_keeps_what_comes_behind_it(self):
        trace = tband.event(4, 100, 7) + tband.event(5, 300, 7) + tband.RESOLUTION + self.NAMES
        out = self.convert(self.file("t", trace), "tband", "--limit", "1", trace_format="tband")
        events = self.events(out, "--format", "tband")
        self.assertEqual([e["time"] for e in events if "time" in e], [2500])
        self.assertIn("isr_id=7 (UART)", run("print", "--format", "tband", out).stdout.decode())

    def test_nothing_but_names_is_nothing(self):
        result = self.check(run("print", "--format", "tband", "--begin", "1s", self.file("t", self.TRACE)), 0)
        self.assertIn(b"nothing", result.stderr)


class Dial9(Selected):
    SYMBOL = dial9.schema(1, "SymbolTableEntry", [("addr", dial9.VARINT)])
    SYNC = dial9.schema(2, "ClockSyncEvent", [("realtime_ns", dial9.VARINT)])
    TRACE = (
        dial9.header()
        + dial9.schema(0, "Tick", [("n", dial9.VARINT)])
        + SYMBOL
        + SYNC
        + dial9.event(1, dial9.varint(0xABC), delta=0)
        + dial9.event(2, dial9.varint(5000), delta=10)
        + dial9.event(0, dial9.varint(1), delta=90)
        + dial9.event(0, dial9.varint(2), delta=100)
        + dial9.reset(0)
        + dial9.event(1, dial9.varint(0xDEF), delta=0)
    )

    def names(self, events):
        return [event["name"] for event in events]

    def test_symbols_and_clock_synchronisations(self):
        trace = self.file("t", self.TRACE)
        want = ["SymbolTableEntry", "ClockSyncEvent", "Tick", "SymbolTableEntry"]
        # Who prints a part asked for no more than lies in it.
        self.assertEqual(self.names(self.events(trace, "--begin", "150", "--order", "recorded")), ["Tick"])
        for options in (["--begin", "150"], ["--begin", "150", "--limit", "1"]):
            out = self.convert(trace, "dial9", *options)
            self.assertEqual(self.names(self.events(out, "--order", "recorded")), want)
            out = self.convert(trace, "jsonl", *options)
            self.assertEqual(self.names(map(json.loads, out.read_text().splitlines())), want)

    def test_a_limit(self):
        trace = self.file("t", self.TRACE)
        # What is only looked at is not read on.
        self.assertEqual(len(self.events(trace, "--limit", "3")), 3)
        out = self.convert(trace, "dial9", "--limit", "3")
        self.assertEqual(
            self.names(self.events(out)), ["SymbolTableEntry", "ClockSyncEvent", "Tick", "SymbolTableEntry"]
        )

    def test_symbols_of_a_segment_behind_the_limit(self):
        trace = self.file("t", self.TRACE + 2 * dial9.header() + self.SYMBOL + dial9.event(1, dial9.varint(1), delta=0))
        events = self.events(self.convert(trace, "dial9", "--limit", "3"), "--order", "recorded")
        self.assertEqual([event["stream"]["segment"] for event in events], [0, 0, 0, 0, 1])


class Heph(Selected):
    def test_the_epoch(self):
        body = b"".join(heph.event(b"poll", counter=i, start=10 * i, end=10 * i + 1) for i in range(4))
        trace = self.file("t", heph.epoch(1000) + body)
        want = self.events(trace)[2:]
        for options in (["--begin", "1020"], ["--begin", "1020", "--limit", "2"]):
            out = self.convert(trace, "heph", *options)
            got = self.events(out)
            self.assertEqual([e["time"] for e in got], [e["time"] for e in want])


class Ctf(Selected):
    def trace(self):
        """Five packets of 10 ns: the counters of a recording whose first packets are gone."""

        def member(name, width, *roles):
            kind = {"type": "fixed-length-unsigned-integer", "length": width, "byte-order": "little-endian"}
            return {"name": name, "field-class": {**kind, "roles": list(roles)}}

        members = [
            member("s", 32, "packet-total-size"),
            member("b", 32, "packet-beginning-default-clock-timestamp"),
            member("e", 32, "packet-end-default-clock-timestamp"),
            member("seq", 32, "packet-sequence-number"),
            member("disc", 32, "discarded-event-record-counter-snapshot"),
        ]
        fragments = [
            {"type": "preamble", "version": 2},
            {"type": "clock-class", "name": "c", "frequency": 1000000000},
            {
                "type": "data-stream-class",
                "default-clock-class-name": "c",
                "packet-context-field-class": {"type": "structure", "member-classes": members},
                "event-record-header-field-class": {
                    "type": "structure", "member-classes": [member("t", 32, "default-clock-timestamp")]
                },
            },
            {
                "type": "event-record-class",
                "payload-field-class": {"type": "structure", "member-classes": [member("v", 8)]},
            },
        ]
        folder = self.folder / "t"
        folder.mkdir()
        (folder / "metadata").write_bytes(metadata_bytes("", map(json.dumps, fragments)))
        packets = b""
        for i, discarded in enumerate([100, 100, 107, 107, 109]):
            begin = 10 * i
            packets += struct.pack("<IIIIIIB", 8 * 25, begin, begin + 9, 57 + i, discarded, begin + 5, i)
        (folder / "stream").write_bytes(packets)
        return folder

    def counters(self, trace):
        contexts = [event["context"]["packet"] for event in self.events(trace)]
        names = ("packet_seq_num", "events_discarded") if "packet_seq_num" in contexts[0] else ("seq", "disc")
        return [tuple(context[name] for name in names) for context in contexts]

    def test_counters_begin_anew(self):
        trace = self.trace()
        for target in ("ctf2rc", "ctf2", "ctf1"):
            whole = self.counters(self.convert(trace, target))
            self.assertEqual(whole, [(57, 100), (58, 100), (59, 107), (60, 107), (61, 109)])
            for begin, want in {
                "10": [(0, 0), (1, 7), (2, 7), (3, 9)],
                # Behind an empty packet: events were lost from the end of the packet before on.
                "20": [(1, 7), (2, 7), (3, 9)],
                "30": [(0, 0), (1, 2)],
            }.items():
                self.assertEqual(self.counters(self.convert(trace, target, "--begin", begin)), want, (target, begin))

    def test_packets_outside_are_left_out(self):
        out = self.convert(self.trace(), "ctf2rc", "--begin", "20", "--end", "35")
        self.assertEqual((out / "stream").stat().st_size, 20 + 2 * 25)
        out = self.convert(self.folder / "t", "ctf2rc", "--begin", "10", "--end", "15")
        self.assertEqual((out / "stream").stat().st_size, 25)

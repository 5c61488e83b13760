"""Tonbandgerät: the reference traces in every way they can be read, and what the command does for this format."""

import gzip
import json
import pathlib
import subprocess
import unittest

import perfetto_decoder
from command import BIN, TRACES, CommandTest, Golden, needs_traces, parse_lines, run
from golden_test import byte_by_byte, expected

TBAND = TRACES / "tband"
PRINT = ["print", "--format", "tband", "--output", "jsonl", "--order", "recorded"]


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def cobs(payload):
    """A frame, byte by byte as the notes say it."""
    out, block = bytearray(), bytearray()
    for i, byte in enumerate(payload):
        if byte != 0:
            block.append(byte)
        if byte == 0 or (len(block) == 254 and i + 1 < len(payload)):
            out += bytes([len(block) + 1]) + block
            block.clear()
    return bytes(out + bytes([len(block) + 1]) + block + b"\0")


def event(number, *fields):
    """An event of these integers and texts."""
    return cobs(bytes([number]) + b"".join(f if isinstance(f, bytes) else varint(f) for f in fields))


RESOLUTION = event(2, 25)
# Core 0 names its interrupt and the tasks; both count what was dropped on all cores.
CORE0 = RESOLUTION + event(3, 7, b"UART") + event(4, 100, 7) + event(1, 200, 4) + event(5, 300, 7) + event(1, 400, 6)
CORE1 = event(0x54, 150, 3) + event(1, 250, 5) + event(0x5F, 3, b"sensor") + event(0x65, 2, 3) + event(0x55, 500, 9)


def events(result):
    return [dict(line) for line in parse_lines(result.stdout)]


GOLDEN = Golden(expected)


@needs_traces
class ReferenceTraces(CommandTest):
    def each(self, check):
        traces = sorted(TBAND.glob("*.bin"))
        self.assertGreater(len(traces), 5)
        for trace in traces:
            with self.subTest(trace.name):
                check(trace)

    def same(self, trace, result):
        self.check(result, 0)
        self.assertIsNone(GOLDEN.difference(trace, result.stdout))

    def test_file(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, trace)))

    def test_recognised_without_format(self):
        self.each(lambda trace: self.same(trace, run("print", "--output", "jsonl", "--order", "recorded", trace)))

    def test_recognised_with_the_beginning_cut_off(self):
        def check(trace):
            cut = self.file("cut.bin", trace.read_bytes()[2:])
            self.check(run("info", cut), 4)

        self.each(check)

    def test_pipe(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, "-", stdin=trace.read_bytes())))

    def test_gzip(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, self.file("t.gz", gzip.compress(trace.read_bytes())))))

    def test_hexadecimal(self):
        def check(trace):
            text = trace.read_bytes().hex(" ").encode()
            self.same(trace, run("print", "--tband-encoding", "hex", *PRINT[3:], self.file("t.txt", text)))
            self.same(trace, run("print", "--tband-encoding", "hex", *PRINT[3:], "-", stdin=text.upper() + b"\n"))

        self.each(check)

    def test_byte_by_byte(self):
        for trace in sorted(TBAND.glob("*.bin")):
            content = trace.read_bytes()
            if len(content) < 8192:
                with self.subTest(trace.name):
                    self.same(trace, byte_by_byte(*PRINT, "-", content=content))

    def test_rewritten_as_they_were(self):
        def check(trace):
            out = self.folder / "out.bin"
            self.check(run("convert", trace, "-o", out, "--to", "tband"), 0)
            self.assertEqual(out.read_bytes(), trace.read_bytes())

        self.each(check)

    def test_written_as_they_were(self):
        """Through the writer: with another clock it would be written as no other than it was."""

        def check(trace):
            out = self.folder / "out.bin"
            self.check(run("convert", "--clock-offset", "0", trace, "-o", out, "--to", "tband"), 0)
            self.same(trace, run(*PRINT, out))

        self.each(check)

    def test_damaged(self):
        rows = [row.split("\t") for row in (TBAND / "damaged/expect.tsv").read_text().splitlines()[1:] if row.strip()]
        self.assertGreater(len(rows), 20)
        for name, code, count in rows:
            trace = TBAND / "damaged" / name
            reads = {
                "file": run(*PRINT, trace),
                "pipe": run(*PRINT, "-", stdin=trace.read_bytes()),
                "byte by byte": byte_by_byte(*PRINT, "-", content=trace.read_bytes()),
            }
            for how, result in reads.items():
                with self.subTest(name, how=how):
                    self.check(result, int(code))
                    self.assertEqual(len(parse_lines(result.stdout)), int(count))
                    self.assertEqual(result.stdout, reads["file"].stdout)
                    if code != "0":
                        self.assertIn(b": error: tband/", result.stderr)

    def test_two_cores_are_one_trace(self):
        files = [f"{TBAND}/twocore_core{core}.bin@{core}" for core in (0, 1)]
        printed = events(self.check(run("print", "--output", "jsonl", *files), 0))
        counts = [len(expected(TBAND / f"twocore_core{core}.bin")) for core in (0, 1)]
        self.assertEqual(len(printed), sum(counts))
        self.assertEqual({dict(each["stream"])["core"] for each in printed}, {0, 1})
        times = [each["time"] for each in printed if "time" in each]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(time % 25 == 0 for time in times), "the tick of core 0's file is that of both")


class Cores(CommandTest):
    def setUp(self):
        super().setUp()
        self.files = [f"{self.file('a.bin', CORE0)}@0", f"{self.file('b.bin', CORE1)}@1"]

    def test_resolution_names_and_losses_are_shared(self):
        text = self.check(run("print", "--records", "all", *self.files), 0).stdout.decode()
        self.assertIn("[core 1] task_switched_in", text)
        self.assertIn("task_id=3 (sensor)", text)
        self.assertIn("isr_id=7 (UART)", text)
        self.assertIn("kind=FRQK_MUTEX(3)", text)
        self.assertIn("0.000003750", text, "150 ticks of core 0's 25 ns")
        result = run("print", "--records", "all", "--output", "jsonl", *self.files)
        lost = [dict(dict(line)["loss"])["events"] for line in parse_lines(result.stdout) if "loss" in dict(line)]
        self.assertEqual(lost, [4, 1, 1])
        self.assertIn(b"lost: 6 events", result.stderr)

    def test_orders(self):
        def ids(order):
            return [each["id"] for each in events(run("print", "--order", order, "--output", "jsonl", *self.files))]

        self.assertEqual(ids("recorded"), [2, 3, 4, 1, 5, 1, 0x54, 1, 0x5F, 0x65, 0x55])
        self.assertEqual(ids("merged"), [2, 3, 4, 0x54, 1, 1, 0x5F, 0x65, 5, 1, 0x55])
        self.assertEqual(ids("time"), ids("merged"))
        by_time = self.check(run("print", "--order", "time", *self.files), 0).stdout
        self.assertIn(b"task_id=3 (sensor)", by_time)

    def test_every_command_takes_them(self):
        info = dict(parse_lines(self.check(run("info", "--json", *self.files), 0).stdout)[0])
        self.assertEqual(info["events"], 11)
        self.check(run("schema", *self.files), 0)
        self.check(run("stats", *self.files), 0)
        self.check(run("validate", *self.files), 0)

    def test_they_have_one_clock_offset(self):
        def times(*options):
            lines = events(self.check(run("print", *options, "--output", "jsonl", *self.files), 0))
            return [each["time"] for each in lines if "time" in each]

        shifted = [time + 1000 for time in times()]
        for offset in ("1000", *(f"{file}=1000" for file in self.files)):
            self.assertEqual(times("--clock-offset", offset), shifted)

    def test_convert_writes_core_id_events(self):
        out = self.folder / "both.bin"
        self.check(run("convert", *self.files, "-o", out, "--to", "tband"), 0)
        printed = events(self.check(run("print", "--output", "jsonl", out), 0))
        merged = events(run("print", "--output", "jsonl", *self.files))
        self.assertEqual([each for each in printed if each["id"] != 0], merged)

    def test_a_path_that_exists_with_its_at_is_a_plain_file(self):
        plain = self.file("a@1", CORE0)
        printed = events(self.check(run("print", "--output", "jsonl", "--format", "tband", plain), 0))
        self.assertEqual({dict(each["stream"])["core"] for each in printed}, {0})

    def test_a_file_that_is_not_there(self):
        self.check(run("print", self.files[0], f"{self.folder}/none@1"), 3)


class Names(CommandTest):
    def test_json_does_not_show_them(self):
        trace = self.file("t", CORE0)
        self.assertIn(b'"fields":{"isr_id":7}', run("print", "--format", "tband", "--output", "jsonl", trace).stdout)

    def test_names_cannot_trick_a_terminal(self):
        trace = self.file("t", RESOLUTION + event(3, 7, b"\x1b[2J") + event(4, 100, 7))
        self.assertIn(b"isr_id=7 (\\x1b[2J)", run("print", "--format", "tband", trace).stdout)


class Convert(CommandTest):
    def test_other_formats_become_markers(self):
        import dial9_writer as w

        out = self.folder / "out.bin"
        result = self.check(run("convert", self.file("t", w.ticks(3)), "-o", out, "--to", "tband"), 0)
        self.assertIn(b"evtmarker", result.stderr)
        printed = events(self.check(run("print", "--format", "tband", "--output", "jsonl", out), 0))
        self.assertEqual([each["name"] for each in printed], ["ts_resolution_ns", "evtmarker_name"] + 3 * ["evtmarker"])
        self.check(run("convert", "--strict", self.file("t", w.ticks(3)), "-o", out, "--to", "tband"), 4)

    def test_damage_is_left_out(self):
        out = self.folder / "out.bin"
        self.check(run("convert", "--format", "tband", self.file("t", CORE0 + b"\x01\0" + CORE1), "-o", out, "--to", "tband"), 4)
        self.assertEqual(out.read_bytes(), CORE0 + CORE1)

    def test_hexadecimal_becomes_binary(self):
        out = self.folder / "out.bin"
        trace = self.file("t", CORE0.hex().encode())
        self.check(run("convert", "--tband-encoding", "hex", trace, "-o", out, "--to", "tband"), 0)
        self.assertEqual(out.read_bytes(), CORE0)


class Live(CommandTest):
    def test_is_not_recognised_without_format(self):
        self.check(run("print", "-", stdin=CORE0 + CORE1), 3)

    def test_held_back_for_the_resolution(self):
        content = event(4, 100, 7) + CORE0
        printed = byte_by_byte(*PRINT, "-", content=content)
        self.assertEqual(events(self.check(printed, 0))[0]["time"], 2500)


class Times(CommandTest):
    def test_ticks_of_unknown_length_are_said_beside_each_answer(self):
        path = self.file("t", event(4, 100, 7) + event(5, 300, 7))
        sentence = b"nothing says how long a tick is; it is read as 1 ns"
        for command in (("print",), ("latency",), ("info",), ("query", "count")):
            self.assertIn(sentence, self.check(run(*command, "--format", "tband", path), 0).stderr, command)
        told = self.file("told", RESOLUTION + event(4, 100, 7) + event(5, 300, 7))
        self.assertNotIn(b"tick", self.check(run("latency", "--format", "tband", told), 0).stderr)


class Validate(CommandTest):
    def test_findings(self):
        content = b"\0" + event(4, 100, 7) + event(5, 50, 7) + event(7, 60, 1, b"\xff") + event(2, 0)
        result = run("validate", "--format", "tband", self.file("t", content))
        self.check(result, 0)
        for rule in ["frame-empty", "time-order", "utf8", "resolution-zero", "resolution-missing"]:
            self.assertIn(f"tband/{rule}".encode(), result.stdout)


@needs_traces
class TimeLines(CommandTest):
    def test_a_count_of_dropped_events_that_does_not_grow_is_no_mark(self):
        for file in ("posix_freertos_committed_log.bin", "drops_every50.bin"):
            out = self.folder / f"{file}.json"
            self.check(run("convert", "-q", "-o", out, TBAND / file), 0)
            self.assertNotIn("events dropped", out.read_text())

    def test_tracks_of_two_devices_that_are_called_the_same_are_two(self):
        """One interrupt of 100 ns on core 0 of one device, two of 200 on that of the other."""
        a = self.file("a.tband", event(2, 1) + event(4, 100, 7) + event(5, 200, 7))
        b = self.file("b.tband", event(2, 1) + event(4, 100, 7) + event(5, 300, 7) + event(4, 400, 7) + event(5, 600, 7))
        answer = json.loads(self.check(run("latency", "--json", "--format", "tband", "--by", "track", a, b), 0).stdout)
        self.assertEqual(sorted((row["count"], row["total"]) for row in answer["rows"]), [(1, 100), (2, 400)])
        self.assertEqual(len({row["by"] for row in answer["rows"]}), 2)
        lines = self.check(run("query", "--output", "jsonl", "--format", "tband", "spans | count by track", a, b), 0).stdout.splitlines()
        self.assertEqual(sorted(json.loads(line)["count"] for line in lines if b'"answer"' not in line), [1, 2])
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "--format", "tband", "-o", out, a, b), 0)
        decoded = perfetto_decoder.Trace(out.read_bytes())
        names = [one["name"] for one in decoded.tracks.values() if one.get("name", "").startswith("core 0")]
        self.assertEqual(len(set(names)), len(names), names)


class Firmware(CommandTest):
    """The example for devices in C: a ring of the newest events."""

    def test_what_it_saves_is_read(self):
        program = pathlib.Path(BIN).resolve().parent / "trace_firmware"
        if not program.exists():
            self.skipTest(f"there is no {program}")
        trace = self.folder / "firmware.tband"
        subprocess.run([program, trace], check=True)
        result = run("print", "--output", "jsonl", trace)
        events = [dict(line) for line in parse_lines(result.stdout)]
        last = dict(events[-1]["fields"])
        self.assertEqual((events[-1]["name"], events[-1]["time"]), ("dropped_evt_cnt", 30_000_000))
        self.assertIn(f"lost: {last['cnt']} events".encode(), result.stderr)
        kept = [event for event in events if event.get("time") is not None and event["name"] != "dropped_evt_cnt"]
        self.assertEqual(len(kept) + last["cnt"], 30 * 7)
        samples = [dict(event["fields"])["val"] for event in events if event["name"] == "valmarker"]
        self.assertEqual(samples, [250 - turn * turn for turn in range(30)][-len(samples):])
        self.assertEqual(run("validate", trace).returncode, 0)
        self.assertIn(b"(samples)", run("print", trace).stdout)


if __name__ == "__main__":
    unittest.main()

"""What devices do, as `latency` says it of Tonbandgerät: idle tasks, delays, who suspends whom, interrupts whose enters and exits do
not pair, and a stream that was started twice."""

import json
import re
import unittest

import perfetto_decoder
import tband_test as t
from command import ROOT, CommandTest, run

CORE, DROPPED, RESOLUTION, ISR_NAME, ENTER, EXIT = 0x00, 0x01, 0x02, 0x03, 0x04, 0x05
SWITCH, READY, RESUMED, SUSPENDED, DELAY, DELAY_UNTIL = 0x54, 0x55, 0x56, 0x58, 0x59, 0x5A
CREATED, TASK_NAME, IDLE = 0x5E, 0x5F, 0x60
US, MS = 1_000, 1_000_000

NAMES = (
    t.event(RESOLUTION, 1)
    + b"".join(t.event(TASK_NAME, number, name) for number, name in ((1, b"IDLE"), (2, b"sensor"), (3, b"radio")))
    + t.event(IDLE, 1, 0)
    + t.event(ISR_NAME, 9, b"UART")
)


class DeviceTest(CommandTest):
    def latency(self, content, *args):
        trace = self.file("device.tband", content)
        return json.loads(self.check(run("latency", "--json", "--format", "tband", *args, trace), 0).stdout)

    @staticmethod
    def states(answer, track):
        (one,) = [each for each in answer["tracks"] if each.get("parent", each["track"]) == track]
        return {state["name"]: state["time"] + state.get("open", 0) for state in one["states"]}


class TasksTest(DeviceTest):
    def frames(self):
        """The idle task runs for 7 ms of each 10."""
        content = NAMES
        for begin in range(0, 100 * MS, 10 * MS):
            content += t.event(SWITCH, begin, 2) + t.event(DELAY, begin + 3 * MS, 7) + t.event(SWITCH, begin + 3 * MS, 1)
            content += t.event(READY, begin + 10 * MS - 1, 2)
        return content + t.event(SWITCH, 100 * MS, 2)

    def test_an_idle_task_is_idle(self):
        answer = self.latency(self.frames())
        self.assertEqual(self.states(answer, "core 0"), {"idle": 70 * MS, "sensor": 30 * MS})
        self.assertEqual([each["track"] for each in answer["tracks"] if "IDLE" in each["track"]], [])
        self.assertEqual([row["count"] for row in answer["rows"] if row["name"] == "ready -> run"], [10])

    def test_where_it_runs_nothing_does_in_perfetto(self):
        trace = self.file("device.tband", self.frames())
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "--format", "tband", "-o", out, trace), 0)
        content = out.read_bytes()
        perfetto_decoder.Trace(content)
        self.assertNotIn(b"IDLE", content)

    def test_a_delay_shows_its_ticks(self):
        answer = self.latency(self.frames())
        self.assertEqual(self.states(answer, "sensor")["delay 7 ticks"], 70 * MS - 10)
        content = NAMES + t.event(SWITCH, 0, 2) + t.event(DELAY, 1 * MS, 1) + t.event(SWITCH, 1 * MS, 3)
        content += t.event(DELAY_UNTIL, 2 * MS, 12_345) + t.event(SWITCH, 2 * MS, 1) + t.event(SWITCH, 3 * MS, 3)
        answer = self.latency(content)
        self.assertEqual(self.states(answer, "sensor")["delay 1 tick"], 2 * MS)
        self.assertEqual(self.states(answer, "radio")["delay until"], 1 * MS)
        out = self.folder / "out.json"
        self.check(run("convert", "-q", "--format", "tband", "--to", "chrome", "-o", out, self.folder / "device.tband"), 0)
        self.assertIn("until tick 12345", out.read_text())

    def test_who_suspended_whom_is_said(self):
        content = NAMES + t.event(SWITCH, 0, 3) + t.event(SWITCH, 1 * MS, 2) + t.event(SUSPENDED, 2 * MS, 3)
        content += t.event(RESUMED, 5 * MS, 3) + t.event(SUSPENDED, 6 * MS, 2) + t.event(SWITCH, 6 * MS, 3)
        content += t.event(SWITCH, 8 * MS, 1)
        answer = self.latency(content)
        self.assertEqual(self.states(answer, "radio")["suspended by sensor"], 3 * MS)
        self.assertEqual(self.states(answer, "sensor")["suspended by sensor"], 2 * MS)


class DevicesTest(DeviceTest):
    """Two devices, whose tasks have equal numbers."""

    def device(self, name, runs, lost=False):
        """Task 2 runs so many ms of each 10."""
        content = NAMES
        for begin in range(0, 100 * MS, 10 * MS):
            content += t.event(READY, begin, 2) + t.event(SWITCH, begin + MS, 2)
            content += t.event(DELAY, begin + (1 + runs) * MS, 7) + t.event(SWITCH, begin + (1 + runs) * MS, 1)
            if lost and begin == 50 * MS:
                content += t.event(DROPPED, begin + 8 * MS, 3)
        return self.file(name, content)

    def both(self, a, b):
        command = run("latency", "--json", a, b)
        self.check(command, 0)
        return json.loads(command.stdout)

    def test_each_has_tasks_of_its_own(self):
        answer = self.both(self.device("a.tband", 3), self.device("b.tband", 5))
        self.assertEqual([row["count"] for row in answer["rows"] if row["name"] == "ready -> run"], [20])
        running = sorted(
            state["time"]
            for each in answer["tracks"]
            if "sensor" in each["track"]
            for state in each["states"]
            if state["name"] == "running"
        )
        self.assertEqual(running, [30 * MS, 50 * MS])

    def test_what_one_loses_the_other_has(self):
        whole, lossy = self.device("a.tband", 3), self.device("b.tband", 5, lost=True)
        alone = json.loads(self.check(run("latency", "--json", whole), 0).stdout)
        together = self.both(whole, lossy)
        self.assertEqual(together["counts"]["gaps"], 1)
        states = [each["states"] for each in together["tracks"] if "sensor" in each["track"] and "a.tband" in each["track"]]
        self.assertEqual(states, [each["states"] for each in alone["tracks"] if each["track"] == "sensor"])
        (waits,) = [row["count"] for row in together["rows"] if row["name"] == "ready -> run"]
        self.assertGreaterEqual(waits, 10 + 9)

    def test_perfetto_has_each_alone(self):
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "-o", out, self.device("a.tband", 3), self.device("b.tband", 5)), 0)
        states = perfetto_decoder.Trace(out.read_bytes()).task_states
        self.assertEqual({tid % 10_000_000 for tid in states if tid}, {2})
        self.assertEqual(len(states), 2)


class InterruptsTest(DeviceTest):
    def rows(self, *times):
        """Of an interrupt whose enters (+) and exits (-) are at these times, in us."""
        content = NAMES + t.event(SWITCH, 0, 2)
        content += b"".join(t.event(EXIT if time < 0 else ENTER, abs(time) * US, 9) for time in times)
        answer = self.latency(content + t.event(SWITCH, 1000 * US, 3))
        (row,) = [row for row in answer["rows"] if row["name"] == "UART"]
        return row, answer["counts"]

    def test_a_second_enter_leaves_the_duration_open(self):
        row, counts = self.rows(100, -150, 300, 310, -350, 500, -550)
        self.assertEqual((row["count"], row["total"], row["max"]), (2, 100 * US, 50 * US))
        self.assertEqual(row["left_out"], 1)
        self.assertEqual(counts["inferred_ends"], 1)

    def test_a_second_exit_ends_nothing(self):
        row, counts = self.rows(100, -150, -160, 300, -350)
        self.assertEqual((row["count"], row["total"]), (2, 100 * US))
        self.assertEqual(counts["unmatched_ends"], 1)

    def test_where_an_exit_is_missing_none_is_long(self):
        row, _ = self.rows(100, 300, -350, 500, -550)
        self.assertEqual((row["count"], row["max"], row["left_out"]), (1, 50 * US, 1))


class StartedTwiceTest(DeviceTest):
    @staticmethod
    def stream(starts, cores=1):
        """What a device writes when streaming starts, before each of two parts of one recording where `starts` says so."""
        heads = b"".join(t.event(CORE, 0, core) for core in range(cores)) + NAMES
        content = b""
        for part, begin in enumerate((5_000 * MS, 8_000 * MS)):
            if part < starts:
                content += heads
            for core in range(cores):
                content += t.event(CORE, 0 if part < starts else begin, core)
                for round_ in range(50):
                    time = begin + round_ * 10 * MS
                    content += t.event(ENTER, time, 9) + t.event(READY, time + 5 * US, 3) + t.event(EXIT, time + 10 * US, 9)
                    content += t.event(SWITCH, time + 20 * US, 3) + t.event(DELAY, time + 2 * MS, 8)
                    content += t.event(SWITCH, time + 3 * MS, 1)
        return content

    def check_figures(self, cores):
        once, twice = (self.latency(self.stream(starts, cores)) for starts in (1, 2))
        for key in ("rows", "tracks", "counters"):
            self.assertEqual(once[key], twice[key], key)
        self.assertEqual(twice["counts"].get("sections", 0), 0)

    def test_figures_are_the_same(self):
        self.check_figures(1)

    def test_figures_of_two_cores_are_the_same(self):
        self.check_figures(2)


class DocumentTest(unittest.TestCase):
    def test_what_is_to_be_recorded_can_be(self):
        """The events that docs/formats/tband.md asks devices for are functions of the headers for devices."""
        _, text = (ROOT / "docs/formats/tband.md").read_text(encoding="utf-8").split("| what is recorded | gives |\n")
        table = re.findall(r"^\| (`.*?) \|", text.split("\n\n")[0], re.M)
        names = {name for row in table for name in re.findall(r"`(\w+)`", row)}
        self.assertGreater(len(names), 25)
        for header, written in (("device.h", "td_tband_{}(uint8_t* out"), ("device.hpp", " {}(")):
            functions = (ROOT / "tracedeck/tband" / header).read_text(encoding="utf-8")
            self.assertEqual([name for name in sorted(names) if written.format(name) not in functions], [], header)


if __name__ == "__main__":
    unittest.main()

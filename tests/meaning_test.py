"""What figures and times mean: labels of a number, rates, clocks of several hosts, UTC that is corrected."""

import json
import pathlib
import unittest

import dial9_writer as w
import heph_writer as heph
from command import CommandTest, run
from worlds import ctf, loss
from worlds.ctf import Event

MS = 1_000_000
S = 1000 * MS
UTC = 1_700_000_000 * S
UUID = "11111111-2222-4333-8444-0000000000%02x"


class Meaning(CommandTest):
    def rows(self, stages, *args):
        result = self.check(run("query", "--output", "jsonl", stages, *args), 0)
        return [json.loads(line) for line in result.stdout.decode().splitlines()][:-1]


class Labels(Meaning):
    """The same number of two enumerations is two things."""

    def enumeration(self, name, labels):
        fields = [("state", w.VARINT)]
        numbers = {label: [[value, value]] for value, label in enumerate(labels)}
        integer = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian", "alignment": 8}
        number, time = {**integer, "roles": ["event-record-class-id"]}, {**integer, "length": 64, "roles": ["default-clock-timestamp"]}
        header = {"type": "structure", "member-classes": [{"name": "id", "field-class": number}, {"name": "t", "field-class": time}]}
        state = {"type": "structure", "member-classes": [{"name": "state", "field-class": {**integer, "mappings": numbers}}]}
        fragments = [
            {"type": "preamble", "version": 2},
            {"type": "trace-class"},
            {"type": "clock-class", "id": "c", "frequency": S, "origin": "unix-epoch"},
            {"type": "data-stream-class", "default-clock-class-id": "c", "event-record-header-field-class": header},
            {"type": "event-record-class", "id": 0, "name": "step", "payload-field-class": state},
        ]
        folder = self.folder / name
        folder.mkdir()
        (folder / "metadata").write_bytes(b"".join(b"\x1e" + json.dumps(each).encode() + b"\n" for each in fragments))
        (folder / "s").write_bytes(b"".join(b"\0" + (10 * k).to_bytes(8, "little") + bytes([k % 2]) for k in range(6)))
        return folder

    def test_groups(self):
        motor, door = self.enumeration("motor", ("STOPPED", "RUNNING")), self.enumeration("door", ("OPEN", "CLOSED"))

        def counts(stages, *paths):
            return {row["state"]["labels"][0]: row["count"] for row in self.rows(stages, *paths)}

        each = {"STOPPED": 3, "RUNNING": 3, "OPEN": 3, "CLOSED": 3}
        for stages in ("count by state", "select state | count by state", "count by state | sort count", "count by state | top 4 by count"):
            self.assertEqual(counts(stages, motor, door), each)
        parts = []
        for path in (motor, door):
            parts.append(self.folder / f"{path.name}.part")
            self.check(run("query", "--partial", parts[-1], "count by state", path), 0)
        merged = self.check(run("query", "--merge", "--output", "jsonl", *parts), 0).stdout.decode().splitlines()[:-1]
        self.assertEqual({row["state"]["labels"][0]: row["count"] for row in map(json.loads, merged)}, each)
        text = self.check(run("query", "--output", "csv", "count by state", motor, door), 0).stdout.decode()
        self.assertEqual(len(text.splitlines()), 5)


class Rates(Meaning):
    """A span that outlasts all begins does not change how many events a second there are."""

    def test_stats_and_query(self):
        data = heph.epoch(UTC)
        spans = ((b"long", 0, 400 * S), (b"x", S, S), (b"x", 100 * S, 100 * S))
        for counter, (name, start, end) in enumerate(spans):
            data += heph.event(name, start=start, end=end, counter=counter)
        path = self.file("long.log", data)
        asked = {row["name"]: row["rate"] for row in self.rows("rate by name", path)}
        stats = json.loads(self.check(run("stats", "--json", path), 0).stdout)
        self.assertEqual({each["name"]: each["rate"] for each in stats["classes"]}, asked)
        self.assertEqual(asked, {"long": 0.01, "x": 0.02})
        text = self.check(run("stats", path), 0).stdout.decode()
        self.assertRegex(text, r"\b0\.01 .* long")


class Clocks(Meaning):
    """Which clocks of CTF 1.8 are one."""

    def trace(self, name, host, number, offset=0, clock_uuid=None):
        written = ctf.Trace({"tick": {"n": "u64"}}, env={"hostname": host}, uuid=UUID % number, offset=offset, clock_uuid=clock_uuid)
        events = [Event(number * S, 0, "tick", {"n": number}, {}, 0)]
        written.write(pathlib.Path(self.folder / name), {0: [loss.Packet(events, 0, 0, events[0].time, events[-1].time)]})
        return name

    def said(self, *args):
        return self.check(run("print", *args, cwd=self.folder), 0).stderr.decode()

    def test_hosts_without_an_identity_of_the_clock(self):
        a, b, same = self.trace("a", "a", 1), self.trace("b", "b", 2), self.trace("same", "a", 3)
        self.assertIn("nothing relates the clocks of a and b", self.said(a, b))
        self.assertEqual(self.said(a, same), "")
        c, d = self.trace("c", "c", 4, UTC), self.trace("d", "d", 5, UTC)
        self.assertIn("c and d have clocks of their own, of UTC", self.said(c, d))
        self.check(run("print", "--strict", c, d, cwd=self.folder), 0)

    def test_what_shares_a_clock_with_a_trace_that_is_placed(self):
        first, second = UUID % 91, UUID % 92
        names = [self.trace("a", "a", 1, 0, first), self.trace("c", "c", 2, 0, second), self.trace("d", "c", 3, 0, second)]
        self.assertIn("nothing relates the clocks of a and c, d", self.said(*names))
        self.assertEqual(self.said("--clock-offset", "c=0", *names), "")

    def test_a_trace_of_a_tree_however_it_is_spelled(self):
        self.trace("tree/a", "a", 1, 0, UUID % 91)
        self.trace("tree/d", "a", 2, 0, UUID % 92)
        for name in ("tree/d", "tree/d/", "./tree/d", str(self.folder / "tree/d")):
            self.assertEqual(self.said("--clock-offset", f"{name}=0", "tree"), "", name)


class Wall(Meaning):
    """UTC of dial9."""

    def trace(self, name, anchors, ticks, host=None, jobs=()):
        data = w.header() + w.schema(0, "ClockSyncEvent", [("realtime_ns", w.VARINT)]) + w.schema(1, "Tick", [("n", w.VARINT)])
        data += w.schema(2, "SegmentMetadataEvent", [("entries", w.STRING_MAP)])
        data += w.schema(3, "job_begin", [("n", w.VARINT)]) + w.schema(4, "job_end", [("n", w.VARINT)])
        items = [(time, 0, utc) for time, utc in anchors] + [(time, 1, number) for number, time in enumerate(ticks)]
        items += [(time, kind, 1) for times in jobs for kind, time in enumerate(times, 3)]
        if host:
            data += w.reset(min(items)[0]) + w.event(2, w.string_map(("host", host), ("boot_id", host)))
        for time, kind, value in sorted(items):
            data += w.reset(time) + w.event(kind, w.varint(value))
        return self.file(name, data)

    def test_an_offset_corrects_utc_too(self):
        path = self.trace("drift.bin", [(S, UTC + S)], [2 * S, 3 * S])
        by_five = ("--clock-offset", "5s")

        def first(*args):
            lines = self.check(run("print", "--output", "jsonl", "--where", 'name == "Tick"', *args, path), 0).stdout.decode()
            return [json.loads(line)["fields"]["n"] for line in lines.splitlines()]

        text = self.check(run("info", *by_five, path), 0).stdout.decode()
        self.assertIn("utc       2023-11-14T22:13:26.000000000Z to 2023-11-14T22:13:28.000000000Z (the clock + 1700000000.000000000 s)", text)
        printed = self.check(run("print", "--clock", "wall", *by_five, path), 0).stdout.decode()
        self.assertIn("2023-11-14T22:13:27.000000000Z", printed)
        for clock in ((), ("--clock", "wall")):
            self.assertEqual(first(*clock, *by_five, "--begin", "2023-11-14T22:13:27.5"), [1])
            self.assertEqual(first(*clock, *by_five, "--end", "2023-11-14T22:13:27.5"), [0])
            self.assertEqual(first(*clock, "--begin", "2023-11-14T22:13:22.5"), [1])

    def test_times_that_are_uncertain_are_said_to_be_without_being_asked(self):
        one = self.trace("a.bin", [(S, UTC + S)], [160 * S], "web1")
        other = self.trace("b.bin", [(500 * S, UTC + 5 * S), (550 * S, UTC + 155 * S)], [560 * S], "web2")
        for clock in ((), ("--clock", "wall")):
            said = self.check(run("query", *clock, "pair Tick Tick on trace | count", one, other), 0).stderr.decode()
            self.assertIn("b.bin: durations, and all times but those of rows of spans, are of its own clock", said)

    def test_times_of_spans_are_those_that_print_shows(self):
        one = self.trace("a.bin", [(S, UTC + S)], [], "web1", jobs=[(160 * S, 161 * S)])
        other = self.trace("b.bin", [(500 * S, UTC + 5 * S), (550 * S, UTC + 155 * S)], [], "web2", jobs=[(560 * S, 561 * S)])
        for clock in ((), ("--clock", "wall")):
            rows = self.rows("spans | select time, duration", *clock, one, other)
            self.assertEqual({(row["time"] - UTC, row["duration"]) for row in rows}, {(160 * S, S), (165 * S, S)})

    def test_a_bare_number_is_of_one_unit(self):
        path = self.trace("late.bin", [], [503_228 * S, 503_230 * S])
        for args in (("--begin", "503229"), ("--where", 'time > "503229"')):
            self.assertIn("write 503229s or 503229ns", self.check(run("print", *args, path), 2).stderr.decode())
        self.assertIn("503229s", self.check(run("query", 'where time > "503229" | count', path), 2).stderr.decode())
        self.assertEqual(self.rows('where time > "503229s" | count', path), [{"count": 1}])
        # And behind other stages, where no trace is looked at.
        self.assertIn("write 503229ns or 503229s", self.check(run("query", 'select time | where time > "503229" | count', path), 2).stderr.decode())
        self.assertEqual(self.rows('select time | where time > "503229s" | count', path), [{"count": 1}])

    def test_nominal_times_are_no_times(self):
        data = w.header() + w.schema(0, "Named", [("n", w.VARINT)], 0) + w.schema(1, "Tick", [("n", w.VARINT)])
        path = self.file("nominal.bin", data + w.event(0, w.varint(1), None) + w.reset(5 * S) + w.event(1, w.varint(2)))
        self.assertEqual(self.rows("min(time), max(time)", path), [{"min(time)": 5 * S, "max(time)": 5 * S}])


if __name__ == "__main__":
    unittest.main()

"""Traces without an event keep what else is known of them: environment, clocks, classes."""

import json
import unittest

import dial9_writer as dial9
import heph_writer as heph
from command import CommandTest, run

EPOCH = 1_700_000_000_000_000_005
CTF = ("ctf2rc", "ctf2", "ctf1")


class MetadataOnly(CommandTest):
    def info(self, trace):
        return json.loads(self.check(run("info", "--json", trace), 0).stdout)

    def known(self, trace):
        """Environment, and offsets of clocks in ns."""
        info = self.info(trace)
        offsets = [each.get("offset", {"seconds": 0, "ticks": 0}) for each in info["clocks"]]
        environment = info.get("environment", {})
        own = {key: environment[key] for key in environment if key != "epoch" and not key.startswith("tracedeck")}
        return own, [each["seconds"] * 10**9 + each["ticks"] for each in offsets]

    def convert(self, trace, target, *options):
        out = self.folder / f"{trace.name}.{target}"
        report = self.folder / "report"
        self.check(run("convert", "--to", target, "-o", out, "--report", report, *options, trace), 0)
        if target not in ("jsonl", "csv"):
            as_target = ("--format", "ctf" if target in CTF else target)
            self.check(run("validate", *as_target, out), 0)
        entries = json.loads(report.read_text())["entries"]
        return out, {entry["what"]: entry["count"] for entry in entries if entry["lossy"]}

    def heph(self, *options):
        return self.file("t", b"".join(options))

    def ctf(self):
        """A trace of CTF 2 that consists of its metadata."""
        content = heph.epoch(EPOCH) + heph.option(b"host", b"h1") + heph.event(b"e", heph.number(b"n", 1))
        whole, _ = self.convert(self.file("source", content), "ctf2")
        trace = self.folder / "ctf"
        trace.mkdir()
        (trace / "metadata").write_bytes((whole / "metadata").read_bytes())
        return trace

    def test_options_of_heph(self):
        trace = self.heph(heph.epoch(EPOCH), heph.option(b"host", b"h1"))
        self.assertEqual(self.known(trace), ({"host": "h1"}, [EPOCH]))
        for target in ("dial9", *CTF):
            with self.subTest(target):
                out, lost = self.convert(trace, target)
                self.assertEqual(self.known(out), ({"host": "h1"}, [EPOCH]))
                self.assertEqual(lost, {})
                back, lost = self.convert(out, "heph")
                self.assertEqual(self.known(back), ({"host": "h1"}, [EPOCH]))
                self.assertEqual(self.info(out)["events"], 0)
        for target in ("tband", "jsonl", "csv"):
            _, lost = self.convert(trace, target)
            self.assertTrue(lost, target)

    def test_options_without_a_clock(self):
        trace = self.heph(heph.option(b"host", b"h1"))
        for target in ("dial9", *CTF):
            out, _ = self.convert(trace, target)
            self.assertEqual(self.known(out)[0], {"host": "h1"}, target)

    def test_classes_of_ctf(self):
        trace = self.ctf()
        before = self.info(trace)
        self.assertEqual((before["events"], [each["name"] for each in before["classes"]]), (0, ["e"]))
        for target in ("dial9", "ctf2rc", "ctf1"):
            with self.subTest(target):
                out, lost = self.convert(trace, target, "--as-stored")
                self.assertEqual(lost, {})
                back, lost = self.convert(out, "ctf2")
                self.assertEqual(self.info(back)["classes"], before["classes"])
                self.assertEqual(self.known(back), self.known(trace))
        out, _ = self.convert(trace, "heph")
        self.assertEqual(self.known(out), ({"host": "h1"}, [EPOCH]))

    def test_classes_of_dial9(self):
        trace = self.file("t", dial9.header() + dial9.schema(3, "Tick", [("n", dial9.VARINT)]))
        for target in CTF:
            out, _ = self.convert(trace, target)
            self.assertEqual([each["name"] for each in self.info(out)["classes"]], ["Tick"])

    def test_a_trace_beside_one_with_events(self):
        events = self.file("events", heph.epoch(EPOCH) + heph.event(b"e", start=3, end=4))
        silent = self.heph(heph.epoch(EPOCH), heph.option(b"host", b"h1"))
        out = self.folder / "both.dial9"
        self.check(run("convert", "-o", out, events, silent), 0)
        lines = self.check(run("print", "--output", "jsonl", out), 0).stdout.splitlines()
        self.assertEqual(len(lines), 1)
        out = self.folder / "both.heph"
        self.check(run("convert", "-o", out, events, silent), 0)
        self.assertEqual(self.known(out)[0], {"host": "h1"})

    def test_the_length_of_a_tick(self):
        trace = self.ctf()
        metadata = (trace / "metadata").read_text()
        self.assertIn('"frequency":1000000000', metadata.replace(" ", ""))
        (trace / "metadata").write_text(metadata.replace("1000000000", "1000000"))
        out, _ = self.convert(trace, "tband", "--as-stored")
        lines = run("print", "--format", "tband", "--output", "jsonl", out).stdout.splitlines()
        self.assertEqual([json.loads(line)["fields"] for line in lines], [{"ns_per_ts": 1000}])


if __name__ == "__main__":
    unittest.main()

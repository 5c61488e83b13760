"""Heph traces on the command line: the reference traces, losses and damage, limits, conversion."""

import functools
import gzip
import json
import os
import pathlib
import re
import resource
import subprocess
import unittest

import command
import heph_writer as w
from command import TRACES, CommandTest, Golden, needs_traces, parse_lines, run
from golden_test import byte_by_byte

HEPH = TRACES / "heph"
PRINT = ["print", "--format", "heph", "--output", "jsonl", "--order", "recorded"]
EPOCH = 1610113734118010000


@functools.cache
def expected(trace):
    plain = trace.with_name(trace.name + ".jsonl")
    return parse_lines(
        plain.read_bytes() if plain.exists() else gzip.decompress(plain.with_name(plain.name + ".gz").read_bytes())
    )


GOLDEN = Golden(expected)


class DottedNames(CommandTest):
    """A name that contains a dot is found as it stands."""

    def setUp(self):
        super().setUp()
        self.trace = self.file("dots.log", w.epoch(EPOCH) + w.event(
            b"read", w.number(b"http.status", 503) + w.array(b"list", 1, 2, 3) + w.number(b"packet.size", 9), start=1, end=2))

    def lines(self, *arguments):
        return parse_lines(self.check(run(*arguments, self.trace), 0).stdout)

    def test_conditions(self):
        for condition in ("http.status == 503", ".http.status == 503", 'fields["http.status"] == 503', "list[-1] == 3", ".packet.size == 9",
                          "any(list[*] == 2) && has(http.status)"):
            self.assertEqual(len(self.lines("print", "--output", "jsonl", "--where", condition)), 1, condition)

    def test_queries(self):
        answer = self.lines("query", "--json", "where http.status > 500 | count() by http.status, list[-1] | where http.status == 503")
        self.assertEqual(answer[:-1], [(("http.status", 503), ("list[-1]", 3), ("count()", 1))])
        self.assertEqual(self.lines("query", "--json", "select * | where http.status == 503 | select http.status")[:-1], [(("http.status", 503),)])

    def test_what_is_not_found_is_said(self):
        for condition, said in {
            "http.state == 1": b"no event class has a field `http.state`; did you mean `http.status`?",
            "packet.size == 9": b"no event class has a field `packet.size`; did you mean `.packet.size`?",
            "http.status.code == 1": b"no event class has a field `http.status.code`",
            'http["status"] == 503': b"no event class has a field `http.status`",
        }.items():
            result = run("print", "--where", condition, self.trace)
            self.assertIn(said, result.stderr, condition)

    def test_tables_of_rules(self):
        table = self.file("reads.toml", b"""
table = "reads"
applies = { class = "read" }
[[track]]
id = "reads"
kind = "state"
name = "reads"
[[state]]
event = "read"
track = "reads"
name = "in {http.status}"
""")
        out = self.folder / "out.json"
        self.check(run("convert", "-q", "--to", "chrome", "--table", table, self.trace, "-o", out), 0)
        self.assertIn('"in 503"', out.read_text())


@needs_traces
class ValidTraces(CommandTest):
    def each(self, check, largest=None):
        traces = sorted(HEPH.glob("*.bin.log"))
        self.assertGreater(len(traces), 15)
        for trace in traces:
            if largest is None or trace.stat().st_size <= largest:
                with self.subTest(trace.name):
                    check(trace)

    def same(self, trace, result):
        self.check(result, 0)
        self.assertIsNone(GOLDEN.difference(trace, result.stdout))

    def test_file(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, trace)))

    def test_recognised_without_format(self):
        def check(trace):
            if trace.stat().st_size != 0:
                self.same(trace, run("print", "--output", "jsonl", "--order", "recorded", trace))

        self.each(check)

    def test_pipe(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, "-", stdin=trace.read_bytes())))

    def test_gzip(self):
        self.each(lambda trace: self.same(trace, run(*PRINT, self.file("t", gzip.compress(trace.read_bytes())))))

    def test_byte_by_byte(self):
        self.each(lambda trace: self.same(trace, byte_by_byte(*PRINT, "-", content=trace.read_bytes())), 8192)

    def test_rewritten_byte_for_byte(self):
        def check(trace):
            copy = self.folder / "copy"
            self.check(run("convert", "--format", "heph", "--to", "heph", "-o", copy, trace), 0)
            self.assertEqual(copy.read_bytes(), trace.read_bytes())

        self.each(check)

    def test_not_taken_for_another_format(self):
        for trace in sorted((TRACES / "dial9").glob("*.bin"))[:5]:
            info = dict(parse_lines(self.check(run("info", "--json", trace), 0).stdout)[0])
            self.assertEqual(info["format"], "dial9")


@needs_traces
class DamagedTraces(CommandTest):
    def test_exit_codes_and_events(self):
        rows = [row.split("\t") for row in (HEPH / "damaged/expect.tsv").read_text().splitlines()[1:] if row.strip()]
        self.assertGreater(len(rows), 20)
        for name, code, events in rows:
            trace = HEPH / "damaged" / name
            whole = run(*PRINT, trace)
            for how, result in {
                "file": whole,
                "pipe": run(*PRINT, "-", stdin=trace.read_bytes()),
                "byte by byte": byte_by_byte(*PRINT, "-", content=trace.read_bytes()),
            }.items():
                with self.subTest(name, how=how):
                    self.check(result, int(code))
                    count = len(parse_lines(result.stdout))
                    self.assertEqual(count, int(events))
                    self.assertEqual(result.stdout, whole.stdout)
                    if code != "0":
                        self.assertNotEqual(result.stderr, b"")
            with self.subTest(name, how="validate"):
                validated = run("validate", "--format", "heph", trace)
                self.check(validated, 0 if code == "0" else 1)
                self.assertNotEqual(validated.stdout, b"")


class Reading(CommandTest):
    def test_text(self):
        trace = self.file("t", w.event(b"read", w.number(b"bytes", 5) + w.string(b"path", b"/"), start=1000, end=3500))
        result = self.check(run("print", trace), 0)
        self.assertEqual(
            result.stdout,
            b'0.000001000 +0.000000000 [id 1, substream 0, counter 0] read  for 0.000002500  bytes=5  path="/"\n',
        )

    def test_csv(self):
        trace = self.file("t", w.event(b"read", w.number(b"bytes", 5), stream=2, start=10, end=5))
        result = self.check(run("print", "--output", "csv", trace), 0)
        self.assertEqual(
            result.stdout.splitlines()[1],
            b'10,-5,read,,"{""id"":2,""substream"":0,""counter"":0}",,"{""bytes"":5}"',
        )

    def test_damage_is_named(self):
        good = w.event(b"a") + w.event(b"b", counter=1)
        bad = bytearray(w.event(b"bad", w.number(b"n", 1), counter=2))
        bad[-9] = 9
        trace = self.file("t", good + bytes(bad) + w.event(b"c", counter=3))
        result = self.check(run("print", "--output", "jsonl", trace), 4)
        self.assertEqual([dict(line)["name"] for line in parse_lines(result.stdout)], ["a", "b", "c"])
        self.assertIn(f":{len(good)}: error: heph/attribute-type".encode(), result.stderr)
        info = dict(parse_lines(run("info", "--json", trace).stdout)[0])
        self.assertEqual(dict(info["losses"])["events"], 0)
        self.assertEqual(dict(info["problems"])["bytes"], len(bad))

    def test_losses_of_counters(self):
        counters = [0, 1, 5, 6, 3, 6]
        trace = self.file("t", b"".join(w.event(b"e", counter=c, start=c, end=c) for c in counters))
        result = self.check(run("print", "--output", "jsonl", "--records", "all", trace), 0)
        losses = [dict(dict(line)["loss"]) for line in parse_lines(result.stdout) if "loss" in dict(line)]
        self.assertEqual([loss["events"] for loss in losses], [3, -1])
        self.assertEqual((losses[0]["begin"], losses[0]["end"]), (1, 5))
        self.assertIn(b"lost: 2 events", result.stderr)
        self.assertEqual(run("print", "--strict", trace).returncode, 4)
        info = dict(parse_lines(run("info", "--json", trace).stdout)[0])
        self.assertEqual(dict(info["losses"])["events"], 2)

    def test_losses_as_babeltrace2_says_them(self):
        counters = [0, 1, 5, 6, 3, 6, 9]
        trace = self.file("t", b"".join(w.event(b"e", counter=c, start=c, end=c) for c in counters))
        result = self.check(run("print", "--output", "babeltrace2", "--clock-seconds", trace), 0)
        self.assertEqual(result.stdout.count(b" e: {"), len(counters))
        self.assertEqual(
            re.findall(r"discarded (\d+) events? between \[(\S+)\] and \[(\S+)\]", result.stderr.decode()),
            [("3", "0.000000001", "0.000000005"), ("2", "0.000000006", "0.000000009")],
        )

    def test_swapped_packets_of_a_pipe_lose_nothing(self):
        content = w.epoch(EPOCH)
        for i in range(0, 100, 2):
            content += w.event(b"e", counter=i + 1) + w.event(b"e", counter=i)
        result = self.check(run(*PRINT, "--records", "all", "-", stdin=content), 0)
        lines = [dict(line) for line in parse_lines(result.stdout)]
        self.assertEqual(sum("name" in line for line in lines), 100)
        self.assertFalse(any("loss" in line for line in lines))

    def test_an_epoch_at_the_end_holds_for_a_whole_file(self):
        content = b"".join(w.event(b"e", counter=i, start=i, end=i) for i in range(3000)) + w.epoch(EPOCH)
        lines = parse_lines(self.check(run(*PRINT, self.file("t", content)), 0).stdout)
        self.assertEqual([dict(line)["time"] for line in lines], list(range(EPOCH, EPOCH + 3000)))

    def test_unknown_options_are_environment(self):
        trace = self.file("t", w.option(b"zone", b"UTC\x00") + w.event(b"e"))
        schema = dict(parse_lines(self.check(run("schema", "--json", trace), 0).stdout)[0])
        self.assertEqual([dict(entry)["key"] for entry in schema["environment"]], ["zone"])

    def test_descriptions_without_end_do_not_take_memory_without_end(self):
        def content(events):
            return b"".join(w.event(b"request %d" % i, w.number(b"n", i), counter=i) for i in range(events))

        trace = self.file("t", content(60_000))
        output = self.folder / "out"
        with open(output, "wb") as out:
            child = subprocess.Popen([command.BIN, *PRINT, os.fspath(trace)], stdout=out, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        if "asan" not in command.BIN:
            self.assertLess(usage.ru_maxrss, 64 << 10)
        with open(output) as lines:
            for i, line in enumerate(lines):
                line = json.loads(line)
                if i % 1000 == 0 or i > 59_990:
                    self.assertEqual((line["name"], line["fields"]), (f"request {i}", {"n": i}))
                    self.assertEqual(line["stream"]["counter"], i)
        for form in ("text", "csv"):
            shown = run("print", "--output", form, "--order", "recorded", trace).stdout.splitlines()
            self.assertIn(b"request 59999", shown[-1])
        # Beyond the limit events are written again as they were.
        copy = self.folder / "copy"
        self.check(run("convert", "--to", "heph", "--limit", "100000", "-o", copy, trace), 0)
        self.assertEqual(copy.read_bytes(), trace.read_bytes())


class Converting(CommandTest):
    def test_heph_to_dial9_says_what_is_lost(self):
        trace = self.file("t", w.epoch(EPOCH) + w.event(b"e", w.number(b"n", 1), start=1, end=2))
        result = self.check(run("convert", "--to", "dial9", "-o", self.folder / "out", trace), 0)
        self.assertIn(b"duration", result.stderr)

    def test_merged_traces_share_the_first_epoch(self):
        first = self.file("1", w.epoch(EPOCH) + w.event(b"a", start=10, end=20))
        second = self.file("2", w.epoch(EPOCH + 5) + w.event(b"b", stream=1, start=10, end=20))
        out = self.folder / "out"
        self.check(run("convert", "--to", "heph", "-o", out, first, second), 0)
        lines = [dict(line) for line in parse_lines(run(*PRINT, out).stdout)]
        self.assertEqual([line["time"] for line in lines], [EPOCH + 10, EPOCH + 15])
        self.assertEqual([dict(line["stream"])["id"] for line in lines], [1, 0])

    def test_ctf_has_a_name_for_each_of_the_attributes_of_one_name(self):
        attributes = [w.number(b"n", 1), w.number(b"n", 2), w.number(b"n_1", 3), w.number(b"\xff", 4), w.number(b"\xfe", 5)]
        trace = self.file("t", w.event(b"e", b"".join(attributes)))
        for target, names in (
            ("ctf2rc", ["n", "n_", "n_1", "\ufffd", "\ufffd_"]),
            ("ctf2", ["n", "n_", "n_1", "\ufffd", "\ufffd_"]),
            ("ctf1", ["n", "n_", "n_1", "_", "___"]),
        ):
            with self.subTest(target):
                out = self.folder / target
                result = self.check(run("convert", "--to", target, "-o", out, trace), 0)
                self.assertIn(b"by convention: names that are empty, too long or another's", result.stderr)
                self.check(run("validate", out), 0)
                stored = dict(parse_lines(run("print", "--output", "jsonl", "--as-stored", out).stdout)[0])["fields"]
                self.assertEqual(stored[1:], tuple(zip(names, range(1, 6))))
                fields = [run("print", "--output", "jsonl", each).stdout for each in (trace, out)]
                self.assertEqual(*(dict(parse_lines(each)[0])["fields"] for each in fields))
                self.check(run("convert", "--to", target, "--strict", "-o", self.folder / f"{target}-strict", trace), 0)

    def test_ctf_counts_what_was_lost(self):
        def packets(*counters):
            return b"".join(w.event(b"e", counter=c, start=c, end=c) for c in counters)

        for trace, lost, stored, receipt in (
            (packets(1, 2, 6, 7, 9), 4, 4, False),
            (packets(1, 4, 3, 5), 1, 1, False),
            (packets(1, 4, 6, 8, 3, 5, 9), 2, 3, True),
        ):
            for target in ("ctf2", "ctf1"):
                out = self.folder / f"{target}-{stored}"
                result = self.check(run("convert", "--to", target, "-o", out, self.file("t", trace)), 0)
                self.assertEqual(b"lost events that came after all (1): counted as lost" in result.stderr, receipt)
                for options, count in (((), lost), (("--as-stored",), stored)):
                    info = dict(parse_lines(self.check(run("info", "--json", *options, out), 0).stdout)[0])
                    self.assertEqual(dict(info["losses"])["events"], count)

    def test_an_unknown_version_is_refused(self):
        self.assertTrue(pathlib.Path(command.BIN).exists())
        self.assertEqual(run("convert", "--to", "hepp", "-o", "x", self.file("t", b"")).returncode, 2)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()

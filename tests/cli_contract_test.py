"""The command as a script sees it: exit codes, standard output and error, files, options, pipes, signals."""

import gzip
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

import dial9_writer as w
import heph_writer as h
from command import BIN, ROOT, TIME_LIMIT, CommandTest, parse_lines, run, zstd

COMMANDS = ["info", "print", "schema", "stats", "query", "latency", "why", "diff", "view", "tables", "validate", "convert", "formats"]
READERS = ["info", "print", "schema", "stats", "latency", "validate"]
OPTIONS = {
    "info": "json output quality begin end stream-intersection where clock-offset follow baud stall-limit metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "print": "output int64 flat clock-gmt clock-seconds clock-cycles clock-date no-delta names fields timerange records order begin end stream-intersection where limit tail clock clock-offset follow baud stall-limit metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "schema": "output to json where follow baud stall-limit metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "stats": "json output begin end stream-intersection where clock clock-offset follow baud stall-limit metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "query": "json output partial partial-key merge table explain begin end stream-intersection where order clock clock-offset follow slack baud stall-limit metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "latency": "json output by top where require table explain begin end stream-intersection order clock clock-offset metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "why": "longest slice rank at track json output table order clock clock-offset metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "diff": "json output by top where require table explain begin end stream-intersection order clock clock-offset metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "view": "port perfetto table explain flows perfetto-level args min-duration max-size begin end stream-intersection order clock clock-offset metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "tables": "table help version",
    "validate": "json output follow baud stall-limit metadata files-from format tband-encoding max-state jobs strict color progress quiet verbose help version",
    "convert": "to dial9-version packet-size split-size split-duration spans table explain flows perfetto-level weight args min-duration max-size int64 flat layout partition timestamps raw tag segment what drop mask mask-key share report order begin end stream-intersection where limit clock clock-offset follow baud stall-limit metadata files-from format as-stored tband-encoding max-state jobs strict color progress quiet verbose help version",
    "formats": "json output help version",
}
# What other commands of this kind have, and this one does not have yet.
NOT_YET = ["--filter", "--core", "-j"]
DAMAGED = w.ticks(3) + b"\xff\x00"


def events(result):
    return [dict(line) for line in parse_lines(result.stdout)]


class Usage(CommandTest):
    def wrong(self, *args, says="", **more):
        result = self.check(run(*args, **more), 2, args)
        self.assertEqual(result.stdout, b"")
        said = result.stderr.decode()
        self.assertIn(says, said)
        self.assertIn("--help", said)

    def test_help_names_every_option(self):
        for command in COMMANDS:
            with self.subTest(command):
                result = self.check(run(command, "--help"), 0)
                self.assertEqual(result.stderr, b"")
                text = result.stdout.decode()
                listed = re.findall(r"^  (?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE)
                self.assertEqual(sorted(listed), sorted(OPTIONS[command].split()))
                self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
                self.assertEqual(run(command, "-h").stdout, result.stdout)

    def test_help_says_each_default_once(self):
        for command in COMMANDS:
            options = re.split(r"\n  (?=-)", run(command, "--help").stdout.decode())
            for option in options[1:]:
                self.assertLessEqual(option.count("(default)"), 1, option)

    def test_help_says_which_traces_a_command_takes(self):
        live = "udp-listen://127.0.0.1:0"
        for command in (("view",), ("why", "--longest", "x"), ("diff", self.file("t", w.ticks(1)))):
            text = " ".join(run(command[0], "--help").stdout.decode().split())
            for source, words in (("-", "'-' for standard input"), (live, "comes live")):
                self.assertEqual(words in text, run(*command, source).returncode != 2, (command, source))
        for command in (*READERS, "query", "convert"):
            text = " ".join(run(command, "--help").stdout.decode().split())
            self.assertIn("'-' for standard input, or comes live", text)

    def test_help_of_the_whole(self):
        text = self.check(run("--help"), 0).stdout.decode()
        self.assertEqual(re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE), COMMANDS)

    def test_version(self):
        text = self.check(run("--version"), 0).stdout.decode()
        self.assertRegex(text, r"^tracedeck \d+\.\d+\.\d+\n$")
        for command in COMMANDS:
            self.assertEqual(self.check(run(command, "--version"), 0).stdout.decode(), text)

    def test_without_a_command(self):
        self.wrong(says="needs a command")
        self.wrong("prnit", says="did you mean 'print'")
        self.wrong("-", says="no command")
        self.wrong("--strict", says="unknown option")
        self.wrong("", says="no command")
        self.wrong("version", "x", says="version takes no operands, not 'x'")

    def test_missing_operands(self):
        for command in READERS:
            self.wrong(command, says="needs a TRACE")
            self.wrong(command, "--", says="needs a TRACE")
            self.wrong(command, "", says="needs a name")
        trace = self.file("t", w.ticks(1))
        self.wrong("convert", "--to", "dial9", trace, says="-o OUT")
        self.wrong("convert", "-o", self.folder / "o", trace, says="--to FORMAT")
        self.wrong("convert", "-o", self.folder / "o", "--to", "dial9", says="needs a TRACE")
        self.wrong("formats", "x", says="no operands")

    def test_a_trace_before_the_question(self):
        trace = self.file("a trace.bin", w.header())
        said = self.check(run("query", trace, "count"), 2).stderr.decode()
        self.assertIn(f"'{trace}' is a file, and the question comes first: tracedeck query 'count' {trace}\n", said)

    def test_unknown_options(self):
        trace = self.file("t", w.ticks(1))
        for command in READERS:
            for option in ["--nonsense", "-x", *NOT_YET]:
                self.wrong(command, option, trace, says="unknown option")
        self.wrong("print", "--output", "xml", trace, says="takes text, jsonl, csv, babeltrace2")
        self.wrong("info", "--limit", "1", trace, says="unknown option")
        self.wrong("schema", "--output", "jsonl", trace, says="takes text, json, metadata, not 'jsonl'")
        self.wrong("print", "--schema-output", "text", trace, says="unknown option")

    def test_nothing_is_mentioned_that_is_not_there(self):
        for command in COMMANDS:
            text = run(command, "--help").stdout.decode()
            for word in NOT_YET[:-1]:
                self.assertNotIn(word, text)

    def test_wrong_values(self):
        trace = self.file("t", w.ticks(1))
        for option, values in {
            "--limit": ["", "-1", "x", "1.5", "18446744073709551616", "9" * 100],
            "--begin": ["", "x", "25", "18446744073709551616", "12:00", "2026-02-30T00:00:00Z", "9" * 100],
            "--end": ["", "now", "1e9"],
            "--order": ["", "sorted", "TIME"],
            "--records": ["", "none"],
            "--output": ["", "json", "text,csv"],
            "--clock-offset": ["", "x", "=5", "nosuch=5", "9223372036854775808", "+1x", "end-1s"],
            "--format": ["", "perfetto", "dial8"],
            "--tband-encoding": ["", "base64"],
            "--max-state": ["", "0", "-1", "1X", "99999999999T", "1.5G"],
            "--jobs": ["", "0", "-1", "x", "18446744073709551616"],
            "--color": ["", "yes"],
            "--progress": ["", "always"],
        }.items():
            for value in values:
                if (option, value) == ("--begin", "25"):
                    continue
                self.wrong("print", option, value, trace, says=f"'{option}'")
                self.wrong("print", f"{option}={value}", trace, says=f"'{option}'")
            self.wrong("print", trace, option, says=f"option '{option}' needs a value")

    def test_a_name_that_may_stand_for_several_targets(self):
        trace = self.file("t", w.ticks(1))
        for name, says in (("x.bin", "--to dial9 or --to tband"), ("x.log", "--to heph"), ("x.foo", "needs --to FORMAT")):
            self.assertIn(says, self.check(run("convert", "-o", self.folder / name, trace), 2).stderr.decode())

    def test_options_that_exclude_each_other(self):
        trace = self.file("t", w.ticks(1))
        self.wrong("print", "-qv", trace, says="exclude each other")
        self.wrong("convert", "-o", "x", "--to", "jsonl", "--dial9-version", "0.4", trace, says="--dial9-version")
        self.wrong("convert", "-o", "x", "--to", "dial9", "--dial9-version", "0.5", trace, says="0.3, 0.4")
        self.wrong("convert", "-o", "x", "--to", "jsonl", "--report", "x", trace, says="cannot both")
        self.wrong("convert", "-o", "x", "--to", "dial9", "--packet-size", "4K", trace, says="--packet-size")
        self.wrong("convert", "-o", "x", "--to", "tband", "--spans", trace, says="'--to heph' only")
        self.wrong("convert", "-o", "x", "--to", "heph", "--explain", trace, says="'--explain' goes with '--spans'")
        self.wrong("convert", "-o", "x", "--to", "heph", "--spans", "--limit", "3", trace, says="--limit")
        self.wrong("convert", "-o", "x", "--to", "heph", "--spans", "--split-size", "1M", trace, says="--split-size")
        self.wrong("schema", "--json", "--output", "metadata", trace, says="exclude each other")
        self.wrong("print", "-", "-", says="only once")
        self.wrong("print", "--strict=1", trace, says="takes no value")

    def test_lists_of_traces(self):
        names = ["b", "a b", "-dash", "@x", "é"]
        for at, name in enumerate(names):
            self.file(name, w.ticks(1, start=1000 + at))

        def times(*args, **more):
            result = run("print", "--output", "jsonl", "--order", "recorded", *args, cwd=self.folder, **more)
            return [event["time"] for event in events(self.check(result, 0, args))]

        self.file("list", "\n".join(names).encode())
        self.file("zero", b"\0".join(name.encode() for name in reversed(names)) + b"\0")
        self.assertEqual(times("--files-from", "list"), [1000, 1001, 1002, 1003, 1004])
        self.assertEqual(times("--files-from=zero"), [1004, 1003, 1002, 1001, 1000])
        self.assertEqual(times("--files-from", "-", "b", stdin=b"a b\nb\n"), [1000, 1001])
        self.assertEqual(times("--files-from", "list", "a b", "--files-from", "zero")[:3], [1001, 1000, 1002])
        self.assertEqual(times("--files-from", "list", "-", stdin=w.ticks(1, start=7))[:2], [7, 1000])
        for command in [*READERS, "query"]:
            stages = ["count"] if command == "query" else []
            self.check(run(command, "--files-from", "list", *stages, cwd=self.folder), 0)
        self.check(run("convert", "-o", "out", "--to", "jsonl", "--files-from", "list", cwd=self.folder), 0)

    def test_lists_that_are_wrong(self):
        trace = self.file("t", w.ticks(1))
        for content, says in [
            (b"t\n\nt\n", "list:2: a TRACE needs a name"),
            (b"t\n-\n", "list:2: standard input"),
            (b"t\0\0", "list:2: a TRACE needs a name"),
            (b"", "list names no TRACE"),
        ]:
            self.file("list", content)
            self.wrong("print", "--files-from", self.folder / "list", says=says)
        self.wrong("print", "--files-from", self.folder / "missing", trace, says="missing")
        self.wrong("print", "--files-from", self.folder, trace, says="--files-from")
        self.wrong("print", "--files-from", "", trace, says="needs a name")
        self.wrong("print", "--files-from", "-", "-", says="only once")
        self.wrong("print", "--files-from", "-", "--files-from", "-", says="only once")
        self.wrong("print", "--files-from", "-", says="standard input:1: a TRACE needs a name", stdin=b"\n")
        self.file("list", b"t\nmissing\n")
        result = self.check(run("print", "--files-from", "list", cwd=self.folder), 3)
        self.assertIn("missing", result.stderr.decode())

    def test_huge_values_that_are_right(self):
        trace = self.file("t", w.ticks(2))
        largest = str(2**64 - 1)
        for args in [
            ["--limit", largest],
            ["--end", largest],
            ["--max-state", "16777215T"],
            ["--begin", "-" + largest],
        ]:
            self.assertEqual(len(events(self.check(run("print", "--output", "jsonl", *args, trace), 0))), 2, args)
        self.assertEqual(events(run("print", "--output", "jsonl", "--begin", largest, trace)), [])

    def test_operands_of_every_shape(self):
        for name in ["-dash", "--limit", "a b", "[a,b]", "++", "info", "é", "a=b", "new\nline"]:
            self.file(name, w.ticks(1))
            result = run("print", "--output", "jsonl", "--", name, cwd=self.folder)
            self.assertEqual(len(events(self.check(result, 0, name))), 1)
        self.check(run("print", "info", cwd=self.folder), 0)

    def test_clock_offset(self):
        one, two = self.file("a=1", w.ticks(1)), self.file("b", w.ticks(1))
        result = run(
            "print",
            "--output",
            "jsonl",
            "--order",
            "recorded",
            "--clock-offset",
            "5",
            "--clock-offset",
            f"{one}=-7",
            one,
            two,
        )
        self.assertEqual([event["time"] for event in events(self.check(result, 0))], [993, 1005])
        result = run("print", "--output", "jsonl", "--clock-offset", "-2000", one)
        self.assertEqual([event["time"] for event in events(self.check(result, 0))], [-1000])


class Inputs(CommandTest):
    def test_what_is_no_trace(self):
        text = self.file("notes.txt", b"These are notes.\n")
        empty = self.file("empty", b"")
        missing = self.folder / "missing"
        for command in ["info", "print", "schema", "stats"]:
            for name in [text, empty, missing, self.folder]:
                with self.subTest(command=command, name=name.name):
                    result = self.check(run(command, name), 3)
                    self.assertEqual(result.stdout, b"")
                    self.assertIn(str(name), result.stderr.decode())

    def test_pipes(self):
        for command in READERS:
            self.check(run(command, "-", stdin=w.ticks(3)), 0)
        for content in [b"", b"no trace"]:
            self.check(run("print", "-", stdin=content), 3)
            self.check(run("validate", "-", stdin=content), 1)

    def test_closed_standard_input(self):
        trace = self.file("t", w.ticks(1))
        for args in ["-", '"$1" -', '- "$1"']:
            result = subprocess.run(
                ["sh", "-c", f'exec "$0" print {args} <&-', BIN, trace], capture_output=True, timeout=TIME_LIMIT
            )
            self.check(result, 3)
            self.assertEqual(len(result.stdout.splitlines()), 0 if args == "-" else 1)

    def test_named_pipe(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for order in ["merged", "recorded", "time"]:
            writer = subprocess.Popen(["sh", "-c", 'cat > "$0"', fifo], stdin=subprocess.PIPE)
            reader = subprocess.Popen(
                [BIN, "print", "--output", "jsonl", "--order", order, fifo], stdout=subprocess.PIPE
            )
            writer.communicate(w.ticks(3), timeout=TIME_LIMIT)
            out, _ = reader.communicate(timeout=TIME_LIMIT)
            self.assertEqual((reader.returncode, len(out.splitlines())), (0, 3))

    def test_compressed(self):
        trace = w.ticks(3000)
        plain = run("print", "--output", "jsonl", self.file("plain", trace)).stdout
        packed = {"gzip": gzip.compress(trace), "zstd": zstd(trace)}
        for kind, content in packed.items():
            with self.subTest(kind):
                if content is None:
                    self.skipTest("there is no zstd program")
                for args, stdin in [([self.file("packed", content)], b""), (["-"], content)]:
                    self.assertEqual(self.check(run("print", "--output", "jsonl", *args, stdin=stdin), 0).stdout, plain)
                    self.check(run("info", *args, stdin=stdin), 0)
                    self.check(run("print", "--order", "time", *args, stdin=stdin), 0)
                cut = self.file("cut", content[: len(content) * 2 // 3])
                result = self.check(run("print", "--output", "jsonl", cut), 4)
                self.assertTrue(plain.startswith(result.stdout))
                self.assertIn(str(cut), result.stderr.decode())
                self.check(run("validate", cut), 1)

    def test_compressed_nothing(self):
        self.check(run("print", self.file("e.gz", gzip.compress(b""))), 3)
        self.check(run("print", self.file("t.gz", gzip.compress(b"text"))), 3)

    def test_one_unreadable_input_of_several(self):
        good, other, bad = self.file("good", w.ticks(4)), self.file("other", w.ticks(4, start=9)), self.folder / "missing"
        for order in ["merged", "recorded", "time"]:
            result = run("print", "--output", "jsonl", "--order", order, good, bad, other)
            self.assertEqual(len(events(self.check(result, 3))), 8)
            self.assertIn(str(bad), result.stderr.decode())
        self.assertEqual(len(self.check(run("info", "--json", bad, good, bad), 3).stdout.splitlines()), 1)
        out = self.folder / "out"
        self.check(run("convert", "-o", out, "--to", "jsonl", bad, good), 3)
        self.assertEqual(len(out.read_text().splitlines()), 4)

    def test_the_worse_of_damage_and_no_trace(self):
        good, damaged, bad = self.file("g", w.ticks(1)), self.file("d", DAMAGED), self.folder / "missing"
        self.check(run("print", good, damaged), 4)
        self.check(run("print", damaged, bad), 3)
        self.check(run("print", bad, damaged, good), 3)

    def test_ten_inputs(self):
        traces = [self.file(f"{i}.bin", w.ticks(100, start=1000 + i, step=10)) for i in range(10)]
        merged = events(self.check(run("print", "--output", "jsonl", *traces), 0))
        times = [event["time"] for event in merged]
        self.assertEqual((len(times), times), (1000, sorted(times)))
        recorded = events(self.check(run("print", "--output", "jsonl", "--order", "recorded", *traces), 0))
        self.assertEqual(
            [event["time"] for event in recorded], [1000 + i + 10 * n for i in range(10) for n in range(100)]
        )
        for command in READERS:
            self.check(run(command, *traces), 0)

    def test_more_inputs_than_open_files(self):
        traces = [self.file(f"t{i}", w.ticks(1, start=1000 + i)) for i in range(200)]
        for order in ["merged", "recorded", "time"]:
            program = 'ulimit -S -n 40; exec "$0" "$@"'
            args = [BIN, "print", "--output", "jsonl", "--order", order, *traces]
            result = subprocess.run(["sh", "-c", program, *args], capture_output=True, timeout=TIME_LIMIT)
            self.assertEqual(len(events(self.check(result, 0))), 200)

    def test_ties_keep_the_order_of_inputs(self):
        names = ["A", "B", "C"]
        traces = [self.file(n, w.header() + w.schema(0, n) + w.event(0, delta=5) + w.event(0, delta=0)) for n in names]
        for order in ["merged", "time"]:
            result = run("print", "--output", "jsonl", "--order", order, *traces)
            self.assertEqual([event["name"] for event in events(result)], ["A", "A", "B", "B", "C", "C"])

    def test_merging_keeps_each_files_own_order(self):
        back = self.file(
            "back",
            w.header()
            + w.schema(0, "B")
            + w.event(0, delta=100)
            + w.reset(50)
            + w.event(0)
            + w.reset(200)
            + w.event(0),
        )
        other = self.file("other", w.header() + w.schema(0, "O") + w.event(0, delta=60) + w.event(0, delta=60))

        def times(order):
            result = self.check(run("print", "--output", "jsonl", "--order", order, back, other), 0)
            return [(event["name"], event["time"]) for event in events(result)]

        self.assertEqual(times("merged"), [("O", 60), ("B", 100), ("B", 50), ("O", 120), ("B", 200)])
        self.assertEqual(times("recorded"), [("B", 100), ("B", 50), ("B", 200), ("O", 60), ("O", 120)])
        self.assertEqual(times("time"), [("B", 50), ("O", 60), ("B", 100), ("O", 120), ("B", 200)])

    def test_events_without_time(self):
        frames = w.header() + w.schema(0, "N", has_timestamp=0) + w.schema(1, "T")
        trace = self.file(
            "t",
            frames + w.event(0, delta=None) + w.event(1, delta=10) + w.event(0, delta=None) + w.reset(5) + w.event(1),
        )

        def shown(*args):
            return [
                event.get("time", "-")
                for event in events(self.check(run("print", "--output", "jsonl", *args, trace), 0))
            ]

        self.assertEqual(shown(), ["-", 10, "-", 5])
        self.assertEqual(shown("--order", "time"), ["-", 5, 10, "-"])
        self.assertEqual(shown("--begin", "6"), [10, "-"])
        self.assertEqual(shown("--end", "6"), ["-", 5])

    def test_state_limit(self):
        big = self.file(
            "big", w.header() + w.schema(0, "S", [("s", w.STRING)]) + w.event(0, w.string(b"x" * 2_000_000))
        )
        self.check(run("print", "--output", "jsonl", big), 0)
        result = self.check(run("print", "--output", "jsonl", "--max-state", "1M", big), 4)
        self.assertIn("dial9/limit", result.stderr.decode())


class Outputs(CommandTest):
    def test_results_and_messages_are_apart(self):
        trace = self.file("t", DAMAGED)
        result = self.check(run("print", "--output", "jsonl", trace), 4)
        self.assertEqual(len(events(result)), 3)
        self.assertRegex(result.stderr.decode(), rf"^{re.escape(str(trace))}:\d+: error: dial9/frame-tag: .+ \[.+\]\n$")

    def test_problems_come_after_the_events_before_them(self):
        trace = self.file("t", w.ticks(2) + b"\xff" + w.ticks(3) + b"\xfe" + w.ticks(1))
        for form, header in [("jsonl", 0), ("csv", 1), ("text", 0)]:
            with self.subTest(form):
                result = subprocess.run(
                    # Quiet: without the note that the times of the second segment step back.
                    [BIN, "print", "-q", "--output", form, trace],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=TIME_LIMIT,
                )
                lines = result.stdout.decode().splitlines()
                errors = [i for i, line in enumerate(lines) if ": error: " in line]
                self.assertEqual(
                    (result.returncode, len(lines), errors), (4, 8 + header, [2 + header, 6 + header]), lines
                )

    def test_tolerated_findings_are_summed_up(self):
        content = w.header() + w.schema(0, "B", [("b", w.BOOL)]) + w.event(0, b"\2") + w.event(0, b"\3")
        trace = self.file("t", content)
        result = self.check(run("print", trace), 0)
        self.assertEqual(
            result.stderr.decode(),
            f"tracedeck: {trace}: 2 findings: dial9/bool-value (2); see 'tracedeck validate {trace}'\n",
        )
        self.assertEqual(self.check(run("print", "-q", trace), 0).stderr, b"")
        self.assertEqual(run("print", "-v", trace).stderr.decode().count(": warning: dial9/bool-value: "), 2)
        self.assertEqual(run("print", "-q", trace).stdout, result.stdout)

    def test_quiet_does_not_hide_damage(self):
        result = self.check(run("print", "-q", self.file("t", DAMAGED)), 4)
        self.assertIn("dial9/frame-tag", result.stderr.decode())

    def test_limit_stops_before_damage(self):
        trace = self.file("t", DAMAGED)
        for limit, count, code in [("0", 0, 0), ("1", 1, 0), ("4", 3, 4)]:
            result = self.check(run("print", "--output", "jsonl", "--limit", limit, trace), code)
            self.assertEqual(len(events(result)), count)

    def test_limit_counts_over_all_inputs(self):
        traces = [self.file(name, w.ticks(5, start=1000 + i)) for i, name in enumerate("ab")]
        self.assertEqual(len(events(run("print", "--output", "jsonl", "--limit", "7", *traces))), 7)

    def test_closed_pipe_is_a_quiet_end(self):
        trace = self.file("t", w.many(200_000))
        for command in [
            ["print"],
            ["print", "--output", "jsonl"],
            ["print", "--output", "csv", "--order", "time"],
            ["convert", "-o", "-", "--to", "dial9"],
            ["convert", "-o", "-", "--to", "jsonl"],
        ]:
            with self.subTest(command):
                process = subprocess.Popen([BIN, *command, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                process.stdout.read(10)
                process.stdout.close()
                self.assertEqual(process.stderr.read(), b"")
                process.stderr.close()
                self.assertEqual(process.wait(TIME_LIMIT), 0)

    def test_closed_pipe_does_not_hide_what_was_worse(self):
        trace, missing = self.file("t", w.many(200_000)), self.folder / "missing"
        process = subprocess.Popen([BIN, "print", missing, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.wait(TIME_LIMIT), 3)

    def test_full_disk(self):
        trace = self.file("t", w.ticks(2000))
        cases = [
            ["print", trace],
            ["print", "--output", "csv", trace],
            ["info", trace],
            ["schema", trace],
            ["stats", trace],
            ["formats"],
            ["--help"],
            ["--version"],
            ["convert", "-o", "-", "--to", "dial9", trace],
        ]
        for args in cases:
            with self.subTest(args), open("/dev/full", "wb") as full:
                result = subprocess.run([BIN, *args], stdout=full, stderr=subprocess.PIPE, timeout=TIME_LIMIT)
                self.assertEqual(result.returncode, 4)
                said = result.stderr.decode()
                self.assertEqual(said.count("error"), 1, said)
                self.assertNotIn("output:0", said)
        result = self.check(run("convert", "-o", "/dev/full", "--to", "dial9", trace), 4)
        self.assertIn("/dev/full", result.stderr.decode())

    def test_closed_standard_output(self):
        trace = self.file("t", w.ticks(3))
        result = subprocess.run(
            ["sh", "-c", 'exec "$0" print "$1" >&-', BIN, trace], capture_output=True, timeout=TIME_LIMIT
        )
        self.check(result, 4)

    def test_records_all(self):
        trace = self.file("t", w.ticks(1) + b"\xff" + w.ticks(1) + b"\0")
        lines = events(self.check(run("print", "--output", "jsonl", "--records", "all", trace), 4))
        self.assertEqual(
            [next(iter(line)) for line in lines],
            ["stream", "time", "problem", "stream", "stream", "time", "problem", "stream"],
        )
        begins = [dict(line["stream"]) for line in lines if next(iter(line)) == "stream"]
        self.assertEqual(
            [(b["event"], dict(b["stream"])) for b in begins],
            [("begin", {"segment": 0}), ("end", {"segment": 0}), ("begin", {"segment": 1}), ("end", {"segment": 1})],
        )
        problem = dict(lines[2]["problem"])
        size = len(w.ticks(1))
        self.assertEqual(
            (problem["file"], problem["offset"], problem["length"], problem["rule"]),
            (str(trace), size, 1, "dial9/frame-tag"),
        )

    def test_color(self):
        trace = self.file("t", DAMAGED)

        def colored(*args, env=None):
            result = run("print", *args, trace, env=env)
            return b"\x1b[" in result.stdout

        self.assertFalse(colored())
        self.assertFalse(colored("--color", "never"))
        self.assertTrue(colored("--color", "always"))
        self.assertTrue(colored("--color", "always", env={"NO_COLOR": "1"}))

    def terminal(self, *args, env=None):
        """What the command writes to a terminal that is its standard output and error."""
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"there is no pseudo-terminal: {error}")
        process = subprocess.Popen(
            [BIN, *map(os.fspath, args)], stdout=slave, stderr=slave, env={**os.environ, "TERM": "xterm", **(env or {})}
        )
        os.close(slave)
        output = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            output += piece
        os.close(master)
        self.assertEqual(process.wait(TIME_LIMIT), 0)
        return output

    def test_color_on_a_terminal(self):
        trace = self.file("t", w.ticks(2))
        clean = {"NO_COLOR": ""}
        self.assertIn(b"\x1b[", self.terminal("print", trace, env=clean))
        self.assertNotIn(b"\x1b[", self.terminal("print", trace, env={"NO_COLOR": "1"}))
        self.assertNotIn(b"\x1b[", self.terminal("print", trace, env={**clean, "TERM": "dumb"}))
        self.assertNotIn(b"\x1b[", self.terminal("print", "--color", "never", trace, env=clean))

    def test_what_others_prescribe_is_escaped_on_a_terminal_alone(self):
        evil = "\x1b]0;owned\x07\x1b[2J\u009b\u202e"
        trace = self.file("t", w.header() + w.schema(0, evil, [("f", w.STRING)]) + w.event(0, w.string(evil)))
        ctf = self.folder / "ctf"
        self.check(run("convert", "-q", "-o", ctf, "--to", "ctf2", trace), 0)
        for args in [
            ["print", "--output", "csv", trace],
            ["print", "--output", "babeltrace2", ctf],
            ["schema", "--output", "metadata", ctf],
        ]:
            piped = run(*args).stdout
            shown = self.terminal(*args, env={"NO_COLOR": "1"})
            for harmful in [b"\x1b", b"\x07", "\u009b".encode(), "\u202e".encode()]:
                self.assertNotIn(harmful, shown, args)
            self.assertIn("\u202e".encode(), piped, args)
            self.assertIn(b"\\u{202e}", shown, args)
            if args[0] == "print":
                self.assertIn(b"\x1b]0;owned", piped, args)

    def test_nothing_a_terminal_obeys_gets_through(self):
        evil = "\x1b]0;owned\x07\x1b[2J"
        trace = self.file(
            "t", w.header() + w.schema(0, evil, [(evil, w.STRING)]) + w.event(0, w.string(evil)) + b"\xff"
        )
        for args in [["print"], ["info"], ["schema"], ["stats"], ["validate"], ["print", "--output", "jsonl"]]:
            result = run(*args, trace)
            for output in [result.stdout, result.stderr]:
                self.assertNotIn(b"\x1b", output, args)
                self.assertNotIn(b"\x07", output, args)
        named = self.folder / "a\x1b[2Jb"
        self.assertNotIn(b"\x1b", run("print", named).stderr)
        for evil, shown in [(b"\xc2\x9b2J", b"\\u{9b}2J"), (b"\xe2\x80\xae", b"\\u{202e}"), (b"\xff", b"\\xff")]:
            for args in [["print", b"no" + evil], ["print", b"--no" + evil], [b"no" + evil]]:
                said = run(*args).stderr
                self.assertNotIn(evil, said)
                self.assertIn(b"no" + shown, said)


# By which every event is an instant.
TABLE_OF_TICKS = b"""table = "ticks"
applies = { class = "*" }
[[track]]
id = "all"
kind = "thread"
name = "all"
[[instant]]
event = "Tick"
track = "all"
category = "tick"
name = "tick"
"""


SPLIT = ("--split-size", "10M")


class Convert(CommandTest):
    def left(self):
        return sorted(path.name for path in self.folder.iterdir())

    def refused(self, *args, says=""):
        """Wrong usage that touches nothing below the folder: no file is changed, none comes or goes."""
        before = self.everything()
        result = self.check(run(*args, cwd=self.folder), 2, args)
        self.assertIn(says, result.stderr.decode(), args)
        self.assertIn("--help", result.stderr.decode(), args)
        self.assertEqual(self.everything(), before, args)
        self.assertEqual(result.stdout, b"", args)

    def everything(self):
        """What every file below the folder is and holds."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else None
            found[path] = (status.st_ino, status.st_nlink, status.st_mtime_ns if path.is_file() else 0, content)
        return found

    def test_out_is_none_of_the_traces(self):
        self.file("in.bin", w.ticks(5))
        self.file("other.bin", w.ticks(3))
        os.link(self.folder / "in.bin", self.folder / "hard.bin")
        (self.folder / "soft.bin").symlink_to("in.bin")
        (self.folder / "here").symlink_to(".")
        would = "would be replaced by the result"
        for to in ("jsonl", "dial9", "heph", "html"):
            for out in ("in.bin", "./in.bin", self.folder / "in.bin", "here/in.bin", "hard.bin", "soft.bin"):
                self.refused("convert", "--to", to, "-o", out, "in.bin", says="in.bin " + would)
        self.refused("convert", "--to", "jsonl", "-o", "in.bin", "hard.bin", says="hard.bin " + would)
        self.refused("convert", "--to", "jsonl", "-o", "in.bin", "soft.bin", says="soft.bin " + would)
        self.refused("convert", "--to", "jsonl", "-o", "in.bin", "other.bin", "in.bin", says=would)
        self.refused("convert", "--to", "jsonl", "-o", "in.bin", "--follow", "in.bin", says=would)
        self.refused("convert", "--to", "jsonl", "-o", "in.bin", "in.bin@1", says=would)
        self.file("list", b"other.bin\nin.bin\n")
        self.refused("convert", "--to", "jsonl", "-o", "in.bin", "--files-from", "list", says=would)
        with open(self.folder / "in.bin", "rb") as trace:
            command = [BIN, "convert", "--to", "jsonl", "-o", self.folder / "in.bin", "-"]
            result = subprocess.run(command, stdin=trace, capture_output=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("standard input " + would, result.stderr.decode())
        self.assertEqual((self.folder / "in.bin").read_bytes(), w.ticks(5))
        self.file("packed.gz", gzip.compress(w.ticks(5)))
        self.refused("convert", "--to", "dial9", "-o", "packed.gz", "packed.gz", says=would)
        # Another file of the name is replaced as ever.
        self.check(run("convert", "-q", "--to", "jsonl", "-o", "other.bin", "in.bin", cwd=self.folder), 0)
        self.assertEqual(len((self.folder / "other.bin").read_bytes().splitlines()), 5)

    def test_no_result_replaces_what_is_read_for_it(self):
        trace = "in.bin"
        self.file(trace, w.ticks(5))
        os.link(self.folder / trace, self.folder / "hard.bin")
        table = self.check(run("tables", "zephyr"), 0).stdout
        for name, content in (("t.toml", table), ("where", b"name != \"\""), ("list", b"in.bin\n"), ("stages", b"count")):
            self.file(name, content)
        convert = ("convert", "--to", "jsonl", trace)
        self.refused(*convert, "-o", "x", "--report", trace, says="would be replaced by the report")
        self.refused(*convert, "-o", "x", "--report", "hard.bin", says="would be replaced by the report")
        self.refused(*convert, "-o", "where", "--where", "@where", says="where would be replaced")
        self.refused("convert", "--to", "html", "-o", "t.toml", "--table", "t.toml", trace, says="t.toml would be replaced")
        self.refused("convert", "--to", "jsonl", "-o", "list", "--files-from", "list", says="list would be replaced")
        self.refused("query", "count", "--partial", trace, trace, says="would be replaced by the partial answer")
        self.refused("query", "@stages", "--partial", "stages", trace, says="stages would be replaced")
        os.rename(self.folder / "hard.bin", self.folder / "hard.html")
        self.refused("why", "--longest", "x", "-o", "hard.html", trace, says="in.bin would be replaced")
        self.check(run("query", "-q", "count", "--partial", "a", trace, cwd=self.folder), 0)
        self.refused("query", "--merge", "a", "--partial", "./a", says="would be replaced by the partial answer")
        for out, args in (("a", convert), ("r", (*convert, "-o", "x", "--report")), ("p", ("query", "count", trace, "--partial"))):
            os.link(self.folder / trace, self.folder / (out + ".part"))
            args = (*args, out) if out != "a" else (*args, "-o", out)
            self.refused(*args, says="would be written over while it is read")

    def test_standard_output_is_none_of_the_traces(self):
        trace = self.file("in.bin", w.ticks(5))
        for args in (["print", trace], ["stats", trace], ["convert", "-o", "-", "--to", "dial9", trace]):
            with open(trace, "ab") as out:
                result = subprocess.run([BIN, *args], stdout=out, stderr=subprocess.PIPE, check=False)
            self.assertEqual(result.returncode, 2, args)
            self.assertIn(b"it is standard output", result.stderr)
            self.assertEqual(trace.read_bytes(), w.ticks(5))
        # A list of what is in a folder may lie there.
        (self.folder / "tree").mkdir()
        self.check(run("convert", "-q", "-o", self.folder / "tree/ctf", "--to", "ctf2", trace), 0)
        with open(self.folder / "tree/list", "wb") as out:
            self.assertEqual(subprocess.run([BIN, "print", self.folder / "tree"], stdout=out, check=False).returncode, 0)
        self.assertEqual(len((self.folder / "tree/list").read_bytes().splitlines()), 5)

    def test_an_input_is_never_written_over(self):
        trace = self.file("out.part", w.ticks(5))
        self.check(run("convert", "-o", self.folder / "out", "--to", "dial9", trace), 2)
        self.assertEqual(trace.read_bytes(), w.ticks(5))
        other = self.file("in", w.ticks(5))
        self.check(run("convert", "-o", self.folder / "x", "--to", "dial9", "--report", other, other), 2)
        self.assertEqual(other.read_bytes(), w.ticks(5))

    def test_no_part_replaces_what_is_read(self):
        self.file("in.bin", w.ticks(5))
        split = ("convert", "--to", "dial9", "--split-size", "1K", "-o", "run.dial9")
        for name, says in (("run-0001.dial9", "it has the name of a part"), ("run-0007.dial9", "it has the name of a part"),
                           ("run-0002.dial9.part", "a part is written there first")):
            os.link(self.folder / "in.bin", self.folder / name)
            self.refused(*split, "in.bin", says=says)
            self.refused(*split, name, says=says)
            (self.folder / name).unlink()
        (self.folder / "run-0002.dial9").symlink_to("in.bin")
        self.refused(*split, "in.bin", says="it has the name of a part")

    def test_report_and_result_stay_apart(self):
        trace = self.file("in", w.ticks(5))
        (self.folder / "here").symlink_to(self.folder)
        (self.folder / "link.part").symlink_to(trace)
        for out, report in [
            ("x.out", "x.out"),
            ("./x.out", "x.out"),
            ("here/x.out", "x.out"),
            ("r.json.part", "r.json"),
            ("r.json", "./r.json.part"),
            ("link", "r.json"),
            ("x.out", "link"),
            ("x.out", "here/in"),
        ]:
            args = ["convert", "-o", out, "--to", "jsonl", "--report", report, "in"]
            result = self.check(run(*args, cwd=self.folder), 2, args)
            self.assertIn("--help", result.stderr.decode())
            self.assertEqual(self.left(), ["here", "in", "link.part"])
            self.assertEqual(trace.read_bytes(), w.ticks(5))

    def test_the_part_of_a_link_is_beside_its_target(self):
        (self.folder / "far").mkdir()
        self.file("far/real", b"old")
        (self.folder / "out").symlink_to(self.folder / "far/real")
        trace = self.file("far/real.part", w.ticks(5))
        self.check(run("convert", "-o", self.folder / "out", "--to", "dial9", trace), 2)
        self.assertEqual(trace.read_bytes(), w.ticks(5))
        trace.unlink()
        unrelated = self.file("out.part", b"")
        damaged = self.file("in", b"TRC\0\x09")
        args = ["-o", self.folder / "out", "--to", "dial9", "--format", "dial9", damaged]
        self.check(run("convert", *args), 3)
        self.assertTrue(unrelated.exists())
        self.assertEqual(sorted(path.name for path in (self.folder / "far").iterdir()), ["real"])

    def test_a_sort_that_fails_makes_no_output(self):
        out = self.folder / "out"
        args = ["convert", "--order", "time", "-o", out, "--to", "jsonl", "-"]
        many = w.many(300_000)
        result = self.check(run(*args, stdin=many * 3, env={"TMPDIR": str(self.folder / "no")}), 4)
        self.assertIn("TMPDIR", result.stderr.decode())
        self.assertFalse(out.exists())

    def test_out_that_cannot_be_created(self):
        trace = self.file("t", w.ticks(5))
        (self.folder / "dir").mkdir()
        for out in [self.folder / "dir", self.folder / "no/such/out", self.folder / "t/out"]:
            result = self.check(run("convert", "-o", out, "--to", "dial9", trace), 2, out)
            self.assertIn(str(out), result.stderr.decode())
        self.assertEqual(self.left(), ["dir", "t"])
        self.assertEqual(list((self.folder / "dir").iterdir()), [])

    def test_nothing_to_convert_makes_no_output(self):
        out = self.folder / "out"
        self.check(run("convert", "-o", out, "--to", "dial9", self.folder / "missing"), 3)
        self.check(run("convert", "-o", out, "--to", "dial9", "-", stdin=b"text"), 3)
        self.check(run("convert", "-o", out, "--to", "dial9", "--format", "dial9", "-", stdin=b"text"), 3)
        self.check(run("convert", "-o", out, "--to", "jsonl", "--format", "dial9", "-", stdin=b"TRC\0\x09"), 3)
        self.assertEqual(self.left(), [])

    def test_standard_output(self):
        trace = self.file("t", w.ticks(5))
        self.assertEqual(self.check(run("convert", "-o", "-", "--to", "dial9", trace), 0).stdout, w.ticks(5))
        self.assertEqual(self.check(run("convert", "-o", "/dev/stdout", "--to", "dial9", trace), 0).stdout, w.ticks(5))
        self.assertEqual(
            self.check(run("convert", "-o", "-", "--to", "dial9", "-", stdin=w.ticks(5)), 0).stdout, w.ticks(5)
        )

    def test_damage_is_left_out(self):
        trace, out = self.file("t", w.ticks(2) + b"\xff\xff" + w.ticks(3)), self.folder / "out"
        result = self.check(run("convert", "-o", out, "--to", "dial9", trace), 4)
        self.assertIn("dial9/frame-tag", result.stderr.decode())
        self.assertEqual(out.read_bytes(), w.ticks(2) + w.ticks(3))
        for to in ["jsonl", "csv"]:
            self.check(run("convert", "-o", out, "--to", to, trace), 4)

    def test_receipt(self):
        # JSON has no way to say a string that is not UTF-8.
        content = w.header() + w.schema(0, "S", [("s", w.STRING)]) + w.event(0, w.string(b"\xff"))
        trace, out, report = self.file("t", content), self.folder / "out", self.folder / "report"
        result = self.check(run("convert", "-o", out, "--to", "jsonl", "--report", report, trace), 0)
        self.assertIn("lost: ", result.stderr.decode())
        written = json.loads(report.read_text())
        self.assertEqual(
            (
                written["inputs"],
                written["output"],
                written["to"],
                written["rewritten"],
                written["events"],
                written["lossy"],
            ),
            ([str(trace)], str(out), "jsonl", False, 1, True),
        )
        self.assertEqual([(e["count"], e["lossy"]) for e in written["entries"]], [(1, True)])
        self.assertNotIn("lost: ", run("convert", "-q", "-o", out, "--to", "jsonl", trace).stderr.decode())
        self.check(run("convert", "--strict", "-o", out, "--to", "jsonl", trace), 4)
        self.assertEqual(len(out.read_text().splitlines()), 1)
        self.check(run("convert", "--strict", "-o", out, "--to", "dial9", "--report", report, trace), 0)
        self.assertEqual(
            json.loads(report.read_text()),
            {
                "inputs": [str(trace)],
                "output": str(out),
                "to": "dial9",
                "rewritten": True,
                "lossy": False,
                "entries": [],
            },
        )

    def test_a_receipt_on_standard_output(self):
        trace, out = self.file("t", w.ticks(3)), self.folder / "out.csv"
        result = self.check(run("convert", "-o", out, "--report", "-", trace, cwd=self.folder), 0)
        self.assertEqual(json.loads(result.stdout)["output"], str(out))
        self.assertFalse((self.folder / "-").exists())
        for place in ("-", "/dev/stdout"):
            result = self.check(run("convert", "-o", place, "--to", "csv", "--report", "-", trace), 2)
            self.assertIn(b"give one of them a file", result.stderr)
        self.check(run("convert", "-o", out, "--report", "-", trace), 0)

    def test_the_receipt_counts_what_json_lines_and_csv_leave_out(self):
        # A gap of three events, and one that comes after all.
        counters = (0, 4, 3, 7)
        content = h.option(b"host", b"a") + b"".join(h.event(b"e", counter=c, start=c, end=c) for c in counters)
        heph, ctf = self.file("t", content), self.folder / "ctf"
        self.check(run("convert", "-o", ctf, "--to", "ctf2", heph), 0)
        for to in ("jsonl", "csv"):
            for trace, left_out in (
                ([heph], {"losses that the producer recorded": 2, "entries of the environment": 1}),
                ([ctf], {"losses that the producer recorded": 2, "entries of the environment": 1}),
                (["--as-stored", ctf], {"packets": 5, "losses that the producer recorded": 2}),
            ):
                out, report = self.folder / f"out.{to}", self.folder / "report"
                result = self.check(run("convert", "-o", out, "--report", report, *trace), 0)
                entries = json.loads(report.read_text())["entries"]
                counts = {entry["what"]: entry["count"] for entry in entries if entry["lossy"]}
                self.assertEqual({what: counts.get(what) for what in left_out}, left_out, trace)
                for what, count in left_out.items():
                    self.assertIn(f"lost: {what} ({count}): left out", result.stderr.decode())
        self.check(run("convert", "--strict", "-o", self.folder / "o.csv", self.file("t", w.ticks(3))), 0)

    def test_0_3_cannot_hold_everything_of_0_4(self):
        content = (
            w.header()
            + w.schema(0, "L", [("l", w.LIST), ("n", w.U8)])
            + w.event(0, w.dynamic_list((w.U8, w.u8(1)), (w.LIST, w.dynamic_list())) + w.u8(5))
        )
        trace, out = self.file("t", content), self.folder / "out"
        self.check(run("convert", "--strict", "-o", out, "--to", "dial9", "--dial9-version", "0.4", trace), 0)
        self.assertEqual(
            events(run("print", "--output", "jsonl", out)), events(run("print", "--output", "jsonl", trace))
        )
        result = run("convert", "--strict", "-o", out, "--to", "dial9", "--dial9-version", "0.3", trace)
        self.check(result, 4)
        self.assertIn("lost: ", result.stderr.decode())

    def test_interrupt_completes_the_output(self):
        for signal_number in [signal.SIGINT, signal.SIGTERM]:
            for target in ["dial9", "jsonl"]:
                with self.subTest(signal=signal_number, target=target):
                    out = self.folder / "out"
                    process = subprocess.Popen(
                        [BIN, "convert", "-o", out, "--to", target, "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
                    )
                    process.stdin.write(w.ticks(100) + b"\x02")
                    process.stdin.flush()
                    self.wait_for(lambda: self.left() == ["out.part"])
                    time.sleep(0.2)
                    process.send_signal(signal_number)
                    self.assertEqual(process.wait(TIME_LIMIT), 0)
                    process.stdin.close()
                    self.assertIn("interrupted", process.stderr.read().decode())
                    process.stderr.close()
                    self.assertEqual(self.left(), ["out"])
                    if target == "dial9":
                        self.assertEqual(out.read_bytes(), w.ticks(100))
                    else:
                        self.assertEqual(len(out.read_text().splitlines()), 100)
                    out.unlink()

    def wait_for(self, condition):
        deadline = time.monotonic() + TIME_LIMIT
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_interrupt_of_a_file_leaves_the_part_and_out_as_it_was(self):
        # Looking through comes first: of Heph for the epoch, of any for sorting.
        packets = b"".join(h.event(b"poll", h.number(b"n", n), counter=n, start=n, end=n + 1) for n in range(300_000))
        heph = self.file("heph", packets + h.epoch(1))
        ticks = self.file("ticks", w.ticks(3_000_000))
        for signal_number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            for args in [["--to", "jsonl", heph], ["--to", "heph", heph], ["--to", "ctf2", "--order", "time", ticks]]:
                with self.subTest(signal=signal_number, args=args):
                    self.interrupt_until(signal_number, code, args)

    def test_interrupt_while_a_tree_is_opened(self):
        """What is not opened any more is no trace that is wrong."""
        tree = self.folder / "tree"
        for number in range(3000):
            folder = tree / f"t{number:04}"
            folder.mkdir(parents=True)
            (folder / "metadata").write_text(
                "/* CTF 1.8 */\n"
                "trace { major = 1; minor = 8; byte_order = le; };\n"
                "clock { name = c; };\n"
                "typealias integer { size = 64; align = 8; map = clock.c.value; } := t;\n"
                "stream { event.header := struct { t time; }; };\n"
                "event { name = Tick; fields := struct { integer { size = 8; } n; }; };\n"
            )
            (folder / "stream").write_bytes(number.to_bytes(8, "little") + b"\x01")
        commands = (("print",), ("info",), ("schema",), ("stats",), ("query", "count"), ("latency",), ("why", "--longest", "x"), ("diff", tree))
        for command in commands:
            for delay in (0.1, 0.05, 0.02):
                process = subprocess.Popen([BIN, *command, tree], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(delay)
                process.send_signal(signal.SIGTERM)
                said = process.stderr.read().decode()
                process.stderr.close()
                process.wait(TIME_LIMIT)
                if process.returncode == -signal.SIGTERM:
                    continue  # It could not handle signals yet.
                self.assertEqual(process.returncode, 143, (command, said[-200:]))
                # It may not have found any yet.
                none = r"(?:tracedeck: error: [^\n]+: it was stopped before a trace was found\n)?"
                self.assertRegex(said, rf"\A{none}tracedeck: error: interrupted; [a-z ,]+\n\Z", (command, delay))

    def interrupt_until(self, signal_number, code, args):
        """Tries shorter times until it is interrupted at work: neither before it can handle signals nor when it is ready."""
        out = self.folder / f"out.{args[1]}"
        for delay in [0.1, 0.05, 0.02, 0.01, 0.005]:
            if args[1] != "ctf2":
                out.write_text("good")
            process = subprocess.Popen([BIN, "convert", "-o", out, *args], stderr=subprocess.PIPE)
            time.sleep(delay)
            process.send_signal(signal_number)
            said = process.stderr.read().decode()
            process.stderr.close()
            if process.wait(TIME_LIMIT) == 0 and args[1] != "ctf2":
                continue
            if process.returncode == -signal_number:
                continue
            self.assertEqual(process.returncode, code, said)
            part = self.folder / f"out.{args[1]}.part"
            if part.exists():
                self.assertIn(f"interrupted; what was written until then is in {part}\n", said)
                shutil.rmtree(part) if part.is_dir() else part.unlink()
            else:
                self.assertIn("interrupted before anything was written\n", said)
            self.assertEqual(said.count("interrupted"), 1, said)
            if args[1] == "ctf2":
                self.assertFalse(out.exists())
            else:
                self.assertEqual(out.read_text(), "good")
            return
        self.skipTest("it was too quick, or too slow, to be interrupted at work")

    def test_a_part_that_a_message_names_is_there(self):
        trace = self.file("t", w.many(60_000))

        spans = ("--table", self.file("table.toml", TABLE_OF_TICKS))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))

        for to, *ways in (("jsonl", (), SPLIT), ("jsonl.gz", ()), ("dial9", (), SPLIT, ("--limit", "50000")), ("heph", ()), ("ctf2", (), SPLIT),
                          ("html", spans), ("perfetto", spans), ("chrome", spans)):  # fmt: skip
            for options in ways:
                out = self.folder / f"out.{to}"
                command = [BIN, "convert", "-q", "--to", to.removesuffix(".gz"), *options, "-o", out, trace]
                result = subprocess.run(command, capture_output=True, preexec_fn=limit, restore_signals=False, check=False)
                self.check(result, 4, command)
                named = re.search(r"what was written until then is in (\S+)\n", result.stderr.decode())
                self.assertIsNotNone(named, result.stderr)
                self.assertTrue(os.path.exists(named[1]), result.stderr)
                self.assertFalse(out.exists())
                for left in self.folder.glob("out*"):
                    shutil.rmtree(left) if left.is_dir() else left.unlink()

    def test_a_pipe_without_a_reader_obeys_signals(self):
        trace, out = self.file("t", w.ticks(3)), self.folder / "pipe"
        os.mkfifo(out)
        for signal_number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            process = subprocess.Popen(
                [BIN, "convert", "-o", out, "--to", "jsonl", trace], stderr=subprocess.PIPE
            )
            time.sleep(0.3)
            process.send_signal(signal_number)
            self.assertEqual(process.wait(TIME_LIMIT), code)
            self.assertIn("pipe", process.stderr.read().decode())
            process.stderr.close()
        process = subprocess.Popen([BIN, "convert", "-o", out, "--to", "jsonl", trace])
        with open(out, encoding="utf-8") as lines:
            self.assertEqual(len(lines.readlines()), 3)
        self.assertEqual(process.wait(TIME_LIMIT), 0)

    def test_a_name_says_how_to_compress(self):
        trace = self.file("t", w.ticks(1000))
        for to in ["dial9", "heph", "jsonl", "csv"]:
            plain, packed, small = (self.folder / f"out.{to}{suffix}" for suffix in ("", ".gz", ".zst"))
            for out in [plain, packed, small]:
                self.check(run("convert", "-q", "-o", out, "--to", to, trace), 0)
            self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes())
            self.assertLess(packed.stat().st_size, plain.stat().st_size)
            self.assertEqual(small.read_bytes()[:4], b"\x28\xb5\x2f\xfd")
            if shutil.which("zstd") is not None:
                unpacked = subprocess.run(["zstd", "-dqc", small], capture_output=True, check=True).stdout
                self.assertEqual(unpacked, plain.read_bytes())
            for out in [plain, packed, small]:
                out.unlink()
        # Half of it is there while it is made, and a directory is one whatever it is called.
        process = subprocess.Popen(
            [BIN, "convert", "-o", self.folder / "o.gz", "--to", "dial9", "-"], stdin=subprocess.PIPE
        )
        process.stdin.write(w.ticks(100))
        process.stdin.flush()
        self.wait_for(lambda: "o.gz.part" in self.left())
        process.stdin.close()
        self.assertEqual(process.wait(TIME_LIMIT), 0)
        self.assertEqual(len(events(run("print", "--output", "jsonl", self.folder / "o.gz"))), 100)
        self.check(run("convert", "-q", "-o", self.folder / "d.gz", "--to", "ctf2", trace), 0)
        self.assertTrue((self.folder / "d.gz").is_dir())

    def test_a_kill_leaves_the_part(self):
        process = subprocess.Popen(
            [BIN, "convert", "-o", self.folder / "out", "--to", "dial9", "-"], stdin=subprocess.PIPE
        )
        process.stdin.write(w.ticks(100))
        process.stdin.flush()
        self.wait_for(lambda: self.left() == ["out.part"])
        process.kill()
        process.wait(TIME_LIMIT)
        process.stdin.close()
        self.assertEqual(self.left(), ["out.part"])


class Signals(CommandTest):
    def test_live_input_is_shown_at_once(self):
        process = subprocess.Popen(
            [BIN, "print", "--output", "jsonl", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        process.stdin.write(w.ticks(3))
        self.assertTrue(select.select([process.stdout], [], [], TIME_LIMIT)[0])
        self.assertEqual(json.loads(process.stdout.readline())["time"], 1000)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIME_LIMIT), 0)
        process.stdin.close()
        process.stdout.close()

    def test_interrupted_reading_of_files_is_said(self):
        """What is read no further is no answer about all of it, and files that were not looked at are no bad traces."""
        traces = [self.file(name, w.ticks(200_000)) for name in ("one.bin", "two.bin")]
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            # It waits for its output to be read, long before the end of the first trace.
            with subprocess.Popen(
                [BIN, "print", "--order", "recorded", "--output", "jsonl", *traces],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            ) as process:  # fmt: skip
                process.stdout.readline()
                process.send_signal(number)
                # Standard error has a few lines; standard output is read to its end.
                lines = process.stdout.read().count(b"\n")
                said = process.stderr.read().decode()
                self.assertEqual(process.wait(TIME_LIMIT), code)
            self.assertLess(lines, 399_999)
            self.assertEqual(said, "tracedeck: error: interrupted; what is shown is of what was read until then\n")

    def test_interrupted_validation_is_no_yes(self):
        process = subprocess.Popen([BIN, "validate", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(w.ticks(3))
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIME_LIMIT), 1)
        self.assertIn(b"interrupted", process.stderr.read())
        process.stdin.close()
        process.stderr.close()

    def test_ignored_signals_stay_ignored(self):
        process = subprocess.Popen(
            ["sh", "-c", 'trap "" INT; exec "$0" print --output jsonl -', BIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        process.stdin.write(w.ticks(1))
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.stdin.close()
        self.assertEqual(process.wait(TIME_LIMIT), 0)
        process.stdout.close()


class Validate(CommandTest):
    def test_codes(self):
        good = self.file("good", w.ticks(2))
        tolerated = self.file("tolerated", w.header() + w.schema(0, "B", [("b", w.BOOL)]) + w.event(0, b"\2"))
        damaged = self.file("damaged", DAMAGED)
        self.assertEqual(self.check(run("validate", good), 0).stdout, b"")
        self.assertEqual(len(self.check(run("validate", tolerated), 0).stdout.splitlines()), 1)
        self.assertEqual(len(self.check(run("validate", damaged), 1).stdout.splitlines()), 1)
        self.check(run("validate", good, damaged, tolerated), 1)

    def test_what_print_would_not_read_is_a_line_too(self):
        for content, args, rule in [
            (b"text", [], "input/unrecognised"),
            (b"", [], "input/unrecognised"),
            (b"text", ["--format", "dial9"], "dial9/header-magic"),
            (b"TRC\0\x07", ["--format", "dial9"], "dial9/header-version"),
        ]:
            trace = self.file("t", content)
            result = self.check(run("validate", *args, trace), 1)
            self.assertRegex(result.stdout.decode(), rf"^{re.escape(str(trace))}:0: error: {rule}: .+ \[.+\]\n$")
        missing = self.folder / "missing"
        self.assertIn("input/cannot-open", self.check(run("validate", missing), 1).stdout.decode())


class Times(CommandTest):
    def test_begin_and_end_are_inclusive(self):
        trace = self.file("t", w.ticks(10, start=1000, step=1000))

        def times(*args):
            return [event["time"] for event in events(self.check(run("print", "--output", "jsonl", *args, trace), 0))]

        self.assertEqual(times("--begin", "3000", "--end", "5000"), [3000, 4000, 5000])
        self.assertEqual(times("--begin", "00:00:00.000009"), [9000, 10000])
        self.assertEqual(times("--end", "1970-01-01T00:00:00.000001999Z"), [1000])
        self.assertEqual(times("--begin", "+5", "--end", "1004"), [])
        self.assertEqual(times("--begin", "9000", "--clock-offset", "-1000"), [9000])

    def test_times_of_a_clock_without_days_are_not_waited_for(self):
        start = w.header() + w.schema(0, "N", has_timestamp=0) + w.event(0, delta=None)
        args = [BIN, "print", "--end", "99:00:00", "-"]
        with subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(start)
            process.stdin.flush()
            self.assertTrue(select.select([process.stdout], [], [], TIME_LIMIT / 10)[0])
            process.stdin.close()
            self.assertIn(b"N", process.stdout.read())

    def test_stats_of_a_part(self):
        trace = self.file("t", w.ticks(10, start=1000, step=1000))
        stats = json.loads(self.check(run("stats", "--json", "--begin", "3000", "--end", "5000", trace), 0).stdout)
        self.assertEqual(stats["events"], 3)


class Json(CommandTest):
    """What --json writes has the shape that docs/json fixes."""

    def schema(self, name):
        import jsonschema

        content = json.loads((ROOT / "docs/json" / name).read_text())
        jsonschema.Draft202012Validator.check_schema(content)
        return jsonschema.Draft202012Validator(content)

    def traces(self):
        yield "ticks", w.ticks(3)
        yield "empty", w.header()
        yield "damaged", DAMAGED
        yield "tolerated", w.header() + w.schema(0, "B", [("b", w.BOOL), ("b", w.U8)]) + w.event(0, b"\2\1")
        yield "all types", (
            w.header()
            + w.schema(0, "All", [(f"f{t}", t | o) for t in range(1, 16) for o in (0, w.OPTIONAL)])
            + w.annotations(0, (0, "unit", "ns"), (1, "raw", b"\xff"))
            + w.schema(9, "NoTime", has_timestamp=0)
            + w.event(9, delta=None)
            + w.string_pool((0, "s"))
            + w.event(
                0,
                b"".join(
                    v + w.ABSENT
                    for v in (
                        w.i64(-1),
                        w.f64(float("nan")),
                        b"\1",
                        w.string("s"),
                        w.string(b"\0"),
                        w.u32(0),
                        w.u32(0),
                        w.stack(1),
                        w.varint(2**64 - 1),
                        w.string_map(("k", "v")),
                        w.u8(1),
                        w.u16(1),
                        w.u32(1),
                        w.dynamic_list((w.F64, w.f64(0.5))),
                        w.dynamic_map(((w.U8, w.u8(1)), (w.BOOL, b"\1"))),
                    )
                ),
            )
        )

    def each(self, schema, *args, lines=False):
        validator = self.schema(schema)
        for name, content in self.traces():
            with self.subTest(name, args=args):
                result = run(*args, self.file("t", content))
                self.assertIn(result.returncode, (0, 1, 4))
                output = result.stdout.decode()
                if not lines:
                    self.assertEqual(output.count("\n"), 1, "one object, one line")
                for line in output.splitlines():
                    validator.validate(json.loads(line))

    def test_info(self):
        self.each("info.schema.json", "info", "--json")

    def test_schema(self):
        self.each("schema.schema.json", "schema", "--json")

    def test_stats(self):
        self.each("stats.schema.json", "stats", "--json")

    def test_latency(self):
        self.each("latency.schema.json", "latency", "--json")

    def test_findings(self):
        self.each("finding.schema.json", "validate", "--json", lines=True)

    def test_json_lines(self):
        self.each("jsonl-record.schema.json", "print", "--output", "jsonl", lines=True)
        self.each("jsonl-record.schema.json", "print", "--output", "jsonl", "--records", "all", lines=True)

    def test_formats(self):
        formats = json.loads(self.check(run("formats", "--json"), 0).stdout)
        self.schema("formats.schema.json").validate(formats)
        self.assertIn("dial9", self.check(run("formats"), 0).stdout.decode())

    def test_receipt(self):
        trace, report = self.file("t", w.ticks(1)), self.folder / "report"
        for args in [["--to", "dial9"], ["--to", "jsonl"], ["--to", "dial9", "--limit", "1"]]:
            self.check(run("convert", "-o", self.folder / "o", "--report", report, *args, trace), 0)
            self.schema("receipt.schema.json").validate(json.loads(report.read_text()))


if __name__ == "__main__":
    unittest.main()

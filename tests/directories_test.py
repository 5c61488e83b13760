"""Directories as TRACEs: one trace, trees of them, and results that are directories."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import dial9_writer as w
from command import BIN, ROOT, TIME_LIMIT, CommandTest, parse_lines, run

READERS = ["info", "print", "schema", "stats", "validate"]
TARGETS = ["ctf2rc", "ctf2", "ctf1"]


def fragment(**members):
    return b"\x1e" + json.dumps(members).encode() + b"\n"


def metadata(uuid=None, name="E", trace_class=True):
    """Packets with a size and a begin time, event records with a time and one number; CTF2-SPECRC-3.0."""

    def uint(length, role=None):
        more = {"roles": [role]} if role else {}
        return {"type": "fixed-length-unsigned-integer", "length": length, "byte-order": "little-endian", **more}

    def struct(*members):
        return {
            "type": "structure",
            "member-classes": [{"name": name, "field-class": kind} for name, kind in members],
        }

    text = fragment(type="preamble", version=2)
    if uuid is not None:
        text += fragment(type="trace-class", uuid=uuid)
    text += fragment(type="clock-class", name="clock", frequency=1_000_000_000)
    text += fragment(
        type="data-stream-class",
        **{
            "default-clock-class-name": "clock",
            "packet-context-field-class": struct(
                ("total", uint(64, "packet-total-size")),
                ("begin", uint(64, "packet-beginning-default-clock-timestamp")),
            ),
            "event-record-header-field-class": struct(("time", uint(64, "default-clock-timestamp"))),
        },
    )
    text += fragment(type="event-record-class", name=name, **{"payload-field-class": struct(("n", uint(8)))})
    return text


def packet(*times):
    size = 16 + 9 * len(times)
    begin = times[0] if times else 0
    head = (size * 8).to_bytes(8, "little") + begin.to_bytes(8, "little")
    return head + b"".join(t.to_bytes(8, "little") + bytes([t % 256]) for t in times)


class DirectoryTest(CommandTest):
    def trace(self, folder, streams, **more):
        """A trace in `folder`; `streams` are the times of each data stream file."""
        folder = self.folder / folder
        folder.mkdir(parents=True)
        (folder / "metadata").write_bytes(metadata(**more))
        for stream, times in streams.items():
            (folder / stream).write_bytes(packet(*times))
        return folder

    def times(self, *args, code=0):
        lines = parse_lines(self.check(run("print", "--output", "jsonl", *args), code).stdout)
        return [dict(line)["time"] for line in lines]

    def left(self, folder=None):
        return sorted(path.name for path in (folder or self.folder).iterdir())


UUIDS = [[i] * 16 for i in range(4)]


class Trees(DirectoryTest):
    def test_streams_are_merged_by_time(self):
        trace = self.trace("t", {"b": [2, 6, 7], "a": [1, 6, 9]})
        self.assertEqual(self.times(trace), [1, 2, 6, 6, 7, 9])
        self.assertEqual(self.times(f"{trace}/"), [1, 2, 6, 6, 7, 9])
        self.assertEqual(self.times("--order", "recorded", trace), [1, 6, 9, 2, 6, 7])
        self.assertEqual(self.times("--order", "time", trace), [1, 2, 6, 6, 7, 9])
        self.assertEqual(self.times("--begin", "2", "--end", "6", trace), [2, 6, 6])
        self.assertEqual(self.times("--limit", "2", trace), [1, 2])
        for jobs in ["1", "2", "100000"]:
            self.assertEqual(self.times("--jobs", jobs, trace), [1, 2, 6, 6, 7, 9])

    def test_a_tree_is_its_traces(self):
        self.trace("tree/a", {"s": [1, 5]}, name="A", uuid=UUIDS[0])
        self.trace("tree/x/b", {"s": [2, 6]}, name="B", uuid=UUIDS[1])
        self.trace("tree/.hidden", {"s": [3]}, uuid=UUIDS[2])
        (self.folder / "tree/loop").symlink_to("..")
        tree = self.folder / "tree"
        self.assertEqual(self.times(tree), [1, 2, 5, 6])
        self.assertEqual(self.times("--order", "recorded", tree), [1, 5, 2, 6])
        infos = [json.loads(line) for line in self.check(run("info", "--json", tree), 0).stdout.splitlines()]
        self.assertEqual([info["file"] for info in infos], [f"{tree}/a", f"{tree}/x/b"])
        self.assertEqual([info["events"] for info in infos], [2, 2])
        self.assertEqual(json.loads(run("stats", "--json", tree).stdout)["events"], 4)
        for command in READERS:
            self.check(run(command, tree), 0)

    def test_directories_of_one_uuid_are_one_trace(self):
        self.trace("tree/1", {"s": [1, 5]}, uuid=UUIDS[0])
        self.trace("tree/2", {"s": [7, 9]}, uuid=UUIDS[0])
        self.trace("tree/3", {"s": [2]})
        tree = self.folder / "tree"
        self.assertEqual(self.times(tree), [1, 2, 5, 7, 9])
        self.assertEqual(self.check(run("info", "--json", tree), 0).stdout.count(b"\n"), 2)

    def test_mixtures_with_files(self):
        trace = self.trace("t", {"s": [1500, 2500]})
        file = self.file("f", w.ticks(3, start=1000, step=1000))
        for order in ["merged", "time"]:
            self.assertEqual(self.times("--order", order, trace, file), [1000, 1500, 2000, 2500, 3000])
        self.assertEqual(
            self.times("--order", "recorded", trace, file, trace), [1500, 2500, 1000, 2000, 3000]
        )
        missing = self.folder / "missing"
        self.assertEqual(self.times(missing, trace, file, code=3), [1000, 1500, 2000, 2500, 3000])
        offset = ["--clock-offset", f"{trace}=1000"]
        self.assertEqual(self.times(*offset, trace, file), [1000, 2000, 2500, 3000, 3500])

    def test_more_streams_than_open_files(self):
        trace = self.trace("t", {f"s{i:03}": [i, 1000 + i] for i in range(100)})
        program = 'ulimit -S -n 40; exec "$0" "$@"'
        for order in ["merged", "recorded", "time"]:
            args = ["sh", "-c", program, BIN, "print", "--output", "jsonl", "--order", order, trace]
            result = self.check(subprocess.run(args, capture_output=True, timeout=TIME_LIMIT), 0)
            self.assertEqual(result.stdout.count(b"\n"), 200)

    def test_no_trace(self):
        (self.folder / "empty/folder").mkdir(parents=True)
        self.file("empty/file.bin", b"no trace")
        empty = self.folder / "empty"
        result = self.check(run("print", empty), 3)
        self.assertIn(f"{empty}: there is no trace in this directory", result.stderr.decode())
        self.assertIn("metadata", result.stderr.decode())
        self.assertIn("input/unrecognised", self.check(run("validate", empty), 1).stdout.decode())
        self.check(run("convert", "-o", self.folder / "out", "--to", "jsonl", empty), 3)
        self.assertEqual(self.left(), ["empty"])

    def test_a_file_of_a_trace(self):
        trace = self.folder / "one"
        trace.mkdir()
        (trace / "metadata").write_bytes(metadata())
        (trace / "stream").write_bytes(packet(1))
        for name in ("metadata", "stream"):
            stderr = self.check(run("print", trace / name), 3).stderr.decode()
            self.assertIn(f"this is a file of the trace {trace}; name the directory", stderr)

    def test_format(self):
        trace = self.trace("t", {"s": [1]})
        self.assertEqual(self.times("--format", "ctf", trace), [1])
        self.assertIn("has a file of dial9", self.check(run("print", "--format", "dial9", trace), 3).stderr.decode())


class Faults(DirectoryTest):
    def test_every_fault_of_the_metadata_is_told(self):
        trace = self.trace("t", {"s": [1]})
        (trace / "metadata").write_bytes(
            fragment(type="preamble", version=2)
            + fragment(type="clock-class", name="c", frequency=0)
            + fragment(type="clock-class", name="d", frequency=-1)
            + fragment(type="data-stream-class", **{"default-clock-class-name": 5})
        )
        for args in [["print"], ["print", "-q"], ["stats"], ["schema"]]:
            result = self.check(run(*args, trace), 3, args)
            said = result.stderr.decode()
            self.assertEqual(said.count(f"{trace}/metadata:"), 3, said)
        result = self.check(run("validate", trace), 1)
        lines = result.stdout.decode().splitlines()
        self.assertEqual(len(lines), 3, lines)
        for line in lines:
            self.assertRegex(line, rf"^{trace}/metadata:\d+: error: ctf/\S+: .+ \[CTF2-SPECRC-3.0 .+\]$")

    def test_findings_name_the_file(self):
        trace = self.trace("t", {"a": [1], "b": [2, 3]})
        (trace / "b").write_bytes(packet(2, 3)[:-4])
        lines = self.check(run("validate", trace), 1).stdout.decode().splitlines()
        self.assertTrue(lines and all(line.startswith(f"{trace}/b:") for line in lines), lines)
        self.check(run("validate", "--json", trace), 1)
        result = run("print", "--output", "jsonl", trace)
        self.check(result, 4)
        self.assertIn(f"{trace}/b:", result.stderr.decode())


class Results(DirectoryTest):
    def test_each_target(self):
        trace = self.trace("t", {"a": [1, 5], "b": [2]})
        for to in TARGETS:
            out = self.folder / to
            self.check(run("convert", "-o", out, "--to", to, "--packet-size", "4K", trace), 0)
            self.assertIn("metadata", self.left(out))
            self.assertEqual(self.times(out), [1, 2, 5])
            self.assertEqual(self.check(run("validate", out), 0).stdout, b"")
        self.assertEqual(self.left(), sorted([*TARGETS, "t"]))

    def test_from_a_file(self):
        trace, out = self.file("f", w.ticks(3)), self.folder / "out"
        self.check(run("convert", "-o", out, "--to", "ctf2", trace), 0)
        self.assertEqual(len(self.times(out)), 3)
        back = self.folder / "back"
        self.check(run("convert", "-o", back, "--to", "jsonl", out), 0)
        self.assertEqual(len(back.read_text().splitlines()), 3)

    def test_out_is_never_written_over(self):
        trace = self.trace("t", {"a": [1]})
        (self.folder / "dir").mkdir()
        self.file("file", b"old")
        for out in ["dir", "file"]:
            result = self.check(run("convert", "-o", self.folder / out, "--to", "ctf2", "--limit", "1", trace), 2)
            self.assertIn("never written over", result.stderr.decode())
        self.assertEqual(self.left(), ["dir", "file", "t"])
        (self.folder / "out.part").mkdir()
        self.file("out.part/precious", b"x")
        self.check(run("convert", "-o", self.folder / "out", "--to", "ctf2", trace), 2)
        self.assertEqual(self.left(self.folder / "out.part"), ["precious"])

    def test_a_result_stays_out_of_what_is_read(self):
        trace = self.trace("t", {"a": [1]})
        (self.folder / "link").symlink_to(trace)
        os.link(trace / "a", self.folder / "hard")
        (trace / "sub").mkdir()
        before = {path: path.read_bytes() for path in trace.rglob("*") if path.is_file()}
        for args, says in [
            (["-o", "t", "--to", "ctf2", "t"], "would be replaced"),
            (["-o", "link", "--to", "ctf2", "t"], "would be replaced"),
            (["-o", "t/out", "--to", "ctf2", "t"], "would lie in"),
            (["-o", "t/sub/out", "--to", "ctf2", "t"], "would lie in"),
            (["-o", "link/sub/out", "--to", "ctf2", "t"], "would lie in"),
            (["-o", "t/out", "--to", "ctf2", "link"], "would lie in"),
            (["-o", "t/out", "--to", "ctf2", "."], "would lie in"),
            (["-o", "hard", "--to", "jsonl", "t"], "would be replaced by the result"),
            (["-o", "hard", "--to", "jsonl", "."], "would be replaced by the result"),
            (["-o", "x", "--to", "jsonl", "--report", "hard", "t"], "would be replaced by the report"),
        ]:
            result = self.check(run("convert", *args, cwd=self.folder), 2, args)
            self.assertIn(says, result.stderr.decode(), args)
            self.assertEqual({path: path.read_bytes() for path in trace.rglob("*") if path.is_file()}, before, args)
            self.assertEqual(self.left(), ["hard", "link", "t"])
        # It holds the trace.
        (self.folder / "up").mkdir()
        os.rename(trace, self.folder / "up/t")
        self.check(run("convert", "-o", "up", "--to", "ctf2", "up/t", cwd=self.folder), 2)
        # What a killed run left would be emptied, and with it what was put there since.
        self.file("f", w.ticks(3))
        (self.folder / "out.part").mkdir()
        self.file("out.part/.tracedeck-part", b"")
        os.rename(self.folder / "f", self.folder / "out.part/f")
        result = self.check(run("convert", "-o", "out", "--to", "ctf2", "out.part/f", cwd=self.folder), 2)
        self.assertIn("would be written over", result.stderr.decode())
        self.assertEqual((self.folder / "out.part/f").read_bytes(), w.ticks(3))

    def test_a_folder_that_is_not_there_is_named(self):
        trace = self.trace("t", {"a": [1]})
        result = self.check(run("convert", "-o", "none/out", "--to", "ctf2", trace, cwd=self.folder), 2)
        self.assertIn("none/out: there is no such file or folder", result.stderr.decode())

    def test_places(self):
        trace = self.trace("t", {"a": [1]})
        inside = self.trace("out.part", {"a": [1]})
        for args, says in [
            (["-o", "-", "--to", "ctf2", "t"], "standard output"),
            (["-o", "out", "--to", "ctf2", "out.part"], "written over"),
            (["-o", "out", "--to", "ctf2", "--report", "out/report", "t"], "report"),
            (["-o", "out", "--to", "ctf2", "--report", "out", "t"], "cannot both"),
            (["-o", "t/x.jsonl", "--to", "jsonl", "t"], "a part of the trace"),
            (["-o", "t/metadata", "--to", "jsonl", "t"], "a part of the trace"),
            (["-o", "x", "--to", "jsonl", "--report", "t/r", "t"], "a part of the trace"),
            (["-o", "x", "--to", "jsonl", "--packet-size", "4K", "t"], "--packet-size"),
        ]:
            result = self.check(run("convert", *args, cwd=self.folder), 2, args)
            self.assertIn(says, result.stderr.decode())
        self.assertEqual(self.left(trace), ["a", "metadata"])
        self.assertEqual(self.left(inside), ["a", "metadata"])
        self.assertEqual(self.left(), ["out.part", "t"])

    def test_interrupt_completes_the_directory(self):
        out = self.folder / "out"
        process = subprocess.Popen(
            [BIN, "convert", "-o", out, "--to", "ctf2", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdin.write(w.ticks(100) + b"\x02")
        process.stdin.flush()
        deadline = time.monotonic() + TIME_LIMIT
        while self.left() != ["out.part"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIME_LIMIT), 0)
        process.stdin.close()
        self.assertIn("interrupted", process.stderr.read().decode())
        process.stderr.close()
        self.assertEqual(self.left(), ["out"])
        self.assertEqual(len(self.times(out)), 100)

    def test_a_kill_leaves_a_part_that_the_next_run_replaces(self):
        out = self.folder / "out"
        with subprocess.Popen([BIN, "convert", "-o", out, "--to", "ctf2", "-"], stdin=subprocess.PIPE) as process:
            process.stdin.write(w.ticks(100))
            process.stdin.flush()
            deadline = time.monotonic() + TIME_LIMIT
            while self.left() != ["out.part"]:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            process.kill()
        self.assertEqual(self.left(), ["out.part"])
        self.check(run("convert", "-o", out, "--to", "ctf2", self.file("f", w.ticks(3))), 0)
        self.assertEqual(self.left(), ["f", "out"])

    def test_nothing_to_convert_makes_no_output(self):
        trace = self.trace("t", {"a": [1]})
        (trace / "metadata").write_bytes(b"\x1enonsense")
        self.check(run("convert", "-o", self.folder / "out", "--to", "ctf2rc", self.folder / "missing"), 3)
        self.assertEqual(self.left(), ["t"])

    def test_rewriting_keeps_the_bytes(self):
        trace = self.trace("t", {"a": [1, 5], "b": [2]}, uuid=UUIDS[1])
        out, report = self.folder / "out", self.folder / "report"
        self.check(run("convert", "-o", out, "--to", "ctf2rc", "--report", report, trace), 0)
        self.assertEqual(self.times(out), [1, 2, 5])
        if json.loads(report.read_text())["rewritten"]:
            for name in ["a", "b", "metadata"]:
                self.assertEqual((out / name).read_bytes(), (trace / name).read_bytes(), name)
        for more in [["--limit", "2"], ["--packet-size", "8K"], ["--order", "time"]]:
            shutil.rmtree(out)
            self.check(run("convert", "-o", out, "--to", "ctf2rc", "--report", report, *more, trace), 0)
            self.assertFalse(json.loads(report.read_text())["rewritten"])


class Metadata(DirectoryTest):
    def text(self, *args):
        return self.check(run("schema", "--output", "metadata", *args), 0).stdout

    def test_spellings(self):
        trace = self.trace("t", {"a": [1]})
        self.assertIn(b'"default-clock-class-name"', self.text(trace))
        self.assertEqual(self.text(trace), self.text("--to", "ctf2rc", trace))
        self.assertIn(b'"default-clock-class-id"', self.text("--to", "ctf2", trace))
        self.assertTrue(self.text("--to", "ctf1", trace).startswith(b"/* CTF 1.8 */"))

    def test_it_is_metadata(self):
        trace = self.trace("t", {"a": [1, 2]})
        (trace / "metadata").write_bytes(self.text(trace))
        self.assertEqual(self.times(trace), [1, 2])

    def test_of_other_formats(self):
        trace = self.file("f", w.ticks(1))
        self.assertTrue(self.text(trace).startswith(b"\x1e"))
        self.assertEqual(self.text(trace), self.text("--to", "ctf2", trace))

    def test_wrong_usage(self):
        trace = self.trace("t", {"a": [1]})
        self.check(run("schema", "--to", "ctf2", trace), 2)
        self.check(run("schema", "--output", "metadata", "--to", "dial9", trace), 2)
        self.check(run("schema", "--output", "metadata", "--json", trace), 2)


class Described(DirectoryTest):
    def test_formats_list_targets(self):
        formats = {each["name"]: each for each in json.loads(run("formats", "--json").stdout)}
        self.assertEqual([target["name"] for target in formats["ctf"]["targets"]], TARGETS)
        self.assertTrue(all(target["directory"] for target in formats["ctf"]["targets"]))
        self.assertIn("ctf2rc, ctf2, ctf1", run("formats").stdout.decode())

    def test_json_schemas(self):
        import jsonschema

        trace = self.trace("t", {"a": [1, 2], "b": [3]}, uuid=UUIDS[0])
        for name, args in {
            "info": ["info", "--json"],
            "schema": ["schema", "--json"],
            "stats": ["stats", "--json"],
            "finding": ["validate", "--json"],
            "jsonl-record": ["print", "--output", "jsonl", "--records", "all"],
        }.items():
            content = json.loads((ROOT / f"docs/json/{name}.schema.json").read_text())
            validator = jsonschema.Draft202012Validator(content)
            for line in self.check(run(*args, trace), 0).stdout.splitlines():
                validator.validate(json.loads(line))


if __name__ == "__main__":
    unittest.main()

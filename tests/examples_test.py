"""The programs of examples/ that read, write and convert traces, in C++ and in C: those of a build, or those in the folder
that EXAMPLES names. One that is not built is skipped."""

import filecmp
import json
import os
import pathlib
import subprocess

import dial9_writer as dial9
from command import BIN, CommandTest, run

EXAMPLES = pathlib.Path(os.environ.get("EXAMPLES", pathlib.Path(BIN).resolve().parent))


class Examples(CommandTest):
    def example(self, name, *arguments, code=0):
        program = EXAMPLES / name
        if not program.exists():
            self.skipTest(f"there is no {program}")
        return self.check(subprocess.run([program, *arguments], capture_output=True, text=True), code)

    def printed(self, *arguments):
        return [json.loads(line) for line in self.check(run(*arguments), 0).stdout.splitlines()]

    def requests(self):
        path = self.folder / "requests.bin"
        self.example("write_trace", path)
        return path

    def test_write_trace(self):
        fields = [event["fields"] for event in self.printed("print", "--output", "jsonl", self.requests())]
        self.assertEqual([each["status"] for each in fields], [200, 200, 503])
        self.assertEqual(fields[2]["error"], "timed out")

    def test_count_events(self):
        self.assertEqual(self.example("count_events", self.requests()).stdout, "       3 RequestEnd\n")
        damaged = self.file("damaged.bin", dial9.ticks(5) + b"\x07 no frame")
        counted = self.example("count_events", damaged)
        self.assertEqual(counted.stdout, "       5 Tick\n")
        self.assertTrue(counted.stderr)
        self.assertIn("missing", self.example("count_events", self.folder / "missing", code=1).stderr)

    def test_read_fields(self):
        self.assertEqual(self.example("read_fields", self.requests()).stdout, "RequestEnd 503\n")

    def test_slow_spans(self):
        trace = self.file("jobs.bin", b"".join([
            dial9.header(),
            *(dial9.schema(number, name, [("job", dial9.VARINT)]) for number, name in enumerate(("job_begin", "job_end"))),
            *(dial9.event(end, dial9.varint(job), delta=end * job * 3_500_000) for job in range(5) for end in (0, 1)),
        ]))
        listed = self.printed("query", "--json", "spans | where duration > 10ms | select name, duration", trace)[:-1]
        self.assertEqual([each["duration"] for each in listed], [10_500_000, 14_000_000])
        found = [line.split(" on ")[0] for line in self.example("slow_spans", trace).stdout.splitlines()]
        self.assertEqual(found, [f"{each['name']} {each['duration']}" for each in listed])

    def test_convert_trace(self):
        """What the command makes, and its receipt."""
        trace = self.file("ticks.bin", dial9.ticks(5000))
        out = self.folder / "ticks.ctf2"
        converted = self.example("convert_trace", "ctf2", out, trace)
        of_example = out.rename(self.folder / "of example")
        of_command = self.check(run("convert", "-q", "--report", "-", "--to", "ctf2", "-o", out, trace), 0)
        self.assertEqual(converted.stdout.encode(), of_command.stdout)
        files = sorted(path.name for path in out.iterdir())
        self.assertIn("metadata", files)
        self.assertEqual(sorted(path.name for path in of_example.iterdir()), files)
        self.assertEqual(filecmp.cmpfiles(of_example, out, files, shallow=False), (files, [], []))
        lossy = self.example("convert_trace", "tband", self.folder / "lossy", trace, code=4)
        self.assertTrue(json.loads(lossy.stdout)["lossy"])
        self.assertIn("lossy", lossy.stderr)
        self.assertIn("missing", self.example("convert_trace", "ctf2", out, self.folder / "missing", code=1).stderr)
        self.example("convert_trace", "ctf2", code=2)

    def test_list_events(self):
        trace = self.file("ticks.bin", dial9.ticks(3))
        lines = [f"{each['time']} {each['name']} {each['fields']['n']}\n" for each in self.printed("print", "--output", "jsonl", trace)]
        self.assertEqual(self.example("list_events", trace, "n").stdout, "".join(lines))
        self.assertIn("missing", self.example("list_events", self.folder / "missing", code=1).stderr)

    def test_sum_columns(self):
        trace = self.file("ticks.bin", dial9.ticks(70_000))
        added = self.example("sum_columns", trace, "Tick").stdout
        sums = {name: (int(values), int(total)) for name, values, total in map(str.split, added.splitlines())}
        events = self.printed("print", "--output", "jsonl", trace)
        self.assertEqual(sums["n"], (len(events), sum(each["fields"]["n"] for each in events)))
        self.assertEqual(sums["time_ns"], (len(events), sum(each["time"] for each in events) % 2**64))
        self.assertIn("no events of this name", self.example("sum_columns", trace, "Tock", code=1).stderr)


if __name__ == "__main__":
    import unittest

    unittest.main()

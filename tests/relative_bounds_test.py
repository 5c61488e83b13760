"""`--begin +1ms`, `--end end-1ms` of traces with packets: as exact as absolute times, and no more is read for them."""

import os
import subprocess
import unittest

import dial9_writer as w
from command import BIN, CommandTest, run

EVENTS = 1_500_000


class RelativeBounds(CommandTest):
    def setUp(self):
        super().setUp()
        trace = self.file("ticks", w.header() + w.schema(0, "Tick", [("n", w.VARINT)]))
        with open(trace, "ab") as file:
            file.write(w.event(0, w.varint(300), delta=8) * EVENTS)
        self.traces = []
        for target in ("ctf2", "ctf1"):
            out = self.folder / target
            self.check(run("convert", "-q", "--to", target, "--packet-size", "256K", "-o", out, trace), 0)
            self.traces.append(out)
        printed = self.check(run("print", "--output", "jsonl", trace), 0).stdout.splitlines()
        self.lines = printed
        self.first, self.last = 8, 8 * EVENTS

    def bytes_read(self, *args):
        """The lines that come, and the bytes that the command asks files for."""
        with subprocess.Popen([BIN, "print", "--output", "jsonl", *args], stdout=subprocess.PIPE) as process:
            printed = process.stdout.read()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            with open(f"/proc/{process.pid}/io", encoding="ascii") as counters:
                read = int(counters.readline().split()[1])
        self.assertEqual(process.returncode, 0)
        return printed.splitlines(), read

    def test_are_those_of_absolute_times(self):
        for trace in self.traces:
            for stored in ([], ["--as-stored"]):
                for relative, absolute in [
                    (["--end", "+100us"], ["--end", str(self.first + 100_000)]),
                    (["--begin", "end-100us"], ["--begin", str(self.last - 100_000)]),
                    (["--begin", "+1ms", "--end", "+1100us"], ["--begin", str(self.first + 1_000_000), "--end", str(self.first + 1_100_000)]),
                ]:
                    with self.subTest(trace=trace.name, relative=relative, stored=stored):
                        lines, read = self.bytes_read(*relative, *stored, trace)
                        wanted, least = self.bytes_read(*absolute, *stored, trace)
                        self.assertTrue(wanted)
                        self.assertEqual(lines, wanted)
                        size = sum(file.stat().st_size for file in trace.iterdir())
                        # The heads of packets are read some times more, and the first and the last packets.
                        self.assertLess(read, 6 * least + size / 10)
                        self.assertLess(read, 0.9 * size)

    def test_of_traces_without_packet_times(self):
        trace = self.folder / "ticks"
        lines, _ = self.bytes_read("--begin", "end-80ns", trace)
        self.assertEqual(lines, self.lines[-11:])


if __name__ == "__main__":
    unittest.main()

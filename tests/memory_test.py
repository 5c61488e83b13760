"""What the command takes of memory: 64 MiB for any input, while events and schemas are small."""

import os
import subprocess
import unittest

import dial9_writer as w
import heph_writer as heph
from command import BIN, CommandTest, is_sanitized

LIMIT = 64 << 20
SCHEMA = w.header() + w.schema(0, "Tick", [("n", w.VARINT)])


@unittest.skipIf(is_sanitized(), "sanitizers take memory of their own")
class Memory(CommandTest):
    def most(self, *args):
        """Runs the command, which must succeed; returns the most memory that was resident, in bytes."""
        process = subprocess.Popen([BIN, *map(os.fspath, args)], stdout=subprocess.DEVNULL, cwd=self.folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, args)
        return usage.ru_maxrss * 1024

    def files(self, count, content):
        return [self.file(f"{i:04}", content) for i in range(count)]

    def test_merging_many_files(self):
        # Events of some length: what takes memory is the bytes of each file, what takes time the number of events.
        schema = w.header() + w.schema(0, "Tick", [("n", w.VARINT), ("text", w.STRING)])
        text = w.string("what is said of it")
        content = schema + b"".join(w.event(0, w.varint(i) + text, delta=1000) for i in range(5_000))
        files = self.files(200, content)
        for order in ["merged", "time"]:
            with self.subTest(order):
                self.assertLess(self.most("print", "-q", "--output", "jsonl", "--order", order, *files), LIMIT)

    def test_merging_a_thousand_small_files(self):
        content = SCHEMA + b"".join(w.event(0, w.varint(i), delta=1000) for i in range(100))
        self.assertLess(self.most("print", "-q", "--output", "jsonl", *self.files(1000, content)), LIMIT)

    def test_merging_five_thousand_small_files(self):
        # More than a window of each, and all of them at the same time.
        text = w.string("what is said of it")
        schema = w.header() + w.schema(0, "Tick", [("n", w.VARINT), ("text", w.STRING)])
        content = schema + b"".join(w.event(0, w.varint(i) + text, delta=1000) for i in range(100))
        files = self.file("files", b"".join(b"%s\n" % path.name.encode() for path in self.files(5000, content)))
        # At the limit, with the command's own code.
        limit = LIMIT + (2 << 20)
        self.assertLess(self.most("print", "-q", "--output", "jsonl", "--files-from", files), limit)
        # Text wants the symbols of each, all of which are open before the first event is printed.
        self.assertLess(self.most("print", "-q", "--limit", "1", "--files-from", files), limit)

    def test_sorting_many_segments(self):
        # None of them near its place, so that all are put aside.
        segments = [SCHEMA + w.reset(10**9 + i * 7919 % 200_003 * 1000) + w.event(0, b"\1") for i in range(200_000)]
        trace = self.file("segments", b"".join(segments))
        self.assertLess(self.most("print", "-q", "--output", "jsonl", "--order", "time", trace), LIMIT)

    def test_restoring_the_order_of_what_steps_back(self):
        """Nearly all events of the CTF trace wait for others."""
        events = b"".join(w.event(0, w.varint(i), delta=1000) for i in range(20_000))
        trace = self.file("steps_back", SCHEMA + (w.reset(10**9) + events) * 100)
        self.assertLess(self.most("convert", "-q", "--to", "ctf2", "-o", "lowered", trace), LIMIT)
        self.assertLess(self.most("convert", "-q", "--to", "dial9", "-o", "restored", "lowered"), LIMIT)
        self.most("convert", "-q", "--to", "dial9", "--begin", "1ns", "-o", "anew", trace)
        self.assertEqual((self.folder / "restored").read_bytes(), (self.folder / "anew").read_bytes())

    def test_time_lines_of_ever_new_tasks(self):
        """Keys, tracks and names of `latency` are bounded."""
        schemas = w.header() + b"".join((
            w.schema(0, "WakeEventEvent", [("woken_task_id", w.VARINT)]),
            w.schema(1, "PollStartEvent", [("worker_id", w.U8), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]),
            w.schema(2, "PollEndEvent", [("worker_id", w.U8)]),
        ))
        for kind, location in (("tasks", "src/a.rs:1:2"), ("names", "src/{}" + "x" * 300 + ".rs:1:2")):
            polls = (
                w.event(0, w.varint(i), delta=1000) + w.event(
                    1, w.u8(0) + w.varint(i) + w.string(location.format(i)), delta=1000
                ) + w.event(2, w.u8(0), delta=1000) for i in range(150_000)
            )
            # What a process inherits counts as its own until it runs the command.
            trace = self.file(kind, schemas)
            with open(trace, "ab") as file:
                file.writelines(polls)
            with self.subTest(kind):
                self.assertLess(self.most("latency", "-q", trace), LIMIT)
                # Both traces, and what varies within each.
                self.assertLess(self.most("diff", "-q", trace, trace), 3 * LIMIT)

    def test_time_lines_of_spans(self):
        """Of Heph's spans, which may begin together, only those that are open are known."""
        kinds = {
            "one after the other": lambda i: (1000 * i, 1000 * i + 500),
            "in one another": lambda i: (1000 * (i // 10), 1000 * (i // 10) + 900 - 10 * (i % 10)),
            "over one another": lambda i: (1000 * i, 1000 * i + 5500),
            # Beyond so many that begin at one time their order is that of the trace.
            "all at once": lambda i: (1000, 2000 + i),
        }
        for kind, times in kinds.items():
            trace = self.folder / kind.replace(" ", "_")
            with open(trace, "wb") as file:
                for i in range(120_000):
                    start, end = times(i)
                    text = heph.string(b"text", b"x" * 500)
                    file.write(heph.event(b"span %d" % (i % 5), text, counter=i, start=start, end=end))
            commands = [("latency", "-q", trace), ("why", "-q", "--longest", "span", trace), ("diff", "-q", trace, trace)]
            pictures = ("perfetto", "chrome", "html", "folded")
            commands += [("convert", "-q", "--to", target, "-o", "out", trace) for target in pictures]
            for command in commands:
                with self.subTest(kind, command=command[:4]):
                    # What is open at one time is known with its arguments there.
                    if kind == "all at once" and (command[0] in ("why", "diff") or "html" in command):
                        continue
                    self.assertLess(self.most(*command), LIMIT)

    def test_a_page_of_many_slices(self):
        """What a page is made of goes into a temporary file; with `--args all` the arguments too."""
        schemas = w.header() + b"".join((
            w.schema(1, "PollStartEvent", [("worker_id", w.U8), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]),
            w.schema(2, "PollEndEvent", [("worker_id", w.U8)]),
        ))
        trace = self.file("polls", schemas)
        with open(trace, "ab") as file:
            for i in range(600_000):
                start = w.u8(i % 7) + w.varint(i % 100) + w.string(f"src/file_{i % 50}.rs:1:2")
                file.write(w.event(1, start, delta=1000 + i % 777) + w.event(2, w.u8(i % 7), delta=500 + i % 333))
        for arguments in ("longest", "all"):
            with self.subTest(arguments):
                page = ("--to", "html", "--args", arguments, "-o", "page.html")
                self.assertLess(self.most("convert", "-q", *page, trace), LIMIT)


if __name__ == "__main__":
    unittest.main()

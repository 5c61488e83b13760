"""Queries of traces that come live: rows as they are made, and answers that are drawn anew on a terminal."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import dial9_writer as w
from command import BIN, CommandTest, run

# Nothing here should take a tenth of that.
PATIENCE = 30
HEAD = w.header() + w.schema(0, "Tick", [("key", w.VARINT), ("n", w.VARINT)])


def ticks(keys, n=0):
    return b"".join(w.event(0, w.varint(key) + w.varint(n), delta=1000) for key in keys)


class Screen:
    """What a terminal shows of what was written to it: lines, and where the cursor is."""

    def __init__(self):
        self.lines, self.row, self.column = [""], 0, 0

    def feed(self, text):
        for part in re.findall(r"\x1b\[\d*[A-Z]|\r|\n|[^\x1b\r\n]+", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            elif part == "\x1b[J":
                self.lines = self.lines[: self.row + 1]
                self.lines[-1] = self.lines[-1][: self.column]
            elif part.startswith("\x1b[") and part.endswith("A"):
                self.row -= int(part[2:-1])
                assert self.row >= 0
            else:
                assert part[0] != "\x1b", part
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[: self.column] + part + line[self.column + len(part) :]
                self.column += len(part)

    def text(self):
        return "\n".join(self.lines)


class LiveQuery(CommandTest):
    def setUp(self):
        super().setUp()
        self.trace = self.file("live.bin", HEAD + ticks([0, 1, 1]))

    def append(self, content):
        with self.trace.open("ab") as file:
            file.write(content)

    def start(self, *args, **more):
        process = subprocess.Popen([BIN, "query", *args, "--follow", str(self.trace)], **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def on_terminal(self, *args, size=(24, 80), env=None):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.process = self.start(*args, stdout=slave, stderr=slave, env={**os.environ, "TERM": "xterm", **(env or {})})
        os.close(slave)
        self.master, self.screen, self.written = master, Screen(), ""

    def read(self):
        """Takes what was written; False at the end."""
        if not select.select([self.master], [], [], 0.1)[0]:
            return True
        try:
            text = os.read(self.master, 65536).decode()
        except OSError:
            return False
        self.written += text
        self.screen.feed(text)
        return bool(text)

    def wait_for(self, text):
        end = time.monotonic() + PATIENCE
        while self.screen.text() != text:
            self.assertLess(time.monotonic(), end, self.screen.text())
            self.read()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        while self.read():
            pass
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def test_an_answer_is_drawn_in_its_place(self):
        self.on_terminal("count, sum(n) by key | sort count desc")
        self.wait_for("key  count  sum(n)\n  1      2       0\n  0      1       0\n3 events selected so far\n")
        self.append(ticks([5, 5, 5], 7))
        self.wait_for("key  count  sum(n)\n  5      3      21\n  1      2       0\n  0      1       0\n6 events selected so far\n")
        # Groups may become fewer in another query; here more come.
        self.append(ticks([0] * 4))
        shown = "key  count  sum(n)\n  0      5       0\n  5      3      21\n  1      2       0\n"
        self.wait_for(shown + "10 events selected so far\n")
        self.interrupt()
        self.assertEqual(self.screen.text(), shown + "\n10 events read, 10 selected; none lost\n")

    def test_it_is_drawn_about_once_a_second(self):
        self.on_terminal("count")
        self.wait_for("count\n    3\n3 events selected so far\n")
        begun, frames = time.monotonic(), self.written.count("so far")
        while time.monotonic() < begun + 2.5:
            self.append(ticks([1]))
            time.sleep(0.02)
            self.read()
        self.assertLessEqual(self.written.count("so far") - frames, 4)
        self.assertGreaterEqual(self.written.count("so far") - frames, 1)
        self.interrupt()

    def test_messages_stand_above_it(self):
        self.on_terminal("where n == 0 | count by key")
        self.wait_for("key  count\n  0      1\n  1      2\n3 events selected so far\n")
        self.append(b"\xff" + HEAD + ticks([2]))
        end = time.monotonic() + PATIENCE
        while "4 events selected so far" not in self.screen.text():
            self.assertLess(time.monotonic(), end, self.screen.text())
            self.read()
        lines = self.screen.text().split("\n")
        self.assertIn("dial9/", lines[0])
        self.assertEqual(lines[-6:], ["key  count", "  0      1", "  1      2", "  2      1", "4 events selected so far", ""])
        self.assertEqual(self.screen.text().count("key  count"), 1)
        self.process.send_signal(signal.SIGINT)
        while self.read():
            pass
        self.assertEqual(self.process.wait(PATIENCE), 4)
        self.assertEqual(self.screen.text().count("key  count"), 1)

    def test_of_a_long_answer_what_fits_is_drawn_and_all_stands_at_the_end(self):
        self.append(ticks(range(2, 50)))
        self.on_terminal("count, max(time), min(time) by key", size=(10, 20))
        end = time.monotonic() + PATIENCE
        while "51 events selected" not in self.screen.text():
            self.assertLess(time.monotonic(), end, self.screen.text())
            self.read()
        lines = self.screen.text().split("\n")
        self.assertEqual(len(lines), 9)
        self.assertLessEqual(max(map(len, lines)), 20)
        self.interrupt()
        self.assertEqual(len(self.screen.text().split("\n")), 1 + 50 + 1 + 1 + 1)

    def test_nothing_is_drawn_elsewhere(self):
        for args, env in ((["--progress", "never"], {}), ([], {"TERM": "dumb"}), (["--output", "csv"], {}), (["--json"], {})):
            self.on_terminal("count by key", *args, env=env)
            end = time.monotonic() + 1
            while time.monotonic() < end:
                self.read()
            self.assertEqual(self.written, "")
            self.interrupt()
            self.assertNotIn("\x1b", self.written)
            self.assertIn("count", self.written)

    def test_rows_come_as_they_are_made(self):
        question = "pair Tick Tick on key | where duration > 0 | select key, duration"
        for form, first, second in (
            ("text", ["key  duration", "  1  1.000 us"], ["  1  1.000 us"]),
            ("csv", ["key,duration", "1,1000"], ["1,1000"]),
            ("jsonl", ['{"key":1,"duration":1000}'], ['{"key":1,"duration":1000}']),
        ):
            self.trace.write_bytes(HEAD + ticks([0, 1, 1]))
            process = self.start("-q", question, "--output", form, stdout=subprocess.PIPE)
            for line in first:
                self.assertEqual(process.stdout.readline().decode().rstrip("\n"), line)
            self.append(ticks([1]))
            for line in second:
                self.assertEqual(process.stdout.readline().decode().rstrip("\n"), line)
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            process.stdout.close()
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_late_events_are_put_in_order(self):
        # Times of dial9 events count from the last reset: 3, 1, 2, and 1.5 when all has gone.
        def at(microseconds, key):
            return w.reset(microseconds * 1000) + w.event(0, w.varint(key) + w.varint(0), delta=0)

        self.trace.write_bytes(HEAD + at(3000, 3) + at(1000, 1) + at(2000, 2))
        process = self.start("-q", "select key", "--output", "jsonl", "--slack", "500ms", stdout=subprocess.PIPE)
        begun = time.monotonic()
        self.assertEqual([json.loads(process.stdout.readline())["key"] for _ in range(3)], [1, 2, 3])
        self.assertGreater(time.monotonic() - begun, 0.3)
        self.append(at(1500, 4))
        self.assertEqual(json.loads(process.stdout.readline())["key"], 4)
        process.send_signal(signal.SIGINT)
        self.assertEqual(json.loads(process.stdout.readline())["answer"]["late"], 1)
        process.stdout.close()
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_slack_is_of_live_traces(self):
        for args, said in ((["--slack", "1s", self.trace], "goes with live TRACEs only"), (["--slack", "-1s", "--follow", self.trace], "a duration of at most a day"), (["--slack", "12:00", "--follow", self.trace], "a duration of at most a day")):
            self.assertIn(said, self.check(run("query", "count", *args), 2).stderr.decode())

    def test_a_partial_answer_of_what_came(self):
        part = self.folder / "live.part"
        process = self.start("-q", "count by key", "--partial", part)
        while not part.with_name("live.part.part").exists():
            time.sleep(0.01)
        self.append(ticks([1]))
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 0)
        merged = subprocess.run([BIN, "query", "--merge", "--json", part], capture_output=True, check=True)
        rows = [json.loads(line) for line in merged.stdout.splitlines()]
        self.assertEqual(rows[:-1], [{"key": 0, "count": 1}, {"key": 1, "count": 3}])


if __name__ == "__main__":
    unittest.main()

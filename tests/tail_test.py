"""`print --tail`: the same as the end of all that `print` prints, and no more of it is read than needed."""

import gzip
import unittest

import dial9_writer as w
from command import TRACES, CommandTest, run


class Tail(CommandTest):
    def same(self, counts, *args, stdin=b""):
        args = ["print", "--output", "jsonl", *args]
        whole = self.check(run(*args, stdin=stdin), 0, args).stdout.splitlines(keepends=True)
        for count in counts:
            last = self.check(run(*args, "--tail", str(count), stdin=stdin), 0, args)
            self.assertEqual(last.stdout, b"".join(whole[len(whole) - min(count, len(whole)) :]), args)

    def packets(self, name, count, *options):
        """A CTF trace of many small packets."""
        trace = self.file("many", w.header() + w.schema(0, "Tick", [("n", w.VARINT)]))
        with open(trace, "ab") as file:
            file.write(w.event(0, w.varint(300), delta=8) * count)
        out = self.folder / name
        self.check(run("convert", "-q", "-o", out, "--packet-size", "4K", *options, trace), 0)
        return out

    def test_all_formats_and_orders(self):
        traces = [TRACES / "dial9/04_timestamps.bin", TRACES / "dial9/05_string_pool.bin"]
        traces += sorted(path for path in (TRACES / "ctf/ctf1").iterdir() if path.is_dir())[:3]
        for trace in traces:
            for order in ["merged", "recorded", "time"]:
                self.same([0, 1, 5, 10_000], "--order", order, trace)

    def test_pipes_and_compressed_files(self):
        content = w.ticks(3000)
        self.same([10], "-", stdin=content)
        self.same([10], self.file("t.gz", gzip.compress(content)))

    def test_packets_from_the_back(self):
        one = self.packets("one", 400_000, "--to", "ctf2")
        other = self.packets("other", 300_000, "--to", "ctf1", "--clock-offset", "1500")
        for traces in [[one], [one, other]]:
            for condition in ["true", "time % 1000 == 0", "time < 1000", "time > 5000000"]:
                self.same([1, 1000], "--where", condition, *traces)
        self.same([1000], "--end", "+1ms", one, other)
        self.same([1000], "--begin", "end-1us", one, other)
        self.same([5], "--order", "time", "--clock-offset", "77", one, other)
        self.same([1000], "--end", "+1ms", "--as-stored", one, other)
        self.same([1000], "--where", "time > 5000000", "--as-stored", one, other)

    def test_what_lies_before_is_not_read(self):
        """Events in the middle of the trace are overwritten, of which only who reads them knows."""
        trace = self.packets("t", 300_000, "--to", "ctf2")
        stream = max((path for path in trace.iterdir() if path.name != "metadata"), key=lambda path: path.stat().st_size)
        size = stream.stat().st_size // 4096
        self.assertGreater(size, 100)
        with open(stream, "r+b") as file:
            file.seek(size // 2 * 4096 + 500)
            file.write(b"\xff" * 64)
        for stored in ([], ["--as-stored"]):
            self.check(run("print", "--output", "jsonl", *stored, trace), 4)
            last = self.check(run("print", "--output", "jsonl", "--tail", "10", *stored, trace), 0)
            self.assertEqual(len(last.stdout.splitlines()), 10)

    def test_damage_before_is_named_where_all_is_read(self):
        trace = self.file("t", w.ticks(5) + b"\xff" + w.ticks(5))
        result = self.check(run("print", "--output", "jsonl", "--tail", "2", trace), 4)
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.assertIn(b"frame-tag", result.stderr)

    def test_what_does_not_go_together(self):
        trace = self.file("t", w.ticks(5))
        for args, says in [
            (["--limit", "1"], "exclude"),
            (["--follow"], "end"),
            (["--tail", "x"], "no number"),
        ]:
            result = self.check(run("print", "--tail", "1", *args, trace), 2)
            self.assertIn(says, result.stderr.decode())
        self.check(run("print", "--tail", "1", "tcp-listen://:0"), 2)

    def test_too_many_for_memory(self):
        trace = self.file("t", w.many(8_000_000))
        result = self.check(run("print", "--output", "jsonl", "--tail", "8000000", trace), 4)
        self.assertEqual(result.stdout, b"")
        self.assertIn("do not fit", result.stderr.decode())
        self.assertLess(len(self.check(run("print", "--tail", "9999999999", self.file("s", w.ticks(3))), 0).stderr), 1)


if __name__ == "__main__":
    unittest.main()

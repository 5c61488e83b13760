"""What recorders of dial9 say that they lost: samples for which there was no room, files that were not sealed."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

MS = 1_000_000
OVERFLOW = [("dropped_allocs", w.VARINT), ("dropped_frees", w.VARINT)]
METADATA = [("entries", w.STRING_MAP)]
POLL = [("worker_id", w.VARINT), ("local_queue", w.VARINT), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]


def file_of(first, *, number=0, metadata=(), overflow=None, fields=OVERFLOW, clock=True):
    """A file with a clock anchor at `first` ms, its metadata, a poll of 5 ms, and an event that counts what was dropped within it."""
    entries = [("host", "h"), ("boot_id", "abcd-1"), *metadata]
    trace = w.header() + w.schema(0, "ClockSyncEvent", [("realtime_ns", w.VARINT)]) + w.schema(1, "SegmentMetadataEvent", METADATA)
    trace += w.schema(2, "PollStartEvent", POLL) + w.schema(3, "PollEndEvent", [("worker_id", w.VARINT)])
    trace += w.schema(4, "MemoryProfileOverflowEvent", fields)
    trace += w.reset(first * MS) + w.event(0, w.varint(10**18 + first * MS), 0) + w.event(1, w.string_map(*entries), 0)
    trace += w.event(2, w.varint(0) + w.varint(0) + w.varint(7) + w.string("src/a.rs:1:1"), MS)
    if overflow is not None:
        trace += w.event(4, overflow, 2 * MS)
    return trace + w.event(3, w.varint(0), 3 * MS if overflow is not None else 5 * MS)


def counts(allocs, frees):
    return w.varint(allocs) + w.varint(frees)


class Losses(CommandTest):
    def latency(self, *files, args=(), code=0):
        return json.loads(self.check(run("latency", "--json", *args, *files), code).stdout)

    def losses(self, *files):
        return json.loads(self.check(run("info", "--json", *files), 0).stdout)["losses"]

    def test_samples_for_which_there_was_no_room(self):
        file = self.file("t.bin", file_of(1000, overflow=counts(1234, 56)))
        self.assertEqual(self.losses(file)["events"], 1290)
        answer = self.latency(file)
        self.assertEqual((answer["counts"]["lost_events"], answer["counts"]["gaps"]), (1290, 1))
        # Polls are whole.
        self.assertEqual([(row["count"], row["total"]) for row in answer["rows"]], [(1, 5 * MS)])
        text = run("latency", file).stdout.decode()
        self.assertIn("1,290 events lost", text)
        self.assertNotIn("no losses", text)
        # How many there were of anything is not known.
        gate = run("latency", "--require", 'count("poll *") == 1', file)
        self.assertEqual(gate.returncode, 1)
        self.assertIn("events were lost", gate.stderr.decode())
        self.check(run("latency", "--require", 'max("poll *") < 10ms', file), 1)
        page = self.folder / "t.html"
        self.check(run("convert", "-q", "-o", page, file), 0)
        self.assertIn("lost 1290 samples", page.read_text())
        # Pairs of events are whole, too.
        rows = self.check(run("query", "--output", "jsonl", "pair PollStartEvent PollEndEvent on worker_id | count", file), 0).stdout.decode().splitlines()
        self.assertEqual((json.loads(rows[0])["count"], json.loads(rows[1])["answer"]["lost"]), (1, 1290))

    def test_none_were_dropped(self):
        file = self.file("t.bin", file_of(1000, overflow=counts(0, 0)))
        self.assertIn("no losses", run("latency", file).stdout.decode())

    def test_other_fields(self):
        """Of other types beside them, and optional ones."""
        fields = [("name", w.STRING), ("at", w.F64), ("dropped_allocs", w.VARINT | w.OPTIONAL), ("chain", w.STACK), ("dropped_x", w.U16), ("kept", w.U8)]
        value = w.string("heap") + w.f64(1.5) + w.present(w.varint(300)) + w.stack(1, 2) + w.u16(7) + w.u8(9)
        file = self.file("t.bin", file_of(1000, fields=fields, overflow=value))
        self.assertEqual(self.latency(file)["counts"]["lost_events"], 307)
        absent = w.string("heap") + w.f64(1.5) + w.ABSENT + w.stack() + w.u16(7) + w.u8(9)
        self.assertEqual(self.latency(self.file("u.bin", file_of(1000, fields=fields, overflow=absent)))["counts"]["lost_events"], 7)
        # Nothing says how many.
        self.assertEqual(self.latency(self.file("v.bin", file_of(1000, fields=[("kept", w.U8)], overflow=w.u8(3))))["counts"]["gaps"], 0)

    def test_a_file_that_was_not_sealed(self):
        file = self.file("t.bin", file_of(1000, metadata=[("segment.sealed_clean", "false")]))
        self.assertEqual(self.losses(file)["records"], 1)
        self.assertIn("nothing says how many", run("latency", file).stdout.decode())
        sealed = self.file("u.bin", file_of(1000, metadata=[("segment.sealed_clean", "true"), ("segment.prior_sealed_clean", "false")]))
        self.assertIn("no losses", run("latency", sealed).stdout.decode())

    def test_between_files(self):
        for first, second in (("false", "true"), ("true", "false"), ("false", "false")):
            a = self.file("trace.0.bin", file_of(1000, metadata=[("segment.sealed_clean", first)]))
            b = self.file("trace.1.bin", file_of(1100, metadata=[("segment.sealed_clean", "true"), ("segment.prior_sealed_clean", second)]))
            answer = self.latency(a, b)
            self.assertEqual((answer["counts"]["gaps"], answer["counts"]["lost_events"]), (1, 0), (first, second))

    def test_what_is_written_says_it_once(self):
        file = self.file("t.bin", file_of(1000, overflow=counts(3, 4), metadata=[("segment.sealed_clean", "false")]))
        out = self.folder / "out.dial9"
        result = self.check(run("convert", "--where", "has(entries) || has(dropped_allocs)", "-o", out, file), 0)
        self.assertNotIn("left out", result.stderr.decode())
        self.assertEqual(self.losses(out), self.losses(file))

    def test_what_comes_back_says_it_once(self):
        file = self.file("t.bin", file_of(1000, overflow=counts(3, 4)))
        for target in ("ctf1", "ctf2"):
            there, back = self.folder / target, self.folder / f"{target}.dial9"
            self.check(run("convert", "-q", "--to", target, "-o", there, file), 0)
            result = self.check(run("convert", "-o", back, there), 0)
            self.assertNotIn("left out", result.stderr.decode())
            self.assertEqual(self.losses(back), self.losses(file))


if __name__ == "__main__":
    unittest.main()

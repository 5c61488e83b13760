"""Stacks of slices for flame graphs, added up anew from the same time line for Perfetto."""

import collections
import unittest

import dial9_writer as w
import perfetto_decoder
from command import TRACES, CommandTest, needs_traces, run
from exported import ExportedTest


class FoldedTest(ExportedTest):
    def test_stacks_hold_the_time_that_was_spent_in_none_inside(self):
        trace = perfetto_decoder.Trace((self.folder / "scene57.pftrace").read_bytes())
        end = self.counts["end"]  # of the last slices, which do not end
        expected = collections.Counter()
        of = collections.defaultdict(list)
        for each in trace.slices:
            track = trace.tracks[each.track]
            name = track.get("name") or track["thread"]["thread_name"]
            if name != "trace quality" and each.begin != each.end:  # instants are in no stack
                of[each.track, name].append((each.begin, each.depth, each.end, each.name))
        for (_, name), slices in of.items():
            stack = [name]
            for begin, depth, stop, what in sorted(slices, key=lambda s: (s[0], s[1])):
                length = (end if stop is None else stop) - begin
                # A request that did not end may be over long since.
                if stop is None and what == "request":
                    length = 0
                stack[depth + 1 :] = [what]
                expected[";".join(stack)] += length
                if depth:
                    expected[";".join(stack[:-1])] -= length
        lines = (self.folder / "scene.folded").read_text(encoding="utf-8").splitlines()
        found = {stack: int(value) for stack, value in (line.rsplit(" ", 1) for line in lines)}
        # What began before the trace came when all others on its track were told.
        late = {s for s in found.keys() | expected.keys() if s.startswith("late")}
        self.assertEqual(sum(found.get(s, 0) for s in late), sum(expected[s] for s in late))
        # Slices deeper than 500 are no slices for Perfetto either.
        self.assertEqual(
            {s: v for s, v in found.items() if s not in late},
            {s: v for s, v in expected.items() if s not in late and v},
        )


class NothingTest(CommandTest):
    def test_an_empty_result_is_said(self):
        trace = self.file("t.bin", w.header() + w.schema(0, "Tick", [("n", w.VARINT)]) + w.event(0, w.varint(1), 10))
        out = self.folder / "out.folded"
        said = self.check(run("convert", "-o", out, trace), 0).stderr.decode()
        self.assertIn("out.folded is empty: none of 1 events began or ended a slice or is a sample with a stack", said)
        self.assertEqual(out.read_bytes(), b"")
        said = self.check(run("convert", "-o", out, "--begin", "+5s", trace), 0).stderr.decode()
        self.assertIn("no event lies in the range", said)
        self.assertNotIn("is empty", said)


@needs_traces
class SamplesTest(unittest.TestCase):
    def test_samples_have_the_names_of_their_addresses(self):
        done = run("convert", "--to", "folded", "-o", "-", TRACES / "dial9/tokio-demo.bin.gz")
        lines = [line.rsplit(" ", 1) for line in done.stdout.decode().splitlines()]
        events = run("query", "-q", "--output", "csv", "count by name", TRACES / "dial9/tokio-demo.bin.gz").stdout.decode()
        samples = int(dict(line.split(",") for line in events.splitlines())["CpuSampleEvent"])
        counted = sum(int(n) for stack, n in lines if stack.split(";")[0] in ("on cpu", "descheduled"))
        self.assertEqual(counted, samples)
        self.assertTrue(any("expand_fdtable;synchronize_rcu" in stack for stack, _ in lines))


if __name__ == "__main__":
    unittest.main()

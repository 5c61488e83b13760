"""Fields of dial9 with annotations: units behind numbers, gauges and counters as tracks; and events that no rule is about."""

import json
import unittest

import dial9_writer as w
from command import CommandTest, run

MS = 1_000_000
POLL = [("worker_id", w.VARINT), ("local_queue", w.U8), ("task_id", w.VARINT), ("spawn_loc", w.STRING)]
USAGE = [("device_index", w.U32), ("busy_ns", w.VARINT), ("rss", w.VARINT | w.OPTIONAL), ("load", w.F64), ("note", w.STRING)]
NOTES = [(1, "unit", "ns"), (1, "kind", "counter"), (2, "unit", "bytes"), (2, "kind", "gauge"), (3, "kind", "gauge"), (3, "metrique.unit", "percent\x1b[2J")]


def recording(*usages, others=()):
    trace = w.header() + w.schema(0, "PollStartEvent", POLL) + w.schema(1, "PollEndEvent", [("worker_id", w.VARINT)])
    trace += w.schema(2, "usage{host=a}", USAGE) + w.annotations(2, *NOTES)
    trace += w.schema(3, "Request", [("status", w.U16)]) + w.schema(4, "JobStart", [("job_id", w.VARINT)]) + w.schema(5, "JobEnd", [("job_id", w.VARINT)])
    trace += w.event(0, w.varint(0) + w.u8(0) + w.varint(7) + w.string("src/a.rs:1:1"), MS)
    for device, busy, rss, load in usages:
        value = w.ABSENT if rss is None else w.present(w.varint(rss))
        trace += w.event(2, w.u32(device) + w.varint(busy) + value + w.f64(load) + w.string("x"), MS)
    for number, value in others:
        trace += w.event(number, value, MS)
    return trace + w.event(1, w.varint(0), MS)


class Annotated(CommandTest):
    def test_units_in_text(self):
        text = self.check(run("print", self.file("t.bin", recording((0, 1500, 4096, 12.5), (0, 1500, None, 1)))), 0).stdout.decode()
        self.assertIn("device_index=0  busy_ns=1500ns  rss=4096 bytes  load=12.5 percent\\x1b[2J  note=\"x\"", text)
        self.assertIn("rss=none  ", text)

    def test_counters(self):
        file = self.file("t.bin", recording((0, 1, 10, 0.5), (1, 2, 20, 1.5), (0, 3, None, 2.5)))
        counters = {each["track"]: each for each in json.loads(self.check(run("latency", "--json", file), 0).stdout)["counters"]}
        shown = {name: (each["count"], each["min"], each["max"], each["last"]) for name, each in counters.items() if "usage" in name}
        self.assertEqual(
            shown,
            {
                "usage{host=a}: busy_ns 0": (2, 1, 3, 3),
                "usage{host=a}: busy_ns 1": (1, 2, 2, 2),
                "usage{host=a}: rss 0": (1, 10, 10, 10),
                "usage{host=a}: rss 1": (1, 20, 20, 20),
                "usage{host=a}: load 0": (2, 0.5, 2.5, 2.5),
                "usage{host=a}: load 1": (1, 1.5, 1.5, 1.5),
            },
        )
        self.assertIn("usage{host=a}: rss 0 (bytes)", run("latency", file).stdout.decode())

    def test_events_that_no_rule_is_about(self):
        others = [(3, w.u16(200)), (4, w.varint(1)), (5, w.varint(1)), (3, w.u16(503))]
        file, out = self.file("t.bin", recording(others=others)), self.folder / "t.json"
        self.check(run("convert", "-q", "-o", out, file), 0)
        instants = [e["args"] for e in json.loads(out.read_bytes())["traceEvents"] if e["ph"] == "i" and e["name"] == "Request"]
        self.assertEqual(instants, [{"status": 200}, {"status": 503}])
        # Those that are pairs are slices all the same.
        rows = {row["name"]: row["count"] for row in json.loads(run("latency", "--json", file).stdout)["rows"]}
        self.assertEqual(rows, {"a.rs:1": 1, "Job": 1})


if __name__ == "__main__":
    unittest.main()

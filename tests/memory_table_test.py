"""Live bytes: of LTTng's user space where the table is asked for, and of dial9's samples."""

import json
import unittest

import dial9_writer as d
from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf

LIBC = {
    "lttng_ust_libc:malloc": ("size", "ptr"),
    "lttng_ust_libc:free": ("ptr",),
    "lttng_ust_libc:calloc": ("nmemb", "size", "ptr"),
    "lttng_ust_libc:realloc": ("in_ptr", "size", "ptr"),
    "lttng_ust_libc:memalign": ("alignment", "size", "ptr"),
    "lttng_ust_libc:posix_memalign": ("out_ptr", "alignment", "size", "result"),
}


class MemoryTableTest(CommandTest):
    def counters(self, path, *options):
        """(track, ns, value) of all counters of bytes."""
        file = self.folder / "out.json"
        self.check(run("convert", "-q", "-o", file, *options, path), 0)
        events = json.loads(file.read_text())["traceEvents"]
        file.unlink()
        return [
            (one["name"], round(one["ts"] * 1000), one["args"]["value"])
            for one in events if one["ph"] == "C" and "bytes" in one["name"]
        ]

    def libc(self, *events):
        trace = Ctf(LIBC, True)
        for time, name, thread, *values in events:
            name = "lttng_ust_libc:" + name
            trace.event(0, time, name, dict(zip(LIBC[name], values, strict=True)), thread)
        path = self.folder / "ust"
        trace.write(path)
        return path

    def test_each_function_of_the_library(self):
        path = self.libc(
            (1000, "malloc", 1, 100, 0xA0),
            (2000, "calloc", 1, 3, 10, 0xB0),
            (3000, "realloc", 1, 0xA0, 500, 0xC0),
            (4000, "memalign", 1, 64, 7, 0xD0),
            (5000, "posix_memalign", 1, 0xE0, 64, 8, 0),
            (6000, "malloc", 1, 1, 0),  # which failed
            (7000, "free", 1, 0xB0),
            (8000, "free", 1, 0x99),  # of what was there before the trace
            (9000, "free", 1, 0),
        )
        values = [(time, value) for name, time, value in self.counters(path, "--table", "lttng-ust-memory")]
        self.assertEqual(
            values, [(0, 100), (1000, 130), (2000, 30), (2000, 530), (3000, 537), (4000, 545), (6000, 515)]
        )

    def test_addresses_are_of_a_process(self):
        path = self.libc((1000, "malloc", 1, 100, 0xA0), (2000, "malloc", 2, 30, 0xA0), (3000, "free", 1, 0xA0))
        tracks = {}
        for name, time, value in self.counters(path, "--table", "lttng-ust-memory"):
            tracks.setdefault(name, []).append(value)
        self.assertEqual(sorted(tracks.values()), [[30], [100, 0]])

    def test_only_where_it_is_asked_for(self):
        path = self.libc((1000, "malloc", 1, 100, 0xA0))
        self.assertEqual(self.counters(path), [])
        self.assertIn("lttng-ust-memory", run("tables").stdout.decode())

    def test_samples_of_dial9(self):
        fields = {
            "AllocEvent": (("tid", d.U32), ("size", d.VARINT), ("addr", d.VARINT)),
            "FreeEvent": (("tid", d.U32), ("addr", d.VARINT), ("size", d.VARINT), ("alloc_timestamp_ns", d.VARINT)),
        }
        alloc = lambda time, size, addr: d.reset(time) + d.event(0, d.u32(7) + d.varint(size) + d.varint(addr))
        free = lambda time, addr: d.reset(time) + d.event(1, d.u32(7) + d.varint(addr) + d.varint(1) + d.varint(1))
        schemas = [d.schema(number, name, of) for number, (name, of) in enumerate(fields.items())]
        # The last is of an allocation that the trace does not have.
        made = [alloc(1000, 4096, 0xA0), alloc(2000, 100, 0xB0), free(3000, 0xA0), free(4000, 0xF0)]
        path = self.file("memory.bin", b"".join([d.header(), *schemas, *made]))
        self.assertEqual(
            self.counters(path),
            [("live bytes (sampled)", 0, 4096), ("live bytes (sampled)", 1000, 4196), ("live bytes (sampled)", 2000, 100)],
        )


if __name__ == "__main__":
    unittest.main()

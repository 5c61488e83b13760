"""Time lines of Zephyr: no clock is declared, times are 32 bits of nanoseconds, and threads are switched in without ever being
switched out."""

import json
import struct

from command import CommandTest, run

# What Zephyr generates has no clock, no packets, and this header.
METADATA = b"""/* CTF 1.8 */
typealias integer { size = 32; align = 8; base = hex; } := u32;
typealias integer { size = 8; align = 8; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { u32 timestamp; u8 id; }; };
event { id = 0x10; name = "thread_switched_out"; fields := struct { u32 thread_id; u8 name_size; }; };
event { id = 0x11; name = "thread_switched_in"; fields := struct { u32 thread_id; u8 name_size; }; };
event { id = 0x12; name = "thread_pending"; fields := struct { u32 thread_id; u8 name_size; }; };
event { id = 0x20; name = "isr_enter"; fields := struct { u8 none; }; };
event { id = 0x21; name = "isr_exit"; fields := struct { u8 none; }; };
event { id = 0x30; name = "semaphore_take_enter"; fields := struct { u32 id; u32 timeout; }; };
event { id = 0x31; name = "semaphore_take_exit"; fields := struct { u32 id; u32 ret; }; };
"""
OUT, IN, PENDING, ENTER, EXIT, TAKE, TAKEN = 0x10, 0x11, 0x12, 0x20, 0x21, 0x30, 0x31
SECOND = 10**9


def event(time, kind, thread=0):
    head = struct.pack("<IB", time % 2**32, kind)
    if kind in (ENTER, EXIT):
        return head + b"\0"
    return head + (struct.pack("<IB", thread, 0) if kind < TAKE else struct.pack("<II", thread, 0))


class ZephyrTest(CommandTest):
    def latency(self, *events):
        stream = self.file("channel0_0", b"".join(event(*one) for one in events))
        metadata = self.file("zephyr.metadata", METADATA)
        result = self.check(run("latency", "--output", "json", "--metadata", metadata, stream), 0)
        return json.loads(result.stdout)

    def states(self, answer, track):
        return {
            state["name"]: state["time"]
            for each in answer["tracks"] if each["track"] == track for state in each["states"]
        }

    def test_times_are_nanoseconds_and_go_on_when_they_wrap(self):
        # From 4 s to 9 s, where 32 bits wrap at 4.29 s and at 8.59 s.
        times = range(4 * SECOND, 9 * SECOND + 1, SECOND)
        answer = self.latency(*[(time + more, kind) for time in times for more, kind in ((0, ENTER), (1000, EXIT))])
        self.assertEqual((answer["begin"], answer["end"]), (4 * SECOND, 9 * SECOND + 1000))
        (row,) = [row for row in answer["rows"] if row["name"] == "isr"]
        self.assertEqual((row["count"], row["total"], row.get("left_out", 0)), (6, 6000, 0))
        self.assertEqual(answer["counts"]["clock_steps"], 0)
        self.assertEqual(answer["counts"]["sections"], 0)

    def test_a_slice_across_a_wrap(self):
        answer = self.latency((4_294_967_000, IN, 1), (4_294_967_290, TAKE, 7), (4_294_967_400, TAKEN, 7))
        (row,) = [row for row in answer["rows"] if row["name"] == "semaphore_take"]
        self.assertEqual(row["total"], 110)

    def test_threads_that_are_switched_in_without_being_switched_out(self):
        answer = self.latency((100, IN, 1), (200, IN, 2), (250, IN, 2), (300, PENDING, 2), (400, IN, 1), (500, OUT, 1), (600, IN, 2))
        self.assertEqual(self.states(answer, "0x1"), {"running": 200, "runnable": 200})
        self.assertEqual(self.states(answer, "0x2"), {"running": 200, "pending": 200})


if __name__ == "__main__":
    import unittest

    unittest.main()

"""Time lines of Zephyr: no clock is declared, times are 32 bits of nanoseconds, why a thread does not run is known only
where hooks say so, and which processor an event is of may be said nowhere."""

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
event { id = 0x13; name = "thread_ready"; fields := struct { u32 thread_id; u8 name_size; }; };
event { id = 0x14; name = "thread_suspend"; fields := struct { u32 thread_id; u8 name_size; }; };
event { id = 0x15; name = "thread_resume"; fields := struct { u32 thread_id; u8 name_size; }; };
event { id = 0x1e; name = "idle"; fields := struct { u8 none; }; };
event { id = 0x20; name = "isr_enter"; fields := struct { u8 none; }; };
event { id = 0x21; name = "isr_exit"; fields := struct { u8 none; }; };
event { id = 0x30; name = "semaphore_take_enter"; fields := struct { u32 id; u32 timeout; }; };
event { id = 0x31; name = "semaphore_take_exit"; fields := struct { u32 id; u32 ret; }; };
event { id = 0x32; name = "mutex_lock_exit"; fields := struct { u32 id; u32 ret; }; };
event { id = 0x33; name = "mutex_unlock_enter"; fields := struct { u32 id; u32 none; }; };
event { id = 0x34; name = "mutex_unlock_exit"; fields := struct { u32 id; u32 ret; }; };
"""
OUT, IN, PENDING, READY, SUSPEND, RESUME, IDLE, ENTER, EXIT = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x1E, 0x20, 0x21
TAKE, TAKEN, LOCKED, UNLOCK, UNLOCKED = 0x30, 0x31, 0x32, 0x33, 0x34
SECOND = 10**9
NOT_RECORDED = "not running (reason not recorded)"


def event(time, kind, thread=0, cpu=0, where=None):
    head = struct.pack("<IB", time % 2**32, kind) + (bytes([cpu]) if where == "context" else b"")
    if kind in (IDLE, ENTER, EXIT):
        return head + b"\0"
    if kind >= TAKE:
        return head + struct.pack("<II", thread, 0)
    return head + struct.pack("<IB", thread, 0) + (bytes([cpu]) if where == "payload" else b"")


class ZephyrTest(CommandTest):
    def latency(self, *events, processor=None):
        """`processor`: where events say theirs, of which only the switches do in the payload."""
        stream = self.file("channel0_0", b"".join(event(*one, where=processor) for one in events))
        text = METADATA
        if processor == "payload":
            text = text.replace(b"name_size; }", b"name_size; u8 cpu_id; }")
        if processor == "context":
            text = text.replace(b"u8 id; }; }", b"u8 id; }; event.context := struct { u8 cpu_id; }; }")
        metadata = self.file("zephyr.metadata", text)
        result = self.check(run("latency", "--output", "json", "--metadata", metadata, stream), 0)
        self.notices = result.stderr.decode()
        return json.loads(result.stdout)

    def states(self, answer, track):
        return {
            state["name"]: state["time"] + state.get("open", 0)
            for each in answer["tracks"] if each["track"] == track for state in each["states"]
        }

    def cpus(self, answer):
        return {each["parent"]: {one["name"]: one["time"] for one in each["states"]} for each in answer["tracks"] if each["track"] == "running"}

    def totals(self, answer):
        return {row["name"]: (row["count"], row["total"]) for row in answer["rows"] if row["count"]}

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

    def test_a_thread_that_is_switched_out_without_pending(self):
        """It was pre-empted, or it sleeps, of which k_sleep says nothing."""
        answer = self.latency((100, IN, 1), (200, OUT, 1), (400, IN, 1), (450, OUT, 1), (500, READY, 1), (600, IN, 1))
        self.assertEqual(self.states(answer, "0x1"), {"running": 150, NOT_RECORDED: 250, "runnable": 100})

    def test_a_thread_that_is_pending_or_suspended(self):
        answer = self.latency((100, IN, 1), (190, PENDING, 1), (200, OUT, 1), (300, READY, 1), (400, IN, 1))
        self.assertEqual(self.states(answer, "0x1"), {"running": 100, "pending": 100, "runnable": 100})
        answer = self.latency((100, IN, 1), (200, OUT, 1), (250, SUSPEND, 1), (300, RESUME, 1), (400, IN, 1))
        self.assertEqual(self.states(answer, "0x1"), {"running": 100, NOT_RECORDED: 150, "suspended": 50})

    def test_the_idle_thread_is_the_processor_idle(self):
        answer = self.latency((100, IN, 1), (200, OUT, 1), (200, IN, 9), (210, IDLE), (300, OUT, 9), (300, IN, 1), (350, OUT, 1), (350, IN, 9), (450, IDLE))
        self.assertEqual(self.states(answer, "running"), {"0x1": 150, "0x9": 10, "idle": 190})
        self.assertEqual(self.states(answer, "0x9"), {"running": 200, NOT_RECORDED: 50})

    def test_an_interrupt_calls_while_no_thread_runs(self):
        answer = self.latency((100, IN, 1), (200, OUT, 1), (210, IDLE), (300, ENTER), (310, TAKE, 7), (330, TAKEN, 7), (340, EXIT), (400, IN, 1))
        self.assertEqual(self.totals(answer), {"semaphore_take": (1, 20), "isr": (1, 40)})

    def test_what_calls_before_a_thread_is_known(self):
        """A trace that begins within a thread: who leaves first was it. Where that is not said, its end is not known."""
        answer = self.latency((100, TAKE, 7), (150, OUT, 1), (200, IN, 2), (210, OUT, 2), (300, IN, 1), (310, TAKEN, 7))
        self.assertEqual(self.totals(answer), {"semaphore_take": (1, 210)})
        answer = self.latency((100, TAKE, 7), (200, IN, 2), (210, OUT, 2), (300, IN, 1), (310, TAKEN, 7))
        self.assertEqual(self.totals(answer), {})
        self.assertEqual((answer["counts"]["open_at_end"], answer["counts"]["began_before"]), (0, 0))
        self.assertEqual((answer["counts"]["inferred_ends"], answer["counts"]["unmatched_ends"]), (1, 1))

    def test_a_mutex_is_given_up_when_its_unlock_begins(self):
        """The unlock hands it to a thread that waits, which may run before the call returns."""
        answer = self.latency(
            (100, IN, 1), (110, LOCKED, 5), (200, UNLOCK, 5), (205, OUT, 1), (206, IN, 2), (210, LOCKED, 5),
            (220, OUT, 2), (221, IN, 1), (225, UNLOCKED, 5), (230, OUT, 1), (231, IN, 2), (300, UNLOCK, 5), (305, UNLOCKED, 5),
        )  # fmt: skip
        self.assertEqual(self.totals(answer)["mutex 0x5"], (2, 180))

    def test_threads_that_run_at_once(self):
        """Nothing says on which processor an event is: threads go by themselves, and calls cannot be told apart."""
        events = [
            (100, IN, 1), (110, TAKE, 7), (120, TAKEN, 7), (130, TAKE, 7), (200, IN, 2), (210, TAKE, 7), (300, TAKEN, 7), (310, TAKEN, 7),
            (400, OUT, 1), (500, OUT, 2), (600, IN, 1), (650, IN, 2), (700, OUT, 2), (900, OUT, 1),
        ]  # fmt: skip
        answer = self.latency(*events)
        self.assertEqual(self.states(answer, "0x1"), {"running": 600, NOT_RECORDED: 200})
        self.assertEqual(self.states(answer, "0x2"), {"running": 350, NOT_RECORDED: 350})
        self.assertEqual(self.totals(answer)["semaphore_take"], (1, 10))
        self.assertEqual(answer["counts"]["open_at_end"], 0)
        self.assertEqual(answer["counts"]["without_field"], 3)
        self.assertIn("do not say on which processor", self.notices)

    def test_one_processor_that_is_said_to_be_one(self):
        for where in ("payload", "context"):
            events = [(100, IN, 1, 0), (200, OUT, 1, 0), (210, IN, 2, 0), (220, TAKE, 7, 0), (250, TAKEN, 7, 0), (300, OUT, 2, 0)]
            with self.subTest(where):
                answer = self.latency(*events, processor=where)
                self.assertEqual(self.totals(answer)["semaphore_take"], (1, 30))
                self.assertEqual(self.states(answer, "running"), {"0x1": 100, "0x2": 90})

    def test_processors_that_events_say(self):
        """Two threads on two processors, which call at once."""
        events = [
            (100, IN, 1, 0), (110, IN, 2, 1), (120, TAKE, 7, 0), (125, TAKE, 7, 1), (135, TAKEN, 7, 1), (150, TAKEN, 7, 0),
            (160, ENTER, 0, 0), (165, ENTER, 0, 1), (170, EXIT, 0, 0), (180, EXIT, 0, 1), (200, OUT, 1, 0), (250, OUT, 2, 1),
        ]  # fmt: skip
        answer = self.latency(*events, processor="context")
        self.assertEqual(self.totals(answer), {"semaphore_take": (2, 40), "isr": (2, 25)})
        self.assertEqual(self.states(answer, "0x1"), {"running": 100, NOT_RECORDED: 50})
        self.assertEqual(self.cpus(answer), {"cpu 0": {"0x1": 100}, "cpu 1": {"0x2": 140}})
        answer = self.latency(*events, processor="payload")
        self.assertNotIn("semaphore_take", self.totals(answer))
        self.assertIn("do not say on which processor", self.notices)
        self.assertEqual(self.cpus(answer), {"cpu 0": {"0x1": 100}, "cpu 1": {"0x2": 140}})


if __name__ == "__main__":
    import unittest

    unittest.main()

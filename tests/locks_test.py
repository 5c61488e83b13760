"""Mutexes of pthreads, as liblttng-ust-pthread-wrapper records them: who held which, and for how long."""

import json
import unittest

from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf

PREFIX = "lttng_ust_pthread:pthread_mutex_"
CLASSES = {
    PREFIX + "lock_req": ("mutex",), PREFIX + "lock_acq": ("mutex", "status"), PREFIX + "trylock": ("mutex", "status"),
    PREFIX + "unlock": ("mutex", "status"),
}  # fmt: skip
EPERM, EBUSY, EDEADLK, ETIMEDOUT, EOWNERDEAD = 1, 16, 35, 110, 130


class LocksTest(CommandTest):
    def latency(self, *events):
        """`events`: (time, thread, what, status); of odd threads the process is another one."""
        trace = Ctf(CLASSES, True)
        for time, thread, what, *status in events:
            trace.event(0, time, PREFIX + what, {"mutex": 0x10, "status": status[0] if status else 0}, thread)
        self.path = self.folder / f"ust{len(list(self.folder.iterdir()))}"
        trace.write(self.path)
        return json.loads(self.check(run("latency", "--json", self.path), 0).stdout)

    def holds(self, answer):
        rows = [row for row in answer["rows"] if row.get("category") == "hold"]
        return {key: sum(row.get(key, 0) for row in rows) for key in ("count", "total", "left_out", "open")}

    def test_a_try_lock_that_succeeds(self):
        answer = self.latency((10, 2, "trylock"), (40, 2, "unlock"), (50, 4, "lock_req"), (55, 4, "lock_acq"), (60, 4, "unlock"))
        self.assertEqual(self.holds(answer), {"count": 2, "total": 35, "left_out": 0, "open": 0})

    def test_calls_that_fail_change_nothing(self):
        answer = self.latency(
            (10, 2, "lock_req"), (12, 2, "lock_acq"), (15, 4, "trylock", EBUSY), (20, 2, "lock_req"), (22, 2, "lock_acq", EDEADLK),
            (30, 4, "lock_req"), (35, 4, "lock_acq", ETIMEDOUT), (37, 4, "unlock", EPERM), (40, 2, "unlock"),
        )  # fmt: skip
        self.assertEqual(self.holds(answer), {"count": 1, "total": 28, "left_out": 0, "open": 0})
        self.assertEqual(sum(row["count"] for row in answer["rows"] if row.get("category") == "wait"), 3)

    def test_a_mutex_whose_owner_died_is_held(self):
        answer = self.latency((10, 2, "lock_req"), (12, 2, "lock_acq", EOWNERDEAD), (20, 2, "unlock"))
        self.assertEqual(self.holds(answer)["total"], 8)

    def test_a_mutex_that_is_locked_twice(self):
        """It is held until it was unlocked as often."""
        answer = self.latency((10, 2, "trylock"), (20, 2, "trylock"), (30, 2, "unlock"), (50, 2, "unlock"), (60, 4, "trylock"), (61, 4, "unlock"))
        self.assertEqual(self.holds(answer), {"count": 3, "total": 10 + 40 + 1, "left_out": 0, "open": 0})

    def test_a_hold_whose_begin_is_not_recorded(self):
        """pthread_mutex_timedlock is not wrapped: the hold is no slice from the trace's begin."""
        answer = self.latency((10, 4, "lock_req"), (12, 4, "lock_acq"), (14, 4, "unlock"), (30, 2, "unlock"), (40, 2, "trylock"), (45, 2, "unlock"))
        self.assertEqual(self.holds(answer), {"count": 2, "total": 7, "left_out": 0, "open": 0})
        self.assertEqual((answer["counts"]["began_before"], answer["counts"]["unmatched_ends"]), (0, 1))

    def test_a_mutex_that_another_thread_had_meanwhile(self):
        """A wait for a condition gives it back, which is not recorded: thread 2 did not hold it for 70 ns."""
        answer = self.latency((10, 2, "lock_acq"), (15, 4, "lock_req"), (20, 4, "lock_acq"), (50, 4, "unlock"), (80, 2, "unlock"))
        self.assertEqual(self.holds(answer), {"count": 1, "total": 30, "left_out": 1, "open": 0})
        self.assertEqual(answer["counts"]["unmatched_ends"], 1)
        # An unlock may be recorded behind the lock that it let through.
        answer = self.latency((10, 2, "lock_acq"), (15, 4, "lock_req"), (30, 4, "lock_acq"), (31, 2, "unlock"), (50, 4, "unlock"))
        self.assertEqual(self.holds(answer), {"count": 2, "total": 21 + 20, "left_out": 0, "open": 0})

    def test_without_threads_nothing_is_known(self):
        """A thread moves from processor to processor: one is no thread."""
        classes = {
            **CLASSES, "lttng_ust_cyg_profile:func_entry": ("addr",), "lttng_ust_cyg_profile:func_exit": ("addr",), "lttng_ust_tracef:event": ("msg:s",),
        }  # fmt: skip
        trace = Ctf(classes, False)
        for begin in (10, 50):
            trace.event(0, begin, PREFIX + "lock_req", {"mutex": 1}, 0)
            trace.event(0, begin + 1, PREFIX + "lock_acq", {"mutex": 1, "status": 0}, 0)
            trace.event(0, begin + 2, "lttng_ust_cyg_profile:func_entry", {"addr": 7}, 0)
            trace.event(1, begin + 5, "lttng_ust_cyg_profile:func_exit", {"addr": 7}, 0)
            trace.event(1, begin + 20, PREFIX + "unlock", {"mutex": 1, "status": 0}, 0)
            trace.event(1, begin + 21, "lttng_ust_tracef:event", {"msg": "here"}, 0)
        trace.write(self.folder / "threadless")
        result = self.check(run("latency", self.folder / "threadless"), 0)
        text, said = result.stdout.decode(), result.stderr.decode()
        self.assertIn("; table lttng-ust\n", text)
        self.assertIn("besides: 10 events without a field of their rule\n", text)
        self.assertNotRegex(text, r"still open|had not ended|\? 0")
        self.assertIn("table lttng-ust: no thread is recorded (the context `vtid`) of events `" + PREFIX + "lock_req`", said)
        answer = json.loads(run("latency", "-q", "--json", self.folder / "threadless").stdout)
        self.assertEqual((answer["rows"], answer["counts"]["without_field"]), ([], 10))
        marks = self.check(run("convert", "-q", "--to", "chrome", "-o", "-", self.folder / "threadless"), 0).stdout.decode()
        self.assertIn("here", marks)

    def test_processes_with_a_mutex_at_one_address(self):
        """Who waits for the one is not told of who holds the other."""
        answer = self.latency(
            (1, 3, "trylock"), (2, 3, "unlock"), (5, 1, "lock_req"), (6, 1, "lock_acq"), (7, 1, "unlock"), (8, 1, "lock_req"), (9, 1, "lock_acq"), (10, 1, "unlock"),
            (11, 2, "trylock"), (12, 3, "trylock"), (20, 1, "lock_req"), (900, 3, "unlock"), (905, 1, "lock_acq"), (910, 1, "unlock"), (990, 2, "unlock"),
        )  # fmt: skip
        self.assertEqual(self.holds(answer)["count"], 6)
        why = json.loads(self.check(run("why", "--json", "--longest", "wait", self.path), 0).stdout)
        self.assertEqual([piece["duration"] for piece in why["held"]], [888])
        self.assertRegex(why["so"], "held mutex 0x10")


if __name__ == "__main__":
    unittest.main()

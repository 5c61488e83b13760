"""Kernel and user space of one session: what a thread does in both is on one track."""

import json
import re
import unittest

import perfetto_decoder
from command import CommandTest, run
from exported import PROCESSOR_RUNS, rows
from timeline_oracle.ctf_trace import Ctf
from timeline_oracle.random_traces import KERNEL, UST

STATEDUMP = {"lttng_statedump_process_state": ("tid", "pid", "ppid", "name:s")}
THREAD_KIND, TASK = 2, 4  # of tracks
THREAD, PROCESS = 3, 101  # as the writer of user space has it


class JoinedThreadsTest(CommandTest):
    def kernel(self, *events, dumped=False):
        trace = Ctf(KERNEL | STATEDUMP, False)
        if dumped:
            values = {"tid": THREAD, "pid": PROCESS, "ppid": 1, "name": "app"}
            trace.event(0, 500, "lttng_statedump_process_state", values, 0)
        for time, name, values in (
            (1000, "sched_switch", self.switch(0, THREAD)),
            *events,
            (9000, "sched_switch", self.switch(THREAD, 0)),
        ):
            trace.event(0, time, name, values, 0)
        return self.written(trace, "kernel")

    def user(self, begin, end):
        trace = Ctf(UST, True)
        for time, kind in ((begin, "entry"), (end, "exit")):
            trace.event(0, time, f"lttng_ust_cyg_profile:func_{kind}", {"addr": 16, "call_site": 1}, THREAD)
        return self.written(trace, "user")

    def written(self, trace, name):
        path = self.folder / name
        trace.write(path)
        return path

    @staticmethod
    def switch(before, after):
        names = {"prev_comm": "x", "next_comm": "app", "prev_prio": 0, "next_prio": 0, "prev_state": 1}
        return {**names, "prev_tid": before, "next_tid": after}

    def call(self, time, end):
        return ((time, "syscall_entry_read", {"fd": 1}), (end, "syscall_exit_read", {"ret": 1}))

    def check_one_track(self, *traces):
        file = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "-o", file, *traces), 0)
        trace = perfetto_decoder.Trace(file.read_bytes())
        self.assertEqual(trace.problems, [])
        threads = {one["uuid"]: one["thread"] for one in trace.tracks.values() if "thread" in one}
        (track,) = [uuid for uuid, one in threads.items() if (one["pid"], one["tid"]) == (PROCESS, THREAD)]
        self.assertEqual({one.tid for one in trace.tasks}, {THREAD})
        if PROCESSOR_RUNS:
            # States of the kernel, calls and functions.
            sql = f"select (select count(*) from thread_state join thread using (utid) where tid = {THREAD} and upid > 0)"
            self.assertNotEqual(rows(file, sql), [["0"]])
        self.check_page(*traces)
        self.check_latency(*traces)
        return [(one.begin, one.name) for one in trace.slices if one.track == track]

    def check_page(self, *traces):
        """States lie on the track of what the thread does."""
        page = self.folder / "out.html"
        self.check(run("convert", "-q", "-o", page, *traces), 0)
        text = re.search(r'<script type="application/json" id=index>(.*?)</script>', page.read_text("utf-8"), re.S)[1]
        tracks = [one for one in json.loads(text)["tracks"] if one.get("tid") == THREAD]
        (states,) = [one for one in tracks if one["kind"] == TASK]
        threads = [one["id"] for one in tracks if one["kind"] == THREAD_KIND]
        self.assertEqual(states["parent"], threads[0] if len(threads) == 1 else 0)

    def check_latency(self, *traces):
        """The same in text and JSON: one line of the thread."""
        answer = json.loads(self.check(run("latency", "--json", *traces), 0).stdout)
        (states,) = [one for one in answer["tracks"] if one["group"] == "task"]
        threads = {one["track"] for one in answer["tracks"] if one["group"] == "thread"}
        self.assertEqual(states.get("parent"), next(iter(threads)) if len(threads) == 1 else None)
        lines = self.check(run("latency", *traces), 0).stdout.decode().splitlines()
        running = [line for line in lines if "running" in line]
        self.assertEqual(len(running), 1)
        self.assertEqual("in slices" in running[0], len(threads) == 1)

    def test_a_call_after_what_user_space_said(self):
        kernel = self.kernel(*self.call(1500, 1600))
        self.assertEqual(sorted(self.check_one_track(kernel, self.user(1200, 8000))), [(1200, "0x10"), (1500, "read")])

    def test_a_call_before_it_whose_process_the_kernel_says(self):
        kernel = self.kernel(*self.call(1100, 1150), dumped=True)
        self.assertEqual(sorted(self.check_one_track(kernel, self.user(1200, 8000))), [(1100, "read"), (1200, "0x10")])

    def test_a_call_before_it_of_a_process_that_nobody_said(self):
        kernel = self.kernel(*self.call(1100, 1150), *self.call(2000, 2100))
        self.assertEqual(sorted(self.check_one_track(kernel, self.user(1200, 8000))), [(1200, "0x10"), (2000, "read")])


if __name__ == "__main__":
    unittest.main()

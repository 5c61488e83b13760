"""What threads and processes of Linux are called in pictures, and system calls as LTTng before 2.6 recorded them."""

import json
import unittest

import perfetto_decoder
from command import CommandTest, run
from timeline_oracle.ctf_trace import Ctf
from timeline_oracle.random_traces import KERNEL

MORE = {
    "lttng_statedump_process_state": ("tid", "pid", "ppid", "name:s"),
    "sched_process_fork": ("parent_comm:s", "parent_tid", "parent_pid", "child_comm:s", "child_tid", "child_pid"),
    "sched_process_exec": ("filename:s", "tid", "old_tid"),
    "sched_wakeup_new": ("comm:s", "tid", "prio", "target_cpu"),
    "sys_open": ("filename:s", "flags"),
    "sys_clone": ("clone_flags",),
    "compat_sys_read": ("fd",),
    "exit_syscall": ("ret",),
}


DEAD = 16


def switch(before, after, comm="app", state=1):
    return "sched_switch", {"prev_comm": comm, "next_comm": comm, "prev_prio": 0, "next_prio": 0, "prev_state": state, "prev_tid": before, "next_tid": after}


def woken_new(tid, comm):
    return "sched_wakeup_new", {"comm": comm, "tid": tid, "prio": 20, "target_cpu": 0}


def dumped(tid, pid, name):
    return "lttng_statedump_process_state", {"tid": tid, "pid": pid, "ppid": 1, "name": name}


def forked(tid, pid, comm):
    return "sched_process_fork", {"parent_comm": "sh", "parent_tid": 1, "parent_pid": 1, "child_comm": comm, "child_tid": tid, "child_pid": pid}


class LinuxNamesTest(CommandTest):
    def trace(self, *events):
        trace = Ctf({name: fields for name, fields in (KERNEL | MORE).items()}, False)
        for i, (name, values) in enumerate(events):
            trace.event(0, 1000 + 100 * i, name, values, 0)
        path = self.folder / "kernel"
        trace.write(path)
        return path

    def pictures(self, trace):
        """Names of processes by their numbers, of threads by both: as Chrome's viewer and Perfetto have them."""
        out = self.folder / "out.json"
        self.check(run("convert", "-q", "-o", out, trace), 0)
        named = [e for e in json.loads(out.read_bytes())["traceEvents"] if e["ph"] == "M"]
        processes = {e["pid"]: e["args"]["name"] for e in named if e["name"] == "process_name"}
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in named if e["name"] == "thread_name"}
        out = self.folder / "out.pftrace"
        self.check(run("convert", "-q", "-o", out, trace), 0)
        decoded = perfetto_decoder.Trace(out.read_bytes())
        self.assertEqual(decoded.problems, [])
        perfetto = {one["process"]["pid"]: one["process"]["process_name"] for one in decoded.tracks.values() if "process" in one}
        self.assertEqual({pid: processes.get(pid) for pid in perfetto}, perfetto)
        return processes, threads

    def test_processes_are_called_as_the_dump_says(self):
        call = (("syscall_entry_read", {"fd": 1}), ("syscall_exit_read", {"ret": 1}))
        trace = self.trace(dumped(101, 101, "server"), dumped(103, 101, "worker"), switch(0, 103, "worker"), *call, switch(103, 101, "server"), *call, switch(101, 0))
        processes, threads = self.pictures(trace)
        self.assertEqual(processes[101], "server")
        self.assertEqual((threads[101, 101], threads[101, 103]), ("server 101", "worker 103"))

    def test_processes_are_called_as_they_fork_and_execute(self):
        call = (("syscall_entry_read", {"fd": 1}), ("syscall_exit_read", {"ret": 1}))
        trace = self.trace(forked(200, 200, "sh"), forked(300, 300, "sh"), switch(0, 300, "sh"), ("sched_process_exec", {"filename": "/usr/bin/make", "tid": 300, "old_tid": 300}),
                           *call, switch(300, 200, "sh"), *call, switch(200, 0))
        processes, _ = self.pictures(trace)
        self.assertEqual((processes[200], processes[300]), ("sh", "make"))

    def test_a_number_that_comes_again_is_of_another_thread(self):
        """As where few numbers are left: thread 200 of sh exits, and make gets its number."""
        call = (("syscall_entry_read", {"fd": 1}), ("syscall_exit_read", {"ret": 1}))
        trace = self.trace(forked(200, 200, "sh"), switch(0, 200, "sh"), *call, switch(200, 0, "sh", DEAD),
                           forked(200, 200, "make"), switch(0, 200, "make"), *call, *call, switch(200, 0, "make"))
        answer = json.loads(self.check(run("latency", "--json", trace), 0).stdout)
        ran = [(row["track"], row["states"]) for row in answer["tracks"] if row["group"] == "task"]
        self.assertEqual([(name, next(s["time"] for s in states if s["name"] == "running")) for name, states in ran], [("sh", 300), ("make", 500)])
        self.assertNotIn("sleeping", [state["name"] for state in ran[0][1]])
        rows = json.loads(self.check(run("latency", "--json", "--by", "track", trace), 0).stdout)["rows"]
        self.assertEqual({row["by"]: row["count"] for row in rows if row["kind"] == "slice"}, {"sh 200": 1, "make 200 #2": 2})
        # Either name finds it.
        for name in ("make 200", "make 200 #2"):
            done = self.check(run("query", f'spans | where track == "{name}" | count', trace), 0)
            self.assertIn(b"2", done.stdout.split(), name)
        processes, threads = self.pictures(trace)
        self.assertEqual(processes[200], "sh")
        self.assertLessEqual({"make", "sh"}, set(processes.values()))
        self.assertEqual(threads[200, 200], "sh 200")
        self.assertIn("make 200", threads.values())

    def test_a_number_that_comes_again_behind_a_loss(self):
        """That the first thread ended is lost; that another one begins is not."""
        trace = Ctf({name: fields for name, fields in (KERNEL | MORE).items()}, False)
        events = (switch(0, 200, "sh"), switch(200, 0, "sh"), None, woken_new(200, "make"), switch(0, 200, "make"), switch(200, 0, "make"))
        for i, event in enumerate(events):
            if event is None:
                trace.packet(0, discarded=3, end=1250)
            else:
                trace.event(0, 1000 + 100 * i, *event, 0)
        path = self.folder / "kernel"
        trace.write(path)
        answer = json.loads(self.check(run("latency", "--json", path), 0).stdout)
        ran = [(row["track"], next(s["time"] for s in row["states"] if s["name"] == "running")) for row in answer["tracks"] if row["group"] == "task"]
        self.assertEqual(ran, [("sh", 0), ("make", 100)])  # how long the first ran is lost too

    def test_calls_of_old_tracers(self):
        trace = self.trace(switch(0, 7), ("sys_open", {"filename": "/x", "flags": 0}), ("exit_syscall", {"ret": 3}), ("compat_sys_read", {"fd": 3}), ("exit_syscall", {"ret": 1}), switch(7, 0))
        rows = {row["name"]: (row["category"], row["count"], row["total"]) for row in json.loads(self.check(run("latency", "--json", trace), 0).stdout)["rows"]}
        self.assertEqual((rows["open"], rows["read"]), (("syscall", 1, 100), ("syscall", 1, 100)))


if __name__ == "__main__":
    unittest.main()

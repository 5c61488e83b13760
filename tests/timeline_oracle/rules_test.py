"""The rules on a few events each, worked out by hand: `python3 -m unittest timeline_oracle.rules_test`, from tests/."""

import tomllib
import unittest

from . import dial9, interpret
from .summary import quantile

LOSS = "loss"


def records(lines, stream, context=None):
    """(time, name, fields) or (LOSS, begin, end), of one stream; a fourth member is another stream."""
    for one in lines:
        of = one[3] if len(one) > 3 else stream
        if one[0] == LOSS:
            yield {"loss": {"stream": of, "events": 1, "begin": one[1], "end": one[2]}}
        else:
            yield {"time": one[0], "name": one[1], "stream": of, "context": context or {}, "fields": one[2]}


def of(line, *rules):
    return [
        (one.rule, one.name, one.begin, one.end, " ".join(sorted(one.flags)))
        for one in line.slices if not rules or one.rule in rules
    ]


def poll(time, task, worker=0):
    return (time, "PollStartEvent", {"worker_id": worker, "local_queue": 0, "task_id": task, "spawn_loc": "src/a.rs:1:2"})


def done(time, worker=0):
    return (time, "PollEndEvent", {"worker_id": worker})


def wake(time, task):
    return (time, "WakeEventEvent", {"waker_task_id": 0, "woken_task_id": task, "target_worker": 0})


class Rules(unittest.TestCase):
    def dial9(self, *lines):
        return interpret(records(lines, {"segment": 0}))

    def tband(self, *lines):
        return interpret(records(lines, {"core": 0}))

    def kernel(self, *lines, cpu=0):
        return interpret(records(lines, {"class": 0, "id": cpu}, {"packet": {"cpu_id": cpu}}))

    def ctf(self, *lines):
        return interpret(records(lines, {"class": 0, "id": 0}, {"common": {"vpid": 1, "vtid": 2}}))

    def states(self, line, track):
        return [(one.value, one.begin, one.end, " ".join(sorted(one.flags))) for one in line.states if one.track == track]

    # Disorder.

    def test_end_without_begin(self):
        line = self.dial9((5, "ClockSyncEvent", {"realtime_ns": 1}), done(20), done(30), poll(40, 1), done(50))
        self.assertEqual(of(line), [("poll", "?", 5, 20, "began_before"), ("poll", "src/a.rs:1:2", 40, 50, "")])
        self.assertEqual(line.unmatched, {("poll", "?"): 1})

    def test_begin_over_open(self):
        """Nothing says which of the two ended."""
        line = self.dial9(poll(10, 1), poll(30, 2), done(40))
        self.assertEqual(
            of(line), [("poll", "src/a.rs:1:2", 30, 40, "inferred_end overlap_lane"), ("poll", "src/a.rs:1:2", 10, 40, "inferred_end")]
        )

    def test_open_at_the_end(self):
        line = self.dial9(poll(10, 1), wake(70, 1))
        self.assertEqual(of(line), [("poll", "src/a.rs:1:2", 10, 70, "open_at_end")])

    def test_loss_while_open(self):
        line = self.dial9(poll(10, 1), (LOSS, 20, 30), done(40), poll(50, 1), done(60))
        self.assertEqual(of(line), [("poll", "src/a.rs:1:2", 10, 40, "across_loss"), ("poll", "src/a.rs:1:2", 50, 60, "")])

    def test_loss_of_an_end(self):
        line = self.dial9(poll(10, 1), (LOSS, 20, 30), poll(40, 2), done(60))
        self.assertEqual(of(line), [("poll", "src/a.rs:1:2", 10, 20, "across_loss inferred_end"), ("poll", "src/a.rs:1:2", 40, 60, "")])

    def test_loss_of_another_stream(self):
        line = self.dial9(poll(10, 1), (LOSS, 20, 30, {"segment": 1}), done(40))
        self.assertEqual(of(line), [("poll", "src/a.rs:1:2", 10, 40, "across_loss")])

    def test_loss_and_states(self):
        park = lambda time: (time, "WorkerParkEvent", {"worker_id": 0, "cpu_time_ns": time})
        unpark = lambda time: (time, "WorkerUnparkEvent", {"worker_id": 0, "cpu_time_ns": time - 1})
        line = self.dial9(unpark(10), (LOSS, 20, 30), park(40), unpark(50), park(60), unpark(70))
        expected = [
            ("active", 10, 20, ""),
            ("parked", 40, 50, ""),
            ("active", 50, 60, ""),
            ("parked", 60, 70, ""),
            ("active", 70, 70, "open_at_end"),
        ]
        self.assertEqual(self.states(line, "worker 0 state"), expected)
        self.assertEqual(line.sums["worker 0", "on CPU"], 11)

    def test_clock_steps_back(self):
        line = self.tband(
            (100, "isr_enter", {"isr_id": 1}),
            (90, "isr_enter", {"isr_id": 2}),
            (120, "isr_exit", {"isr_id": 2}),
            (130, "isr_exit", {"isr_id": 1}),
        )
        self.assertEqual(sorted(of(line)), [("isr", "isr 1", 100, 130, ""), ("isr", "isr 2", 100, 120, "clock_step")])

    def test_clock_steps_far_back(self):
        second = 10**9
        line = self.tband(
            (5 * second, "isr_enter", {"isr_id": 1}),
            (1 * second, "isr_enter", {"isr_id": 2}),
            (2 * second, "isr_exit", {"isr_id": 2}),
        )
        self.assertEqual(
            of(line),
            [("isr", "isr 1", 5 * second, 5 * second, "inferred_end"), ("isr", "isr 2", second, 2 * second, "")],
        )
        self.assertEqual(line.sections, 1)

    def test_cut(self):
        lines = [poll(10, 1), done(20), poll(30, 1), wake(35, 1), done(40), poll(50, 1), done(60)]
        line = interpret(records(lines, {"segment": 0}), begin=35, end=55)
        self.assertEqual(of(line), [("poll", "src/a.rs:1:2", 30, 40, ""), ("poll", "src/a.rs:1:2", 50, 50, "open_at_end")])
        self.assertEqual([(one.begin, one.end) for one in line.pairs], [(40, 50)])
        self.assertEqual(self.states(line, "task 1")[0], ("polling on worker 0", 35, 40, ""))

    def test_migration(self):
        enter = lambda time, worker: (time, "SpanEnter:a::b:x.rs:1", {"worker_id": worker, "span_id": 7, "parent_span_id": None})
        leave = lambda time, worker: (time, "SpanExit:a::b:x.rs:1", {"worker_id": worker, "span_id": 7})
        line = self.dial9(
            enter(10, 0),
            leave(20, 0),
            enter(30, 1),
            leave(40, 1),
            (50, "SpanCloseEvent", {"span_id": 7}),
            (60, "SpanCloseEvent", {"span_id": 7}),
        )
        self.assertEqual(of(line), [("segment", "a::b:x.rs:1", 10, 20, ""), ("segment", "a::b:x.rs:1", 30, 40, ""), ("span", "a::b:x.rs:1", 10, 50, "")])
        self.assertEqual(line.unmatched, {("span", "?"): 1})

    def test_lanes(self):
        span = lambda time, duration: {
            "time": time,
            "duration": duration,
            "name": "x",
            "stream": {"id": 1, "substream": 0, "counter": 0},
            "fields": {},
        }
        line = interpret([span(5, 10), span(10, 10), span(10, 5), span(20, 0), span(30, -5)])
        self.assertEqual(
            [(one.begin, one.end, sorted(one.flags)) for one in line.slices],
            [(5, 15, []), (10, 20, ["overlap_lane"]), (10, 15, []), (20, 20, []), (30, 30, ["negative"])],
        )

    # dial9.

    def test_wakes(self):
        line = self.dial9(
            wake(10, 1), wake(20, 1), poll(30, 1), wake(35, 1), done(40), poll(45, 1), done(50), poll(60, 1), done(70)
        )
        self.assertEqual([(one.begin, one.end) for one in line.pairs], [(10, 30), (40, 45)])
        self.assertEqual(
            [one[:3] for one in self.states(line, "task 1")],
            [
                ("runnable", 10, 30), ("polling on worker 0", 30, 40), ("runnable", 40, 45),
                ("polling on worker 0", 45, 50), ("waiting", 50, 60), ("polling on worker 0", 60, 70),
                ("waiting", 70, 70),
            ],
        )

    def test_flows(self):
        self.assertEqual(
            self.dial9(wake(0, 1), poll(999_999, 1), done(10**6), wake(2 * 10**6, 1), poll(3 * 10**6, 1)).flows,
            {"wake": 1},
        )

    def test_tasks(self):
        end = lambda time, task: (time, "TaskTerminateEvent", {"task_id": task})
        line = self.dial9(
            (5, "TaskSpawnEvent", {"task_id": 1, "spawn_loc": "src/b.rs:3:4"}),
            poll(10, 2),
            done(20),
            end(30, 1),
            end(40, 2),
            end(50, 3),
        )
        self.assertEqual(of(line, "task"), [("task", "src/b.rs:3:4", 5, 30, ""), ("task", "src/a.rs:1:2", 5, 40, "began_before")])
        self.assertEqual(line.unmatched, {("task", "?"): 1})
        self.assertEqual(line.counters["tasks alive", "tasks"], [1, 0, 0, 0])

    def test_locations(self):
        for location, name in (
            (
                "/home/a/.cargo/registry/src/index.crates.io-19/hyper-util-0.1.20/src/rt/tokio.rs:115:9",
                "~/.cargo/registry/hyper-util-0.1.20/src/rt/tokio.rs:115:9",
            ),
            ("/home/a/.cargo/git/checkouts/my-thing-0a1b/77aa/src/run.rs:7:1", "~/.cargo/git/my-thing-0a1b/77aa/src/run.rs:7:1"),
            ("/rustc/5c8b/library/std/src/thread/mod.rs:1:2", "/rustc/library/std/src/thread/mod.rs:1:2"),
            ("examples/a/src/main.rs:220:14", "examples/a/src/main.rs:220:14"),
            ("C:\\a\\src\\bin\\x.rs:3:4", "C:/a/src/bin/x.rs:3:4"),
            ({"unresolved": 9}, "?"),
        ):
            self.assertEqual(dial9.place(location), name)

    def test_lacking(self):
        line = self.dial9((10, "PollEndEvent", {"other": 1}))
        self.assertEqual(line.instants, {("lacking", "PollEndEvent"): 1})

    # Tonbandgeraet.

    def test_switches(self):
        switch = lambda time, task: (time, "task_switched_in", {"task_id": task})
        line = self.tband(
            switch(10, 1),
            switch(20, 2),
            (30, "curtask_delay", {"ticks": 1}),
            switch(40, 1),
            (50, "task_to_rdy_state", {"task_id": 2}),
            (55, "curtask_block_on_queue_send", {"queue_id": 3, "ticks_to_wait": 1}),
            (57, "task_to_rdy_state", {"task_id": 1}),
            switch(60, 2),
        )
        self.assertEqual(
            [one[:3] for one in self.states(line, "task 1")],
            [("running on core 0", 10, 20), ("runnable", 20, 40), ("running on core 0", 40, 60), ("runnable", 60, 60)],
        )
        self.assertEqual(
            [one[:3] for one in self.states(line, "task 2")],
            [("running on core 0", 20, 40), ("delay 1 tick", 40, 50), ("runnable", 50, 60), ("running on core 0", 60, 60)],
        )

    def test_markers_nest(self):
        begin = lambda time, text: (time, "evtmarker_begin", {"evtmarker_id": 1, "msg": text})
        end = lambda time: (time, "evtmarker_end", {"evtmarker_id": 1})
        self.assertEqual(
            of(self.tband(begin(10, "a"), begin(20, "b"), end(30), end(40), end(50))),
            [("evtmarker", "evtmarker 1", 20, 30, ""), ("evtmarker", "evtmarker 1", 10, 40, "")],
        )

    def test_mutex(self):
        kind = {
            "name": "queue_kind",
            "stream": {"core": 0},
            "fields": {"queue_id": 1, "kind": {"value": 3, "labels": ["FRQK_MUTEX"]}},
        }
        lines = [
            (10, "task_switched_in", {"task_id": 4}),
            (20, "queue_receive", {"queue_id": 1, "len_after": 0}),
            (30, "queue_send", {"queue_id": 1, "len_after": 1}),
            (40, "queue_reset", {"queue_id": 1}),
        ]
        line = interpret([*records(lines, {"core": 0}), kind])
        self.assertEqual(
            [one[:3] for one in self.states(line, "queue 1 state")],
            [("taken by task 4", 20, 30), ("available", 30, 40)],
        )
        self.assertEqual(line.counters["length", "queue 1"], [0, 1, 0])

    def test_loss_is_of_all_cores(self):
        line = self.tband(
            (10, "isr_enter", {"isr_id": 1}, {"core": 1}), (LOSS, 20, 30), (40, "isr_exit", {"isr_id": 1}, {"core": 1})
        )
        self.assertEqual(of(line), [("isr", "isr 1", 10, 40, "across_loss")])

    # CTF.

    def test_fallback(self):
        line = self.ctf(
            (10, "a:load_begin", {"file_id": 1, "n": 1}),
            (20, "a:load_begin", {"file_id": 2, "n": 2}),
            (30, "a:load_end", {"file_id": 1, "n": 9}),
            (40, "job_start", {}),
            (50, "job_done", {}),
            (60, "lone_start", {}),
            (70, "a:load_end", {"file_id": 2, "n": 9}),
        )
        self.assertEqual(
            of(line),
            [("pair", "a:load", 10, 30, ""), ("pair", "job", 40, 50, ""), ("pair", "a:load", 20, 70, "overlap_lane")],
        )
        self.assertEqual(line.instants, {("event", "lone_start"): 1})

    def test_pairs_that_end_elsewhere(self):
        """By the data streams of the events, which are threads here."""

        def pairs(*events):
            lines = [(time, name, fields, {"class": 0, "id": stream}) for time, stream, name, fields in events]
            line = interpret(records(lines, None))
            return [(one.begin, one.end, *sorted(one.flags - {"overlap_lane"})) for one in line.slices]

        self.assertEqual(pairs((1, 0, "a_begin", {"id": 1}), (4, 1, "a_end", {"id": 1})), [(1, 4)])
        both = [(1, 0, "a_begin", {"id": 1}), (2, 1, "a_begin", {"id": 1}), (4, 0, "a_end", {"id": 1}), (9, 1, "a_end", {"id": 1})]
        self.assertEqual(pairs(*both), [(1, 4), (2, 9)])
        self.assertEqual(pairs((0, 2, "a_begin", {"id": 5}), (0, 3, "a_end", {"id": 5}), *both)[1:], [(1, 4, "inferred_end"), (2, 9, "inferred_end")])
        self.assertEqual(pairs((1, 0, "a_begin", {}), (4, 1, "a_end", {}), (5, 0, "a_end", {})), [(1, 5, "inferred_end")])

    def test_kernel(self):
        switch = lambda time, before, state, after: (
            time, "sched_switch", {"prev_tid": before, "prev_state": state, "next_tid": after}
        )
        waking = lambda time, tid: (time, "sched_waking", {"tid": tid})
        line = self.kernel(
            switch(10, 0, 0, 5), waking(15, 6), switch(20, 5, 1, 6), waking(25, 5), waking(27, 5), switch(30, 6, 0, 5)
        )
        self.assertEqual([(one.begin, one.end) for one in line.pairs], [(15, 20), (25, 30)])
        self.assertEqual(
            [one[:3] for one in self.states(line, "thread 5")],
            [("running on cpu 0", 10, 20), ("sleeping", 20, 25), ("runnable", 25, 30), ("running on cpu 0", 30, 30)],
        )

    def test_calls_and_interrupts(self):
        line = self.kernel(
            (10, "sched_switch", {"prev_tid": 0, "next_tid": 5}),
            (20, "syscall_entry_read", {}),
            (22, "irq_handler_entry", {"irq": 3, "name": "eth0"}),
            (25, "irq_handler_exit", {"irq": 3, "ret": 1}),
            (30, "syscall_exit_read", {}),
        )
        self.assertEqual(of(line), [("irq", "irq eth0", 22, 25, ""), ("syscall", "read", 20, 30, "")])

    def test_functions(self):
        entry = lambda time, address: (time, "lttng_ust_cyg_profile:func_entry", {"addr": address, "call_site": 0})
        leave = lambda time, address: (time, "lttng_ust_cyg_profile:func_exit", {"addr": address, "call_site": 0})
        line = self.ctf(entry(10, 1), entry(20, 2), entry(30, 3), leave(40, 9), leave(50, 2), leave(60, 1))
        self.assertEqual(
            of(line),
            [
                ("function", "0x3", 30, 50, "inferred_end"),
                ("function", "0x2", 20, 50, ""),
                ("function", "0x1", 10, 60, ""),
            ],
        )
        self.assertEqual(line.unmatched, {("function", "0x9"): 1})

    def test_mutexes_of_threads(self):
        of_mutex = lambda time, what: (time, "lttng_ust_pthread:pthread_mutex_" + what, {"mutex": 16})
        line = self.ctf(of_mutex(10, "lock_req"), of_mutex(15, "lock_acq"), of_mutex(30, "unlock"))
        self.assertEqual(of(line), [("wait mutex", "mutex 0x10", 10, 15, ""), ("hold mutex", "mutex 0x10", 15, 30, "")])
        self.assertEqual([(one.rule, one.begin, one.end) for one in line.pairs], [("mutex wait", 10, 15)])

    def test_ros2(self):
        line = self.ctf(
            (5, "ros2:rcl_timer_init", {"timer_handle": 1, "period": 7}),
            (6, "ros2:rclcpp_timer_callback_added", {"timer_handle": 1, "callback": 2}),
            (8, "ros2:rmw_take", {"message": 1, "source_timestamp": 3, "taken": 1}),
            (10, "ros2:callback_start", {"callback": 2}),
            (20, "ros2:callback_end", {"callback": 2}),
        )
        self.assertEqual(of(line), [("callback", "timer 7ns", 10, 20, "")])
        self.assertEqual((line.flows, line.begin), ({"take -> callback": 1}, 5))

    def test_zephyr(self):
        line = self.ctf(
            (10, "thread_switched_in", {"thread_id": 1}),
            (20, "mutex_lock_enter", {"id": 9}),
            (22, "mutex_lock_blocking", {"id": 9}),
            (30, "mutex_lock_exit", {"id": 9, "ret": 0}),
            (40, "mutex_unlock_enter", {"id": 9}),
            (45, "mutex_unlock_exit", {"id": 9, "ret": 0}),
            (50, "thread_switched_out", {"thread_id": 1}),
            (50, "thread_switched_in", {"thread_id": 2}),
        )
        self.assertEqual(
            of(line, "blocking", "hold mutex"),
            [("blocking", "mutex_lock", 22, 30, ""), ("hold mutex", "mutex 0x9", 30, 40, "")],
        )
        self.assertEqual([one[:3] for one in self.states(line, "thread 1")], [("running", 10, 50), ("not running (reason not recorded)", 50, 50)])

    def test_zephyr_on_several_processors(self):
        """Threads go by themselves, and whose calls are which is not known."""
        line = self.ctf(
            (10, "thread_switched_in", {"thread_id": 1}),
            (12, "semaphore_take_enter", {"id": 9}),
            (20, "thread_switched_in", {"thread_id": 2}),
            (25, "semaphore_take_exit", {"id": 9}),
            (30, "thread_switched_out", {"thread_id": 1}),
            (50, "thread_switched_out", {"thread_id": 2}),
        )
        self.assertEqual(of(line, "call"), [("call", "semaphore_take", 12, 20, "inferred_end")])
        for thread, begin, end in ((1, 10, 30), (2, 20, 50)):
            self.assertEqual(self.states(line, f"thread {thread}")[0][:3], ("running", begin, end))

    # A user's table.

    TABLE = """
        table = "my-app"
        applies = { format = "ctf", class = "my_app:*" }
        [[track]]
        id = "request"
        name = "requests"
        key = ["common.vpid", "fields.req_id"]
        lanes = true
        [[slice]]
        begin = "my_app:req_start"
        end = "my_app:req_done"
        track = "request"
        match = ["req_id"]
        name = "{method} {path}"
        args = ["user", "bytes"]
        [[counter]]
        event = "my_app:queue"
        name = "queue {queue_id}"
        value = "depth"
        [[flow]]
        from = "my_app:enqueue"
        to = "my_app:req_start"
        match = ["a.item == b.req_id"]
        [[state]]
        event = "my_app:conn"
        track = "connection {id}"
        value = "state"
        """

    def test_user_table(self):
        lines = [
            (5, "my_app:enqueue", {"item": 7}),
            (10, "my_app:req_start", {"req_id": 7, "method": "GET", "path": "/"}),
            (12, "my_app:req_start", {"req_id": 8, "method": "PUT"}),
            (15, "my_app:queue", {"queue_id": 1, "depth": 3}),
            (20, "my_app:req_done", {"req_id": 7, "bytes": 99}),
            (25, "my_app:conn", {"id": 1, "state": {"value": 2, "labels": ["OPEN"]}}),
            (30, "my_app:req_done", {"req_id": 9}),
        ]
        context = {"common": {"vpid": 1, "vtid": 2}}
        line = interpret(records(lines, {"class": 0, "id": 0}, context), [tomllib.loads(self.TABLE)])
        expected = [("slice", "GET /", 10, 20, ""), ("slice", "? ?", 5, 30, "began_before")]
        self.assertEqual(of(line), [*expected, ("slice", "PUT ?", 12, 30, "open_at_end")])
        self.assertEqual((line.slices[0].track, line.slices[0].args), ("requests 1 7", {"bytes": 99}))
        self.assertEqual(line.flows, {"my_app:enqueue -> my_app:req_start": 1})
        self.assertEqual([(one.begin, one.end) for one in line.pairs], [(5, 10)])
        self.assertEqual(line.counters["queue 1", "queue 1"], [3])
        self.assertEqual(self.states(line, "connection 1"), [("OPEN", 25, 30, "open_at_end")])

    def test_quantiles(self):
        self.assertEqual([quantile([1, 2, 3, 4], *q) for q in ((1, 2), (9, 10), (999, 1000))], [2, 4, 4])
        self.assertEqual(quantile(list(range(1, 1001)), 999, 1000), 999)


if __name__ == "__main__":
    unittest.main()

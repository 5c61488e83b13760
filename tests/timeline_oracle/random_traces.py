"""Traces in which something goes on and something is wrong: ends and begins are missing, clocks go back, packets are lost.

    path = write("dial9", seed, folder)      # kinds: KINDS
"""

import random

import dial9_writer as d
import heph_writer as h

from .ctf_trace import Ctf

GOING = 0.93  # how much of what happens is recorded


def write(kind, seed, folder):
    return KINDS[kind](random.Random(f"{kind} {seed}"), folder / f"{kind}-{seed}")


def write_steps(seed, folder):
    """A trace whose clock steps back, near and far, and in which nothing else is missing."""
    return tband(random.Random(f"steps {seed}"), folder / f"steps-{seed}", is_whole=True)


# dial9: a Tokio runtime of two workers, in several segments.

LOCATIONS = (
    "src/main.rs:10:5",
    "/home/a/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hyper-util-0.1.20/src/rt/tokio.rs:115:9",
    "/home/a/.cargo/git/checkouts/thing-0a1b2c/77aa/crates/core/src/pool/run.rs:7:1",
    "/rustc/5c8bff74bc1c52bef0c79f3689bb227f51f3e82d/library/std/src/thread/mod.rs:1:2",
    "C:\\code\\app\\src\\bin\\server.rs:3:4",
    "build.rs:9:9",
    "",
)
DIAL9 = (
    ("PollStartEvent", (("worker_id", d.U8), ("local_queue", d.U8), ("task_id", d.VARINT), ("spawn_loc", d.STRING))),
    ("PollEndEvent", (("worker_id", d.U8),)),
    ("WorkerParkEvent", (("worker_id", d.U8), ("local_queue", d.U8), ("cpu_time_ns", d.VARINT), ("tid", d.U32))),
    (
        "WorkerUnparkEvent",
        (
            ("worker_id", d.U8),
            ("local_queue", d.U8),
            ("cpu_time_ns", d.VARINT),
            ("sched_wait_ns", d.VARINT),
            ("tid", d.U32),
        ),
    ),
    ("WakeEventEvent", (("waker_task_id", d.VARINT), ("woken_task_id", d.VARINT), ("target_worker", d.U8))),
    ("TaskSpawnEvent", (("task_id", d.VARINT), ("spawn_loc", d.STRING))),
    ("TaskTerminateEvent", (("task_id", d.VARINT),)),
    (
        "SpanEnter:app::web::handle:src/web.rs:5",
        (("worker_id", d.U8), ("span_id", d.VARINT), ("parent_span_id", d.OPTIONAL | d.VARINT), ("span_name", d.STRING)),
    ),
    ("SpanExit:app::web::handle:src/web.rs:5", (("worker_id", d.U8), ("span_id", d.VARINT), ("span_name", d.STRING))),
    (
        "SpanEnter:app::db::query:src/db.rs:5",
        (("worker_id", d.U8), ("span_id", d.VARINT), ("parent_span_id", d.OPTIONAL | d.VARINT)),
    ),
    ("SpanExit:app::db::query:src/db.rs:5", (("worker_id", d.U8), ("span_id", d.VARINT))),
    ("SpanCloseEvent", (("span_id", d.VARINT),)),
    ("QueueSampleEvent", (("global_queue", d.U8),)),
    ("CpuSampleEvent", (("worker_id", d.U8), ("source", d.U8))),
    ("ClockSyncEvent", (("realtime_ns", d.VARINT),)),
    ("SymbolTableEntry", (("addr", d.VARINT),)),
    ("Unknown", (("x", d.VARINT),)),
)
NUMBER = {name: number for number, (name, fields) in enumerate(DIAL9)}
ENCODE = {
    d.U8: d.u8,
    d.U32: d.u32,
    d.VARINT: d.varint,
    d.STRING: d.string,
    d.OPTIONAL | d.VARINT: lambda one: d.ABSENT if one is None else d.present(d.varint(one)),
}


def dial9_event(time, name, *values):
    fields = DIAL9[NUMBER[name]][1]
    encoded = b"".join(ENCODE[tag](value) for (field, tag), value in zip(fields, values, strict=True))
    return d.reset(time) + d.event(NUMBER[name], encoded)


def dial9_segment(events):
    """`events`: (time, name, *values)."""
    schemas = (d.schema(number, name, fields) for number, (name, fields) in enumerate(DIAL9))
    return b"".join([d.header(), *schemas, *(dial9_event(*one) for one in events)])


def dial9(rng, path):
    events = [[], [], []]  # of each segment

    def say(time, name, *values):
        if rng.random() < GOING:
            made = dial9_event(time, name, *values)
            rng.choice(events).append((time, made))

    times, cpu, polled = [1000, 1000, 1000], [0, 0, 0], {}
    workers = (0, 1, rng.choice((2, 254, 255)))
    for _ in range(rng.randint(5, 300)):
        index = rng.randrange(3)
        worker, time = workers[index], times[index]
        task, location = rng.randint(1, 9), rng.choice(LOCATIONS)
        step = lambda: rng.choice((0, 1, 10, 500, 20_000, 2_000_000))
        kind = rng.random()
        if kind < 0.5:
            say(time, "PollStartEvent", worker, rng.randint(0, 255), task, location)
            spans = [
                (rng.choice(("app::web::handle:src/web.rs:5", "app::db::query:src/db.rs:5")), rng.randint(1, 12))
                for _ in range(rng.choice((0, 0, 1, 2)))
            ]
            for name, span in spans:
                time += step()
                more = ("handle",) if "web" in name else ()
                say(time, "SpanEnter:" + name, worker, span, rng.choice((None, 1, 2)), *more)
            if rng.random() < 0.3:
                time += step()
                say(time, "WakeEventEvent", task, rng.choice((task, rng.randint(1, 9))), worker)
            for name, span in reversed(spans):
                time += step()
                more = ("handle",) if "web" in name else ()
                say(time, "SpanExit:" + name, worker, span, *more)
                if rng.random() < 0.5:
                    say(time, "SpanCloseEvent", span)
            time += step()
            say(time, "PollEndEvent", worker)
        elif kind < 0.65:
            say(time, "WakeEventEvent", rng.randint(1, 9), task, worker)
        elif kind < 0.8:
            cpu[index] += rng.randint(0, 1000)
            say(time, "WorkerParkEvent", worker, 0, cpu[index], 77)
            time += step()
            say(time, "WorkerUnparkEvent", worker, 0, cpu[index], rng.randint(0, 99), 77)
        elif kind < 0.85:
            say(time, "TaskSpawnEvent", task, location)
        elif kind < 0.9:
            say(time, "TaskTerminateEvent", task)
        elif kind < 0.92:
            say(time, "ClockSyncEvent", 10**18)
        elif kind < 0.94:
            say(0, "SymbolTableEntry", 7)
        elif kind < 0.97:
            say(time, "CpuSampleEvent", worker, rng.randint(0, 2))
        else:
            say(time, rng.choice(("QueueSampleEvent", "Unknown")), rng.randint(0, 200))
        times[index] = time + step()
    made = []
    for segment in events:
        if rng.random() < 0.7:
            segment.sort(key=lambda one: one[0])
        made += [
            d.header(),
            *(d.schema(number, name, fields) for number, (name, fields) in enumerate(DIAL9)),
            *(one for time, one in segment),
        ]
    if rng.random() < 0.2:
        made.insert(rng.randint(len(made) // 2, len(made)), b"\x77\x00\x01")
    path.write_bytes(b"".join(made))
    return path


# Heph: spans that contain each other, or nearly.


def heph(rng, path):
    made, counters, time = [h.epoch(1_700_000_000 * 10**9)], [0] * 4, 1000
    for _ in range(rng.randint(1, 200)):
        stream = rng.randint(1, 3)
        counters[stream] += rng.choice((1,) * 30 + (2, 9))
        time = max(0, time + rng.choice((0, 1, 10, 500, -300, 10_000)))
        end = max(0, time + rng.choice((0, 0, 3, 500, 500, 20_000, 10**6, -1)))
        name = rng.choice((b"poll", b"request", "é".encode(), b""))
        made.append(
            h.event(
                name, h.number(b"id", rng.randint(0, 6)), stream=stream, counter=counters[stream],
                substream=rng.randint(0, 1), start=time, end=end,
            )
        )
        if rng.random() < 0.01:
            made.append(b"damage")
    path.write_bytes(b"".join(made))
    return path


# Tonbandgeraet: tasks, interrupts, queues and markers of one stream of two cores.


def cobs(payload):
    done, block = b"", b""
    for byte in payload:
        if byte:
            block += bytes([byte])
            if len(block) == 254:
                done, block = done + b"\xff" + block, b""
        else:
            done, block = done + bytes([len(block) + 1]) + block, b""
    return done + bytes([len(block) + 1]) + block + b"\0"


def frame(number, *fields):
    return cobs(bytes([number]) + b"".join(one if isinstance(one, bytes) else d.varint(one) for one in fields))


def tband(rng, path, is_whole=False):
    made = [frame(2, rng.choice((1, 25, 1000)))]
    names = [
        frame(3, 7, b"UART"), frame(6, 1, b"app"), frame(0x0A, 2, b"speed"), frame(0x5F, 1, b"idle"),
        frame(0x5F, 2, b"sensor"), frame(0x64, 1, b"mail"), frame(0x65, 1, b"\0"),
    ]
    names += [
        frame(0x64, 2, b"lock"),
        frame(0x65, 2, b"\3"),
        frame(0x65, 3, b"\4"),
        frame(0x7A, 1, 2, b"work"),
        frame(0x7A, 2, 0, b"any"),
        frame(0x7E, 1, 2, b"load"),
    ]
    made += rng.sample(names, rng.randint(0, len(names)))
    time, dropped, cores = 100, 0, rng.choice((1, 2))
    for _ in range(rng.randint(5, 400)):
        time = max(0, time + rng.choice((0, 1, 5, 100, 3000) * 40 + (-50, 2_000_000_000, -2_000_000_000)))
        task, queue, marker = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 2)
        if cores == 2 and rng.random() < 0.2:
            made.append(frame(0, time, rng.randint(0, 1)))
        number = rng.choice(
            (
                4, 5, 4, 5, 7, 8, 8, 9, 9, 0x0B, 0x54, 0x54, 0x54, *range(0x54, 0x60), 0x62, 0x63, *range(0x66, 0x71),
                0x7B, 0x7C, 0x7D, 0x7F,
            )
        )
        if number == 0x5F:
            continue
        values = {
            4: (rng.choice((7, 8)),), 5: (rng.choice((7, 8)),), 7: (marker, b"m"), 8: (
                marker, rng.choice((b"a", b"b"))
            ), 9: (marker,), 0x0B: (2, rng.randint(0, 500)),
            0x59: (3,), 0x5A: (3,), 0x5B: (task, 5), 0x5C: (task, 6), 0x5D: (task, 4), 0x63: (queue,), 0x6C: (queue,), 0x6D: (queue, 9), 0x6E: (queue, 9), 0x6F: (queue, 9),
            0x7B: (marker, b"m"), 0x7C: (marker, b"c"), 0x7D: (marker,), 0x7F: (1, rng.randint(0, 500)),
        }.get(number, (queue, rng.randint(0, 2)) if 0x66 <= number <= 0x70 else (task,))
        if rng.random() < GOING:
            made.append(frame(number, time, *values))
        if is_whole:
            continue
        if rng.random() < 0.02:
            dropped += rng.randint(0, 5)
            made.append(frame(1, time, dropped))
        if rng.random() < 0.003:
            made.append(b"\x05\x01\x00")
    path.write_bytes(b"".join(made))
    return path


# CTF: two CPUs, one file each.

KERNEL = {
    "sched_switch": ("prev_comm:s", "prev_tid", "prev_prio", "prev_state", "next_comm:s", "next_tid", "next_prio"),
    "sched_waking": ("comm:s", "tid", "prio", "target_cpu"),
    "sched_wakeup": ("comm:s", "tid", "prio", "target_cpu"),
    "irq_handler_entry": ("irq", "name:s"), "irq_handler_exit": ("irq", "ret"),
    "irq_softirq_entry": ("vec",), "irq_softirq_exit": ("vec",), "irq_softirq_raise": ("vec",),
    "timer_hrtimer_expire_entry": ("hrtimer",), "timer_hrtimer_expire_exit": ("hrtimer",),
    "syscall_entry_read": ("fd",), "syscall_exit_read": ("ret",), "syscall_entry_futex": ("uaddr",), "syscall_exit_futex": ("ret",),
    "block_rq_issue": ("dev", "sector"), "block_rq_complete": ("dev", "sector"),
    "power_cpu_frequency": ("cpu_id", "state"), "timer_start": ("timer",),
}  # fmt: skip
UST = {
    "lttng_ust_cyg_profile:func_entry": ("addr", "call_site"), "lttng_ust_cyg_profile:func_exit": ("addr", "call_site"),
    "lttng_ust_pthread:pthread_mutex_trylock": ("mutex", "status"), "lttng_ust_pthread:pthread_mutex_lock_req": ("mutex",), "lttng_ust_pthread:pthread_mutex_lock_acq": ("mutex", "status"), "lttng_ust_pthread:pthread_mutex_unlock": ("mutex", "status"),
    "lttng_ust_tracef:event": ("msg:s",), "lttng_ust_statedump:bin_info": ("baddr", "memsz", "path:s"),
}  # fmt: skip
ROS2 = {
    "ros2:callback_start": (
        "callback", "is_intra_process"
    ), "ros2:callback_end": ("callback",), "ros2:rclcpp_callback_register": ("callback", "symbol:s"),
    "ros2:rclcpp_executor_wait_for_work": ("timeout",), "ros2:rclcpp_executor_get_next_ready": (), "ros2:rclcpp_executor_execute": ("handle",),
    "ros2:rmw_publish": ("message", "timestamp"), "ros2:rmw_take": ("message", "source_timestamp", "taken"),
    "dds:write": ("writer", "data", "timestamp"),
    "ros2:rcl_timer_init": ("timer_handle", "period"), "ros2:rclcpp_timer_callback_added": ("timer_handle", "callback"),
    "ros2:rclcpp_ring_buffer_enqueue": (
        "buffer", "index", "size", "overwritten"
    ), "ros2:rclcpp_ring_buffer_dequeue": ("buffer", "index", "size"),
}  # fmt: skip
ZEPHYR = {
    "thread_switched_in": ("thread_id", "name:s"), "thread_switched_out": ("thread_id", "name:s"),
    "thread_pending": ("thread_id", "name:s"), "thread_ready": ("thread_id", "name:s"), "thread_resume": ("thread_id",), "thread_create": ("thread_id",),
    "isr_enter": (), "isr_exit": (), "isr_exit_to_scheduler": (), "idle": (), "mutex_lock_enter": ("id",),
    "mutex_lock_blocking": ("id",), "mutex_lock_exit": ("id", "ret"), "mutex_unlock_enter": ("id",),
    "mutex_unlock_exit": ("id", "ret"), "semaphore_take_enter": ("id",), "semaphore_take_exit": ("id", "ret"),
}  # fmt: skip
FALLBACK = {
    "app:load_begin": ("file_id", "bytes"), "app:load_end": ("file_id", "status"), "job_start": ("handle", "n"), "job_done": ("handle",), "job_stop": ("handle",),
    "call_entry": ("x",), "call_exit": ("x",), "app:begin": ("id",), "app:end": ("id",), "lone_start": ("id",), "lone_exit": ("id",), "note": ("x",), "_end": ("x",),
}  # fmt: skip


def ctf(classes, has_thread):
    def made(rng, path):
        trace = Ctf(classes, has_thread)
        small = {
            "prev_state": (0, 0, 1, 2, 256, 1026),
            "memsz": (64,),
            "baddr": (0, 100),
            "taken": (0, 1, 1),
            "overwritten": (0, 0, 1),
            "ret": (0, 0, 5),
            "status": (0, 0, 1, 2, 3),
        }
        started = []
        time = 1_000_000
        running = {0: 0, 1: 0}
        for _ in range(rng.randint(5, 500)):
            time = max(0, time + rng.choice((0, 1, 5, 100, 3000, 70_000)))
            cpu, name = rng.randint(0, 1), rng.choice(list(classes))
            values = {}
            for field in classes[name]:
                key, _, is_text = field.partition(":")
                values[key] = rng.choice(("a", "b b", "é")) if is_text else rng.choice(small.get(key, range(1, 4)))
            thread = rng.randint(1, 3)
            # What began mostly ends, with the same values.
            end = next(
                (
                    one
                    for one in classes if name != one and one == name.replace("entry", "exit").replace("begin", "end").replace("_req", "_acq").replace("_start", "_end")
                ),
                None,
            )
            if started and rng.random() < 0.5:
                cpu, name, values, thread = started.pop(rng.choice((-1, -1, -1, 0)))
                values = {
                    key.partition(":")[0]: values.get(key.partition(":")[0], "" if ":" in key else 0)
                    for key in classes[name]
                }
            elif end is not None:
                started.append((cpu, end, values, thread))
            if name == "sched_switch":
                values["prev_tid"] = running[cpu]
                running[cpu] = values["next_tid"] = rng.choice(
                    [tid for tid in (0, 0, 1, 2, 3, 4) if tid == 0 or tid not in running.values()]
                )
            # A thread leaves the processor that it is on.
            if name == "thread_switched_out":
                if running[cpu] == 0:
                    continue
                values["thread_id"] = running[cpu]
                running[cpu] = 0
            elif name == "thread_switched_in":
                running[cpu] = values["thread_id"]
            if rng.random() < GOING or "switch" in name:
                trace.event(cpu, time, name, values, thread)
            if rng.random() < 0.03:
                trace.packet(cpu, rng.choice((0, 0, 3)))
        trace.write(path)
        return path

    return made


# Kind → the classes that the metadata of its traces names.
CLASSES = {
    "lttng_kernel": KERNEL, "lttng_ust": UST, "ros2": ROS2, "zephyr": ZEPHYR, "fallback": FALLBACK, "fallback_threads": FALLBACK,
}  # fmt: skip
HAVE_THREADS = ("lttng_ust", "ros2", "fallback_threads")
KINDS = {
    "dial9": dial9,
    "heph": heph,
    "tband": tband,
    **{kind: ctf(classes, kind in HAVE_THREADS) for kind, classes in CLASSES.items()},
}

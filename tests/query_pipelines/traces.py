"""Traces that have something to pair, to count and to lose."""

import random
import struct

import dial9_writer as w
import heph_writer as h
from tband_test import event as tband_event

# A packet context as that of LTTng, and an event header with a time.
CTF_METADATA = """/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { integer { size = 32; align = 8; } magic; integer { size = 32; align = 8; } stream_id;
                            integer { size = 32; align = 8; } stream_instance_id; }; };
clock { name = monotonic; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := time_t;
typealias integer { size = 64; align = 8; } := count_t;
typealias integer { size = 32; align = 8; } := number_t;
stream { id = 0;
  packet.context := struct { time_t timestamp_begin; time_t timestamp_end; count_t content_size; count_t packet_size;
                             count_t events_discarded; number_t cpu_id; };
  event.header := struct { number_t id; time_t timestamp; }; };
event { name = "sched_waking"; id = 0; stream_id = 0;
  fields := struct { number_t tid; enum : number_t { LOW = 0, HIGH = 1 ... 5, TOP = 5 } prio; }; };
event { name = "sched_switch"; id = 1; stream_id = 0; fields := struct { number_t prev_tid; number_t next_tid; }; };
"""


class Dial9:
    """Polls of workers, nested or not, in two orders of time."""

    names = ("PollStart", "PollEnd", "Tick")
    integers = ("worker", "task", "depth", "n")
    numbers = (*integers, "ratio", "duration", "maybe")
    texts = ("spawn",)
    booleans = ("ok",)
    stream = ()
    pairs = (("worker", "worker"), ("task", "task"), ("depth", "n"))
    format = "dial9"

    def __init__(self, seed, count=600):
        rng = random.Random(f"dial9 {seed}")
        fields = [("worker", w.U8), ("task", w.VARINT), ("depth", w.I64), ("ratio", w.F64), ("ok", w.BOOL), ("spawn", w.STRING)]
        fields += [("maybe", w.OPTIONAL | w.I64)]
        made = [w.header(), w.schema(0, "PollStart", fields), w.schema(1, "PollEnd", [("worker", w.U8), ("task", w.VARINT), ("n", w.VARINT)])]
        made += [w.schema(2, "Tick", [("n", w.VARINT)]), w.schema(3, "Note", [("spawn", w.STRING)], has_timestamp=0)]
        reals = (0.0, -0.0, 0.5, 1.25, -3.5, 1e9, 1e-9, float("inf"), float("-inf"), float("nan"))
        for i in range(count):
            if rng.random() < 0.02:
                made.append(w.reset(rng.randint(10_000, 400_000)))
            delta = rng.choice((0, 1, 7, 300, 1000, 5000))
            kind = rng.choice((0, 0, 1, 1, 1, 2, 3) if i % 50 else (3,))
            worker, task = w.u8(rng.randint(0, 4)), w.varint(rng.choice((1, 2, 3, 4, 2**64 - 1)))
            if kind == 0:
                values = worker + task + w.i64(rng.choice((-5, 0, 1, 2, 3, -(2**63), 2**63 - 1)))
                values += w.f64(rng.choice(reals) if rng.random() < 0.2 else rng.uniform(-100, 1e6)) + w.u8(rng.random() < 0.5)
                values += w.string(rng.choice(("", "main.rs:1", "lib.rs:20", "é", 'x"y,z')))
                values += w.present(w.i64(rng.randint(-300, 300))) if rng.random() < 0.5 else w.ABSENT
            elif kind == 1:
                values = worker + task + w.varint(rng.randint(0, 3))
            else:
                values = w.varint(rng.randint(0, 10**6)) if kind == 2 else w.string(rng.choice(("note", "main.rs:1")))
            made.append(w.event(kind, values, delta=None if kind == 3 else delta))
        self.content = b"".join(made)

    def write(self, folder, name):
        path = folder / name
        path.write_bytes(self.content)
        return path


class Heph(Dial9):
    """Events with durations and attributes of several types, of streams that lose some."""

    names = ("poll", "request")
    integers = ("id",)
    numbers = ("id", "amount", "duration")
    texts = ("path",)
    booleans = ()
    stream = ("id", "substream")
    pairs = (("id", "id"), ("path", "path"), ("amount", "amount"), ("stream.id", "stream.id"))
    format = "heph"

    def __init__(self, seed, count=400):
        rng = random.Random(f"heph {seed}")
        made, counters, time = [h.epoch(1_700_000_000 * 10**9)], [0] * 4, 0
        for _ in range(count):
            stream = rng.randint(1, 3)
            counters[stream] += 1 if rng.random() < 0.97 else rng.randint(2, 9)
            time = max(0, time + rng.choice((0, 1, 10, 500, -300, 10_000)))
            attributes = b""
            if rng.random() < 0.8:
                attributes += h.number(b"id", rng.randint(0, 6))
            if rng.random() < 0.7:
                kind = rng.random()
                value = b"\x01" + struct.pack(">Q", rng.choice((0, 3, 2**64 - 1, 2**63)))
                if kind < 0.3:
                    value = b"\x02" + struct.pack(">q", rng.choice((-1, 0, 3, -(2**63))))
                elif kind < 0.5:
                    value = b"\x03" + struct.pack(">d", rng.choice((3.0, 0.5, float("nan"), -2.0)))
                elif kind < 0.6:
                    value = b"\x04" + h.text(rng.choice((b"3", b"big")))
                attributes += h.text(b"amount") + value
            if rng.random() < 0.5:
                attributes += h.string(b"path", rng.choice((b"/", b"/index.html", b"")))
            end = time + rng.choice((0, 3, 500, 20_000))
            made.append(
                h.event(rng.choice((b"poll", b"request")), attributes, stream=stream, counter=counters[stream], substream=rng.randint(0, 1), start=time, end=end)
            )
        self.content = b"".join(made)


class Tband(Dial9):
    """Tasks of one core, whose events were dropped now and then."""

    names = ("task_switched_in", "isr_enter", "isr_exit", "task_to_rdy_state")
    integers = ("task_id", "isr_id", "cnt")
    numbers = integers
    texts = ("name",)
    booleans = ()
    stream = ("core",)
    pairs = (("task_id", "task_id"), ("isr_id", "isr_id"), ("stream.core", "stream.core"))
    format = "tband"

    def __init__(self, seed, count=300):
        rng = random.Random(f"tband {seed}")
        frames, dropped, time = [tband_event(2, 1000), tband_event(3, 7, b"UART")], 0, 100
        for i in range(count):
            time += rng.randint(0, 20)
            kind = rng.choice((4, 5, 0x54, 0x55, 0x56, 4, 5, 0x54))
            frames.append(tband_event(kind, time, rng.choice((7, 8)) if kind < 6 else rng.randint(1, 4)))
            if rng.random() < 0.02:
                dropped += rng.randint(1, 5)
                frames.append(tband_event(1, time, dropped))
            if i == 100:
                frames += [tband_event(0x5F, number, name) for number, name in ((1, b"idle"), (2, b"sensor"))]
        self.content = b"".join(frames)


class Ctf(Dial9):
    """Wake-ups and switches on two processors, each with a data stream that discards events."""

    names = ("sched_waking", "sched_switch")
    integers = ("tid", "prev_tid", "next_tid", "cpu_id")
    numbers = (*integers, "prio")
    texts = ()
    booleans = ()
    stream = ("id",)
    pairs = (("tid", "next_tid"), ("next_tid", "prev_tid"), ("stream.id", "stream.id"), ("cpu_id", "cpu_id"))
    format = "ctf"

    def __init__(self, seed, count=40):
        rng = random.Random(f"ctf {seed}")
        self.files = {"metadata": CTF_METADATA.encode()}
        for cpu in range(2):
            content, time, discarded = b"", 1000 + cpu, 0
            for _ in range(count // 4):
                begin, records = time, b""
                for _ in range(rng.randint(1, 10)):
                    time += rng.randint(0, 400)
                    kind, values = rng.choice(((0, (rng.randint(1, 6), rng.choice((0, 1, 5, 9)))), (1, (rng.randint(1, 6), rng.randint(1, 6)))))
                    records += struct.pack("<IQII", kind, time, *values)
                time += rng.randint(0, 50)
                discarded += rng.choice((0, 0, 0, 0, 3))
                size = 8 * (12 + 44 + len(records))
                content += struct.pack("<IIIQQQQQI", 0xC1FC1FC1, 0, cpu, begin, time, size, size, discarded, cpu) + records
                time += rng.randint(0, 300)
            self.files[f"channel_{cpu}"] = content

    def write(self, folder, name):
        folder = folder / name
        folder.mkdir()
        for file, content in self.files.items():
            (folder / file).write_bytes(content)
        return folder


ALL = (Dial9, Heph, Tband, Ctf)

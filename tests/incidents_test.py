"""What `latency` and `why` answer to what a user would ask about programs with something wrong in them.

The traces are made by `incidents` (tests/incidents): a simulated machine, recorded as dial9, Tonbandgeraet, LTTng and Heph
do, the same each time. Of each the cause's evidence is among the first five lines of the answer, and what is concluded is
right, or nothing is.
"""

import json
import os
import re
import subprocess
import unittest
from dataclasses import dataclass, field

import jsonschema
from command import ROOT, CommandTest, run

INCIDENTS = os.environ.get("INCIDENTS", str(ROOT / "build/release/bin/incidents"))
FIRST_LINES = 5


@dataclass
class Question:
    asked: list  # of `why`
    shows: list  # patterns, in the first lines
    so: str = ""  # the whole sentence, a pattern; empty: none


@dataclass
class Incident:
    name: str
    latency: list  # patterns of lines of `latency`: where the user sees that something is wrong
    questions: list = field(default_factory=list)


LIST = [
    # dial9
    Incident(
        "blocking-poll",
        [r"^poll refresh\.rs:12 .* 40\.0ms "],
        [
            Question(
                ["--longest", "poll"],
                [r"refresh\.rs:12 \(task_id=9\) lasted 40\.0ms on worker 0", r"descheduled: do_nanosleep < .*thread::sleep < shop::refresh::retry"],
                "the thread was switched out in nanosleep: a sleep in a poll keeps its worker from everything else",
            ),
            # Who suffers sees whose poll it was.
            Question(["--longest", "wake -> poll"], [r"worker 0: poll refresh\.rs:12, 40\.0ms", r"descheduled: do_nanosleep"]),
        ],
    ),
    Incident(
        "lock-in-poll",
        [r"^poll report\.rs:77 .* 30\.0ms ", r"^poll refresh\.rs:12 .* 30\.1ms "],
        [
            Question(
                ["--longest", "poll report*"],
                [r"descheduled: futex_wait_queue < .*", r"worker 0: poll refresh\.rs:12, 30\.1ms", r"on cpu: shop::cache::rehash"],
                "the thread was switched out in futex_wait, for a lock or a condition variable: that keeps its worker from everything else",
            ),
            # Who held the lock ran, and nothing is to be said about that.
            Question(["--longest", "poll refresh*"], [r"on cpu: shop::cache::rehash < .*\(5 samples\)", r"worker 1: poll report\.rs:77, 30\.0ms"]),
        ],
    ),
    Incident(
        "preempted-poll",
        [r"^poll report\.rs:77 .* 24\.1ms "],
        [
            Question(
                ["--longest", "poll"],
                [r"descheduled: exit_to_user_mode_prepare < irqentry_exit_to_user_mode"],
                "the kernel took the processor from the thread, which wanted to go on",
            )
        ],
    ),
    Incident(
        "behind-poll",
        [r"^wake -> poll .* 39\.1ms "],
        [
            Question(
                ["--longest", "wake -> poll"],
                [r"worker 0: poll report\.rs:77, 40\.0ms", r"shop::report::escape < .*\(8 samples\)", r"worker 1: parked"],
            )
        ],
    ),
    Incident(
        "burst",
        [r"^wake -> poll .* 49\.7ms "],
        [
            Question(
                ["--longest", "wake -> poll"],
                [r"global queue: 0 to 164, its most", r"worker 1: 99 in 49\.7ms", r"worker 0: 101 in 49\.7ms"],
            )
        ],
    ),
    # Tonbandgeraet
    Incident(
        "lock-held",
        [r"^task marker cycle .* 35\.7ms ", r"^control 2: .*blocked: take bus [\d.]+% 35\.\dms"],
        [
            Question(
                ["--longest", "task marker cycle"],
                [r"state +blocked: take bus 35\.6ms", r"held +bus: taken by logger, 35\.6ms", r"logger: running 35\.6ms"],
                r"logger held bus for 35\.6ms of it",
            ),
            Question(["--longest", "blocked: take bus"], [r"lasted 35\.6ms on control", r"bus: taken by logger"], r"logger held bus for 35\.6ms of it"),
        ],
    ),
    Incident(
        "full-queue",
        [r"^task marker measure .* 41\.9ms ", r"^sensor 2: .*blocked: send samples"],
        [
            Question(
                ["--longest", "task marker measure"],
                [r"state +blocked: send samples 41\.8ms", r"counted +samples: length: 7 to 8, its most"],
                r"samples was full, with 8 in it, for 41\.\dms of it",
            )
        ],
    ),
    Incident(
        "missed-yield",
        [r"^ready -> run .* 961us "],
        [
            Question(
                ["--longest", "ready -> run"],
                [r"took 961us on radio", r"core 0: idle for nine tenths of it or more"],
            )
        ],
    ),
    Incident(
        "hogged-core",
        [r"^ready -> run .* 83\.5ms "],
        [
            Question(
                ["--longest", "ready -> run"],
                [r"took 83\.5ms on display", r"core 0: codec 3 for 83\.5ms"],
                r"codec ran on the same processor for 83\.5ms of it",
            )
        ],
    ),
    # CTF: LTTng
    Incident(
        "preempted-thread",
        [r"^wake -> run .* 33\.7ms "],
        [
            Question(
                ["--longest", "wake -> run"],
                [r"next_comm=player .* took 33\.7ms on cpu 1", r"cpu 1: rt-hog 4002 for 33\.7ms"],
                r"rt-hog ran on the same processor for 33\.7ms of it",
            )
        ],
    ),
    Incident(
        "starved-core",
        [r"^wake -> run .* 19\.8ms "],
        [
            Question(
                ["--longest", "wake -> run"],
                [r"cpu 0: pinned-2 4004 for 19\.8ms", r"cpu 1: idle for nine tenths of it or more"],
                r"pinned-2 ran on the same processor for 19\.8ms of it",
            )
        ],
    ),
    Incident(
        "lost-wakeup",
        [r"^syscall futex .* 500ms "],
        [
            Question(
                ["--longest", "syscall futex"],
                [r"ret=-110\) lasted 500ms on consumer", r"sleeping 500ms"],
                r"it ended by its timeout \(ret=-110\): nobody woke the thread",
            )
        ],
    ),
    Incident(
        "slow-disk",
        [r"^syscall fsync .* 162ms ", r"^block request .* 162ms "],
        [Question(["--longest", "syscall fsync"], [r"uninterruptible 162ms", r"disk 0x800001: block request, 162ms"])],
    ),
    Incident(
        "priority-inversion",
        [r"^wait mutex 0x\w+ .* 40\.4ms "],
        [
            Question(
                ["--longest", "wait mutex*"],
                [r"held .*hold mutex 0x\w+, 44\.0ms .*procname=logger vtid=4002", r"logger: runnable 36\.4ms", r"cpu 0: network 4003 for 36\.4ms"],
                r"logger 4002 held mutex 0x55e000004040, and could not run for 36\.4ms of it because network did: "
                "a priority inversion",
            )
        ],
    ),
    Incident(
        "mutex-held",
        [r"^wait mutex 0x\w+ .* 42\.4ms ", r"^hold mutex 0x\w+ .* 45\.0ms "],
        [
            Question(
                ["--longest", "wait mutex*"],
                [r"hold mutex 0x\w+, 45\.0ms .*procname=reloader vtid=4004", r"reloader: running 42\.4ms"],
                r"reloader 4004 held mutex 0x55e000004040 for 42\.4ms of it",
            )
        ],
    ),
    # Heph
    Incident(
        "slow-first-call",
        [r"^span query .* 70\.1ms "],
        [
            Question(
                ["--longest", "span query"],
                [r"first +of its name; the longest of all later ones took 180us", r"inside +span connect, 70\.0ms"],
            )
        ],
    ),
    Incident(
        "blocking-actor",
        [r"^span run actor .* 50\.0ms "],
        [Question(["--longest", "span run actor"], [r"\(actor=audit\) lasted 50\.0ms", r"inside +span write file, 50\.0ms"])],
    ),
]
HEALTHY = ["healthy-dial9", "healthy-tband", "healthy-ctf", "healthy-heph"]


@unittest.skipUnless(os.path.exists(INCIDENTS), "incidents is not built")
class Incidents(CommandTest):
    def made(self, name):
        trace = self.folder / name
        subprocess.run([INCIDENTS, name, trace], check=True)
        return trace

    def why(self, *args):
        return self.check(run("why", *args), 0).stdout.decode()

    def conclusion(self, text):
        """What is behind "so", or ""."""
        found = re.findall(r"^  so +(.*)$", text, re.MULTILINE)
        self.assertLessEqual(len(found), 1, text)
        return found[0] if found else ""

    def schema(self):
        return jsonschema.Draft202012Validator(json.loads((ROOT / "docs/json/why.schema.json").read_text()))

    def test_the_cause_is_in_sight(self):
        for incident in LIST:
            trace = self.made(incident.name)
            rows = self.check(run("latency", trace), 0).stdout.decode()
            for pattern in incident.latency:
                self.assertRegex(rows, re.compile(pattern, re.MULTILINE), incident.name)
            for question in incident.questions:
                with self.subTest(incident=incident.name, asked=question.asked):
                    text = self.why(*question.asked, trace)
                    first = "\n".join(text.splitlines()[:FIRST_LINES])
                    for pattern in question.shows:
                        self.assertRegex(first, pattern)
                    self.assertRegex(self.conclusion(text), f"^{question.so}$", text)
                    answer = json.loads(self.why("--json", *question.asked, trace))
                    self.schema().validate(answer)
                    self.assertEqual(answer.get("so", ""), self.conclusion(text))

    def test_at_least_twelve_and_each_format(self):
        self.assertGreaterEqual(len(LIST), 12)
        listed = subprocess.run([INCIDENTS], check=True, capture_output=True).stdout.decode()
        names = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(sorted(names), sorted([each.name for each in LIST] + HEALTHY))

    def test_what_is_well_is_called_so(self):
        for name in HEALTHY:
            trace = self.made(name)
            rows = json.loads(self.check(run("latency", "--json", "--top", "0", trace), 0).stdout)["rows"]
            self.assertTrue(rows)
            self.assertEqual([row["name"] for row in rows if row.get("outliers", 0) != 0], [], name)
            for row in rows:
                if row["count"] == 0:
                    continue
                label = f"{row['category']} {row['name']}" if "category" in row else row["name"]
                text = self.why("--longest", label, trace)
                self.assertEqual(self.conclusion(text), "", f"{name}: {text}")
                self.assertNotIn("  first ", text, name)

    def test_the_same_each_time(self):
        for name in ("blocking-poll", "lock-held", "slow-first-call"):
            first = self.made(name).read_bytes()
            (self.folder / name).unlink()
            self.assertEqual(self.made(name).read_bytes(), first, name)


if __name__ == "__main__":
    unittest.main()

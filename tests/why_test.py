"""`tracedeck why`: the evidence around a slice."""

import json
import re
import unittest

import dial9_writer as w
import jsonschema
from command import ROOT, TRACES, CommandTest, needs_traces, run

TABLE = """
table = "pool"
applies = { class = "Start" }
[[track]]
id = "worker"
kind = "thread"
name = "worker {worker}"
key = "worker"
[[slice]]
id = "run"
begin = "Start"
end = "End"
match = "worker"
again = "nest"
track = "worker"
category = "run"
name = "{job}"
args = "job"
[[wait]]
name = "queued"
from = "Queue"
to = "Start"
match = "job"
track = "worker"
args = "job"
"""
START, END, QUEUE = range(3)


def pool(*events, queue=("job",)):
    """A dial9 trace of (time, class, values). `queue`: the fields of Queue."""
    trace = w.header()
    for number, (name, fields) in enumerate({"Start": ["worker", "job"], "End": ["worker"], "Queue": queue}.items()):
        trace += w.schema(number, name, [(field, w.VARINT) for field in fields])
    now = 0
    for time, kind, values in events:
        trace += w.event(kind, b"".join(map(w.varint, values)), time - now)
        now = time
    return trace


class Why(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = self.file("pool.toml", TABLE.encode())
        # Job 1 holds worker 0 from 100 to 1,100, with job 2 inside; job 3 runs on worker 1 meanwhile, and job 4 waits.
        self.trace = self.file(
            "t.bin",
            pool(
                (10, START, (0, 9)),
                (20, END, (0,)),
                (90, QUEUE, (1,)),
                (100, START, (0, 1)),
                (120, QUEUE, (4,)),
                (200, START, (1, 3)),
                (300, START, (0, 2)),
                (400, END, (0,)),
                (900, END, (1,)),
                (1100, END, (0,)),
                (1200, START, (1, 4)),
                (1210, END, (1,)),
            ),
        )

    def why(self, *args, code=0):
        result = self.check(run("why", "--table", self.table, *args, self.trace), code)
        return result.stdout.decode(), result.stderr.decode()

    def answer(self, *args, code=0):
        answer = json.loads(self.why("--json", *args, code=code)[0])
        self.schema("why.schema.json").validate(answer)
        return answer

    def schema(self, name):
        return jsonschema.Draft202012Validator(json.loads((ROOT / "docs/json" / name).read_text()))

    def test_evidence(self):
        answer = self.answer("--longest", "run")
        self.assertEqual((answer["name"], answer["track"], answer["duration"]), ("run 1", "worker 0", 1000))
        self.assertEqual((answer["of"], answer["median"]), (1, 1000))
        named = {key: [(piece["name"], piece["duration"]) for piece in answer[key]] for key in ("waited", "within", "inside", "meanwhile", "hurt")}
        self.assertEqual(
            named,
            {
                "waited": [("queued", 10)],
                "within": [],
                "inside": [("run 2", 100)],
                "meanwhile": [("run 3", 700)],
                "hurt": [("queued", 1080)],
            },
        )
        self.assertEqual(answer["hurt"][0]["arguments"], "job=4")

    def test_which_one(self):
        self.assertEqual(self.answer("--slice", "run *", "--rank", "2")["name"], "run 3")
        self.assertEqual(self.answer("--at", "350")["name"], "run 2")
        self.assertEqual(self.answer("--at", "350", "--track", "worker 1")["name"], "run 3")
        wait = self.answer("--longest", "queued")
        self.assertEqual((wait["kind"], wait["duration"]), ("wait", 1080))
        inner = self.answer("--longest", "run 2")
        self.assertEqual([piece["name"] for piece in inner["within"]], ["run 1"])

    def test_text(self):
        text, _ = self.why("--longest", "run")
        self.assertEqual(
            text.splitlines()[0], "run 1 (job=1) lasted 1.00us on worker 0 from +0.000000 s; there is no other such"
        )
        self.assertIn("  meanwhile  worker 1: run 3, 700ns", text)
        self.assertEqual(
            text.splitlines()[-1], "  nothing is concluded: it took no more than twice the median"
        )

    def test_losses_are_said_once(self):
        trace = TRACES / "tband/drops_every50.bin"
        if not trace.exists():
            self.skipTest("no reference traces")
        said = self.check(run("why", "--longest", "ready -> run", trace), 0).stderr.decode()
        self.assertEqual(said.count("lost: "), 1)

    def test_what_led_to_it(self):
        flow = """
[[flow]]
from = "Queue"
to = "Start"
match = "job"
from_track = "worker"
to_track = "worker"
"""
        table = self.file("flow.toml", (TABLE + flow).encode())
        # Job 2 is asked for by job 1 on worker 3, which has ended when it begins.
        events = (10, START, (3, 1)), (100, QUEUE, (2, 3)), (200, END, (3,)), (500, START, (1, 2)), (600, END, (1,))
        trace = self.file("flow.bin", pool(*events, queue=("job", "worker")))
        text = self.check(run("why", "--table", table, "--longest", "queued", trace), 0).stdout.decode()
        self.assertRegex(text, r"  from +worker 3, in run 1, at \+0\.000000 s")
        answer = json.loads(self.check(run("why", "--json", "--table", table, "--longest", "run 2", trace), 0).stdout)
        self.schema("why.schema.json").validate(answer)
        self.assertEqual(answer["from"], [{"track": "worker 3", "time": 100}])

    def test_nothing_is_said_aloud(self):
        for args, why in (
            (["--longest", "walk"], "nothing is called 'walk'; 'tracedeck latency --top 0' lists all names"),
            (["--longest", "rum"], "nothing is called 'rum'; is 'run' meant?; 'tracedeck latency"),
            (["--longest", "UEUE"], "nothing is called 'UEUE'; is 'queued' meant?"),
            (["--longest", "run*", "--track", "worker 2"], "no track is called 'worker 2'; is 'worker "),
            (["--longest", "run 2", "--track", "worker 1"], "nothing called 'run 2' on such a track has a known duration"),
            (["--slice", "run 1", "--rank", "2"], "only 1 of what is called 'run 1' has a known duration"),
            (["--at", "+5us"], "+0.000005s is not in the trace, which lasts from +0.000000s to +0.000001s (+TIME counts from its begin)"),
            (["--at", "50", "--track", "worker 1"], "nothing that lasted is known at that time on such a track"),
        ):
            with self.subTest(args=args):
                # A moment is a selection; what has no such name is a negative answer.
                code = 0 if "--at" in args else 1
                text, said = self.why(*args, code=code)
                self.assertEqual(text, "")
                self.assertIn(why, said)
                answer = self.answer(*args, code=code)
                self.assertEqual(set(answer), {"found", "reason"})
                self.assertFalse(answer["found"])
                self.assertIn(why, answer["reason"])

    def test_what_had_not_ended(self):
        state = """
[[track]]
id = "state"
kind = "state"
name = "state"
key = "worker"
parent = "worker"
[[state]]
event = "Start"
track = "state"
name = "stuck"
"""
        table = self.file("open.toml", (TABLE + state).encode())
        trace = self.file("open.bin", pool((10, START, (0, 1)), (40, END, (0,)), (50, START, (0, 2)), (60, START, (1, 3)), (200, END, (1,))))

        def why(*args):
            return self.check(run("why", "--table", table, *args, trace), 0).stdout.decode()

        self.assertEqual(
            why("--longest", "run 2").splitlines()[0],
            "run 2 (job=2) lasted 150ns on worker 0 from +0.000000 s, and had not ended when the trace did; none such has ended",
        )
        self.assertTrue(why("--longest", "run").startswith("run 2 "))
        answer = json.loads(why("--json", "--slice", "run", "--rank", "1"))
        self.schema("why.schema.json").validate(answer)
        self.assertEqual((answer["name"], answer["duration"], answer["open_at_end"], answer["of"]), ("run 2", 150, True, 0))
        self.assertEqual([piece["name"] for piece in answer["meanwhile"]], ["run 3"])
        self.assertNotIn("open_at_end", json.loads(why("--json", "--longest", "run 3")))
        self.assertTrue(why("--longest", "stuck").startswith("stuck lasted 190ns on worker 0 from "))
        answer = json.loads(why("--json", "--longest", "stuck"))
        self.assertEqual((answer["kind"], answer["duration"], answer["open_at_end"]), ("state", 190, True))

    def asked(self, events, *args):
        """The answer as text and as JSON, of a trace of its own."""
        trace = self.file("asked.bin", pool(*sorted(events, key=lambda event: event[0])))
        text = self.check(run("why", "--table", self.table, *args, trace), 0).stdout.decode()
        answer = json.loads(self.check(run("why", "--table", self.table, "--json", *args, trace), 0).stdout)
        self.schema("why.schema.json").validate(answer)
        return text, answer

    @staticmethod
    def served(job, begin, end):
        return [(begin, QUEUE, (job,)), (end, START, (0, job)), (end + 1, END, (0,))]

    def test_what_is_never_served_is_not_the_longest(self):
        events = [event for i in range(20) for event in self.served(i, 1000 * i, 1000 * i + 10 * (i + 1))]
        untaken = [(1000 * i + 600, QUEUE, (100 + i,)) for i in range(20)]
        # As `latency` has it: 20 ended, and 20 did not.
        text, answer = self.asked(events + untaken, "--longest", "queued")
        self.assertEqual((answer["duration"], answer["of"], answer["left_out"]), (200, 20, 20))
        self.assertNotIn("open_at_end", answer)
        self.assertIn("  unended    20 more were still waiting when the trace ended, the oldest from +0.000001 s\n", text)
        # Behind those that ended they have a rank.
        last, _ = self.asked(events + untaken, "--slice", "queued", "--rank", "20")
        self.assertIn("queued (job=0) took 10ns", last)
        _, oldest = self.asked(events + untaken, "--slice", "queued", "--rank", "21")
        self.assertEqual((oldest["open_at_end"], oldest["duration"], oldest["left_out"]), (True, 19_000, 19))
        # Whoever asks at their begin gets them.
        _, there = self.asked(events + untaken, "--at", "600")
        self.assertEqual((there["open_at_end"], there["duration"]), (True, 19_000))
        # At a time when nothing else goes on they are not what is meant.
        self.assertIn("nothing that lasted", self.check(run("why", "--table", self.table, "--at", "700", self.folder / "asked.bin"), 0).stderr.decode())
        # Nor have they hurt.
        text, answer = self.asked(events + untaken, "--longest", "run 19")
        self.assertEqual((answer["hurt"], answer["unended_hurt"]), ([], 19))
        self.assertIn("  hurt       19 were still waiting when the trace ended\n", text)

    def test_few_that_are_not_served_are_the_longest(self):
        events = [event for i in range(20) for event in self.served(i, 1000 * i, 1000 * i + 10 * (i + 1))]
        text, answer = self.asked([*events, (4500, QUEUE, (100,))], "--longest", "queued")
        self.assertEqual((answer["open_at_end"], answer["duration"]), (True, 14701))
        self.assertIn("  unended    of those that ended the longest is queued, 200ns from +0.000019 s on worker 0\n", text)
        # What has not lasted as long as the longest that ended is not, and has hurt all the same.
        _, answer = self.asked([*events, (19_150, QUEUE, (100,))], "--longest", "queued")
        self.assertEqual(answer["duration"], 200)
        self.assertNotIn("left_out", answer)
        _, answer = self.asked([*events, (19_150, QUEUE, (100,))], "--longest", "run 19")
        self.assertEqual([one["duration"] for one in answer["hurt"]], [51])

    def test_many_that_are_not_served_from_some_time_on(self):
        events = [event for i in range(20) for event in self.served(i, 1000 * i, 1000 * i + 10 * (i + 1))]
        stuck = [(20_000 + 1000 * i, QUEUE, (100 + i,)) for i in range(20)]
        early = [(1000 * i + 500, QUEUE, (200 + i,)) for i in range(19)]
        _, answer = self.asked(events + stuck + early, "--longest", "queued")
        self.assertEqual((answer["open_at_end"], answer["duration"], answer["left_out"]), (True, 19_000, 20))

    def test_what_begins_at_a_time(self):
        ms = 1_000_000
        # Job 1 is asked for within job 9, and not at a whole microsecond.
        events = [(0, START, (0, 9)), (3 * ms + 1234, QUEUE, (1,)), (8 * ms, START, (1, 1)), (9 * ms, END, (1,)), (9 * ms, END, (0,))]
        rows = self.check(run("latency", "--table", self.table, self.file("at.bin", pool(*events))), 0).stdout.decode()
        at = re.search(r"^queued .* (\+\S+s) ", rows, re.MULTILINE)[1]
        self.assertEqual(at, "+0.003001s")
        text, answer = self.asked(events, "--at", at)
        self.assertEqual((answer["kind"], answer["name"]), ("wait", "queued"))
        self.assertEqual([one["name"] for one in answer["at_that_time"]], ["run 9"])
        self.assertIn("  also then  run 9, 9.00ms from +0.000000 s on worker 0\n", text)
        # A nanosecond later it has begun, and is shorter than what it lies in.
        self.assertNotIn("at_that_time", self.asked(events, "--at", str(3 * ms + 1235))[1])
        self.assertEqual(self.asked(events, "--at", str(3 * ms + 1233))[1]["name"], "run 9")
        # Of several the longest.
        both = [(0, START, (0, 1)), (0, START, (1, 2)), (50, END, (1,)), (90, END, (0,))]
        _, answer = self.asked(both, "--at", "+0s")
        self.assertEqual((answer["name"], [one["name"] for one in answer["at_that_time"]]), ("run 1", ["run 2"]))

    def test_what_of_a_name_is_at_a_time(self):
        # Job 2 begins with job 1.
        events = [(0, START, (0, 1)), (0, START, (1, 2)), (50, END, (1,)), (90, END, (0,)), (300, START, (1, 3)), (310, END, (1,))]
        def name(*args):
            return self.asked(events, *args)[1]["name"]

        self.assertEqual((name("--at", "+0s"), name("--at", "+0s", "--longest", "run 2")), ("run 1", "run 2"))
        self.assertEqual((name("--at", "20"), name("--at", "20", "--longest", "run")), ("run 2", "run 1"))
        trace = self.file("at.bin", pool(*events))
        none = self.check(run("why", "--table", self.table, "--at", "95", "--longest", "run", trace), 1).stderr.decode()
        self.assertIn("nothing called 'run' that lasted is known at that time", none)
        self.assertEqual(self.check(run("why", "--table", self.table, "--at", "95", trace), 0).stdout, b"")
        wrong = self.check(run("why", "--table", self.table, "--at", "20", "--longest", "rum", trace), 1).stderr.decode()
        self.assertIn("nothing is called 'rum'; is 'run' meant?", wrong)

    def test_usage(self):
        for args in ([], ["--slice", "run", "--at", "5"], ["--slice", "run", "--longest", "run"], ["--longest", "run", "--rank", "2"], ["--slice", "run", "--rank", "0"]):
            self.assertIn("--help", self.why(*args, code=2)[1])
        self.assertIn("twice", self.check(run("why", "--longest", "run", "-"), 2).stderr.decode())

    def index(self, page):
        return json.loads(re.search(r'<script type="application/json" id=index>(.*?)</script>', page.read_text("utf-8"), re.S)[1])

    def test_the_page_for_a_ticket(self):
        page = self.folder / "why.html"
        alone, _ = self.why("--longest", "run")
        text, said = self.why("--longest", "run", "-o", page)
        self.assertEqual((text, said), (alone, ""))
        index = self.index(page)
        self.assertEqual(index["answer"], text)
        # As much before and behind it as it took, at least 10 us: all of this trace.
        self.assertEqual((index["since"], index["span"]), (0, 1200))
        row, at = index["chosen"]
        self.assertEqual((index["rows"][row][0], index["tracks"][index["rows"][row][1] - 1]["name"], at), (0, "worker 0", 1))
        # With --json the answer in the page is for reading all the same.
        self.assertEqual(json.loads(self.why("--json", "--longest", "run", "-o", page)[0])["name"], "run 1")
        self.assertEqual(self.index(page)["answer"], text)
        self.why("--longest", "queued", "-o", page)
        self.assertEqual(self.index(page)["rows"][self.index(page)["chosen"][0]][0], 4)

    def test_of_a_trace_without_tracks(self):
        table = self.file("none.toml", TABLE.replace("Start", "Begun").encode())
        trace = self.file("none.bin", w.header())
        said = self.check(run("why", "--table", table, "--longest", "run", trace), 1).stderr.decode()
        self.assertIn("nothing is called 'run'", said)

    def test_no_page_of_nothing(self):
        page = self.folder / "why.html"
        self.why("--longest", "walk", "-o", page, code=1)
        self.assertEqual([each.name for each in self.folder.glob("why.html*")], [])
        for out in ("why.pftrace", "why", "-"):
            self.assertIn(".html", self.why("--longest", "run", "-o", out, code=2)[1])
        self.why("--longest", "run", "-o", self.folder / "none" / "x.html", code=2)

    @needs_traces
    def test_the_recording_of_a_service(self):
        demo = TRACES / "dial9/tokio-demo.bin.gz"
        text = self.check(run("why", "--longest", "poll", demo), 0).stdout.decode()
        lines = text.splitlines()
        self.assertIn("task_id=112", lines[0])
        self.assertIn("50.3ms on worker 0 from +3.907387 s", lines[0])
        self.assertIn("synchronize_rcu < expand_fdtable < expand_files", text)
        self.assertRegex(text, r"meanwhile  worker 1: poll .*47\.7ms from \+3\.909993 s  task_id=121")
        self.assertRegex(text, r"hurt       wake -> poll, 47\.7ms .*task_id=80")
        self.assertIn("waited for an RCU grace period", lines[-1])


if __name__ == "__main__":
    unittest.main()

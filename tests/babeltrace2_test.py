"""`print --output babeltrace2`: what babeltrace2 2.0.4 prints for the same trace, byte for byte.

Its output for the reference traces is stored with them. Where the program itself is installed, it is also asked about
its other options, what it says on standard error, and traces made here of what the reference traces do not hold.
"""

import gzip
import os
import re
import shutil
import struct
import subprocess
import unittest

from command import TIME_LIMIT, TRACES, CommandTest, needs_traces, run

CTF1 = TRACES / "ctf/ctf1"
PRINT = ["print", "--output", "babeltrace2"]
PEER = shutil.which("babeltrace2")
# Somewhere with a zone and daylight saving time that need no database of zones.
ZONE = {"TZ": "EST5EDT,M3.2.0,M11.1.0"}
OPTIONS = [
    [],
    ["--clock-date"],
    ["--clock-gmt", "--clock-date", "--no-delta"],
    ["--clock-seconds"],
    ["--clock-seconds", "--clock-date", "--no-delta"],
    ["--clock-cycles"],
    ["--clock-cycles", "--clock-seconds", "--no-delta"],
    ["--names=all", "--fields=all"],
    ["--names=none", "--fields=trace:domain,loglevel, trace:vpid"],
    ["--names=scope,ctx", "--fields=trace", "--fields=emf"],
    ["--names=all", "--names", "header,args", "--no-delta", "--clock-cycles"],
    ["--names=none", "--names=scope", "--fields=callsite", "--clock-seconds"],
    ["--names=", "--fields=,"],
]
# Of the trace whose events are about 0.1 s apart from 2019-08-26 19:57:53.385500757 UTC on.
RANGES = """
19:57,19:58|15:57,15:58|15:57:53.4,15:57:53.5|19:57:53.4,19:57:53.5|-1,5|1,2|[1566849473.4,1566849473.5]
[1566849473.4,1566849473.5|1566849473.4,1566849473.5]|1566849473.000000000,1566849473.45
1566849473.485624440,1566849473.485624440|1566849473.485624441,1566849473.585724602
1566849473,19:58|1566849473,15:58|19:57:53,19:57:54|2019-08-26 19:57:53.4,2019-08-26 19:57:53.5
2019-08-26 15:57:53.4,2019-08-26 15:57:53.5|2019-08-26,2019-08-27|[2019-08-26 15:57,2019-08-27 15:57]
15:00,2019-08-27|00:00,23:59:59.999999999|2019-02-30 15:57,20:00
""".strip().replace("\n", "|").split("|")
WRONG_RANGES = """
|,2|1|2,1|9:57,23:58|19:57:5,23:58|19:57:53,|+1566849473,1566849479|0x1,1566849479|19:57:53.,1566849479
1566849473.,1566849479|24:57:53,1566849479|1e9,1566849479|1566849473.4856244401,1566849474
2019-8-26 15:57,2019-08-27 15:57|2019-08-26T15:57,2019-08-27T15:57|2019-08-26 15:57, 2019-08-27 15:57
2019-08-26  15:57,2019-08-27 15:57
""".strip("\n").replace("\n", "|").split("|")


def stored(name):
    plain = CTF1 / f"{name}.babeltrace2"
    packed = CTF1 / f"{name}.babeltrace2.gz"
    if plain.exists():
        return plain.read_bytes()
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None


def expectations():
    rows = [row.split("\t") for row in (CTF1 / "expect.tsv").read_text().splitlines()[1:] if row.strip()]
    return {name: int(code) for name, code in rows}


def said_of_the_trace(stderr):
    """What babeltrace2 says on standard error, without its log, whose lines begin with the date."""
    return b"".join(line for line in stderr.splitlines(True) if line.startswith((b"WARNING: ", b"[warning] ")))


def peer(*args, env=None):
    environment = {**os.environ, "BABELTRACE_TERM_COLOR": "never", **(env or {})}
    return subprocess.run([PEER, *map(os.fspath, args)], capture_output=True, timeout=TIME_LIMIT, env=environment)


def is_subsequence(lines, of):
    rest = iter(of)
    return all(line in rest for line in lines)


needs_peer = unittest.skipUnless(PEER, "babeltrace2 is not installed")


def assert_same_text(test, want, got):
    """Where a string is empty, that program may have another."""
    if want == got:
        return
    for i, (a, b) in enumerate(zip(want.splitlines(), got.splitlines())):
        if b'""' not in b or not re.fullmatch(re.escape(b).replace(b'""', rb'"(?:[^"\\]|\\.)*"'), a):
            test.assertEqual(a, b, f"line {i + 1}")
    test.assertEqual(len(want.splitlines()), len(got.splitlines()), "number of lines")
    test.assertEqual(want[-1:], got[-1:])


class BabeltraceTest(CommandTest):
    maxDiff = 4000

    def same_as_peer(self, trace, options):
        want = peer(*options, trace, env=ZONE)
        self.assertEqual(want.returncode, 0, want.stderr)
        got = self.check(run(*PRINT, *options, trace, env=ZONE), 0)
        assert_same_text(self, want.stdout, got.stdout)
        assert_same_text(self, said_of_the_trace(want.stderr), got.stderr)


@needs_traces
class ReferenceTraces(BabeltraceTest):
    def test_standard_output(self):
        expected = expectations()
        self.assertGreater(len(expected), 100)
        for name, code in expected.items():
            with self.subTest(name):
                result = run(*PRINT, "--clock-gmt", "--no-delta", CTF1 / name)
                want = stored(name)
                if code == 0:
                    self.check(result, 0)
                    assert_same_text(self, want, result.stdout)
                elif want is None:
                    self.assertIn(result.returncode, (0, 3, 4), result.stderr)
                else:
                    # That program stops at the first bad packet; we do not.
                    self.check(result, 4)
                    lines = result.stdout.splitlines()
                    self.assertTrue(is_subsequence(want.splitlines(), lines), lines[:20])

    @needs_peer
    def test_other_options_and_standard_error(self):
        for name, code in expectations().items():
            if code != 0:
                continue
            for options in OPTIONS:
                with self.subTest(name, options=options):
                    self.same_as_peer(CTF1 / name, options)


@needs_peer
@needs_traces
class Ranges(BabeltraceTest):
    TRACE = CTF1 / "succeed_session-rotation_3_ust_pid_10353"

    def test_the_same_events(self):
        for text in RANGES:
            for options in [["--clock-gmt"], []]:
                with self.subTest(text, options=options):
                    want = peer(*options, f"--timerange={text}", self.TRACE, env=ZONE)
                    got = run(*PRINT, *options, f"--timerange={text}", self.TRACE, env=ZONE)
                    if want.returncode == 0:
                        assert_same_text(self, want.stdout, self.check(got, 0).stdout)
                    else:
                        # A time of day and the other bound are the wrong way round there, which only the trace says.
                        self.assertEqual(got.stdout, b"")

    def test_what_is_no_range(self):
        for text in WRONG_RANGES:
            with self.subTest(text):
                self.assertNotEqual(peer(f"--timerange={text}", self.TRACE).returncode, 0)
                self.check(run(*PRINT, f"--timerange={text}", self.TRACE), 2)

    def test_what_is_no_list(self):
        for option in ["--names=foo", "--names=all,none", "--fields=none", "--fields=all,foo", "--names=ALL"]:
            with self.subTest(option):
                self.assertNotEqual(peer(option, self.TRACE).returncode, 0)
                self.check(run(*PRINT, option, self.TRACE), 2)

    def test_only_for_this_output(self):
        for option in ["--names=all", "--fields=all", "--timerange=1,2"]:
            result = self.check(run("print", option, self.TRACE), 2)
            self.assertIn("babeltrace2", result.stderr.decode())
        self.check(run(*PRINT, "--timerange=1,2", "--begin", "1", self.TRACE), 2)


@needs_peer
@needs_traces
class Recordings(BabeltraceTest):
    """Traces of Trace Compass's tests whose clocks are not of 1 GHz: events are merged by times that are rounded."""

    def test_clocks_of_other_frequencies(self):
        for name in ("double_counters", "mpi_ssend_irecv"):
            with self.subTest(name):
                self.same_as_peer(TRACES / "ctf/tracecompass" / name, [])


class Bits:
    """Little-endian bit fields, one behind the other."""

    def __init__(self):
        self.value = 0
        self.size = 0

    def put(self, value, width, align=1):
        self.size += -self.size % align
        self.value |= (value & ((1 << width) - 1)) << self.size
        self.size += width
        return self

    def text(self, text):
        for byte in text.encode() + b"\0":
            self.put(byte, 8, 8)
        return self

    def real(self, value):
        return self.put(struct.unpack("<Q", struct.pack("<d", value))[0], 64, 8)

    def bytes(self):
        return self.value.to_bytes((self.size + 7) // 8, "little")


METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := stamp;
trace {
  major = 1; minor = 8; byte_order = le;
  packet.header := struct { u32 magic; u32 stream_id; };
};
%(env)s
clock { name = c; %(clock)s };
stream {
  id = 0;
  packet.context := struct { stamp timestamp_begin; stamp timestamp_end; u64 content_size; u64 packet_size;
    u64 events_discarded; u64 packet_seq_num; %(context)s };
  event.header := struct { u8 id; stamp timestamp; };
  %(common)s
};
%(events)s
"""
GIGAHERTZ = "freq = 1000000000;"


class MadeTrace:
    def __init__(self, folder, name="trace", env="", clock=GIGAHERTZ, context="", common="", events=""):
        self.path = folder / name
        self.path.mkdir()
        self.files = {}
        text = METADATA % {"env": env, "clock": clock, "context": context, "common": common, "events": events}
        (self.path / "metadata").write_text(text)

    def packet(self, times, events, file="stream", discarded=0, sequence=0, context=lambda bits: bits):
        """`events`: functions that put an event's id, time and fields."""
        head = Bits().put(0xC1FC1FC1, 32).put(0, 32)
        for value in (*times, 0, 0, discarded, sequence):
            head.put(value, 64, 8)
        context(head)
        body = Bits().put(int.from_bytes(head.bytes(), "little"), 8 * len(head.bytes()))
        body.size = head.size
        for event in events:
            body.size += -body.size % 8
            event(body)
        content = body.size
        data = bytearray(body.bytes())
        struct.pack_into("<QQ", data, 24, content, 8 * len(data))
        with open(self.path / file, "ab") as stream:
            stream.write(data)


def bare(time, number=0):
    return lambda bits: bits.put(number, 8, 8).put(time, 64, 8)


BARE = 'event { name = "bare"; id = 0; stream_id = 0; };'


@needs_peer
class MadeTraces(BabeltraceTest):
    """What the reference traces do not hold, compared with the program itself."""

    def compare(self, trace):
        for options in OPTIONS:
            with self.subTest(options=options):
                self.same_as_peer(trace.path, options)

    def test_integers(self):
        widths = [1, 3, 5, 8, 13, 32, 33, 59, 60, 61, 62, 63, 64]
        fields = [
            (f"f{i}", width, signed, base)
            for i, (width, signed, base) in enumerate(
                (width, signed, base)
                for width in widths
                for signed in ("true", "false")
                for base in ("2", "8", "10", "16")
            )
        ]
        members = " ".join(
            f"integer {{ size = {width}; align = 1; signed = {signed}; base = {base}; }} {name};"
            for name, width, signed, base in fields
        )
        trace = MadeTrace(
            self.folder,
            events=f'event {{ name = "ints"; id = 0; stream_id = 0; fields := struct {{ {members} }}; }};',
        )

        def event(pick):
            def put(bits):
                bare(5)(bits)
                for _, width, _, _ in fields:
                    bits.put(pick(width), width)

            return put

        picks = [
            lambda w: 0,
            lambda w: 1,
            lambda w: (1 << w) - 1,
            lambda w: 1 << (w - 1),
            lambda w: (1 << (w - 1)) - 1,
            lambda w: 0x5A5A5A5A5A5A5A5A,
        ]
        trace.packet((0, 10), [event(pick) for pick in picks])
        self.compare(trace)

    def test_strings_reals_and_enumerations(self):
        trace = MadeTrace(
            self.folder,
            events="""event { name = "all: of \\"them\\""; id = 0; stream_id = 0; fields := struct {
                string s; u8 n; integer { size = 8; align = 8; encoding = UTF8; } text[n];
                integer { size = 8; align = 8; encoding = UTF8; } fixed[4];
                floating_point { exp_dig = 11; mant_dig = 53; align = 8; } d;
                enum e : u8 { ZERO, "a\\"b" = 1 ... 3, B = 3, B = 7, LAST = 200 ... 255 } e;
                enum h : integer { size = 8; align = 8; signed = true; base = 16; } { NEG = -5 ... -1 } h;
            }; };""",
        )

        def event(text, real, label):
            def put(bits):
                bare(5)(bits)
                bits.text(text).put(3, 8, 8)
                for byte in b"a\0b" + b"xy\0z":
                    bits.put(byte, 8, 8)
                bits.real(real).put(label, 8, 8).put(label, 8, 8)

            return put

        texts = ["x", "", "".join(map(chr, range(1, 128))), "é€", "x" * 5000]
        reals = [0.0, -0.0, 1e6, 999999.5, 123456789.0, 1e-5, float("inf"), -float("nan"), float("nan"), 5e-324, 0.3]
        labels = [0, 1, 2, 3, 4, 7, 199, 200, 251, 255]
        events = [event(texts[i % 5], reals[i % len(reals)], labels[i % len(labels)]) for i in range(40)]
        trace.packet((0, 10), events)
        self.compare(trace)

    def test_compound_fields(self):
        trace = MadeTrace(
            self.folder,
            context="struct { } nothing; struct { u8 k; } pair;",
            common="event.context := struct { u8 vtid; };",
            events="""event { name = "compound"; id = 0; stream_id = 0;
                fields := struct {
                  struct { } empty; u8 grid[2][2]; u8 none[0];
                  enum tag : u8 { a, b, c } tag;
                  variant <tag> { u8 a; struct { u8 x; } b; string c; } v;
                  u8 length; u8 counted[length];
                }; };
                event { name = ""; id = 1; stream_id = 0; };
                event { name = "empty"; id = 2; stream_id = 0; fields := struct { }; };""",
        )

        def event(tag):
            def put(bits):
                bare(6)(bits)
                bits.put(77, 8, 8)
                for i in range(4):
                    bits.put(i, 8, 8)
                bits.put(tag, 8, 8)
                if tag == 0:
                    bits.put(9, 8, 8)
                elif tag == 1:
                    bits.put(10, 8, 8)
                else:
                    bits.text("chosen")
                bits.put(2, 8, 8).put(1, 8, 8).put(2, 8, 8)

            return put

        def other(number):
            def put(bits):
                bare(7, number)(bits)
                bits.put(77, 8, 8)

            return put

        def context(bits):
            bits.put(8, 8, 8)

        trace.packet((0, 10), [event(0), event(1), event(2), other(1), other(2)], context=context)
        self.compare(trace)

    def test_integers_that_are_mapped_to_the_clock(self):
        trace = MadeTrace(
            self.folder,
            context="stamp mapped; u64 plain; stamp array[2]; struct { stamp a; u8 b; } both;",
            common="event.context := struct { u8 q; stamp mapped; };",
            events="""event { name = "e"; id = 0; stream_id = 0;
                context := struct { stamp mapped; u8 d; };
                fields := struct {
                  stamp first; u8 x; stamp array[1]; u8 n; stamp sequence[n]; struct { stamp a; } alone;
                  struct { stamp a; u8 b; } both; enum tag : u8 { a, b } tag; variant <tag> { stamp a; u8 b; } v;
                  enum label : stamp { A = 5 } label; stamp length; u8 counted[length];
                }; };
                event { name = "f"; id = 1; stream_id = 0; fields := struct { stamp alone; }; };""",
        )

        def context(bits):
            for value in (100, 101, 102, 103, 104):
                bits.put(value, 64, 8)
            bits.put(5, 8, 8)

        def event(time, tag):
            def put(bits):
                bare(time)(bits)
                bits.put(1, 8, 8).put(200, 64, 8).put(201, 64, 8).put(2, 8, 8)
                bits.put(202, 64, 8).put(3, 8, 8).put(203, 64, 8).put(1, 8, 8).put(205, 64, 8).put(206, 64, 8)
                bits.put(207, 64, 8).put(4, 8, 8).put(tag, 8, 8).put(208, 8 if tag else 64, 8)
                bits.put(5, 64, 8).put(2, 64, 8).put(7, 8, 8).put(8, 8, 8)

            return put

        def other(time):
            return lambda bits: bare(time, 1)(bits).put(1, 8, 8).put(200, 64, 8).put(209, 64, 8)

        trace.packet((0, 1000), [event(1, 0), event(2, 1), other(3), event(300, 1), other(301)], context=context)
        self.compare(trace)

    def test_environment(self):
        for i, env in enumerate(
            [
                'hostname = "h";',
                'procname = "p";',
                "vpid = -3;",
                'domain = "ust"; procname = "p"; vpid = 7;',
                'hostname = "h"; vpid = 0x10; tracer_name = "lttng-ust";',
                'hostname = ""; procname = "";',
            ]
        ):
            with self.subTest(env):
                trace = MadeTrace(self.folder, name=f"env{i}", env=f"env {{ {env} }};", events=BARE)
                trace.packet((0, 10), [bare(1), bare(2)])
                self.compare(trace)

    def test_clocks(self):
        for i, clock in enumerate(
            [
                "freq = 1000000000; offset_s = 1600000000; offset = 999999999;",
                "freq = 333333333; offset_s = 1600000000; offset = 700000000;",
                "freq = 3; offset = 7;",
                "freq = 32768; offset_s = -2;",
                "freq = 2500000001; offset_s = 1234567890; offset = 123456789123;",
                "freq = 1000000000; offset_s = -100;",
                "freq = 1000000; offset_s = 1594771200;",
            ]
        ):
            with self.subTest(clock):
                trace = MadeTrace(self.folder, name=f"clock{i}", clock=clock, events=BARE)
                frequency = int(clock.split(";")[0].split("=")[1])
                seconds = [0, 1, 1.1, 2, 59.999999999, 100, 100.000000001, 86399, 86400 * 200, 5 * 10**9]
                times = sorted([0, 1, 2, 1000, 1001, *(int(frequency * each) for each in seconds)])
                trace.packet((0, times[-1]), [bare(time) for time in times])
                self.compare(trace)

    def test_losses(self):
        trace = MadeTrace(
            self.folder, env='env { hostname = "h"; };', clock="freq = 1000000; offset_s = 1594771200;", events=BARE
        )
        trace.packet((1, 10), [bare(1)], file="b", discarded=0, sequence=0)
        trace.packet((11, 20), [bare(12)], file="b", discarded=1, sequence=1)
        trace.packet((21, 30), [bare(22)], file="b", discarded=7, sequence=3)
        trace.packet((31, 40), [bare(32)], file="b", discarded=7, sequence=9)
        trace.packet((2, 10), [bare(3)], file="a", discarded=0, sequence=4)
        trace.packet((11, 29), [bare(13)], file="a", discarded=2, sequence=5)
        self.compare(trace)

    def test_names_of_traces_below_a_directory(self):
        host = 'env { hostname = "h"; };'
        places = [
            ("s/ust/uid/0/64-bit", host, False),
            ("s/ust/uid/1000/64-bit", "", False),
            ("s/top", 'env { hostname = ""; };', False),
            ("t/parts/a", host, True),
            ("t/parts/b", host, True),
            ("u/whole", host, True),
        ]
        for i, (place, env, has_uuid) in enumerate(places):
            folder = self.folder / place
            folder.parent.mkdir(parents=True, exist_ok=True)
            trace = MadeTrace(folder.parent, folder.name, env=env, events=BARE)
            if has_uuid:
                path = folder / "metadata"
                uuid = 'uuid = "11111111-1111-1111-1111-111111111111"; major'
                path.write_text(path.read_text().replace("major", uuid, 1))
            # No two warnings begin at the same time.
            begin = 1000 * i
            trace.packet((begin, begin + 10), [bare(begin + 1)])
            trace.packet((begin + 11, begin + 20), [bare(begin + 12)], discarded=3, sequence=1)
        name = re.compile(rb'in trace "(.*)" \(.*within stream "(.*)" ')
        for operands in (["s"], ["s/ust"], ["s/top"], ["t"], ["t/parts/a"], ["u"], ["s", "u/"], ["t", "u"], ["./s/../s"]):
            with self.subTest(operands):
                paths = [f"{self.folder}/{each}" for each in operands]
                want = name.findall(peer(*paths).stderr)
                self.assertGreater(len(want), 0)
                self.assertEqual(want, name.findall(self.check(run(*PRINT, *paths), 0).stderr))

    def test_events_that_may_have_been_lost_before_the_first_packet(self):
        trace = MadeTrace(self.folder, events=BARE)
        trace.packet((5, 10), [bare(6)], discarded=3, sequence=2)
        trace.packet((15, 20), [bare(16)], discarded=3, sequence=3)
        self.compare(trace)


@needs_peer
class EmptyTexts(BabeltraceTest):
    """That program does not end a string that it writes nothing to, and so prints what an earlier event left there."""

    EVENTS = """event { name = "e"; id = 0; stream_id = 0; fields := struct {
      u8 n; string first; struct { string a; string b; } inner[1]; }; };\n"""

    def event(self, time, *texts):
        def put(bits):
            bare(time, 0)(bits)
            bits.put(len(texts), 8, 8)
            for text in texts:
                bits.text(text)

        return put

    def test_are_empty(self):
        texts = [("one", "two", "three"), ("", "x", ""), ("four", "", "five"), ("", "", "")]
        trace = MadeTrace(self.folder, events=self.EVENTS)
        trace.packet((1, 90), [self.event(2 + i % 80, *texts[i % 4]) for i in range(60)])
        options = ["--clock-cycles", "--no-delta"]
        got = self.check(run(*PRINT, *options, trace.path), 0).stdout
        want = peer(*options, trace.path).stdout
        self.assertNotEqual(want, got, "that program ends its strings: nothing is to be excepted any more")
        assert_same_text(self, want, got)
        for i, line in enumerate(got.decode().splitlines()):
            first, a, b = texts[i % 4]
            self.assertIn(f'first = "{first}", inner = [ [0] = {{ a = "{a}", b = "{b}" }} ]', line)


@needs_peer
class Colours(BabeltraceTest):
    def test_always(self):
        trace = MadeTrace(
            self.folder,
            context="u32 cpu_id;",
            events="""event { name = "e"; id = 0; stream_id = 0; fields := struct { u8 n; string s;
                enum : u8 { A, B } e; u8 a[2]; }; };""",
        )

        def event(time, label):
            return lambda bits: bare(time)(bits).put(7, 8, 8).text("text").put(label, 8, 8).put(1, 8, 8).put(2, 8, 8)

        trace.packet((0, 10), [event(1, 0), event(2, 9)], context=lambda bits: bits.put(3, 32, 8))
        trace.packet((11, 20), [event(12, 1)], discarded=4, sequence=3, context=lambda bits: bits.put(3, 32, 8))
        for options in [["--clock-gmt"], ["--clock-gmt", "--names=all", "--fields=all"], ["--clock-gmt", "--names=none"]]:
            self.same_colors(trace, options)

    def same_colors(self, trace, options):
        want = peer(*options, trace.path, env={"BABELTRACE_TERM_COLOR": "always"})
        got = self.check(run(*PRINT, *options, "--color", "always", trace.path), 0)
        assert_same_text(self, want.stdout, got.stdout)
        assert_same_text(self, want.stderr, got.stderr)


class Usage(BabeltraceTest):
    def test_its_options_go_with_it_only(self):
        for option in ("--clock-gmt", "--clock-seconds", "--clock-cycles", "--clock-date", "--no-delta"):
            for output in ("text", "jsonl", "csv"):
                result = self.check(run("print", "--output", output, option, "x"), 2)
                self.assertIn(f"'{option}' goes with '--output babeltrace2' only".encode(), result.stderr)
        self.check(run("print", "--output", "babeltrace2", "--records", "all", "x"), 2)


if __name__ == "__main__":
    unittest.main()

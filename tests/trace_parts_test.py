"""Which directories are one trace, and which packets one packet, however they are named."""

import itertools
import json
import re
import shutil
import unittest
import uuid

from command import ROOT, CommandTest, parse_lines, run

ID = uuid.UUID(int=0x1234_5678)


def tsdl(fields=("n",), offset=0, events=("tick",), env=None, more=""):
    """Packets with a size, times and a sequence number; event records with an id, a time and numbers of 32 bits."""
    text = f"""/* CTF 1.8 */
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{
  major = 1; minor = 8; byte_order = le; uuid = "{ID}";
  packet.header := struct {{ uint32_t magic; uint32_t stream_id; uint32_t stream_instance_id; }};
}};
"""
    if env is not None:
        text += f'env {{ hostname = "{env}"; }};\n'
    text += f"""clock {{ name = monotonic; freq = 1000000000; offset_s = {offset}; offset = 7; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := time_t;
stream {{ id = 0;
  event.header := struct {{ uint32_t id; time_t timestamp; }};
  packet.context := struct {{ time_t timestamp_begin; time_t timestamp_end; uint64_t content_size;
    uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; }};
}};
"""
    for number, name in enumerate(events):
        members = " ".join(f"uint32_t {field};" for field in fields)
        text += f"event {{ id = {number}; stream_id = 0; name = {name}; fields := struct {{ {members} }}; }};\n"
    return text + more


def packet(sequence, *events, instance=0, discarded=0):
    """`events`: times, each with its numbers. `instance` None: headers say no data stream id."""
    body = b""
    for time, *numbers in events:
        body += (0).to_bytes(4, "little") + time.to_bytes(8, "little")
        body += b"".join(number.to_bytes(4, "little") for number in numbers)
    head = (0xC1FC1FC1).to_bytes(4, "little") + bytes(4)
    if instance is not None:
        head += instance.to_bytes(4, "little")
    size = (len(head) + 48 + len(body)) * 8
    for value in (events[0][0], events[-1][0], size, size, sequence, discarded):
        head += value.to_bytes(8, "little")
    return head + body


class PartsTest(CommandTest):
    def part(self, name, metadata, *packets, file="ch_0"):
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metadata").write_text(metadata)
        (folder / file).write_bytes(b"".join(packets))
        return folder

    def events(self, *args, code=0, says=()):
        result = self.check(run("print", "--output", "jsonl", *args), code)
        for each in says:
            self.assertIn(each, result.stderr.decode())
        return [(line["time"], *dict(line["fields"]).values()) for line in map(dict, parse_lines(result.stdout))]


class Twins(PartsTest):
    def snapshots(self):
        packets = [packet(i, (10 * i + 1, i), (10 * i + 5, i)) for i in range(6)]
        for number, (first, last) in enumerate([(0, 3), (1, 5), (2, 6)]):
            self.part(f"s/{number}", tsdl(), *packets[first:last])
        return [(7 + 10 * i + t, i) for i in range(6) for t in (1, 5)]

    def test_snapshots_that_overlap(self):
        whole = self.snapshots()
        tree = self.folder / "s"
        parts = [tree / name for name in "012"]
        says = ["5 packets are in more than one file of the trace, and are read once"]
        self.assertEqual(self.events(tree, says=says), whole)
        for named in itertools.permutations(parts):
            self.assertEqual(self.events(*named, says=says), whole)
        self.assertEqual(self.events(tree, parts[1], says=["it was named before, and is read once"]), whole)
        self.assertEqual(self.events("--order", "time", tree), whole)
        self.assertEqual(sorted(self.events("--order", "recorded", tree)), whole)
        self.assertEqual(self.events("--jobs", "2", tree), whole)
        self.assertEqual(json.loads(run("stats", "--json", tree).stdout)["events"], len(whole))
        for to in ("ctf1", "ctf2"):
            out = self.folder / to
            result = self.check(run("convert", "-o", out, "--to", to, tree), 0)
            self.assertIn("5 packets are in", result.stderr.decode())
            self.assertEqual(self.events(out), whole)

    def test_a_copy_of_the_whole(self):
        self.part("a", tsdl(), packet(0, (1, 1)), packet(1, (2, 2)))
        shutil.copytree(self.folder / "a", self.folder / "b/c")
        self.assertEqual(self.events(self.folder, says=["2 packets are"]), [(8, 1), (9, 2)])

    def test_too_many_packets_that_begin_alike(self):
        packets = [packet(0, (1, i)) for i in range(20)]
        for name in "ab":
            self.part(name, tsdl(), *packets)
        says = ["8 packets are in more than one file", "there are 12 packets that may be in more than one file"]
        events = self.events(self.folder, says=says)
        self.assertEqual(sorted(value for _, value in events), sorted([*range(20), *range(8, 20)]))

    def test_packets_that_differ_are_no_twins(self):
        self.part("a", tsdl(), packet(0, (1, 1)), packet(1, (3, 3)))
        self.part("b", tsdl(), packet(2, (5, 5)), packet(3, (6, 6)))
        result = self.check(run("print", self.folder), 0)
        self.assertEqual(result.stdout.count(b"\n"), 4)
        self.assertNotIn("read once", result.stderr.decode())

    def test_losses_are_counted_across_twins(self):
        packets = [packet(i, (10 * i + 1, i), discarded=[0, 0, 4, 4][i]) for i in range(4)]
        self.part("a", tsdl(), *packets[:3])
        self.part("b", tsdl(), *packets[1:])
        lost = json.loads(run("info", "--json", self.folder).stdout)["losses"]
        self.assertEqual((lost["events"], lost["packets"], lost["records"]), (4, 0, 1))
        for options, code in (([], 0), (["--strict"], 1)):
            said = self.check(run("validate", *options, self.folder), code).stderr.decode()
            self.assertIn(f"{self.folder}/a: lost: 4 events, in 1 place", said)

    def test_losses_are_counted_from_before_a_file_of_twins(self):
        for i, gap in enumerate([0, 1, 3]):
            self.part(f"c/{i}", tsdl(), packet(gap, (10 * gap + 1, i), discarded=gap))
        for copied in range(3):
            shutil.copytree(self.folder / f"c/{copied}", self.folder / f"copied{copied}/9")
            for command in ("info", "stats"):
                result = run(command, "--json", self.folder / "c", self.folder / f"copied{copied}")
                said = self.check(result, 0).stderr.decode()
                self.assertIn("1 packet is in more than one file", said)
                self.assertIn("lost: 3 events and 1 packet, in 3 places", said)

    def test_files_of_one_name_are_of_one_data_stream(self):
        metadata = tsdl().replace("uint32_t stream_instance_id; ", "")
        for part, sequence in (("a", 0), ("b", 1), ("c", 3)):
            self.part(part, metadata, packet(sequence, (10 * sequence + 1, sequence), instance=None))
        info = json.loads(self.check(run("info", "--json", self.folder), 0).stdout)
        self.assertEqual((info["streams"]["count"], info["losses"]["packets"]), (1, 1))
        self.assertEqual(info["findings"], [])
        self.part("a", metadata, packet(0, (2, 9), instance=None), file="ch_1")
        self.assertEqual(json.loads(run("info", "--json", self.folder).stdout)["streams"]["count"], 2)

    def test_copies_without_an_id_are_told(self):
        text = """/* CTF 1.8 */
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; uuid = "d18e6374-35a1-cd42-8e70-a9cffa712793"; byte_order = le; };
clock { name = c; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := time_t;
stream { packet.context := struct { time_t timestamp_begin; time_t timestamp_end; u64 content_size; u64 packet_size; };
  event.header := struct { time_t timestamp; }; };
event { name = e; fields := struct { u64 n; }; };
"""
        body = b"".join(n.to_bytes(8, "little") for n in (5, 9, 48 * 8, 48 * 8, 7, 1))
        folder = self.part("a", text, body)
        (folder / "ch_0_copy").write_bytes(body)
        self.assertEqual(len(self.events(folder, says=["hold the same bytes, and all are read"])), 2)
        (folder / "ch_0_copy").unlink()
        shutil.copytree(folder, self.folder / "b/a")
        result = self.check(run("print", folder, self.folder / "b/a"), 0)
        self.assertIn("1 packet is in more than one file", result.stderr.decode())
        self.assertNotIn("hold the same bytes", result.stderr.decode())


class Names(PartsTest):
    def test_chunks_however_they_are_named(self):
        for i, gap in enumerate([0, 1, 3]):
            self.part(f"c/{i}", tsdl(), packet(gap, (10 * gap + 1, i)))
        tree = self.folder / "c"
        whole = self.check(run("info", "--json", tree), 0).stdout
        parts = [tree / name for name in "012"]
        for named in [parts, parts[::-1], [tree, parts[2]], parts + parts]:
            info = json.loads(self.check(run("info", "--json", *named), 0).stdout)
            self.assertEqual(info, json.loads(whole))
        self.assertEqual(json.loads(whole)["losses"]["packets"], 1)
        self.assertEqual(json.loads(whole)["parts"], {"count": 3, "first": [str(each) for each in parts]})
        text = self.check(run("info", tree), 0).stdout.decode()
        self.assertIn(f"3 directories: {parts[0]} {parts[1]} {parts[2]}\n", text)

    def test_any_part_may_name_the_trace(self):
        for i in range(2):
            self.part(f"c/{i}", tsdl(), packet(i, (10 * i + 1, i)))
        first, second = (self.folder / "c" / name for name in "01")
        for name in (first, second):
            times = [time for time, *_ in self.events("--clock-offset", f"{name}=1000", first, second)]
            self.assertEqual(times, [1008, 1018])


class Kept(PartsTest):
    def test_other_fields_under_one_uuid(self):
        self.part("a", tsdl(("x", "y")), packet(0, (1, 11, 12)))
        self.part("b", tsdl(("x", "y", "z")), packet(0, (2, 21, 22, 23)))
        events = self.events(self.folder, says=["name the same trace, but are read as 2 traces"])
        self.assertEqual(events, [(8, 11, 12), (9, 21, 22, 23)])

    def test_findings_are_of_their_directory(self):
        for name, fields in (("a", ("x",)), ("b", ("x", "y"))):
            data = bytearray(packet(0, (1, *range(len(fields)))))
            data[12:28] = bytes(16)  # the packet ends before its event
            self.part(name, tsdl(fields), bytes(data))
        said = self.check(run("info", self.folder), 0).stderr.decode()
        for name in "ab":
            self.assertIn(f"{self.folder / name}: 1 finding: ctf/event-time (1); see 'tracedeck validate {self.folder / name}'", said)

    def test_runs_under_one_uuid(self):
        for run_number in range(2):
            for chunk in range(2):
                at = 100 * run_number + 10 * chunk
                packets = [packet(2 * chunk + i, (at + i, run_number), (at + i, chunk)) for i in (1, 2)]
                self.part(f"{run_number}/{chunk}", tsdl(), *packets)
        runs = [self.folder / name for name in "01"]
        for named in [[self.folder], runs, [runs[1] / "1", *runs, runs[0] / "0"]]:
            result = self.check(run("info", "--json", *named), 0)
            self.assertIn("packets of one data stream and time are different", result.stderr.decode())
            infos = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual(sorted(info["file"] for info in infos), [str(each / "0") for each in runs])
            self.assertEqual([(info["events"], info["losses"]["records"]) for info in infos], [(8, 0), (8, 0)])

    def test_runs_at_one_time(self):
        self.part("a", tsdl(), packet(0, (1, 1), (9, 1)))
        self.part("b", tsdl(), packet(5, (2, 2), (6, 2)))
        self.part("c", tsdl(), packet(9, (2, 2), (6, 2), instance=1))
        infos = self.check(run("info", "--json", self.folder), 0).stdout.splitlines()
        self.assertEqual([json.loads(info)["events"] for info in infos], [4, 2], "another data stream is no run")

    def test_metadata_that_grew(self):
        self.part("a", tsdl(events=["tick"]), packet(0, (1, 1)))
        self.part("b", tsdl(events=["tick", "tock"]), packet(1, (2, 2)))
        self.assertEqual(len(self.check(run("info", "--json", self.folder), 0).stdout.splitlines()), 1)

    def test_environments_and_comments_may_differ(self):
        self.part("a", tsdl(env="one"), packet(0, (1, 1)))
        self.part("b", tsdl(env="two; { other", more="/* said later */\n"), packet(1, (2, 2)))
        self.assertEqual(len(self.check(run("info", "--json", self.folder), 0).stdout.splitlines()), 1)

    def test_each_chunk_has_its_offset(self):
        self.part("a", tsdl(offset=100), packet(0, (1, 1), (3, 3)), packet(1, (4, 4)))
        self.part("b", tsdl(offset=3700), packet(2, (5, 5), (6, 6)))
        says = ["give a clock different offsets; each directory is read by its own"]
        second = 10**9
        whole = [(100 * second + 7 + n, n) for n in (1, 3, 4)] + [(3700 * second + 7 + n, n) for n in (5, 6)]
        self.assertEqual(self.events(self.folder, says=says), whole)
        self.assertEqual(self.events("--jobs", "2", self.folder), whole)
        self.assertEqual(self.check(run("validate", self.folder), 0).stdout, b"")
        parts = [self.folder / "a", self.folder / "b"]
        for to in ("dial9", "ctf1", "ctf2"):
            out = self.folder / to
            self.check(run("convert", "-o", out, "--to", to, *parts), 0)
            self.assertEqual(self.events(out), whole)

    def test_names_of_ctf2_count(self):
        from directories_test import fragment

        def metadata(**named):
            text = fragment(type="preamble", version=2) + fragment(type="trace-class", **named)
            text += fragment(type="data-stream-class")
            return (text + fragment(type="event-record-class", name="E")).decode()

        for i, named in enumerate([{"name": "p"}, {"name": "q"}, {"name": "p"}]):
            self.part(str(i), metadata(namespace="n", uid="7", **named))
        infos = self.check(run("info", "--json", self.folder), 0).stdout.splitlines()
        self.assertEqual(len(infos), 2)


class Incomplete(PartsTest):
    def test_an_empty_file(self):
        self.part("a", "", packet(0, (1, 1)))
        self.assertIn("before its first flush", self.check(run("print", self.folder), 3).stderr.decode())
        info = self.check(run("info", self.folder), 3)
        self.assertEqual(info.stdout, b"", "it says nothing of what it did not read")
        answer = self.check(run("query", "count", self.folder), 3)
        self.assertIn("0 selected; 1 loss of unknown size", answer.stdout.decode())

    def test_zeros_behind_packets(self):
        text = tsdl().encode()
        size = (37 + len(text)) * 8
        head = (0x75D11D57).to_bytes(4, "little") + ID.bytes + bytes(4) + size.to_bytes(4, "little") * 2
        self.part("a", "", packet(0, (1, 1)))
        (self.folder / "a/metadata").write_bytes(head + bytes([0, 0, 0, 1, 8]) + text + bytes(256))
        self.assertEqual(self.events(self.folder, says=["ctf/tsdl-packet-zeros (1)"]), [(8, 1)])


    def test_text_that_is_cut_anywhere(self):
        """What is declared before the cut counts. Where an event needs what is cut, the trace is as one without metadata."""
        text = tsdl(events=("tick", "tock"))
        first, second = (text.index(f"name = {name}") for name in ("tick", "tock"))
        first, second = text.rindex("event", 0, first), text.rindex("event", 0, second)
        for size in [*range(first + 6, second - 1, 9), *range(second + 1, len(text) - 3)]:
            with self.subTest(text[:size].splitlines()[-1]):
                self.part("a", text[:size], packet(0, (1, 1)))
                if size > second:
                    self.assertEqual(self.events(self.folder, code=4, says=["metadata:", "ctf/tsdl-cut"]), [(8, 1)])
                else:
                    says = ["no event record class with the id 0", f"the metadata are cut at byte {size}"]
                    self.assertEqual(self.events(self.folder, code=3, says=says), [])
        self.part("a", text.rstrip(), packet(0, (1, 1)))
        self.assertEqual(self.events(self.folder), [(8, 1)])
        # A fault that the cut does not explain is one.
        self.part("a", text[: second + 1] + "!" + text[second + 1 : -4], packet(0, (1, 1)))
        self.assertIn("tsdl-", self.check(run("validate", self.folder), 1).stdout.decode())
        self.check(run("print", self.folder), 3)

    def test_packets_that_are_cut(self):
        text = [part.encode() for part in tsdl(events=("tick", "tock")).partition("event { id = 1")]
        data = b""
        for part in (text[0], text[1] + text[2]):
            size = (37 + len(part)) * 8
            head = (0x75D11D57).to_bytes(4, "little") + ID.bytes + bytes(4) + size.to_bytes(4, "little") * 2
            data += head + bytes([0, 0, 0, 1, 8]) + part
        self.part("a", "", packet(0, (1, 1)))
        for size in (len(data) - 1, len(data) - len(text[2]), len(data) - len(text[1] + text[2]) - 20):
            (self.folder / "a/metadata").write_bytes(data[:size])
            self.assertEqual(self.events(self.folder, code=4, says=["ctf/tsdl-cut"]), [(8, 1)])

    def test_json_that_is_cut(self):
        from directories_test import fragment, metadata
        from directories_test import packet as packet_of

        whole, more = metadata(), fragment(type="event-record-class", id=1, name="F")
        self.part("a", "", packet_of(5))
        for size in range(2, len(more) - 1):
            (self.folder / "a/metadata").write_bytes(whole + more[:size])
            self.assertEqual(self.events(self.folder, code=4, says=["ctf/json-truncated"]), [(5, 5)])
        (self.folder / "a/metadata").write_bytes(whole[:-9])
        self.assertEqual(self.events(self.folder, code=3, says=["the metadata are cut at byte"]), [])

    def test_text_with_a_byte_order_mark_or_zeros(self):
        from directories_test import metadata
        from directories_test import packet as packet_of

        self.part("a", "", packet(0, (1, 1)))
        self.part("b", "", packet_of(8))
        for before, after in ((b"\xef\xbb\xbf", b""), (b"", bytes(1)), (b"", bytes(70_000)), (b"\xef\xbb\xbf", bytes(4096))):
            (self.folder / "a/metadata").write_bytes(before + tsdl().encode() + after)
            (self.folder / "b/metadata").write_bytes(before + metadata() + after)
            count = bool(before) + bool(after)
            self.assertEqual(self.events(self.folder / "a", says=[f"tsdl-padding ({count})"]), [(8, 1)])
            self.assertEqual(self.events(self.folder / "b", says=[f"json-padding ({count})"]), [(8, 8)])
            self.check(run("validate", self.folder / "a", self.folder / "b"), 0)
        (self.folder / "a/metadata").write_bytes(tsdl().encode() + bytes(5000) + b"event")
        self.check(run("print", self.folder / "a"), 3)
        (self.folder / "a/metadata").write_bytes(bytes(512))
        self.assertIn("before its first flush", self.check(run("print", self.folder / "a"), 3).stderr.decode())


class Intersections(PartsTest):
    def two_streams(self, name, first, second):
        metadata = tsdl()
        self.part(name, metadata, packet(0, *((time, time) for time in first)))
        return self.part(name, metadata, packet(0, *((time, time) for time in second), instance=1), file="ch_1")

    def test_info_says_when_each_data_stream_is(self):
        trace = self.two_streams("a", (1, 3, 9), (5, 12))
        (info,) = map(json.loads, self.check(run("info", "--json", trace), 0).stdout.splitlines())
        times = [(one["file"].rpartition("/")[2], one["time"]) for one in info["streams"]["times"]]
        self.assertEqual(times, [("ch_0", {"first": 8, "last": 16}), ("ch_1", {"first": 12, "last": 19})])
        text = self.check(run("info", trace), 0).stdout.decode()
        self.assertIn("ch_0: 1970-01-01T00:00:00.000000008Z to 1970-01-01T00:00:00.000000016Z", text)

    def test_faults_of_metadata_lose_no_events(self):
        trace = self.part("a", tsdl(events=("req_begin", "req_end"), more="event { id = 9; stream_id"), packet(0, (1, 1), (4, 2)))
        (answer,) = map(json.loads, self.check(run("latency", "--json", trace), 4).stdout.splitlines())
        self.assertEqual((answer["events"], answer["counts"]["gaps"]), (2, 0))
        answer = json.loads(self.check(run("query", "--json", "pair req_begin req_begin | count", trace), 4).stdout.splitlines()[-1])["answer"]
        self.assertEqual((answer["pairs"]["void"], answer["damaged_bytes"]), (0, 0))

    def test_lines_of_info_are_documented(self):
        documented = set(re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs/info.md").read_text(), re.MULTILINE))
        trace = self.part("a", tsdl(env="web1"), packet(0, (1, 1)), packet(1, (5, 1), discarded=3) + b"junk")
        parts = self.part("b", tsdl(env="web1"), packet(2, (7, 1)))
        text = self.check(run("info", trace, parts), 4).stdout.decode()
        said = set(re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", text, re.MULTILINE))
        self.assertGreaterEqual(said, {"parts", "size", "clock", "environment", "streams", "packets", "losses", "problems", "findings"})
        self.assertLessEqual(said, documented)

    def test_info_tells_files_of_chunks_apart(self):
        first = self.part("a", tsdl(), packet(0, (1, 1)))
        second = self.part("b", tsdl(), packet(1, (5, 1), instance=1))
        text = self.check(run("info", first, second), 0).stdout.decode()
        self.assertIn(" a/ch_0: ", text)
        self.assertIn(" b/ch_0: ", text)

    def test_stream_intersection(self):
        trace = self.two_streams("a", (1, 3, 5, 7, 9), (5, 8, 12))
        self.assertEqual(self.events("--stream-intersection", trace), [(12, 5), (12, 5), (14, 7), (15, 8), (16, 9)])
        self.assertEqual(self.events("--stream-intersection", "--begin", "13ns", "--end", "15ns", trace), [(14, 7), (15, 8)])
        said = self.check(run("print", "--stream-intersection", trace), 0).stderr.decode()
        self.assertIn("in common", said)
        self.assertIn("00:00:00.000000012Z to 1970-01-01T00:00:00.000000016Z", said)
        moved = self.events("--stream-intersection", "--clock-offset", "100", trace)
        self.assertEqual([time for time, _ in moved], [112, 112, 114, 115, 116])
        for command in ("query", "stats", "info"):
            answer = self.check(run(command, *(["count"] if command == "query" else []), "--json", "--stream-intersection", trace), 0)
            counts = json.loads(answer.stdout.splitlines()[-1])
            counts = counts.get("counts", counts.get("answer", counts))
            self.assertEqual(counts.get("events", counts.get("selected", counts.get("events_selected"))), 5, command)
        answer = self.check(run("latency", "--stream-intersection", trace), 0)
        self.assertTrue(answer.stdout.startswith(b"5 events, 4ns;"), answer.stdout)
        out = self.folder / "out.jsonl"
        self.check(run("convert", "--stream-intersection", "-o", out, trace), 0)
        self.assertEqual(out.read_bytes().count(b"\n"), 5)

    def test_nothing_in_common(self):
        trace = self.two_streams("a", (1, 3), (5, 8))
        self.assertEqual(self.events("--stream-intersection", trace, says=["nothing selected", "no time in common"]), [])

    def test_each_trace_has_its_own(self):
        other = tsdl(fields=("m",)).replace(str(ID), str(uuid.UUID(int=7)))
        self.two_streams("a", (1, 5), (3, 8))
        self.part("b", other, packet(0, (2, 2), (6, 6)))
        self.part("b", other, packet(0, (4, 4), (9, 9), instance=1), file="ch_1")
        events = self.events("--stream-intersection", self.folder / "a", self.folder / "b")
        self.assertEqual(sorted(value for _, value in events), [3, 4, 5, 6])

    def test_traces_without_such_packets(self):
        import dial9_writer

        ticks = self.file("t.bin", dial9_writer.ticks(3))
        result = self.check(run("print", "--output", "jsonl", "--stream-intersection", ticks), 0)
        self.assertEqual(result.stdout.count(b"\n"), 3)
        self.assertIn("leaves it as it is", result.stderr.decode())
        result = run("print", "--stream-intersection", "-", stdin=dial9_writer.ticks(3))
        self.assertIn("--stream-intersection needs a file or directory", self.check(result, 2).stderr.decode())


class Sessions(PartsTest):
    def session(self, folder, name, number, env="hostname = bot", classes=("tick",)):
        host, value = env.split(" = ")
        env = f'env {{ {host} = "{value}"; domain = "ust"; trace_name = "{name}"; }};\n'
        metadata = tsdl(events=classes).replace(str(ID), str(uuid.UUID(int=number))).replace("clock {", env + "clock {", 1)
        return self.part(folder, metadata, packet(0, (1, number)))

    def said(self):
        return self.check(run("print", self.folder), 0).stderr.decode()

    def test_two_sessions_that_recorded_the_same(self):
        says = "are of two recording sessions of one host: what both recorded counts twice"
        self.session("a", "one", 1)
        self.assertNotIn(says, self.said())
        self.session("b", "two", 2, env="hostname = other")
        self.session("c", "two", 3, classes=("tock",))
        self.session("d", "one", 4)
        self.assertNotIn(says, self.said())
        self.session("e", "three", 5)
        self.assertEqual(self.said().count(says), 1)


class OtherBuild(PartsTest):
    def test_events_without_a_class(self):
        self.part("a", tsdl(events=()), packet(0, (1, 1)))
        self.assertEqual(self.events(self.folder, code=4, says=["the metadata may be of another build"]), [])


class Unsigned(PartsTest):
    def test_metadata_without_a_signature(self):
        self.part("a", tsdl().removeprefix("/* CTF 1.8 */\n"), packet(0, (1, 1)))
        self.assertEqual(self.events(self.folder), [(8, 1)])
        said = self.check(run("validate", self.folder), 0).stdout.decode()
        self.assertIn("warning: ctf/tsdl-signature", said)


if __name__ == "__main__":
    unittest.main()

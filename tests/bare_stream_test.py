"""Data streams of CTF whose metadata are given (--metadata): what barectf and Zephyr send."""

import json
import os
import struct
import termios
import time

from command import TRACES, run, zstd
from live_test import PATIENCE, SILENCE, LiveTest, segment

# Packets with a magic number, both sizes and both counters, and events of two bytes.
METADATA = b"""/* CTF 1.8 */
typealias integer { size = 32; align = 8; } := u32;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
stream { packet.context := struct {
  u32 content_size; u32 packet_size; u32 packet_seq_num; u32 events_discarded; }; };
event { name = "tick"; fields := struct { integer { size = 16; align = 8; } n; }; };
"""
# As Zephyr has it: no packets but the stream itself.
WITHOUT_PACKETS = b"""/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { integer { size = 8; align = 8; } id; }; };
event { id = 0x11; name = "switched_in"; fields := struct {
  integer { size = 32; align = 8; base = hex; } thread_id; string name; }; };
"""


def packet(numbers, sequence=0, discarded=0, padding=0):
    events = b"".join(struct.pack("<H", n) for n in numbers)
    size = 20 + len(events)
    return struct.pack("<IIIII", 0xC1FC1FC1, 8 * size, 8 * (size + padding), sequence, discarded) + events + bytes(padding)


class BareStreamTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.metadata = self.file("barectf.metadata", METADATA)
        self.options = ("--metadata", self.metadata)

    def losses(self, text):
        return [json.loads(line)["loss"] for line in text.splitlines() if b'{"loss"' in line]


class Commands(BareStreamTest):
    def test_as_the_trace_that_it_is_from(self):
        trace = self.folder / "trace"
        ticks = self.file("ticks", segment(*range(3000)))
        for target in ("ctf1", "ctf2", "ctf2rc"):
            out = self.folder / target
            self.check(run("convert", "-q", "-o", out, "--to", target, "--packet-size", "4K", ticks), 0)
            (stream,) = (path for path in out.iterdir() if path.name not in ("metadata", "environment.json-seq"))
            options = ("--metadata", out / "metadata")
            want = self.check(run("print", "--output", "jsonl", out), 0).stdout
            self.assertEqual(want.count(b"\n"), 3000)
            for more in ((), ("--jobs", "3"), ("--order", "time")):
                got = self.check(run("print", "--output", "jsonl", *more, *options, stream), 0)
                self.assertEqual(got.stdout, want)
            got = self.check(run("print", "--output", "jsonl", *options, "-", stdin=stream.read_bytes()), 0)
            self.assertEqual(got.stdout, want)
            part = ("--begin", "100", "--end", "200")
            want = self.check(run("print", "--output", "jsonl", *part, out), 0).stdout
            got = self.check(run("print", "--output", "jsonl", *part, *options, stream), 0)
            self.assertEqual(got.stdout, want)
            for command in ("info", "schema", "stats", "validate"):
                self.check(run(command, *options, stream), 0)
            self.assertEqual(json.loads(run("info", "--json", *options, stream).stdout)["events"], 3000)
            self.assertEqual(
                run("schema", "--output", "metadata", *options, stream).stdout,
                run("schema", "--output", "metadata", out).stdout,
            )
            for to in ("ctf2rc", "ctf1", "dial9"):
                again = self.folder / f"{target}-{to}"
                self.check(run("convert", "-q", *options, stream, "-o", again, "--to", to), 0)
                self.assertEqual(self.printed(again), list(range(3000)))

    def test_reference_traces(self):
        """Every trace of barectf with one data stream file shows the same without its directory."""
        folders = [folder for folder in sorted(TRACES.glob("ctf/ctf1/barectf-*")) if folder.is_dir()]
        if not folders:
            self.skipTest("there are no reference traces")
        compared = 0
        for folder in folders:
            streams = [file for file in folder.iterdir() if file.name != "metadata"]
            if len(streams) != 1:
                continue
            want = run("print", "--output", "jsonl", folder)
            with open(streams[0], "rb") as stream:
                data = stream.read()
            for operand in (streams[0], "-"):
                got = run("print", "--output", "jsonl", "--metadata", folder / "metadata", operand, stdin=data)
                self.assertEqual(got.stdout, want.stdout, folder)
                self.assertEqual(got.returncode, want.returncode, folder)
            compared += 1
        self.assertGreater(compared, 50)

    def test_several_data_streams_of_one_trace(self):
        one = self.file("one", packet([1, 2]))
        two = self.file("two", packet([3]))
        result = self.check(run("print", "--output", "jsonl", *self.options, one, two), 0)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([(line["trace"], line["fields"]["n"]) for line in lines], [("one", 1), ("one", 2), ("two", 3)])

    def test_compressed_metadata(self):
        stream = self.file("stream", packet([1, 2]))
        compressed = zstd(METADATA)
        if compressed is None:
            self.skipTest("there is no zstd program")
        metadata = self.file("metadata.zst", compressed)
        self.check(run("print", "--metadata", metadata, stream), 0)


class Wrong(BareStreamTest):
    def test_usage(self):
        stream = self.file("stream", packet([1]))
        folder = self.folder / "trace"
        folder.mkdir()
        for args, says in (
            (("--format", "dial9", *self.options, stream), "'--metadata' goes with '--format ctf' only"),
            ((*self.options, "--format", "dial9", stream), "'--metadata' goes with '--format ctf' only"),
            ((*self.options, folder), "is a directory, which has its own metadata"),
            ((*self.options, stream, folder), "is a directory"),
            (("--metadata", "", stream), "a file needs a name"),
            (("--baud", "9600", stream), "'--baud' goes with '--follow' only"),
            (("--follow", "--baud", "9601", stream), "have the speeds 50, 75, 110,"),
            (("--follow", "--baud", "fast", stream), "4000000, not 'fast'"),
            (("--format", "ctf", "tcp-listen://:0"), "with --metadata FILE"),
        ):
            with self.subTest(args):
                self.assertIn(says, self.check(run("print", *args), 2, args).stderr.decode())
        result = self.check(run("print", "--format", "ctf", stream), 2)
        self.assertIn("--metadata FILE", result.stderr.decode())

    def test_metadata(self):
        stream = self.file("stream", packet([1]))
        broken = METADATA.replace(b"u32 magic", b"u33 magic")
        for name, text, says in (
            ("empty", b"", "empty"),
            ("broken", broken, "broken:"),
            ("packets", packet([1]), "packets"),
        ):
            path = self.file(name, text)
            for operand in (stream, "tcp-listen://:0"):
                with self.subTest(name=name, operand=operand):
                    result = self.check(run("print", "--metadata", path, operand), 3)
                    self.assertIn(says, result.stderr.decode())
                    self.assertEqual(result.stdout, b"")
                    self.assertNotIn("listening", result.stderr.decode())
            self.check(run("validate", "--metadata", path, stream), 1)
        for missing in (self.folder / "none", self.folder):
            self.check(run("print", "--metadata", missing, stream), 3)
            self.check(run("convert", "--metadata", missing, stream, "-o", self.folder / "out", "--to", "ctf2"), 3)
            self.assertFalse((self.folder / "out").exists())

    def test_bytes_that_are_no_packet(self):
        for data in (b"x", b"garbage", bytes(1000), os.urandom(5000)):
            stream = self.file("stream", data)
            for operand in (stream, "-"):
                result = self.check(run("print", *self.options, operand, stdin=data), 4)
                self.assertIn("does not begin with the magic number", result.stderr.decode())
                self.check(run("validate", *self.options, operand, stdin=data), 1)
        self.check(run("print", *self.options, self.file("stream", b"")), 0)


class Wire(BareStreamTest):
    def test_events_come_before_their_packet_is_complete(self):
        whole = packet([1, 2, 3], padding=8) + packet([4], sequence=1)
        listener, address = self.listener()
        command = self.printer(address, *self.options)
        peer, _ = listener.accept()
        sent = 0
        with peer:
            for end, shown in ((23, [1]), (24, [1, 2]), (26, [1, 2, 3]), (30, [1, 2, 3]), (len(whole), [1, 2, 3, 4])):
                peer.sendall(whole[sent:end])
                sent = end
                command.shows(*shown)
        command.end(0, None)

    def test_packets_without_sizes(self):
        metadata = self.file("zephyr", WITHOUT_PACKETS)
        command = self.printer("tcp-listen://:0", "--metadata", metadata)
        event = b"\x11" + struct.pack("<I", 0x2000) + b"main\0"
        with self.peer(command.port()) as peer:
            for count in range(1, 4):
                peer.sendall(event)
                command.wait_until(lambda: command.stdout.count(b"\n") >= count, "the event")
        command.end(0)
        self.assertEqual(json.loads(command.stdout.splitlines()[0])["fields"], {"thread_id": 0x2000, "name": "main"})

    def test_each_peer_is_a_trace_of_its_own(self):
        command = self.printer("tcp-listen://:0", *self.options)
        with self.peer(command.port()) as one, self.peer(command.port()) as other:
            one.sendall(packet([1])[:21])
            other.sendall(packet([7], sequence=3))
            command.wait_until(lambda: command.numbers() == [7], "the other's event")
            one.sendall(packet([1])[21:])
            command.wait_until(lambda: sorted(command.numbers()) == [1, 7], "both events")
        command.end(0)

    def test_a_stop_within_a_packet(self):
        command = self.printer("tcp-listen://:0", *self.options)
        with self.peer(command.port()) as peer:
            peer.sendall(packet([1, 2, 3])[:-1])
            command.shows(1, 2)
            command.end(0)

    def test_a_peer_that_leaves_within_a_packet(self):
        command = self.printer("tcp-listen://:0", *self.options)
        with self.peer(command.port()) as peer:
            peer.sendall(packet([1, 2, 3])[:-1])
            command.shows(1, 2)
        command.end(4)
        self.assertIn("the data stream ends within it", command.stderr)

    def test_what_is_no_packet_is_reported_while_it_comes(self):
        command = self.printer("tcp-listen://:0", *self.options)
        with self.peer(command.port()) as peer:
            peer.sendall(b"garbage")
            command.said("does not begin with the magic number C1FC1FC1; the next packet is looked for")
            peer.sendall(packet([1]))
            command.shows(1)
        command.end(4)

    def test_datagrams(self):
        command = self.printer("udp-listen://:0", "--records", "all", *self.options)
        sender = self.sender(command.port())
        sender.send(packet([1, 2]) + packet([3], sequence=1))
        sender.send(packet([4, 5], sequence=2)[:-1])  # damage that ends with its datagram
        sender.send(b"garbage")
        sender.send(packet([6], sequence=5, discarded=7))

        def events():
            lines = [json.loads(line) for line in command.stdout.split(b"\n")[:-1]]
            return [line["fields"]["n"] for line in lines if "fields" in line]

        command.wait_until(lambda: len(events()) >= 5, "the events")
        command.end(4)
        self.assertEqual(events(), [1, 2, 3, 4, 6])
        losses = self.losses(command.stdout)
        self.assertEqual([(loss.get("packets"), loss.get("events")) for loss in losses], [(2, None), (None, 7)])

    def test_info_of_a_peer(self):
        command = self.command("info", "--json", "tcp-listen://:0", *self.options)
        with self.peer(command.port()) as peer:
            peer.sendall(packet([1, 2]) + packet([3], sequence=4))
        command.wait_until(lambda: b"\n" in command.stdout, "the summary")
        command.end(0)
        self.assertEqual(json.loads(command.stdout)["events"], 3)

    def test_recorder(self):
        out = self.folder / "run"
        command = self.command("convert", "tcp-listen://:0", *self.options, "-o", out, "--to", "ctf2")
        with self.peer(command.port()) as peer:
            peer.sendall(packet([1, 2]) + packet([3], sequence=1))
            part = self.folder / "run.part"
            end = time.monotonic() + PATIENCE
            while not any(file.stat().st_size for file in part.glob("127.0.0.1:*")):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
        time.sleep(SILENCE)
        command.end(0)
        self.assertEqual(self.printed(out), [1, 2, 3])


class Followed(BareStreamTest):
    def test_file_that_grows(self):
        whole = packet([1, 2], padding=3) + packet([3, 4], sequence=1)
        path = self.file("stream", whole[:23])
        command = self.printer("--follow", *self.options, path)
        command.shows(1)
        for end, shown in ((24, [1, 2]), (49, [1, 2, 3]), (len(whole), [1, 2, 3, 4])):
            with open(path, "ab") as file:
                file.write(whole[path.stat().st_size : end])
            command.shows(*shown)
        command.end(0)

    def test_serial_line(self):
        """Who listens to a line comes into the middle of a packet."""
        link = self.folder / "line"
        controller = self.line(link)
        command = self.printer("--follow", "--baud", "115200", *self.options, link)
        self.wait_for_raw(link)
        line = os.open(link, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self.assertEqual(termios.tcgetattr(line)[4:6], [termios.B115200, termios.B115200])
        os.close(line)
        # These are bytes that a terminal takes for itself.
        sent = packet([1, 2])[7:] + packet([3, 4, 10, 13, 17], sequence=1) + packet([19], sequence=2)
        for i in range(0, len(sent), 5):
            os.write(controller, sent[i : i + 5])
            time.sleep(0.002)
        command.shows(3, 4, 10, 13, 17, 19)
        command.end(4)
        self.assertIn("reading goes on at the next packet", command.stderr)
        os.close(controller)

    def test_speed_of_what_is_no_line(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        command = self.printer("--follow", "--baud", "9600", *self.options, path)
        path.write_bytes(packet([1]))
        command.shows(1)
        command.said("its speed cannot be set to 9600 bits a second")
        command.end(0)

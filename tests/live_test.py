"""TRACEs that come while they are read: sockets on loopback, files that grow, terminal lines."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import termios
import threading
import time
import unittest

import dial9_writer as w
import heph_writer as h
from command import BIN, CommandTest, is_sanitized, run

# Nothing here should take a tenth of that. A sanitized build on a busy machine is slow.
PATIENCE = 60
# How long nothing must come where something would if it were wrong.
SILENCE = 0.3


def segment(*numbers):
    """A whole trace with one event for each number."""
    return (
        w.header()
        + w.schema(0, "Tick", [("n", w.VARINT)])
        + b"".join(w.event(0, w.varint(n), delta=n) for n in numbers)
    )


def heph_epoch(epoch):
    return struct.pack(">IIH5sQ", 0x75D11D4D, 23, 5, b"epoch", epoch)


def heph_packet(counter, stream=5, start=None):
    """An event with the attribute n = counter."""
    start = 1000 * counter if start is None else start
    body = struct.pack(">IIQQQH4s", stream, counter % 2**32, 0, start, start + 10, 4, b"poll")
    body += struct.pack(">H1sBQ", 1, b"n", 1, counter)
    return struct.pack(">II", 0xC1FC1FB7, 8 + len(body)) + body


def cobs(payload):
    """Of payloads below 254 bytes."""
    return b"".join(bytes([len(block) + 1]) + block for block in payload.split(b"\0")) + b"\0"


def tband_enter(ts, isr):
    """isr_enter, its numbers below 128."""
    return cobs(bytes([4, ts, isr]))


# Packets with a magic number, and events of two bytes.
BARE_METADATA = b"""/* CTF 1.8 */
typealias integer { size = 32; align = 8; } := u32;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
stream { packet.context := struct {
  u32 content_size; u32 packet_size; u32 packet_seq_num; u32 events_discarded; }; };
event { name = "tick"; fields := struct { integer { size = 16; align = 8; } n; }; };
"""


class Command:
    """The command at work; what it writes is collected by threads."""

    def __init__(self, test, *args, stdin=subprocess.DEVNULL, **more):
        environment = dict(os.environ)
        self.process = subprocess.Popen(
            [BIN, *map(os.fspath, args)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            **more,
        )
        self.test = test
        self.changed = threading.Condition()
        self.output = {"stdout": b"", "stderr": b""}
        self.threads = [
            threading.Thread(target=self._collect, args=(name, stream), daemon=True)
            for name, stream in (("stdout", self.process.stdout), ("stderr", self.process.stderr))
        ]
        for thread in self.threads:
            thread.start()
        test.addCleanup(self._kill)

    def _collect(self, name, stream):
        while True:
            data = os.read(stream.fileno(), 65536)
            with self.changed:
                self.output[name] += data
                self.changed.notify_all()
            if not data:
                return

    def _kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()

    @property
    def stdout(self):
        return self.output["stdout"]

    @property
    def stderr(self):
        return self.output["stderr"].decode()

    def wait_until(self, condition, what):
        with self.changed:
            if not self.changed.wait_for(condition, PATIENCE):
                self.test.fail(f"waited in vain for {what}\nstdout: {self.stdout[-600:]!r}\nstderr: {self.stderr[-600:]}")

    def said(self, pattern):
        """Waits for a line on standard error and returns the match."""
        self.wait_until(lambda: re.search(pattern, self.stderr), f"'{pattern}' on standard error")
        return re.search(pattern, self.stderr)

    def port(self, number=0):
        self.wait_until(lambda: self.stderr.count("listening on") > number, "the port")
        return int(re.findall(r"listening on \S+:(\d+)\n", self.stderr)[number])

    def events(self):
        """Every event printed so far."""
        return [json.loads(line) for line in self.stdout.split(b"\n")[:-1]]

    def numbers(self):
        """The field n of each."""
        return [event["fields"]["n"] for event in self.events()]

    def shows(self, *numbers):
        """Waits until these events are printed, and no others."""
        self.wait_until(lambda: len(self.numbers()) >= len(numbers), f"the events {numbers}")
        self.test.assertEqual(self.numbers(), list(numbers))

    def end(self, code, number=signal.SIGINT):
        """Ends it by a signal, or waits for its end without one."""
        if number is not None:
            self.process.send_signal(number)
        self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join()
        self.test.assertEqual(self.process.returncode, code, self.stderr)


class LiveTest(CommandTest):
    def command(self, *args):
        return Command(self, *args)

    def printer(self, *args):
        return self.command("print", "--output", "jsonl", *args)

    def peer(self, port, family=socket.AF_INET):
        host = "127.0.0.1" if family == socket.AF_INET else "::1"
        peer = socket.socket(family, socket.SOCK_STREAM)
        self.addCleanup(peer.close)
        peer.settimeout(PATIENCE)
        peer.connect((host, port))
        return peer

    def listener(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(PATIENCE)
        return listener, f"tcp://127.0.0.1:{listener.getsockname()[1]}"

    def sender(self, port):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(sender.close)
        sender.connect(("127.0.0.1", port))
        return sender

    def line(self, link):
        try:
            controller, line = pty.openpty()
        except OSError as error:
            self.skipTest(f"there is no pseudo-terminal: {error}")
        with contextlib.suppress(FileNotFoundError):
            link.unlink()
        link.symlink_to(os.ttyname(line))
        self.addCleanup(os.close, line)
        return controller

    def local_flags(self, link):
        line = os.open(link, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return termios.tcgetattr(line)[3]
        finally:
            os.close(line)

    def wait_for_raw(self, link):
        end = time.monotonic() + PATIENCE
        while self.local_flags(link) & termios.ICANON:
            self.assertLess(time.monotonic(), end, "the line was not opened again")
            time.sleep(0.01)

    def printed(self, path):
        """The field n of every event of a file."""
        result = self.check(run("print", "--output", "jsonl", path), 0)
        return [json.loads(line)["fields"]["n"] for line in result.stdout.splitlines()]


class Usage(LiveTest):
    def wrong(self, *args, says):
        result = self.check(run(*args), 2, args)
        self.assertIn(says, result.stderr.decode())

    def test_addresses(self):
        for address, says in (
            ("tcp://localhost", "the port is missing"),
            ("tcp://:4000", "the host is missing"),
            ("tcp://localhost:0", "port 0"),
            ("tcp://localhost:port", "a number up to 65535"),
            ("tcp-listen://localhost:65536", "a number up to 65535"),
            ("tcp://::1:4000", "in brackets"),
            ("udp-listen://[::1:4000", "closing bracket"),
            ("udp-listen://[]:4000", "no address between"),
        ):
            with self.subTest(address):
                self.wrong("print", address, says=says)

    def test_addresses_that_are_not_supported(self):
        relay = "LTTng's relay daemon is not asked for traces; name the directory that the session is written to"
        for address, says in (
            ("net://localhost/host/me/session", relay),
            ("net4://localhost", relay),
            ("net6://[::1]/x", relay),
            ("tcp4://localhost:5344", relay),
            ("tcp6://[::1]:5344", relay),
            ("lttng-live://h:5344", relay),
            ("unix:///run/x", "unix:// is not supported; traces come live from tcp://HOST:PORT, tcp-listen://ADDR:PORT and"),
            ("https://example.org/t.bin", "https:// is not supported"),
            ("file:///t.bin", "a file is named by its path alone"),
            ("1x://y", "there is no such file"),
        ):
            for command in (["print"], ["info"], ["query", "count"], ["convert", "--to", "csv", "-o", self.folder / "out"], ["print", "--follow"]):
                result = self.check(run(*command, address), 3, address)
                self.assertIn(f"{address}: {says}", result.stderr.decode())
                self.assertEqual(result.stdout if command[0] == "print" else b"", b"")
        # What is named beside it is read.
        trace = self.file("t.bin", segment(1))
        self.assertEqual(self.check(run("print", "--output", "jsonl", "net://x", trace), 3).stdout.count(b"\n"), 1)
        # And it may be the name of a file.
        (self.folder / "net:").mkdir()
        self.file("net:/x", segment(1))
        self.assertEqual(self.check(run("print", "--output", "jsonl", "net://x", cwd=self.folder), 0).stdout.count(b"\n"), 1)

    def test_a_live_trace_has_no_end_to_count_from(self):
        path = self.file("t", b"")
        for option in ("--begin", "--end"):
            for trace in ("tcp-listen://:0", ("--follow", path)):
                arguments = [trace] if isinstance(trace, str) else trace
                self.wrong("print", option, "end-1ms", *arguments, says=f"option '{option}' counts from the end of a trace, and a live TRACE has none yet")

    def test_what_does_not_go_together(self):
        self.wrong("print", "--order", "time", "tcp-listen://:0", says="--order")
        self.wrong("print", "--order", "merged", "tcp-listen://:0", says="--order")
        self.wrong("print", "--format", "ctf", "tcp-listen://:0", says="with --metadata FILE")
        self.wrong("print", "--follow", "-", says="standard input")
        self.wrong("print", "--follow", self.folder, says="is a directory")
        self.wrong("print", "tcp-listen://:0", self.folder, says="is a directory")
        path = self.file("trace", segment(1))
        self.wrong("convert", "--follow", path, "-o", path, "--to", "dial9", says="would be replaced by the result")

    def test_what_cannot_be_opened(self):
        listener, address = self.listener()
        taken = address.replace("tcp://", "tcp-listen://")
        result = self.check(run("print", taken), 3)
        self.assertIn("the port is in use", result.stderr.decode())
        listener.close()
        result = self.check(run("print", address), 3)
        self.assertIn("nobody listens there", result.stderr.decode())
        self.check(run("print", "--follow", self.folder / "none"), 3)


class Tcp(LiveTest):
    def test_connects(self):
        listener, address = self.listener()
        command = self.printer(address)
        peer, _ = listener.accept()
        with peer:
            peer.sendall(segment(1, 2))
            command.shows(1, 2)
            peer.sendall(w.event(0, w.varint(3)))
            command.shows(1, 2, 3)
        command.end(0, None)

    def test_listens(self):
        command = self.printer("tcp-listen://127.0.0.1:0")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1))
            command.shows(1)
        with self.peer(command.port()) as peer:
            peer.sendall(segment(2))
            command.shows(1, 2)
        command.end(0)

    def test_listens_on_loopback_unless_asked_otherwise(self):
        for address in ("tcp-listen://:0", "tcp-listen://0", "udp-listen://:0"):
            command = self.printer(address, "--format", "dial9")
            command.said(r"listening on (tcp|udp)-listen://127\.0\.0\.1:\d+")
            command.end(0)

    @unittest.skipUnless(socket.has_ipv6, "no IPv6 here")
    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 loopback here")
        command = self.printer("tcp-listen://[::1]:0")
        with self.peer(command.port(), socket.AF_INET6) as peer:
            peer.sendall(segment(1))
            command.shows(1)
        command.end(0)

    def test_peers_are_served_at_the_same_time(self):
        command = self.printer("tcp-listen://:0", "-v")
        with self.peer(command.port()) as silent, self.peer(command.port()) as first, self.peer(command.port()) as second:
            second.sendall(segment(7))
            command.shows(7)
            first.sendall(segment(1))
            command.shows(7, 1)
            second.sendall(w.event(0, w.varint(8)))
            command.shows(7, 1, 8)
            silent.sendall(segment(9))
            command.shows(7, 1, 8, 9)
            name = f"127.0.0.1:{second.getsockname()[1]}"
        command.said(rf"tcp-listen://:0/{name}: dial9, version")
        command.end(0)

    def test_what_has_arrived_is_read_when_interrupted(self):
        """Of a silent peer, of one that is served, and of those that wait."""
        for args in (("print", "--output", "jsonl"), ("info", "--json"), ("convert", "-o", self.folder / "out", "--to", "dial9")):
            with self.subTest(args[0]):
                command = self.command(*args, "tcp-listen://:0", "--format", "dial9")
                peers = [self.peer(command.port()) for _ in range(4)]
                peers[1].sendall(segment(1))
                time.sleep(SILENCE)
                command.process.send_signal(signal.SIGSTOP)
                peers[1].sendall(w.event(0, w.varint(2)))
                peers[2].sendall(segment(3))
                waiting = self.peer(command.port())
                waiting.sendall(segment(4, 5)[:-1])
                command.process.send_signal(signal.SIGINT)
                command.process.send_signal(signal.SIGCONT)
                command.end(0, None)
                numbers = {
                    "print": lambda: command.numbers(),
                    "info": lambda: [e for line in command.stdout.splitlines() for e in [json.loads(line)["events"]]],
                    "convert": lambda: self.printed(self.folder / "out"),
                }[args[0]]()
                self.assertEqual(sorted(numbers), [1, 1, 2] if args[0] == "info" else [1, 2, 3, 4])

    def test_latency_says_when_times_go_back(self):
        events = [h.event(b"s", counter=n, start=start, end=start + 5) for n, start in enumerate((100, 90, 80, 200))]
        for content, said in ((events, True), (events[:1] + events[3:], False)):
            command = self.command("latency", "tcp-listen://:0")
            with self.peer(command.port()) as peer:
                peer.sendall(h.epoch(1) + b"".join(content))
            time.sleep(0.2)
            command.end(0)
            sentence = "what comes live is interpreted in the order of arrival, and went back in time 2 times"
            self.assertEqual(sentence in command.stderr, said, command.stderr)

    def test_a_limit_of_peers_is_reported(self):
        command = self.printer("tcp-listen://:0")
        peers = [self.peer(command.port()) for _ in range(64)]
        for n, peer in enumerate(peers):
            peer.sendall(segment(n))
        command.wait_until(lambda: len(command.numbers()) == 64, "all events")
        command.said("64 peers are served; further ones wait until one of them disconnects")
        with self.peer(command.port()) as late:
            late.sendall(segment(99))
            time.sleep(SILENCE)
            self.assertEqual(len(command.numbers()), 64)
            peers[5].close()
            command.wait_until(lambda: command.numbers()[64:] == [99], "the one that waited")
        command.end(0)

    def test_what_one_peer_leaves_incomplete_costs_the_next_nothing(self):
        command = self.printer("tcp-listen://:0")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1, 2)[:-1])
            command.shows(1)
        with self.peer(command.port()) as peer:
            peer.sendall(segment(3))
            command.shows(1, 3)
        command.end(4)
        self.assertIn("frame-truncated", command.stderr)

    def test_garbage_is_refused_and_nothing_is_nothing(self):
        for options in ((), ("--format", "dial9")):
            with self.subTest(options):
                command = self.printer("tcp-listen://:0", *options)
                self.peer(command.port()).close()
                with self.peer(command.port()) as peer:
                    peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
                with self.peer(command.port()) as peer:
                    peer.sendall(segment(1))
                    command.shows(1)
                command.end(4)

    def test_byte_by_byte(self):
        command = self.printer("tcp-listen://:0")
        with self.peer(command.port()) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in segment(1, 2, 3):
                peer.sendall(bytes([byte]))
                time.sleep(0.002)
            command.shows(1, 2, 3)
        command.end(0)

    def test_who_stalls_inside_a_frame_is_let_go_of(self):
        """After what it sent was shown; a peer that is silent between frames stays."""
        packets = b"".join(struct.pack("<IIIII", 0xC1FC1FC1, 176, 176, i, 0) + struct.pack("<H", i) for i in range(2))
        metadata = self.file("metadata", BARE_METADATA)
        ways = {
            "dial9": ((), segment(1), w.event(0, w.varint(2))),
            "heph": ((), heph_packet(0), heph_packet(1)),
            "tband": (("--format", "tband"), tband_enter(1, 1), tband_enter(2, 2)),
            "ctf": (("--metadata", metadata), packets[:22], packets[22:]),
        }
        for name, (options, first, second) in ways.items():
            with self.subTest(name):
                command = self.printer("tcp-listen://:0", "--stall-limit", "800ms", *options)
                with self.peer(command.port()) as idle, self.peer(command.port()) as stalls:
                    idle.sendall(first)
                    stalls.sendall(first + second[:-1])
                    command.wait_until(lambda: len(command.events()) == 2, "both first events")
                    command.said(r"tcp-listen://:0/127\.0\.0\.1:%d: it was let go of, since it sent nothing for 0\.8 s "
                                 % stalls.getsockname()[1])
                    # The connection is closed.
                    stalls.settimeout(PATIENCE)
                    with contextlib.suppress(ConnectionResetError):
                        self.assertEqual(stalls.recv(1), b"")
                    idle.sendall(second)
                    command.wait_until(lambda: len(command.events()) == 3, "the event of who was idle")
                self.assertEqual(command.stderr.count("it was let go of"), 1)
                command.end(4)

    def test_half_a_beginning_is_a_stall(self):
        for begun in (b"T", segment(1)[:3], b"\x1f\x8b", b"\x1f\x8b\x08\x00\x00"):
            command = self.printer("tcp-listen://:0", "--stall-limit", "500ms")
            with self.peer(command.port()) as stalls, self.peer(command.port()) as good:
                stalls.sendall(begun)
                command.said("it was let go of")
                good.sendall(segment(1))
                command.shows(1)
            command.end(4)

    def test_a_slow_peer_does_not_stall(self):
        command = self.printer("tcp-listen://:0", "--stall-limit", "1s")
        with self.peer(command.port()) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            whole = segment(1)
            for i in range(0, len(whole), 8):
                peer.sendall(whole[i : i + 8])
                time.sleep(0.3)
            command.shows(1)
        command.end(0)

    def test_no_limit_of_stalls(self):
        command = self.printer("tcp-listen://:0", "--stall-limit", "0")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1, 2)[:-1])
            command.shows(1)
            time.sleep(SILENCE)
            peer.sendall(segment(1, 2)[-1:])
            command.shows(1, 2)
        command.end(0)
        for value in ("x", "-1s", "", "25h"):
            self.assertIn("'--stall-limit'", self.check(run("print", "--stall-limit", value, "tcp-listen://:0"), 2).stderr.decode())
        for trace in ("t", "udp-listen://:0", "-"):
            self.assertIn("goes with tcp-listen:// only",
                          self.check(run("print", "--stall-limit", "1s", trace), 2).stderr.decode())

    def test_a_recording_keeps_what_who_stalls_has_sent(self):
        out = self.folder / "out.dial9"
        command = self.command("convert", "-o", out, "--format", "dial9", "tcp-listen://:0", "--stall-limit", "500ms")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1, 2, 3)[:-1])
            command.said("it was let go of")
        command.end(4)
        self.assertEqual(self.printed(out), [1, 2])

    def test_few_descriptors(self):
        """Peers that find none wait, and nothing turns in circles meanwhile."""
        import resource

        few = 40
        command = Command(self, "print", "--output", "jsonl", "tcp-listen://:0",
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))  # fmt: skip
        peers = [self.peer(command.port()) for _ in range(60)]
        for n, peer in enumerate(peers):
            peer.sendall(segment(n))
        command.wait_until(lambda: len(command.numbers()) >= 1, "an event")
        before = self.processor_time(command.process.pid)
        time.sleep(1)
        self.assertLess(self.processor_time(command.process.pid) - before, 0.3)
        for peer in peers:
            peer.close()
        command.wait_until(lambda: len(command.numbers()) == 60, "all events")
        self.assertEqual(sorted(command.numbers()), list(range(60)))
        command.end(0)
        self.assertLessEqual(len(command.stderr.splitlines()), 4, command.stderr)

    def test_descriptors_that_are_taken_away(self):
        import resource

        command = self.printer("tcp-listen://:0")
        port = command.port()
        with self.peer(port) as first:
            first.sendall(segment(1))
            command.shows(1)
            taken = len(os.listdir(f"/proc/{command.process.pid}/fd"))
            resource.prlimit(command.process.pid, resource.RLIMIT_NOFILE, (taken, 1024))
            late = self.peer(port)
            late.sendall(segment(2))
            command.said("too many files are open.*; peers that come wait meanwhile")
            before = self.processor_time(command.process.pid)
            time.sleep(1)
            self.assertLess(self.processor_time(command.process.pid) - before, 0.3)
            command.shows(1)
            resource.prlimit(command.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
            command.shows(1, 2)
        command.end(0)
        self.assertEqual(command.stderr.count("too many files"), 1)

    def processor_time(self, process):
        """Seconds."""
        with open(f"/proc/{process}/stat", encoding="ascii") as status:
            fields = status.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_compressed(self):
        import gzip

        command = self.printer("tcp-listen://:0")
        for n in (1, 2):
            with self.peer(command.port()) as peer:
                peer.sendall(gzip.compress(segment(n)))
                command.shows(*range(1, n + 1))
        command.end(0)

    def test_endless_garbage_takes_bounded_memory(self):
        """A pool frame that claims 4 GiB, and what a peer can send meanwhile."""
        command = self.printer("tcp-listen://:0", "--max-state", "8M")
        huge = segment(1) + bytes([3]) + w.u32(0xFFFFFFFF) + w.u32(0) + w.u32(0xFFFFFFF0)
        with self.peer(command.port()) as peer:
            peer.sendall(huge)
            for _ in range(48):
                peer.sendall(os.urandom(1 << 20).replace(b"T", b"U"))
            memory = self.resident_mib(command.process.pid)
        with self.peer(command.port()) as peer:
            peer.sendall(segment(2))
            command.shows(1, 2)
        command.end(4)
        # With room for what a sanitizer adds.
        self.assertLess(memory, 64 if not is_sanitized() else 400)

    def resident_mib(self, process):
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) / 1024

    def test_several_in_order_of_arrival(self):
        command = self.printer("tcp-listen://:0", "tcp-listen://:0")
        with self.peer(command.port(0)) as first, self.peer(command.port(1)) as second:
            second.sendall(segment(9))
            command.shows(9)
            first.sendall(segment(1))
            command.shows(9, 1)
            second.sendall(w.event(0, w.varint(8)))
            command.shows(9, 1, 8)
        command.end(0)

    def test_limit_ends_it(self):
        command = self.printer("tcp-listen://:0", "--limit", "2")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1, 2, 3))
            command.end(0, None)
        self.assertEqual(command.numbers(), [1, 2])

    def test_info_and_stats(self):
        command = self.command("info", "--json", "tcp-listen://:0")
        for n in (1, 2):
            with self.peer(command.port()) as peer:
                peer.sendall(segment(*range(n)))
            command.wait_until(lambda: command.stdout.count(b"\n") == n, "a summary")
        command.end(0)
        self.assertEqual([json.loads(line)["events"] for line in command.stdout.splitlines()], [1, 2])
        command = self.command("stats", "--json", "tcp-listen://:0")
        for _ in range(2):
            with self.peer(command.port()) as peer:
                peer.sendall(segment(1, 2, 3))
        time.sleep(SILENCE)
        command.end(0)
        self.assertEqual(json.loads(command.stdout)["events"], 6)

    def test_validate(self):
        command = self.command("validate", "tcp-listen://:0")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1) + b"\xff")
        command.wait_until(lambda: b"dial9/frame-tag" in command.stdout, "a finding")
        command.end(1)


class Udp(LiveTest):
    def test_each_datagram_is_a_segment(self):
        command = self.printer("udp-listen://:0", "--format", "dial9")
        sender = self.sender(command.port())
        # The second datagram is lost and two others change places: segments do not care.
        for numbers in ((1, 2), (7,), (5, 6), (8,)):
            sender.send(segment(*numbers))
        command.shows(1, 2, 7, 5, 6, 8)
        command.end(0)

    def test_what_a_datagram_leaves_incomplete_costs_the_next_nothing(self):
        command = self.printer("udp-listen://:0")
        sender = self.sender(command.port())
        sender.send(segment(1))
        sender.send(segment(2, 3)[:-1])
        # A frame that claims to go on for long.
        sender.send(segment() + bytes([3]) + w.u32(0xFFFFFFFF) + w.u32(0) + w.u32(1 << 20))
        sender.send(b"\xffgarbage")
        sender.send(segment(4))
        command.shows(1, 2, 4)
        command.end(4)
        self.assertEqual(command.stderr.count("dial9/frame-truncated"), 2, command.stderr)
        self.assertEqual(command.stderr.count("dial9/frame-tag"), 1, command.stderr)

    def test_garbage_first(self):
        for options in ((), ("--format", "dial9")):
            command = self.printer("udp-listen://:0", *options)
            sender = self.sender(command.port())
            for text in (b"x", b"", b"garbage", segment(1), segment(2)):
                sender.send(text)
            command.shows(1, 2)
            command.end(4)

    def test_garbage_is_counted(self):
        """A flood of what nobody can read is two lines, whether or not the format is known."""
        refused = r"5000 datagrams in all could not be read"
        for options, says in (((), refused), (("--format", "dial9"), refused), (("--format", "heph"), r"\d+ more of heph/\S+\n")):
            with self.subTest(options):
                command = self.printer("udp-listen://:0", *options)
                sender = self.sender(command.port())
                for n in range(5000):
                    sender.send(b"garbage %d" % n)
                    if n % 50 == 49:
                        time.sleep(0.005)
                sender.send(heph_packet(7) if "heph" in options else segment(7))
                command.wait_until(lambda: b"\n" in command.stdout, "the event")
                command.end(4)
                said = re.sub(r".*the system dropped .*\n", "", command.stderr)
                if said == command.stderr:
                    self.assertRegex(said, says)
                self.assertLessEqual(len(said.splitlines()), 5, said[:2000])

    def test_large_datagrams_are_whole(self):
        command = self.printer("udp-listen://:0")
        sender = self.sender(command.port())
        numbers = range(6000)
        sender.send(segment(*numbers))
        command.shows(*numbers)
        command.end(0)

    def test_what_there_was_no_room_for_is_told(self):
        command = self.command("stats", "--json", "udp-listen://:0")
        sender = self.sender(command.port())
        sender.send(segment(0))
        time.sleep(SILENCE)
        command.process.send_signal(signal.SIGSTOP)
        datagram = segment(*range(6000))
        count = 2000
        for _ in range(count):
            sender.send(datagram)
        command.process.send_signal(signal.SIGCONT)
        time.sleep(1)
        command.end(0)
        dropped = sum(map(int, re.findall(r"the system dropped (\d+) datagram", command.stderr)))
        self.assertGreater(dropped, 0, command.stderr)
        self.assertEqual(json.loads(command.stdout)["events"], 1 + 6000 * (count - dropped))


class Heph(LiveTest):
    """The losses of counters are exact over UDP."""

    def losses(self, command):
        lines = [json.loads(line) for line in command.stdout.splitlines()]
        return sum(line["loss"]["events"] for line in lines if "loss" in line)

    def events(self, command):
        return [line for line in map(json.loads, command.stdout.splitlines()) if "fields" in line]

    def test_dropped_and_swapped_datagrams(self):
        command = self.printer("udp-listen://:0", "--records", "all", "-v")
        sender = self.sender(command.port())
        order = [n for n in range(40) if n not in (3, 7, 8, 39)]
        for a, b in ((10, 11), (20, 23)):
            i, k = order.index(a), order.index(b)
            order[i], order[k] = order[k], order[i]
        for n in order:
            sender.send((heph_epoch(10**18) if n == 0 else b"") + heph_packet(n))
        command.wait_until(lambda: command.stdout.count(b'"fields"') == len(order), "all events")
        command.end(0)
        self.assertEqual([event["fields"]["n"] for event in self.events(command)], order)
        self.assertEqual(self.events(command)[0]["time"], 10**18)
        self.assertEqual(self.losses(command), 3)
        self.assertIn("lost: 3 events", command.stderr)

    def test_losses_are_reported_before_more_comes(self):
        command = self.printer("udp-listen://:0", "--records", "all")
        sender = self.sender(command.port())
        for n in (0, 2):
            sender.send(heph_packet(n))
        command.wait_until(lambda: b'"loss"' in command.stdout, "the loss")
        self.assertEqual(self.losses(command), 1)
        command.end(0)

    def test_several_packets_and_streams(self):
        command = self.printer("udp-listen://:0", "--records", "all")
        sender = self.sender(command.port())
        # Every datagram has two packets of each stream; each third is lost.
        lost = 0
        sent = 0
        for n in range(30):
            datagram = b"".join(heph_packet(2 * n + k, stream) for k in (0, 1) for stream in (1, 2))
            if n % 3 == 1:
                lost += 4
            else:
                sender.send(datagram)
                sent += 4
        command.wait_until(lambda: command.stdout.count(b'"fields"') == sent, "all events")
        command.end(0)
        self.assertEqual(self.losses(command), lost)

    def test_a_new_peer_counts_anew(self):
        command = self.printer("tcp-listen://:0", "--records", "all")
        sent = 0
        for numbers in ((100, 101), (0, 1)):
            with self.peer(command.port()) as peer:
                peer.sendall(heph_epoch(numbers[0]) + b"".join(map(heph_packet, numbers)))
            sent += len(numbers)
            command.wait_until(lambda: command.stdout.count(b'"fields"') == sent, "all events")  # noqa: B023
        command.end(0)
        self.assertEqual(self.losses(command), 0)
        self.assertEqual(command.stderr.count("\n"), 1, command.stderr)
        self.assertEqual([event["time"] for event in self.events(command)], [100100, 101100, 0, 1000])

    def test_recorder(self):
        out = self.folder / "run.log"
        trace = heph_epoch(1) + b"".join(map(heph_packet, range(10)))
        command = self.command("convert", "tcp-listen://:0", "--format", "heph", "-o", out, "--to", "heph")
        with self.peer(command.port()) as peer:
            peer.sendall(trace + heph_packet(10)[:50])
            part = self.folder / "run.log.part"
            end = time.monotonic() + PATIENCE
            while part.stat().st_size < len(trace):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            command.end(0, signal.SIGTERM)
        self.assertEqual(out.read_bytes(), trace)

    def test_truncated_packet_in_a_datagram(self):
        command = self.printer("udp-listen://:0", "--format", "heph")
        sender = self.sender(command.port())
        sender.send(heph_packet(0) + heph_packet(1)[:-1])
        sender.send(heph_packet(2))
        command.wait_until(lambda: command.stdout.count(b'"fields"') == 2, "what is whole")
        command.end(4)
        self.assertEqual([event["fields"]["n"] for event in self.events(command)], [0, 2])


class HeldBack(LiveTest):
    """What holds for the whole trace is looked for before events are shown, but not for ever."""

    def from_full_pipe(self, trace, *args):
        """The events of a trace that lies in a pipe as a whole before it is read."""
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 256 << 10)
        os.set_blocking(writing, False)
        self.assertEqual(os.write(writing, trace), len(trace))
        os.close(writing)
        command = Command(self, "print", "--output", "jsonl", *args, "-", stdin=reading)
        os.close(reading)
        command.end(0, None)
        return [json.loads(line) for line in command.stdout.splitlines()]

    def test_heph_in_one_delivery(self):
        for options in ((), ("--format", "heph")):
            trace = heph_epoch(10**18) + b"".join(map(heph_packet, range(2000)))
            self.assertGreater(len(trace), 1 << 16)
            events = self.from_full_pipe(heph_packet(7, stream=6) + trace, *options)
            self.assertEqual(len(events), 2001)
            self.assertEqual(events[0]["time"], 10**18 + 7000)

    def test_tonbandgeraet_in_one_delivery(self):
        frames = b"".join(tband_enter(n % 100 + 1, 1) for n in range(20000))
        events = self.from_full_pipe(tband_enter(5, 1) + cobs(bytes([2, 3])) + frames, "--format", "tband")
        self.assertEqual(events[0]["time"], 15)

    def test_the_first_byte_is_waited_for(self):
        command = Command(self, "print", "--output", "jsonl", "--format", "heph", "-", stdin=subprocess.PIPE)
        time.sleep(2 * SILENCE)
        command.process.stdin.write(heph_packet(1) + heph_epoch(10**18))
        command.process.stdin.close()
        command.end(0, None)
        self.assertEqual(json.loads(command.stdout)["time"], 10**18 + 1000)

    def test_what_never_pauses_is_shown_after_two_seconds(self):
        for form, events, said in (
            ("heph", [heph_packet(n) for n in range(200)], "no epoch within 2 seconds"),
            ("tband", [tband_enter(n % 100 + 1, 1) for n in range(200)], "no length of a tick within 2 seconds"),
        ):
            with self.subTest(form):
                command = self.printer("tcp-listen://:0", "--format", form)
                with self.peer(command.port()) as peer:
                    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    began = time.monotonic()
                    for event in events:
                        peer.sendall(event)
                        time.sleep(0.05)
                        if command.stdout:
                            break
                    self.assertTrue(command.stdout, "nothing was shown")
                    self.assertGreater(time.monotonic() - began, 1)
                command.said(said)
                command.end(0)


class Tonbandgeraet(LiveTest):
    def entries(self, command):
        return [line for line in map(json.loads, command.stdout.splitlines()) if line.get("name") == "isr_enter"]

    def test_streams(self):
        for place in ("tcp-listen://:0", "udp-listen://:0"):
            with self.subTest(place):
                command = self.printer(place, "--format", "tband")
                resolution = cobs(bytes([2, 3]))
                frames = [tband_enter(n, n) for n in range(1, 20)]
                if place.startswith("tcp"):
                    with self.peer(command.port()) as peer:
                        for byte in resolution + b"".join(frames):
                            peer.sendall(bytes([byte]))
                else:
                    sender = self.sender(command.port())
                    whole = resolution + b"".join(frames)
                    # Frames may begin in one datagram and end in the next.
                    for i in range(0, len(whole), 7):
                        sender.send(whole[i : i + 7])
                command.wait_until(lambda: command.stdout.count(b'"isr_enter"') == 19, "all events")
                command.end(0)
                entries = self.entries(command)
                self.assertEqual([entry["fields"]["isr_id"] for entry in entries], list(range(1, 20)))
                self.assertEqual([entry["time"] for entry in entries], [3 * n for n in range(1, 20)])

    def test_dropped_and_swapped_datagrams(self):
        """The device's own counter of losses is exact, whatever the network loses besides."""
        command = self.printer("udp-listen://:0", "--format", "tband", "--records", "all")
        sender = self.sender(command.port())
        for frame in (
            cobs(bytes([2, 1])),
            tband_enter(1, 1),
            cobs(bytes([1, 2, 5])),
            cobs(bytes([1, 3, 5])),
            tband_enter(5, 3),
            tband_enter(4, 2),
            cobs(bytes([1, 9, 12])),
            tband_enter(10, 4),
        ):
            sender.send(frame)
        command.wait_until(lambda: command.stdout.count(b'"isr_enter"') == 4, "all events")
        command.end(0)
        lines = [json.loads(line) for line in command.stdout.splitlines()]
        self.assertEqual(sum(line["loss"]["events"] for line in lines if "loss" in line), 12)

    def test_recorder(self):
        out = self.folder / "run.tband"
        trace = cobs(bytes([2, 1])) + b"".join(tband_enter(n, n) for n in range(1, 9))
        command = self.command("convert", "tcp-listen://127.0.0.1:0", "--format", "tband", "-o", out, "--to", "tband")
        with self.peer(command.port()) as peer:
            peer.sendall(trace + b"\x05")
            part = self.folder / "run.tband.part"
            end = time.monotonic() + PATIENCE
            while part.stat().st_size < len(trace):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            command.end(0)
        self.assertEqual(out.read_bytes(), trace)

    def test_hexadecimal_text_may_stop_between_two_digits(self):
        for address in ("tcp-listen://:0", "udp-listen://:0"):
            with self.subTest(address):
                command = self.printer("--format", "tband", "--tband-encoding", "hex", address)
                sender = (self.peer if address.startswith("tcp") else self.sender)(command.port())
                sender.sendall(tband_enter(10, 7).hex().encode() + b"0")
                command.wait_until(lambda command=command: command.stdout.count(b"\n") == 1, "the event")
                command.end(0)

    def test_without_format(self):
        command = self.printer("tcp-listen://:0")
        with self.peer(command.port()) as peer:
            peer.sendall(b"".join(tband_enter(n, n) for n in range(1, 99)))
            command.said("--format")
        command.end(4)


class FollowedCores(LiveTest):
    def core_events(self, command):
        lines = [json.loads(line) for line in command.stdout.split(b"\n")[:-1]]
        return sorted((line["stream"]["core"], line["fields"]["isr_id"]) for line in lines)

    def test_each_file_is_of_its_core(self):
        files = [self.file(f"core{core}", tband_enter(1, 10 + core)) for core in (0, 3)]
        command = self.printer("--follow", f"{files[0]}@0", f"{files[1]}@3")
        command.wait_until(lambda: len(self.core_events(command)) == 2, "the first events")
        with open(files[1], "ab") as file:
            file.write(tband_enter(2, 23))
        command.wait_until(lambda: len(self.core_events(command)) == 3, "the event behind")
        self.assertEqual(self.core_events(command), [(0, 10), (3, 13), (3, 23)])
        self.file("new", tband_enter(1, 33)).rename(files[1])
        command.wait_until(lambda: (3, 33) in self.core_events(command), "the event of the file behind")
        command.end(0)

    def test_recorder(self):
        file = self.file("core", tband_enter(1, 10))
        out = self.folder / "run.tband"
        command = self.command("convert", "--follow", f"{file}@2", "-o", out, "--to", "tband")
        part = self.folder / "run.tband.part"
        end = time.monotonic() + PATIENCE
        while not part.exists() or part.stat().st_size == 0:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        command.end(0)
        result = self.check(run("print", "--output", "jsonl", "--format", "tband", out), 0)
        last = json.loads(result.stdout.splitlines()[-1])
        self.assertEqual((last["stream"], last["fields"]["isr_id"]), ({"core": 2}, 10))

    def test_a_file_that_is_not_there(self):
        command = self.command("print", "--follow", f"{self.folder / 'none'}@1")
        command.end(3, None)
        self.assertIn("none: there is no such file", command.stderr)


class Follow(LiveTest):
    def test_several_traces_in_one_result_have_their_names(self):
        sources = [self.file(name, heph_epoch(7) + heph_packet(number)) for number, name in enumerate(("east", "west"))]
        both = self.folder / "both.dial9"
        self.check(run("convert", "-q", *sources, "-o", both), 0)
        command = self.printer("--follow", both)
        command.shows(0, 1)
        self.assertEqual([event["trace"] for event in command.events()], ["east", "west"])
        command.end(0)
        asked = self.command("query", "--output", "jsonl", "select trace | limit 2", "--follow", both)
        asked.end(0, None)
        self.assertEqual(asked.events()[:2], [{"trace": "east"}, {"trace": "west"}])
        # One trace needs no name.
        alone = self.printer("--follow", sources[0])
        alone.shows(0)
        self.assertNotIn("trace", alone.events()[0])
        alone.end(0)

    def test_grows(self):
        path = self.file("trace", segment(1))
        command = self.printer("--follow", path)
        command.shows(1)
        with open(path, "ab") as file:
            event = w.event(0, w.varint(2))
            file.write(event[:4])
            file.flush()
            time.sleep(SILENCE)
            self.assertEqual(command.numbers(), [1])
            file.write(event[4:])
        command.shows(1, 2)
        command.end(0)

    def test_empty_at_first(self):
        path = self.file("trace", b"")
        command = self.printer("--follow", path)
        time.sleep(SILENCE)
        path.write_bytes(segment(1))
        command.shows(1)
        command.end(0)

    def test_renamed_and_replaced(self):
        path = self.file("trace", segment(1))
        command = self.printer("--follow", path)
        command.shows(1)
        with open(path, "ab") as file:
            file.write(w.event(0, w.varint(2)))
            file.flush()
            path.rename(self.folder / "trace.1")
            time.sleep(SILENCE)
            file.write(w.event(0, w.varint(3)))
            file.flush()
            command.shows(1, 2, 3)
            path.write_bytes(segment(4))
        command.shows(1, 2, 3, 4)
        self.file("new", segment(5)).rename(path)
        command.shows(1, 2, 3, 4, 5)
        command.end(0)
        self.assertEqual(command.stderr.count("another file has this name now"), 2)

    def test_replaced_at_once(self):
        """Nothing is lost of a file that is written to, renamed and replaced in one go."""
        path = self.file("trace", segment(1))
        command = self.printer("--follow", path)
        command.shows(1)
        with open(path, "ab") as file:
            file.write(w.event(0, w.varint(2)))
        path.rename(self.folder / "trace.1")
        path.write_bytes(segment(3))
        command.shows(1, 2, 3)
        command.end(0)

    def test_cut(self):
        path = self.file("trace", segment(1, 2, 3))
        command = self.printer("--follow", path)
        command.shows(1, 2, 3)
        path.write_bytes(segment(4))
        command.shows(1, 2, 3, 4)
        command.end(0)
        self.assertIn("it was cut; reading begins anew", command.stderr)

    def test_what_is_no_trace_is_refused_once(self):
        path = self.file("trace", b"this is a text, and no trace at all\n" * 9)
        command = self.printer("--follow", path)
        command.said("it looks like text")
        time.sleep(SILENCE)
        self.assertEqual(command.stderr.count("it looks like text"), 1)
        # Another file, and the same with another content.
        self.file("new", segment(1)).rename(path)
        command.shows(1)
        command.end(4)
        path.write_bytes(b"text again, and no trace at all\n" * 9)
        command = self.printer("--follow", path)
        command.said("it looks like text")
        time.sleep(SILENCE)
        path.write_bytes(segment(2))
        command.shows(2)
        command.end(4)

    def test_a_cut_frame_ends_with_its_file(self):
        path = self.file("trace", segment(1, 2)[:-1])
        command = self.printer("--follow", path)
        command.shows(1)
        self.file("new", segment(3)).rename(path)
        command.shows(1, 3)
        command.end(4)

    def test_named_pipe(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        command = self.printer("--follow", path)
        for n in (1, 2):
            path.write_bytes(segment(n))
            command.shows(*range(1, n + 1))
        command.end(0)

    def test_terminal_line(self):
        """Bytes that a terminal would change come as they are; after a hang-up the line is opened again."""
        link = self.folder / "line"
        controller = self.line(link)
        command = self.printer("--follow", link)
        time.sleep(SILENCE)
        # 3, 4, 10, 13 and 17 are what a terminal takes for itself.
        self.assertEqual(os.write(controller, segment(3, 4, 10, 13, 17)), len(segment(3, 4, 10, 13, 17)))
        command.shows(3, 4, 10, 13, 17)
        os.close(controller)
        command.said("waiting for more")
        controller = self.line(link)
        self.wait_for_raw(link)
        os.write(controller, segment(19))
        command.shows(3, 4, 10, 13, 17, 19)
        command.end(0)
        self.assertTrue(self.local_flags(link) & termios.ECHO, "the line is not as it was")
        os.close(controller)


class Shown(LiveTest):
    def test_output_to_a_file_is_flushed_in_pauses(self):
        out = self.folder / "out"
        with open(out, "wb") as file:
            process = subprocess.Popen(
                [BIN, "print", "--output", "jsonl", "tcp-listen://:0"], stdout=file, stderr=subprocess.PIPE
            )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        port = int(re.search(rb":(\d+)\n", process.stderr.readline())[1])
        with self.peer(port) as peer:
            peer.sendall(segment(1))
            end = time.monotonic() + PATIENCE
            while out.read_bytes().count(b"\n") < 1:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)

    def test_output_is_flushed_while_input_never_pauses(self):
        command = self.printer("tcp-listen://:0")
        with self.peer(command.port()) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.sendall(segment(0))
            end = time.monotonic() + PATIENCE
            sent = 0
            while len(command.stdout) == 0:
                sent += 1
                peer.sendall(w.event(0, w.varint(1)))
                time.sleep(0.01)
                self.assertLess(time.monotonic(), end)
        command.end(0)


class Recorder(LiveTest):
    def recorder(self, *args, to="dial9", options=()):
        self.out = self.folder / "run.bin"
        return self.command("convert", *(args or ("tcp-listen://127.0.0.1:0",)), "-o", self.out, "--to", to, *options)

    @property
    def part(self):
        return self.folder / "run.bin.part"

    def wait_for_part(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, "what was awaited did not get into the .part file")
            time.sleep(0.01)

    def test_is_complete_when_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for options in ((), ("--format", "dial9"), ("--dial9-version", "0.3")):
                with self.subTest(number=number, options=options):
                    command = self.recorder(options=options)
                    with self.peer(command.port()) as peer:
                        # The last event is not there yet.
                        peer.sendall(segment(1, 2, 3)[:-1])
                        self.wait_for_part(lambda: b"Tick" in self.part.read_bytes())
                        command.end(0, number)
                    self.assertFalse(self.part.exists())
                    self.assertEqual(self.printed(self.out), [1, 2])

    def test_is_recoverable_when_killed(self):
        for options in (("--format", "dial9"), ("--dial9-version", "0.3")):
            with self.subTest(options):
                command = self.recorder(options=options)
                with self.peer(command.port()) as peer:
                    peer.sendall(segment(1, 2, 3))
                    whole = len(segment(1, 2, 3))
                    self.wait_for_part(lambda: self.part.stat().st_size == whole)
                    command.end(-signal.SIGKILL, signal.SIGKILL)
                self.assertFalse(self.out.exists())
                self.assertEqual(self.printed(self.part), [1, 2, 3])
                self.part.unlink()

    def test_a_directory_is_recoverable_when_killed(self):
        for target in ("ctf2rc", "ctf2", "ctf1"):
            with self.subTest(target):
                command = self.recorder(to=target)
                with self.peer(command.port()) as peer:
                    peer.sendall(segment(1, 2, 3))
                    self.wait_for_part(lambda: any(f.stat().st_size for f in self.part.glob("stream-*")))
                    command.end(-signal.SIGKILL, signal.SIGKILL)
                self.assertFalse(self.out.exists())
                self.assertEqual(self.printed(self.part), [1, 2, 3])
                shutil.rmtree(self.part)

    def test_several_peers(self):
        command = self.recorder(options=("--format", "dial9"))
        for n in (1, 2, 3):
            with self.peer(command.port()) as peer:
                peer.sendall(segment(n) if n != 2 else b"garbage")
        self.wait_for_part(lambda: self.part.stat().st_size == 2 * len(segment(1)))
        command.end(4)
        self.assertEqual(sorted(self.printed(self.out)), [1, 3])

    def test_peers_at_the_same_time_stand_one_behind_the_other(self):
        command = self.recorder(options=("--format", "dial9"))
        with self.peer(command.port()) as first, self.peer(command.port()) as second:
            first.sendall(segment(1))
            self.wait_for_part(lambda: self.part.read_bytes() == segment(1))
            second.sendall(segment(5, 6))
            first.sendall(w.event(0, w.varint(2)))
            self.wait_for_part(lambda: self.part.read_bytes() == segment(1) + w.event(0, w.varint(2)))
            second.sendall(w.event(0, w.varint(7)))
            time.sleep(SILENCE)
            first.sendall(w.event(0, w.varint(3)))
        whole = segment(1) + w.event(0, w.varint(2)) + w.event(0, w.varint(3)) + segment(5, 6) + w.event(0, w.varint(7))
        self.wait_for_part(lambda: self.part.read_bytes() == whole)
        command.end(0)
        self.assertEqual(self.out.read_bytes(), whole)

    def test_nothing_is_an_empty_trace(self):
        for options in ((), ("--format", "dial9"), ("--format", "dial9", "--dial9-version", "0.3")):
            with self.subTest(options):
                command = self.recorder(options=options)
                command.port()
                command.end(0)
                self.assertEqual(self.printed(self.out), [])

    def test_frame_by_frame(self):
        trace = segment(1) + w.string_pool((0, "unused")) + w.header() + w.schema(9, "Other", [])
        command = self.recorder(options=("--format", "dial9"))
        with self.peer(command.port()) as peer:
            peer.sendall(trace)
            self.wait_for_part(lambda: self.part.stat().st_size == len(trace))
        command.end(0)
        self.assertEqual(self.out.read_bytes(), trace)

    def test_what_cannot_be_written_shows_at_once(self):
        command = self.command("convert", "tcp-listen://:0", "-o", self.folder / "no" / "out", "--to", "dial9")
        command.end(2, None)

    def test_from_udp_and_files(self):
        command = self.recorder("udp-listen://:0", options=("--format", "dial9"))
        sender = self.sender(command.port())
        for n in (1, 2):
            sender.send(segment(n))
        self.wait_for_part(lambda: self.part.stat().st_size == 2 * len(segment(1)))
        command.end(0)
        self.assertEqual(self.printed(self.out), [1, 2])
        source = self.file("source", segment(1))
        command = self.recorder("--follow", source)
        self.wait_for_part(lambda: self.part.exists() and self.part.stat().st_size == len(segment(1)))
        command.end(0)
        self.assertEqual(self.printed(self.out), [1])

    def test_to_json_lines(self):
        command = self.recorder(to="jsonl")
        with self.peer(command.port()) as peer:
            peer.sendall(segment(1, 2))
            self.wait_for_part(lambda: self.part.read_bytes().count(b"\n") == 2)
        command.end(0)
        self.assertEqual(self.out.read_bytes().count(b"\n"), 2)

"""`tracedeck view`: what is served, to whom, and how it ends."""

import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import time
import unittest
import urllib.request

from command import BIN, CommandTest, run
from why_test import TABLE, pool, END, QUEUE, START

PERFETTO_PORT = 9001
ORIGIN = "https://ui.perfetto.dev"


class Serving(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = self.file("pool.toml", TABLE.encode())
        self.trace = self.file(
            "t.bin", pool((10, START, (0, 9)), (20, END, (0,)), (90, QUEUE, (1,)), (100, START, (0, 1)), (1100, END, (0,)))
        )

    def start(self, *args, trace=None, **more):
        """The process and the address that it printed."""
        process = subprocess.Popen(
            [BIN, "view", "--table", self.table, *args, trace or self.trace],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(self.stop, process)
        return process, process.stdout.readline().decode()

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def place(self, line):
        """(port, path) of the printed line."""
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{24})\n", line)
        self.assertIsNotNone(found, line)
        return int(found[1]), found[2]

    def ask(self, port, request, patience=20):
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", port), timeout=patience) as peer:
            peer.sendall(request)
            return self.rest(peer)

    @staticmethod
    def rest(peer):
        answer = b""
        try:
            while part := peer.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
        return answer

    def status(self, port, *lines, host=None):
        text = "\r\n".join([*lines[:1], f"Host: {host or f'127.0.0.1:{port}'}", *lines[1:], "", ""])
        answer = self.ask(port, text.encode())
        return int(answer.split(b" ", 2)[1]), answer


class View(Serving):
    def test_the_page_is_served(self):
        process, line = self.start()
        port, path = self.place(line)
        page = self.folder / "page.html"
        self.check(run("convert", "--table", self.table, "-o", page, self.trace), 0)
        with urllib.request.urlopen(line.strip(), timeout=20) as answer:
            body, fields = answer.read(), answer.headers
        self.assertEqual(body, page.read_bytes())
        self.assertEqual(fields["Content-Type"], "text/html; charset=utf-8")
        self.assertEqual(int(fields["Content-Length"]), len(body))
        self.assertEqual(fields["Cache-Control"], "no-store")
        self.assertEqual(fields["X-Content-Type-Options"], "nosniff")
        policy = re.search(rb'"Content-Security-Policy" content="([^"]*)"', body)[1].decode()
        self.assertEqual(fields["Content-Security-Policy"], policy + "; frame-ancestors 'none'")
        self.assertIsNone(fields["Access-Control-Allow-Origin"])
        # Again, by the other name, and without the body.
        status, answer = self.status(port, f"HEAD {path} HTTP/1.1", host=f"LocalHost:{port}")
        self.assertEqual(status, 200)
        self.assertTrue(answer.endswith(b"\r\n\r\n"))
        self.assertIn(b"Content-Length: %d\r\n" % len(body), answer)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(process.stdout.read(), b"")
        self.assertIn(b"Ctrl+C", process.stderr.read())

    def test_addresses_cannot_be_guessed(self):
        self.assertNotEqual(self.place(self.start()[1])[1], self.place(self.start()[1])[1])

    def test_nothing_else_is_served(self):
        process, line = self.start()
        port, path = self.place(line)
        for target, status in [("/", 404), (path + "/", 404), (path + "?x", 404), ("/../" + path, 404), (path[:-1], 404),
                               ("/favicon.ico", 404), (f"http://127.0.0.1:{port}{path}", 404), (path, 200)]:
            self.assertEqual(self.status(port, f"GET {target} HTTP/1.1")[0], status, target)
        for method in ("POST", "PUT", "OPTIONS", "DELETE", "get"):
            got, answer = self.status(port, f"{method} {path} HTTP/1.1", "Content-Length: 0")
            self.assertEqual(got, 405, method)
            self.assertIn(b"Allow: GET, HEAD\r\n", answer)
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.1.evil.example:{port}",
                     f"[::1]:{port}", f"localhost.:{port}"):
            self.assertEqual(self.status(port, f"GET {path} HTTP/1.1", host=host)[0], 403, host)
        self.assertEqual(self.ask(port, f"GET {path} HTTP/1.0\r\n\r\n".encode())[9:12], b"403")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)

    def test_pages_of_other_origins_get_nothing(self):
        process, line = self.start()
        port, path = self.place(line)
        own = f"http://127.0.0.1:{port}"
        for fields, wanted in [
            (["Origin: https://evil.example"], 403),
            (["Origin: null"], 403),
            (["Origin: https://ui.perfetto.dev"], 403),
            ([f"Origin: http://127.0.0.1:{port + 1}"], 403),
            ([f"Origin: https://127.0.0.1:{port}"], 403),
            (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"], 403),
            (["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"], 403),
            (["sec-fetch-site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], 403),
            (["Sec-Fetch-Site: cross-site"], 403),
            (["Sec-Fetch-Site: none", "Sec-Fetch-Site: none"], 400),
            ([f"Origin: {own}"], 200),
            ([f"Origin: http://localhost:{port}"], 200),
            (["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"], 200),
            (["Sec-Fetch-Site: same-origin"], 200),
            # A link that somebody follows.
            (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"], 200),
        ]:
            for method in ("GET", "HEAD"):
                got, answer = self.status(port, f"{method} {path} HTTP/1.1", *fields)
                self.assertEqual(got, wanted, fields)
                self.assertIn(b"Cross-Origin-Resource-Policy: same-origin\r\n", answer)
                self.assertIn(b"X-Content-Type-Options: nosniff\r\n", answer)
                self.assertNotIn(b"Access-Control", answer)

    def test_a_connection_that_is_served_makes_no_room(self):
        _, line = self.start()
        port, path = self.place(line)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.settimeout(20)
            slow.connect(("127.0.0.1", port))
            slow.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            time.sleep(0.3)
            others = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(60)]
            for other in others:
                other.sendall(b"GET / HT")
            time.sleep(0.3)
            answer = self.rest(slow)
        head, body = answer.split(b"\r\n\r\n", 1)
        self.assertEqual(len(body), int(re.search(rb"Content-Length: (\d+)", head)[1]))
        for other in others:
            other.close()

    def test_without_descriptors_it_waits(self):
        process, line = self.start()
        port, path = self.place(line)
        # All is open that it keeps open, and this connection is closed again.
        self.assertEqual(self.status(port, f"GET {path} HTTP/1.1")[0], 200)
        time.sleep(0.5)
        taken = os.listdir(f"/proc/{process.pid}/fd")
        # All numbers below are taken.
        first_free = next(number for number in range(1024) if str(number) not in taken)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (first_free, 1024))
        with socket.create_connection(("127.0.0.1", port), timeout=20) as peer:
            peer.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            time.sleep(0.3)
            before = self.processor_time(process.pid)
            time.sleep(1)
            self.assertLess(self.processor_time(process.pid) - before, 0.3)
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
            self.assertEqual(self.rest(peer)[9:12], b"200")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(process.stderr.read().count(b"connections wait meanwhile"), 1)

    @staticmethod
    def processor_time(process):
        """Seconds."""
        with open(f"/proc/{process}/stat", encoding="ascii") as status:
            fields = status.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_what_is_no_request(self):
        _, line = self.start()
        port, path = self.place(line)
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00", b"hello\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET /\n\n",
                        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()):
            self.assertEqual(self.ask(port, garbage)[9:12], b"400", garbage)
        self.assertEqual(self.ask(port, b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000)[9:12], b"431")
        self.assertEqual(self.status(port, f"GET {path} HTTP/1.1")[0], 200)

    def test_who_does_not_go_on_keeps_nobody_waiting(self):
        _, line = self.start()
        port, path = self.place(line)
        halves = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(40)]
        for half in halves:
            half.sendall(b"GET / HT")
        self.assertEqual(self.status(port, f"GET {path} HTTP/1.1")[0], 200)
        # The first ones had to make room; who closes, or asks and goes, does no harm.
        self.assertEqual(self.rest(halves[0]), b"")
        for half in halves:
            half.close()
        gone = socket.create_connection(("127.0.0.1", port))
        gone.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        gone.close()
        self.assertEqual(self.status(port, f"GET {path} HTTP/1.1")[0], 200)

    def test_half_a_request_ends_after_a_while(self):
        _, line = self.start()
        port, _ = self.place(line)
        began = time.monotonic()
        self.assertEqual(self.ask(port, b"GET / HTTP/1.1\r\nHost", patience=60), b"")
        self.assertGreater(time.monotonic() - began, 5)

    def test_two_at_once(self):
        _, line = self.start()
        port, path = self.place(line)
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        peers = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(2)]
        peers[0].sendall(request[:20])
        peers[1].sendall(request)
        second = self.rest(peers[1])
        peers[0].sendall(request[20:])
        first = self.rest(peers[0])
        cut = lambda answer: answer.split(b"\r\n\r\n", 1)[1]
        self.assertEqual(cut(first), cut(second))
        self.assertGreater(len(cut(first)), 60_000)
        for peer in peers:
            peer.close()

    def test_only_this_machine_is_listened_to(self):
        _, line = self.start()
        port, _ = self.place(line)
        local = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        listening = {fields[1] for fields in map(str.split, local) if fields[3] == "0A"}
        self.assertIn(f"0100007F:{port:04X}", listening)
        self.assertNotIn(f"00000000:{port:04X}", listening)

    def test_a_port_of_choice(self):
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))
            held.listen()
            port = held.getsockname()[1]
            result = self.check(run("view", "--port", str(port), "--table", self.table, self.trace), 2)
            self.assertIn(b"in use", result.stderr)
            self.assertEqual(result.stdout, b"")
        _, line = self.start("--port", str(port))
        self.assertEqual(self.place(line)[0], port)

    def test_usage(self):
        for args in (["--port", "65536"], ["--port", "x"], ["--perfetto", "--port", "80"], ["--perfetto", "--args", "all"],
                     ["--perfetto-level", "50"], ["tcp-listen://:0"], ["--max-size", "0"], ["--min-duration", "soon"]):
            self.assertIn("--help", self.check(run("view", *args, self.trace), 2).stderr.decode(), args)
        self.assertIn("[[slice]]", self.check(run("view", "--explain", "--table", self.table, self.trace), 0).stdout.decode())

    def test_what_cannot_be_read_is_not_served(self):
        result = self.check(run("view", self.folder / "nothing"), 3)
        self.assertEqual(result.stdout, b"")
        missing = self.check(run("view", self.trace, env={"TMPDIR": str(self.folder / "missing")}), 4)
        self.assertIn(b"TMPDIR", missing.stderr)

    def test_from_a_pipe(self):
        with open(self.trace, "rb") as trace:
            process = subprocess.Popen([BIN, "view", "-q", "-"], stdin=trace, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.stop, process)
        port, path = self.place(process.stdout.readline().decode())
        self.assertEqual(self.status(port, f"GET {path} HTTP/1.1")[0], 200)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(process.stderr.read(), b"")

    def test_an_interrupt_before_there_is_a_page(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen([BIN, "view", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(self.stop, process)
            self.addCleanup(process.stdin.close)
            process.stdin.write(self.trace.read_bytes())
            process.stdin.flush()
            time.sleep(0.5)
            process.send_signal(number)
            self.assertEqual(process.wait(20), code)
            self.assertEqual(process.stdout.read(), b"")
            self.assertIn(b"interrupted", process.stderr.read())

    def test_nobody_reads_the_address(self):
        read, write = os.pipe()
        os.close(read)
        try:
            self.assertEqual(subprocess.run([BIN, "view", self.trace], stdout=write, stderr=subprocess.DEVNULL, timeout=60).returncode, 0)
        finally:
            os.close(write)


class Perfetto(Serving):
    """The one port is taken by one test at a time."""

    def setUp(self):
        super().setUp()
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", PERFETTO_PORT))
            except OSError:
                self.skipTest(f"somebody else has port {PERFETTO_PORT}")

    def test_it_is_served_until_it_was_fetched(self):
        process, line = self.start("--perfetto")
        path = self.trace_path(line)
        file = self.folder / "t.pftrace"
        self.check(run("convert", "--table", self.table, "-o", file, self.trace), 0)
        self.assertEqual(self.status(PERFETTO_PORT, "GET / HTTP/1.1")[0], 404)
        own = f"Origin: {ORIGIN}"
        self.assertEqual(self.status(PERFETTO_PORT, f"HEAD {path} HTTP/1.1", own)[0], 200)
        # Neither somebody else's page nor another program ends it.
        for fields in ([], ["Origin: https://evil.example"], ["Origin: null"], ["Origin: https://ui.perfetto.dev.evil.example"],
                       ["Origin: http://ui.perfetto.dev"], [f"Origin: http://127.0.0.1:{PERFETTO_PORT}"],
                       ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], ["Sec-Fetch-Site: none"], [own, own]):
            got, answer = self.status(PERFETTO_PORT, f"GET {path} HTTP/1.1", *fields)
            self.assertEqual(got, 400 if fields == [own, own] else 403, fields)
            self.assertNotIn(b"Access-Control", answer)
        self.assertEqual(self.status(PERFETTO_PORT, f"GET {path} HTTP/1.1", own, host=f"evil.example:{PERFETTO_PORT}")[0], 403)
        self.assertEqual(self.status(PERFETTO_PORT, "GET /trace HTTP/1.1", own)[0], 404)
        second = self.check(run("view", "--perfetto", self.trace), 2)
        self.assertIn(b"9001", second.stderr)
        # Who asks and goes has not fetched it.
        with socket.create_connection(("127.0.0.1", PERFETTO_PORT), timeout=20) as gone:
            gone.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{PERFETTO_PORT}\r\n".encode())
        # Nor has who goes before the answer was read, as small as it is.
        whole = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{PERFETTO_PORT}\r\n{own}\r\n\r\n".encode()
        for wanted in (0, 100):
            with socket.create_connection(("127.0.0.1", PERFETTO_PORT), timeout=20) as gone:
                gone.sendall(whole)
                self.assertEqual(len(gone.recv(wanted)), wanted)
                time.sleep(0.2)
        self.assertIsNone(process.poll())
        request = urllib.request.Request(f"http://127.0.0.1:{PERFETTO_PORT}{path}", headers={"Origin": ORIGIN})
        with urllib.request.urlopen(request, timeout=20) as answer:
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], ORIGIN)
            self.assertEqual(answer.headers["Vary"], "Origin")
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(answer.headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
            self.assertEqual(len(answer.read()), len(file.read_bytes()))
        self.assertEqual(process.wait(20), 0)
        self.assertIn(b"network", process.stderr.read())

    def trace_path(self, line):
        found = re.fullmatch(rf"{ORIGIN}/#!/\?url=http://127\.0\.0\.1:{PERFETTO_PORT}(/[0-9a-f]{{24}}/trace)\n", line)
        self.assertIsNotNone(found, line)
        return found[1]

    def test_it_is_stopped(self):
        process, _ = self.start("--perfetto")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()

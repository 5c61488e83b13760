"""Runs many commands in one process: the program many_commands, started once and asked again and again."""

import array
import os
import selectors
import socket
import struct
import subprocess
import time


class Died(AssertionError):
    """The process ended while it ran a command, by a signal or a sanitizer; or the command left something behind."""

    def __init__(self, arguments, cwd, status, result):
        self.status, self.result = status, result
        how = f"signal {-status}" if status < 0 else f"status {status}"
        said = result.stderr.decode(errors="replace")[-6000:]
        super().__init__(
            f"the process ended with {how} while it ran, in {cwd}: "
            f"tracedeck {' '.join(map(os.fsdecode, arguments))}\n{said}"
        )


class ManyCommands:
    """One process of the program. One command at a time."""

    def __init__(self, program):
        self.program = os.fspath(program)
        self.process = self.requests = None

    def start(self):
        self.requests, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [self.program, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def close(self):
        """Ends the process; returns its status, which is not 0 where a sanitizer found leaks."""
        if self.process is None:
            return 0
        self.requests.close()
        status = self.process.wait()
        self.process = None
        return status

    def run(self, arguments, *, cwd, environment, stdin=b"", timeout=None):
        """As `subprocess.run` with captured outputs. Raises Died, and TimeoutExpired when it has ended the process."""
        if self.process is None:
            self.start()
        strings = [os.fspath(cwd), str(len(environment)), *(f"{k}={v}" for k, v in environment.items()), *arguments]
        body = b"".join(os.fsencode(each) + b"\0" for each in strings)
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ours = [pipes[0][1], pipes[1][0], pipes[2][0]]
        try:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", theirs))
            self.requests.sendmsg([struct.pack("=I", len(body))], [rights])
            self.requests.sendall(body)
        finally:
            for each in theirs:
                os.close(each)
        out, err = self._communicate(ours, stdin, arguments, timeout)
        answer = self.requests.recv(4)
        if len(answer) < 4:
            status = self.close()
            raise Died(arguments, cwd, status, subprocess.CompletedProcess(arguments, status, out, err))
        return subprocess.CompletedProcess(arguments, struct.unpack("=i", answer)[0], out, err)

    def _communicate(self, ours, stdin, arguments, timeout):
        """Both outputs, to their ends."""
        end = None if timeout is None else time.monotonic() + timeout
        rest, parts = memoryview(stdin), {ours[1]: [], ours[2]: []}
        with selectors.PollSelector() as selector:
            for pipe in parts:
                selector.register(pipe, selectors.EVENT_READ)
            if rest:
                os.set_blocking(ours[0], False)
                selector.register(ours[0], selectors.EVENT_WRITE)
            else:
                os.close(ours[0])
            while selector.get_map():
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    self.process.kill()
                    self.close()
                    for pipe in list(selector.get_map()):
                        os.close(pipe)
                    raise subprocess.TimeoutExpired(arguments, timeout, b"".join(parts[ours[1]]), b"".join(parts[ours[2]]))
                for key, _ in selector.select(left):
                    pipe = key.fd
                    if pipe in parts:
                        part = os.read(pipe, 1 << 20)
                        parts[pipe].append(part)
                        done = not part
                    else:
                        try:
                            rest = rest[os.write(pipe, rest) :]
                        except BrokenPipeError:
                            rest = rest[:0]
                        done = not rest
                    if done:
                        selector.unregister(pipe)
                        os.close(pipe)
        return b"".join(parts[ours[1]]), b"".join(parts[ours[2]])

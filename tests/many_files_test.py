"""CTF traces of more data stream files than a process may have open."""

import resource
import struct
import unittest

from command import CommandTest, parse_lines, run

METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u64 stream_instance_id; }; };
clock { name = c; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := stamp;
stream {
  packet.context := struct { u64 packet_size; u64 timestamp_begin; u64 timestamp_end; };
  event.header := struct { stamp timestamp; };
};
event { name = "e"; fields := struct { u64 n; }; };
"""


def descriptors(most):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    return limit


class ManyFiles(CommandTest):
    def trace(self, count):
        folder = self.folder / "trace"
        folder.mkdir()
        (folder / "metadata").write_text(METADATA)
        for i in range(count):
            events = b"".join(struct.pack("<QQ", time, i) for time in (i, 1_000_000 + i))
            head = struct.pack("<QQQQ", i, (32 + len(events)) * 8, i, 1_000_000 + i)
            (folder / f"s{i:05}").write_bytes(head + events)
        return folder

    def test_all_events_come_in_order(self):
        count = 700
        folder = self.trace(count)
        want = [*range(count), *range(count)]
        for most in (64, 1024):
            with self.subTest(most):
                printed = run("print", "--output", "jsonl", folder, preexec_fn=descriptors(most))
                self.check(printed, 0)
                self.assertEqual([dict(dict(line)["fields"])["n"] for line in parse_lines(printed.stdout)], want)
                self.check(run("validate", folder, preexec_fn=descriptors(most)), 0)


if __name__ == "__main__":
    unittest.main()

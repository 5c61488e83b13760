"""What a conversion to CTF leaves when it is killed: all complete packets can be read with the metadata beside them."""

import subprocess
import time
import unittest

import dial9_writer as w
from command import BIN, TIME_LIMIT, CommandTest, parse_lines, run

CLASSES = 2000
EVENTS = 100


def input_of_new_classes():
    """Each class comes right before its events."""
    frames = [w.header()]
    for i in range(CLASSES):
        frames.append(w.schema(i, f"Class{i}", [("n", w.VARINT)]))
        frames.append(w.event(i, w.varint(i), delta=5) * EVENTS)
    return b"".join(frames)


class KilledConversion(CommandTest):
    def leave(self, target, trace, count):
        """Kills a conversion that has read the trace's begin of that length; returns what it left."""
        out = self.folder / f"{target}-{count}"
        part = out.with_name(out.name + ".part")
        command = [BIN, "convert", "-q", "--packet-size", "4K", "--to", target, "-o", out, "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(trace[:count])
            process.stdin.flush()
            deadline = time.monotonic() + TIME_LIMIT
            # At some moment behind the first packets that it writes.
            while not any(file.stat().st_size for file in part.glob("stream-*")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.001)
            process.kill()
        return part

    def test_complete_packets_can_be_read(self):
        trace = input_of_new_classes()
        for target in ("ctf1", "ctf2", "ctf2rc"):
            for share in (0.5, 0.7, 1):
                with self.subTest(target=target, share=share):
                    part = self.leave(target, trace, int(len(trace) * share))
                    printed = run("print", "-q", "--output", "jsonl", part)
                    # The last packet may be cut.
                    self.assertIn(printed.returncode, (0, 4), printed.stderr[-1000:])
                    self.assertNotIn(b"event-class", printed.stderr)
                    names = [dict(line)["name"] for line in parse_lines(printed.stdout)]
                    self.assertEqual(names, [f"Class{i // EVENTS}" for i in range(len(names))])
                    written = sum(file.stat().st_size for file in part.glob("stream-*"))
                    self.assertGreater(len(names), (written - 3 * 4096) // 60)


if __name__ == "__main__":
    unittest.main()

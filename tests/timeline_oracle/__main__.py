"""`python3 -m timeline_oracle TRACE...`: one JSON object for what the command prints of the TRACEs, by name if they are several.

TRACEDECK_BIN names the command, which gets the operands as they are: options of `print` too, but for --order.
"""

import json
import os
import subprocess
import sys

from . import interpret, interpret_each
from .summary import summary

BIN = os.environ.get("TRACEDECK_BIN", "tracedeck")


def lines(arguments, order):
    printed = subprocess.run(
        [
            BIN, "print", "-q", "--output", "jsonl", "--records", "all", "--order", order, *arguments,
        ], stdout=subprocess.PIPE, check=False
    )
    return [json.loads(line) for line in printed.stdout.split(b"\n") if line]


def records(arguments):
    """As they lie in the trace, but sorted by time where the format does not write them in that order (dial9, Heph)."""
    merged = lines(arguments, "merged")
    streams = [one["stream"] for one in merged if "fields" in one]
    is_sorted = any("segment" in one or "substream" in one for one in streams)
    return lines(arguments, "time") if is_sorted else merged


if __name__ == "__main__":
    read = records(sys.argv[1:])
    if any("trace" in one for one in read):
        result = {name: summary(line) for name, line in interpret_each(read).items()}
    else:
        result = summary(interpret(read))
    json.dump(result, sys.stdout, indent=1)
    print()

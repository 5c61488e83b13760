"""`python3 -m timeline_oracle [--all] TRACE...`: one JSON object for what the command prints of the TRACEs.

TRACEDECK_BIN names the command. Options that begin with a dash go to it, but for --order.
"""

import json
import os
import subprocess
import sys

from . import interpret
from .summary import summary

BIN = os.environ.get("TRACEDECK_BIN", "tracedeck")


def lines(arguments, order):
    printed = subprocess.run(
        [BIN, "print", "-q", "--output", "jsonl", "--records", "all", "--order", order, *arguments], stdout=subprocess.PIPE, check=False
    )
    return [json.loads(line) for line in printed.stdout.split(b"\n") if line]


def records(arguments):
    """As they lie in the trace, but sorted by time where the format does not write them in that order (dial9, Heph)."""
    merged = lines(arguments, "merged")
    streams = [one["stream"] for one in merged if "fields" in one]
    is_sorted = any("segment" in one or "substream" in one for one in streams)
    return lines(arguments, "time") if is_sorted else merged


if __name__ == "__main__":
    json.dump(summary(interpret(records(sys.argv[1:]))), sys.stdout, indent=1)
    print()

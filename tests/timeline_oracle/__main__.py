"""`python3 -m timeline_oracle [--table=FILE]... TRACE...`: one JSON object for what the command prints of the TRACEs.

Of several traces it is one by name. TRACEDECK_BIN names the command, which gets all other operands as they are: options
of `print` too, but for --order.
"""

import json
import os
import pathlib
import subprocess
import sys
import tomllib

from . import interpret, interpret_each
from .summary import summary

BIN = os.environ.get("TRACEDECK_BIN", "tracedeck")


def lines(arguments, order):
    printed = subprocess.run(
        [BIN, "print", "-q", "--output", "jsonl", "--records", "all", "--order", order, *arguments],
        stdout=subprocess.PIPE,
        check=False,
    )
    return [json.loads(line) for line in printed.stdout.split(b"\n") if line]


def records(arguments):
    """As they lie in the trace, but sorted by time where the format does not write them in that order (dial9, Heph)."""
    merged = lines(arguments, "merged")
    streams = [one["stream"] for one in merged if "fields" in one]
    is_sorted = any("segment" in one or "substream" in one for one in streams)
    return lines(arguments, "time") if is_sorted else merged


if __name__ == "__main__":
    files = [one for one in sys.argv[1:] if one.startswith("--table=")]
    user = [tomllib.loads(pathlib.Path(one.partition("=")[2]).read_text()) for one in files]
    read = records([one for one in sys.argv[1:] if one not in files])
    if any("trace" in one for one in read):
        result = {name: summary(line) for name, line in interpret_each(read, user).items()}
    else:
        result = summary(interpret(read, user))
    json.dump(result, sys.stdout, indent=1)
    print()

#!/usr/bin/env bash
# Records a small real workload with the example program and looks at the recording with the command.
#
#   scripts/demo.sh BIN OUT      BIN: folder of the programs, OUT: folder for the recording
set -euo pipefail
bin=$1 out=$2
mkdir -p "$out"

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

export PATH="$bin:$PATH"
show record_pool "$out/pool.bin"
show tracedeck info "$out/pool.bin"
show tracedeck print --limit 10 "$out/pool.bin"
show tracedeck convert -o "$out/pool.jsonl" --to jsonl "$out/pool.bin"
show head -n 3 "$out/pool.jsonl"

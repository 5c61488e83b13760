#!/usr/bin/env bash
# Records a small real workload with the example program and looks at the recording with the command.
#
#   scripts/demo.sh BIN OUT TABLE      BIN: folder of the programs, OUT: folder for the recording,
#                                      TABLE: what its events mean (examples/record_pool.toml)
set -euo pipefail
bin=$1 out=$2 table=$3
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
show tracedeck latency --table "$table" "$out/pool.bin"
show tracedeck why --table "$table" --longest 'wait results' "$out/pool.bin"
show tracedeck convert --table "$table" -o "$out/demo.html" "$out/pool.bin"
printf '\n%s is the recording as a page: open it in a browser.\n' "$out/demo.html"

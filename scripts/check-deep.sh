#!/usr/bin/env bash
# What takes hours, run once before a larger piece of work is called done. Each step ends with a line of numbers.
#
#   scripts/check-deep.sh [STEP...]     every-way, matrix, columns, alike, values, threads, python, fuzz, bare; default: all
#
#   every-way   every command, output and target over every file of the reference traces and of the fuzz corpora, under
#               AddressSanitizer and UndefinedBehaviorSanitizer, many in one process
#   matrix      conversions of every trace to every target and back, compared with docs/conversion.md
#   columns     500 random traces, and all inputs of the fuzz corpora with three changes of each, as tables that other programs read
#   alike       10,000 pairs of alike traces of each kind, of which diff marks 1 % at most
#   values      parameters that are values for nothing
#   threads     tests whose subject runs threads, under ThreadSanitizer
#   python      all events of all reference traces through the package for Python, and 10,000 opens
#   fuzz        every fuzz target for FUZZ_SECONDS (default 300)
#   bare        `make demo` from a fresh clone in a bare Debian
# Environment: JOBS (default: the processors).
set -uo pipefail
cd "$(dirname "$0")/.."

JOBS=${JOBS:-$(nproc)}
export JOBS

every_way() {
    cmake --preset asan >/dev/null && cmake --build --preset asan -j "$JOBS" --target many_commands &&
        python3 scripts/every-way.py --all --jobs "$JOBS" --build build/asan
}
matrix() {
    cmake --preset release >/dev/null && cmake --build --preset release -j "$JOBS" --target tracedeck-command equal_traces &&
        scripts/conversion-matrix.py --write --jobs "$JOBS"
    git diff --exit-code docs/conversion.md
}
columns() {
    cmake --preset release >/dev/null && cmake --build --preset release -j "$JOBS" --target tracedeck-command many_commands &&
        TRACEDECK_SEEDS=500 TRACEDECK_CORPUS=all TRACEDECK_CHANGES=3 python3 tests/run.py tests/columns_test.py Random Corpora
}
alike() {
    cmake --preset release >/dev/null && cmake --build --preset release -j "$JOBS" --target timeline_test &&
        TRACEDECK_ALIKE_PAIRS=10000 build/release/tracedeck/timeline_test --gtest_filter='AlikePairs.*'
}
values() { MORE_CHECKS=performance-unnecessary-value-param scripts/lint.sh; }
threads() {
    # Others would only repeat themselves.
    local tests='^((io|flow|ctf|ctf_stream)\.|heph\.Recorder\.)' threadless='^flow\.(Concatenate|Merge|SlackOrder|Sort|Tail)\.'
    cmake --preset tsan >/dev/null &&
        cmake --build --preset tsan -j "$JOBS" --target io_test flow_test ctf_test ctf_stream_test heph_test &&
        ctest --preset tsan --no-tests=error -j "$JOBS" -R "$tests" -E "$threadless"
}
python() {
    cmake --preset release >/dev/null && cmake --build --preset release -j "$JOBS" --target tracedeck-c tracedeck-command record_pool &&
        TRACEDECK_EVENTS=0 TRACEDECK_OPENS=10000 TRACEDECK_SEGMENTS=2000 TRACEDECK_BIN=build/release/bin/tracedeck python3 tests/run.py tests/python_test.py
}
fuzz() { scripts/fuzz.sh "${FUZZ_SECONDS:-300}"; }
bare() { tests/package/demo.sh; }

[[ $# -gt 0 ]] || set -- every-way matrix columns alike values threads python fuzz bare
status=0
for name in "$@"; do
    start=$SECONDS
    printf '\n==== %s\n' "$name"
    "${name/-/_}" && verdict=ok || { verdict=FAILED status=1; }
    printf 'check-deep: %s %s (%d s)\n' "$name" "$verdict" $((SECONDS - start))
done
exit $status

#!/usr/bin/env bash
# Runs every fuzz target for a while from its seeds in fuzz/corpus.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]     default: 20 s each, all targets
#
# New inputs stay in build/fuzz/corpus/NAME; an input that crashes is left in build/fuzz/artifacts and fails the run.
# Environment: JOBS (default: the processors), FUZZ_SEED (default: another one each time).
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-20}
shift || true

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz ${JOBS:+-j"$JOBS"}

targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
    for source in fuzz/*_fuzz.cpp; do
        [[ -e $source ]] && targets+=("$(basename "$source" .cpp)")
    done
fi
mkdir -p build/fuzz/artifacts build/fuzz/log

run() {
    local target=$1 seconds=$2
    local name=${target%_fuzz} log=build/fuzz/log/$1.log
    mkdir -p "build/fuzz/corpus/$name"
    if "build/fuzz/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -seed="${FUZZ_SEED:-0}" -print_final_stats=1 -artifact_prefix="build/fuzz/artifacts/$name-" \
        "build/fuzz/corpus/$name" "fuzz/corpus/$name" >"$log" 2>&1; then
        printf '%-28s ok: %s inputs in %s s\n' "$target" \
            "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds"
    else
        # What happened, where, and the input: enough to begin with where the machine is gone.
        grep -m 1 -A 24 -E 'ERROR:|runtime error:|^== ' "$log" || tail -n 24 "$log"
        printf '%-28s FAILED, see %s; the input:\n' "$target" "$log"
        find build/fuzz/artifacts -name "$name-*" -size -8k -exec base64 {} \; | head -n 100
        return 1
    fi
}
export -f run
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -I {} bash -c 'run "$1" "$2"' _ {} "$seconds"

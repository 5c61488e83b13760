#!/usr/bin/env bash
# Instructions that a mode of bench/dial9_instructions takes per event, by callgrind.
#
#   scripts/count-instructions.sh [MODE...]     default: all; BUILD_DIR is build/release unless set
set -euo pipefail
cd "$(dirname "$0")/.."

program=${BUILD_DIR:-build/release}/bin/dial9_instructions
command -v valgrind >/dev/null || { echo "count-instructions: valgrind is not installed" >&2; exit 1; }
if [[ $# -eq 0 ]]; then
    mapfile -t modes < <("$program" 2>&1 | sed -n 's/^  //p')
    set -- "${modes[@]}"
fi

few=100000 many=300000
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# MODE EVENTS: the workload's file is written beforehand, out of the count.
instructions() {
    local file="$folder/$2.${1##*-}"
    [[ -e $file ]] || "$program" "write-${1##*-}" "$2" "$file"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" "$file" 2>&1 |
        awk '/refs:/ { gsub(",", "", $NF); print $NF }'
}

for mode in "$@"; do
    [[ $mode == write-* ]] && continue
    printf '%-24s ' "$mode"
    awk -v a="$(instructions "$mode" $few)" -v b="$(instructions "$mode" $many)" -v n=$((many - few)) \
        'BEGIN { printf "%.1f\n", (b - a) / n }'
done

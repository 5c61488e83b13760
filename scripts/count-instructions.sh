#!/usr/bin/env bash
# Instructions an event, by callgrind: what the codecs take (bench/instructions), and what the command takes
# to print and to convert. The difference of two sizes, which leaves out what a process costs.
#
#   scripts/count-instructions.sh [--against FILE] [MODE...]     default: all modes
#
# Workloads: mix3, mix16 (dial9), lttng (CTF 1.8), heph, tband. Modes: encode-, visit-, tape-, skip-WORKLOAD,
# print-WORKLOAD (to JSON lines), print-WORKLOAD-time (in that order), text-, csv-, flat- (CSV with a column for each
# field), babeltrace2-WORKLOAD, convert-WORKLOAD-TARGET, restore-WORKLOAD-TARGET
# (from CTF 2, which it was converted to), spans-WORKLOAD-TARGET (from Heph, likewise), query-WORKLOAD-QUESTION,
# latency-WORKLOAD-ORDER (of mix3 with bench/mix3.toml, of others with a table of which no rule applies); perfetto-polls, of
# slices, with what it takes to make their marks. FILE holds what this printed for another build; each line then shows the difference too, and
# more than 2 % above it is an error.
# Environment: BUILD_DIR (default build/release).
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${BUILD_DIR:-build/release}/bin
few=100000 many=300000
command_modes=(
    print-{mix3,lttng,heph,tband} text-{mix3,lttng,heph,tband} csv-{mix3,lttng} flat-{mix3,lttng} babeltrace2-lttng
    # Same format: encoded anew, since a bound asks for more than the bytes as they were.
    convert-{mix3,lttng,heph,tband}-ctf2 convert-mix3-dial9 convert-lttng-ctf1 convert-heph-heph convert-tband-tband
    convert-{mix3,lttng}-{parquet,clickhouse}
    convert-{mix3,lttng}-heph convert-{mix3,heph,lttng}-tband
    restore-mix3-{dial9,heph,tband} restore-heph-heph spans-mix3-tband
    query-mix3-{filter,class,group,groups,buckets,pairs} query-lttng-filter query-heph-group
    print-mix3-time latency-mix3-{recorded,time} latency-lttng-recorded
)
# What is to be compared with tape-WORKLOAD.
declare -A questions=(
    [mix3-filter]='where local_queue_depth > 3 && worker_id == 1 | count'
    [mix3-class]='where name == "PollStart" | count'
    [mix3-group]='count, sum(local_queue_depth), p99(local_queue_depth) by worker_id'
    [mix3-groups]='count, sum(local_queue_depth), p99(local_queue_depth) by name, worker_id'
    [mix3-buckets]='count by name, every 10ms'
    [mix3-pairs]='pair PollStart PollEnd on worker_id | count, p99(duration) by worker_id'
    [lttng-filter]='where vtid == 4000 && value > 1000000000 | count'
    [heph-group]='count, p99(duration) by name'
)

command -v valgrind >/dev/null || { echo "count-instructions: valgrind is not installed" >&2; exit 1; }
against=/dev/null
if [[ ${1:-} == --against ]]; then
    against=$2
    shift 2
fi
if [[ $# -eq 0 ]]; then
    mapfile -t modes < <("$bin/instructions" 2>&1 | sed -n 's/^  //p')
    set -- "${modes[@]}" "${command_modes[@]}"
fi
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
# Without rules of a table, names of classes would be taken for rules.
cat >"$folder/no-rule.toml" <<'END'
table = "no-rule"
applies = { class = "*" }
END

# MODE EVENTS FILE, in `run`: what is to be counted.
choose() {
    local target=${1##*-}
    case $1 in
        query-*) run=("$bin/tracedeck" query --jobs 1 "${questions[${1#query-}]}" "$3") ;;
        latency-mix3-*) run=("$bin/tracedeck" latency --jobs 1 --order "$target" --table bench/mix3.toml "$3") ;;
        latency-*) run=("$bin/tracedeck" latency --jobs 1 --order "$target" --table "$folder/no-rule.toml" "$3") ;;
        print-*-time) run=("$bin/tracedeck" print --output jsonl --jobs 1 --order time "$3") ;;
        print-*) run=("$bin/tracedeck" print --output jsonl --jobs 1 "$3") ;;
        text-* | csv-* | babeltrace2-*) run=("$bin/tracedeck" print --output "${1%%-*}" --jobs 1 "$3") ;;
        flat-*) run=("$bin/tracedeck" print --output csv --flat --jobs 1 "$3") ;;
        # What stays in its format is rewritten, unless events are chosen.
        convert-mix3-dial9 | convert-lttng-ctf1 | convert-heph-heph | convert-tband-tband)
            run=("$bin/tracedeck" convert --jobs 1 -q --begin 1ns --to "$target" -o "$folder/out" "$3") ;;
        # Hashing what is stored is no part of writing it.
        convert-*-parquet | convert-*-clickhouse)
            run=("$bin/tracedeck" convert --jobs 1 -q --to "$target" --segment s -o "$folder/out" "$3") ;;
        convert-*) run=("$bin/tracedeck" convert --jobs 1 -q --to "$target" -o "$folder/out" "$3") ;;
        restore-*) run=("$bin/tracedeck" convert --jobs 1 -q --to "$target" -o "$folder/out" "$3.ctf2") ;;
        spans-*) run=("$bin/tracedeck" convert --jobs 1 -q --to "$target" -o "$folder/out" "$3.heph") ;;
        *) run=("$bin/instructions" "$1" "$2" "$3") ;;
    esac
}

# MODE EVENTS: the workload is written beforehand, out of the count.
instructions() {
    local workload file run
    workload=$(cut -d - -f 2 <<<"$1")
    file=$folder/$workload-$2
    [[ -e $file ]] || "$bin/instructions" "write-$workload" "$2" "$file"
    [[ $1 != restore-* || -e $file.ctf2 ]] || "$bin/tracedeck" convert -q --to ctf2 -o "$file.ctf2" "$file"
    [[ $1 != spans-* || -e $file.heph ]] || "$bin/tracedeck" convert -q --to heph -o "$file.heph" "$file"
    choose "$1" "$2" "$file"
    rm -rf "$folder/out"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$folder/log" "${run[@]}" >/dev/null ||
        { echo "count-instructions: this failed: ${run[*]}" >&2; return 1; }
    awk '/refs:/ { gsub(",", "", $NF); print $NF }' "$folder/log"
}

# valgrind takes each byte of `rep movsb` for an instruction, which it is not: the C library copies without it.
export GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000

status=0
for mode in "$@"; do
    [[ $mode == write-* ]] && continue
    a=$(instructions "$mode" $few)
    b=$(instructions "$mode" $many)
    before=$(awk -v mode="$mode" '$1 == mode { print $2 }' "$against")
    awk -v mode="$mode" -v a="$a" -v b="$b" -v n=$((many - few)) -v before="$before" 'BEGIN {
        now = (b - a) / n
        printf "%-24s %8.1f", mode, now
        if (before) printf "  before %8.1f  %+6.2f %%", before, 100 * (now / before - 1)
        print ""
        exit before && now > 1.02 * before
    }' || status=1
done
exit $status

#!/usr/bin/env bash
# Runs the static executable where there is nothing else: no libraries, no /etc, no /proc.
#
#   tests/package/static.sh COMMAND PROGRAMS    the executable, and the folder of the examples
#
# Exits with 77 and says why where no other root can be had.
set -euo pipefail
command=$(realpath "$1") programs=$(realpath "$2")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir "$root"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

[[ $(file -b "$command" 2>/dev/null || ldd "$command" 2>&1 || true) == *static* ]] || fail "$command is no static executable"
if [[ $(id -u) -eq 0 ]]; then
    inside=(chroot "$root")
elif unshare -r chroot / true 2>/dev/null; then
    inside=(unshare -r chroot "$root")
else
    echo "SKIPPED, the static executable is not tried in an empty root: neither root nor user namespaces"
    exit 77
fi
cp "$command" "$root/tracedeck"
"$programs/record_pool" "$root/trace.bin" >/dev/null
gzip -k "$root/trace.bin"

events=$("$command" print --output jsonl "$root/trace.bin" | wc -l)
[[ $events -gt 0 ]] || fail "there are no events to compare with"
"${inside[@]}" /tracedeck --version
"${inside[@]}" /tracedeck info /trace.bin | head -n 3
for trace in trace.bin trace.bin.gz; do
    got=$("${inside[@]}" /tracedeck print --output jsonl "/$trace" | wc -l)
    [[ $got -eq $events ]] || fail "$trace has $got events there, and $events here"
done
"${inside[@]}" /tracedeck convert --to ctf2 -o /ctf /trace.bin
"${inside[@]}" /tracedeck validate /ctf || fail "what it converts is not valid"

echo "-- live, by numeric addresses"
port=$((20000 + RANDOM % 20000))
"${inside[@]}" /tracedeck print --output jsonl "tcp-listen://127.0.0.1:$port" >"$work/live" 2>"$work/errors" &
listener=$!
for ((i = 0; i < 100; ++i)); do
    sleep 0.1
    cat "$root/trace.bin" >"/dev/tcp/127.0.0.1/$port" && break
done 2>/dev/null
for ((i = 0; i < 100; ++i)); do
    [[ $(wc -l <"$work/live") -lt $events ]] || break
    sleep 0.1
done
kill -TERM "$listener"
wait "$listener" || true
[[ $(wc -l <"$work/live") -eq $events ]] || { cat "$work/errors"; fail "it did not get the events over TCP"; }
echo "ok"

#!/usr/bin/env bash
# Runs the static executable where there is nothing else, no libraries, no /etc, no /proc, on traces of every format,
# and compares what it makes with what the usual command makes here.
#
#   tests/package/static.sh [BIN]    folder of tracedeck-static, tracedeck and record_pool, default: build/release/bin
#
# Exits with 77 and says why where no other root can be had.
set -euo pipefail
bin=$(realpath "${1:-$(dirname "$0")/../../build/release/bin}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir "$root"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "SKIPPED, the static executable is not run in an empty root: $*" >&2
    exit 77
}

[[ -x $bin/tracedeck-static ]] || skip "it is not built (make static)"
if [[ $(id -u) -eq 0 ]]; then
    inside=(chroot "$root")
elif unshare -r chroot / true 2>/dev/null; then
    inside=(unshare -r chroot "$root")
else
    skip "neither root nor user namespaces"
fi
ls -l "$bin/tracedeck-static"
"$(dirname "$0")/hardened.sh" "$bin/tracedeck-static"
cp "$bin/tracedeck-static" "$root/tracedeck"
static() { "${inside[@]}" /tracedeck "$@"; }
here() { (cd "$root" && "$bin/tracedeck" "$@"); }
# COMMAND...: prints the same there as here, and ends alike.
same() {
    local code=0
    here "$@" >"$work/here" 2>&1 || code=$?
    echo "exit code $code" >>"$work/here"
    code=0
    static "$@" >"$work/there" 2>&1 || code=$?
    echo "exit code $code" >>"$work/there"
    cmp "$work/here" "$work/there" || { tail -n 3 "$work/there"; fail "tracedeck $*: prints something else there"; }
}
static --version

echo "-- every format, plain and compressed"
"$bin/record_pool" "$root/dial9.bin" >/dev/null
for target in heph tband ctf1 ctf2; do here convert -q --to "$target" -o "$target" dial9.bin; done
traces=(dial9.bin heph tband ctf1 ctf2)
for trace in dial9.bin heph tband; do
    gzip -k "$root/$trace"
    zstd -q -k "$root/$trace"
    traces+=("$trace.gz" "$trace.zst")
done
for trace in "${traces[@]}"; do
    same print --output jsonl "$trace"
    same info --json "$trace"
    same validate "$trace"
done
same print --order time --clock wall dial9.bin
same formats
same print missing.bin

echo "-- conversions"
for target in dial9 heph tband ctf1 ctf2 jsonl csv jsonl.gz jsonl.zst; do
    mkdir "$root"/{here,there}
    here convert -q --to "${target%%.*}" -o "here/x.$target" dial9.bin
    static convert -q --to "${target%%.*}" -o "there/x.$target" dial9.bin
    diff -r "$root/here" "$root/there" || fail "what it converts to $target differs"
    rm -r "$root"/{here,there}
done

echo "-- live, by numeric addresses"
port=$((20000 + RANDOM % 20000))
static print --output jsonl "tcp-listen://127.0.0.1:$port" >"$work/live" 2>"$work/errors" &
listener=$!
events=$(here print --output jsonl dial9.bin | wc -l)
for ((i = 0; i < 100; ++i)); do
    sleep 0.1
    cat "$root/dial9.bin" >"/dev/tcp/127.0.0.1/$port" && break
done 2>/dev/null
for ((i = 0; i < 100; ++i)); do
    [[ $(wc -l <"$work/live") -lt $events ]] || break
    sleep 0.1
done
kill -TERM "$listener"
wait "$listener" || true
[[ $(wc -l <"$work/live") -eq $events ]] || { cat "$work/errors"; fail "it did not get the events over TCP"; }
echo "ok"

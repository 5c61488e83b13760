#!/usr/bin/env bash
# Installs the wheel of the package for Python into an empty virtual environment and uses it there, on traces of a program
# that records some, without anything of this tree.
#
#   tests/package/python.sh [WHEEL] [PYTHON...]    default: the one in build/release/packages, and python3
#
# Exits with 77 and says why where there is no wheel, or no virtual environment can be made.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
wheel=${1:-$(find "$top/build/release/packages" -name 'tracedeck-*.whl' 2>/dev/null | head -n 1)}
shift || true
[[ $# -gt 0 ]] || set -- python3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
    echo "SKIPPED, the package for Python is not tried: $*" >&2
    exit 77
}
[[ -f $wheel ]] || skip "there is no wheel (make python)"

# Other than `make python`, the wheel is the same again.
library=$top/build/release/lib/alone/libtracedeck_c.so.1
if [[ -e $library ]]; then
    python3 "$top/scripts/make-wheel.py" "$library" "$work/again" >/dev/null
    cmp "$wheel" "$work/again/$(basename "$wheel")"
fi
"$top/build/release/bin/record_pool" "$work/pool.bin" >/dev/null

cat >"$work/use.py" <<'END'
import sys
import tracedeck

assert tracedeck.__file__.startswith(sys.argv[1]), tracedeck.__file__
trace = tracedeck.open("pool.bin")
starts = sum(1 for event in trace if event.name == "TaskStart")
assert starts == trace.names()["TaskStart"] > 1000, starts
assert tracedeck.query("pool.bin", 'where name ~ "TaskS*" && name =~ /^\\p{L}+$/ | count')[0]["count"] == starts
assert tracedeck.latency("pool.bin")["rows"] and trace.complete and not tracedeck.validate("pool.bin")
try:
    tracedeck.open("missing")
except OSError as error:
    assert "missing" in str(error)
print(f"Python {sys.version.split()[0]}: tracedeck {tracedeck.__version__}, {starts} tasks")
END
for python in "$@"; do
    "$python" -m venv "$work/env" >"$work/log" 2>&1 || { cat "$work/log"; skip "$python makes no virtual environment"; }
    "$work/env/bin/pip" install --quiet --no-index --disable-pip-version-check "$wheel"
    (cd "$work" && env -i "$work/env/bin/python" use.py "$work/env")
    rm -rf "$work/env"
done
echo ok

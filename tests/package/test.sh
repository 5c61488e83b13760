#!/usr/bin/env bash
# Installs a finished build into a prefix of its own and uses the copy there: the CMake package, the pkg-config file,
# programs of examples/, the command, its man page and its completions.
#
#   tests/package/test.sh BUILD CMAKE CXX VERSION HARDENED    HARDENED: 1 if the build is
set -euo pipefail
build=$1 cmake=$2 cxx=$3 version=$4 hardened=$5
source=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$source/../.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

"$cmake" --install "$build" --prefix "$work/first" >/dev/null
# The copy must not depend on where it was put first.
mv "$work/first" "$prefix"

echo "-- the CMake package"
"$cmake" -S "$source" -B "$work/cmake" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
"$cmake" --build "$work/cmake" >"$work/log" 2>&1 || { cat "$work/log"; fail "the program does not build"; }
"$work/cmake/consumer" "$version" "$work/jobs.bin"

echo "-- the pkg-config file"
pc=$(find "$prefix" -name tracedeck.pc)
[[ -n $pc ]] || fail "tracedeck.pc is not installed"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
[[ $(pkg-config --modversion tracedeck) == "$version" ]] || fail "tracedeck.pc names another version"
read -ra flags < <(pkg-config --cflags --libs tracedeck)
"$cxx" -std=c++23 "$source/consumer.cpp" -o "$work/consumer" "${flags[@]}"
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")") "$work/consumer" "$version" "$work/jobs.bin"

echo "-- each header alone"
# Twice, so that one without a guard shows. The headers of others are precompiled, all of them: that a header includes
# those it needs is what `make lint` sees, and here it would take a second each time.
(cd "$prefix/include" && grep -rhoE '^#include <[^>]+>' tracedeck | grep -v tracedeck/ | sort -u) >"$work/others.hpp"
alone() {
    printf '#include <%s>\n' "$@" "$@" |
        $compile -include "$others" -Winvalid-pch -fsyntax-only -x c++ - || echo "does not compile alone: one of $*"
}
export -f alone
export compile="$cxx -std=c++23 -Wall -Wextra -Werror $(pkg-config --cflags tracedeck)" others=$work/others.hpp
$compile -x c++-header "$others" -o "$others.gch"
python3 "$source/alone.py" "$prefix/include" | xargs -P "$(nproc)" -I {} bash -c 'alone {}' >"$work/alone" 2>&1
[[ ! -s $work/alone ]] || { cat "$work/alone"; fail "see above; if an include was just edited, configure anew"; }

echo "-- programs in C++ and C"
c=("${CC:-cc}" -Wall -Wextra -Wpedantic -Werror -I "$prefix/include")
"${c[@]}" -std=c99 "$top/examples/trace_firmware.c" -o "$work/firmware"
"$work/firmware" "$work/firmware.tband"
"$prefix/bin/tracedeck" validate "$work/firmware.tband" >"$work/log" || { cat "$work/log"; fail "the trace of the firmware is none"; }
mkdir "$work/examples"
libraries=$(dirname "$(dirname "$pc")")
for example in count_events.cpp read_fields.cpp slow_spans.cpp write_trace.cpp convert_trace.cpp list_events.c sum_columns.c; do
    build=("$cxx" -std=c++23 "$top/examples/$example" "${flags[@]}")
    if [[ $example == *.c ]]; then
        [[ -e $libraries/libtracedeck_c.so ]] || { echo "the library for C is not built: no $example"; continue; }
        build=("${c[@]}" -std=c11 "$top/examples/$example" -L "$libraries" -ltracedeck_c)
    fi
    "${build[@]}" -o "$work/examples/${example%.*}"
done
EXAMPLES=$work/examples TRACEDECK_BIN=$prefix/bin/tracedeck LD_LIBRARY_PATH=$libraries python3 "$top/tests/run.py" "$top/tests/examples_test.py" \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "the examples do not do what they are for"; }
grep ^skipped "$work/log" || true

library=$(find "$prefix" -name libtracedeck.so)
if [[ -n $library ]]; then
    echo "-- what is exported"
    "$source/exports.sh" "$library"
fi

if [[ $hardened -eq 1 ]]; then
    echo "-- hardening"
    "$source/hardened.sh" "$prefix/bin/tracedeck" ${library:+"$library"}
fi

echo "-- the command and its papers"
[[ $("$prefix/bin/tracedeck" --version) == *"$version"* ]] || fail "tracedeck --version does not say $version"
events=$("$prefix/bin/tracedeck" print --output jsonl "$work/jobs.bin" | wc -l)
[[ $events -eq 1000 ]] || fail "the command prints $events of 1000 events"
share=$prefix/share
for file in man/man1/tracedeck.1 bash-completion/completions/tracedeck zsh/site-functions/_tracedeck \
    fish/vendor_completions.d/tracedeck.fish; do
    [[ -s $share/$file ]] || fail "share/$file is missing or empty"
done
grep -q '^\.TH' "$share/man/man1/tracedeck.1" || fail "the man page is none"
bash -n "$share/bash-completion/completions/tracedeck" || fail "the bash completion is no bash"
for header in render/json.hpp flow/merge.hpp ctf/trace.hpp ctf/write/encode_program.hpp base/bytes_test.hpp; do
    [[ ! -e $prefix/include/tracedeck/$header ]] || fail "a header that nobody outside includes is installed: $header"
done

echo "-- what is built, and no more"
# Nothing is compiled: what is built is put there.
bare=$work/bare
"$cmake" -S "$top" -B "$bare" -DCMAKE_CXX_COMPILER="$cxx" -DTRACEDECK_TESTS=OFF -DTRACEDECK_EXAMPLES=OFF >/dev/null
install_bare() { "$cmake" --install "$bare" --prefix "$work/$1" "${@:2}" >"$work/log" 2>&1; }
install_bare none && fail "an installation of nothing succeeds"
grep -q 'The library is not built, so nothing is installed' "$work/log" || { cat "$work/log"; fail "no word about what is not built"; }
[[ ! -e $work/none ]] || fail "something is installed of a build of nothing"
cp "$(find "$prefix" -name 'libtracedeck.a' -o -name 'libtracedeck.so' | head -n 1)" "$bare/tracedeck/libtracedeck.a"
install_bare library || { cat "$work/log"; fail "the library alone cannot be installed"; }
grep -q 'Not built, and so not installed: the command' "$work/log" || fail "no word about the command that is not there"
[[ -e $(find "$work/library" -name libtracedeck.a) && ! -e $work/library/bin/tracedeck ]] || fail "the library alone is not what is installed"
mkdir -p "$bare/bin"
cp "$prefix/bin/tracedeck" "$bare/bin/tracedeck"
install_bare command || { cat "$work/log"; fail "library and command cannot be installed without papers"; }
grep -q 'Not built, and so not installed: man/man1/tracedeck.1' "$work/log" || fail "no word about papers that are not there"
[[ $("$work/command/bin/tracedeck" --version) == *"$version"* ]] || fail "the command is not installed"
rm "$bare/tracedeck/libtracedeck.a"
install_bare no-library --component command || { cat "$work/log"; fail "the command alone cannot be installed"; }
[[ -x $work/no-library/bin/tracedeck && ! -e $work/no-library/include ]] || fail "the command alone is not what is installed"
echo "ok"

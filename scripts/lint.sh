#!/usr/bin/env bash
# All static checks: formatting, floors, links, headers and sources that stand alone, clang-tidy.
#
#   scripts/lint.sh [FILE...]     clang-tidy only for these sources; default: all but the tests
set -uo pipefail
cd "$(dirname "$0")/.."

failed=0
step() {
    local start=$SECONDS name=$1
    shift
    if "$@"; then
        printf 'lint: %-10s ok (%d s)\n' "$name" $((SECONDS - start))
    else
        printf 'lint: %-10s FAILED (%d s)\n' "$name" $((SECONDS - start))
        failed=1
    fi
}

sources() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [[ -f $f ]] && echo "$f"; done; }

format() {
    local unformatted
    unformatted=$(sources '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run 2>&1 |
        sed -n 's/^\([^:]*\):.*code should be clang-formatted.*/  \1/p' | sort -u)
    [[ -z $unformatted ]] || { printf 'not formatted (make format):\n%s\n' "$unformatted"; return 1; }
}

checks() {
    local status=0
    for check in scripts/check-*.py; do
        python3 "$check" || status=1
    done
    return $status
}

# Headers that are the first include of a source beside them: `alone` compiles them alone.
with_source() {
    local header
    while read -r header; do
        [[ $(grep -m 1 '^#include' "${header%.hpp}.cpp" 2>/dev/null) == "#include \"$header\"" ]] && echo "$header"
    done
}

# Each of the others by itself, twice, so that one without a guard shows.
header_alone() {
    printf '#include "%s"\n#include "%s"\n' "$1" "$1" |
        clang++-19 -std=c++23 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ - || { echo "$1 does not compile alone"; exit 1; }
}
export -f header_alone

headers() {
    local all
    all=$(sources '*.hpp' | grep -v '_test\.hpp$' | sort)
    comm -23 <(echo "$all") <(with_source <<<"$all" | sort) |
        xargs -P "${JOBS:-$(nproc)}" -I {} bash -c 'header_alone {}'
}

# BUILD OPTION...: clang-tidy over the files on standard input.
run_tidy() {
    local build=$1
    shift
    xargs -P "${JOBS:-$(nproc)}" -n 1 clang-tidy-19 -p "$build" --quiet "$@" 2>"$build/tidy.log"
}

# The tests are left out: their time goes into GoogleTest's and rapidcheck's templates.
plain_sources() {
    sources 'tracedeck/*.cpp' 'cli/*.cpp' 'examples/*.cpp' 'fuzz/*.cpp' 'bench/*.cpp' | grep -v '_test\.cpp$'
}

# Each source alone, without precompiled headers: whether it includes what it uses, what the compiler warns of, and
# the checks that look at the main file only.
alone() {
    plain_sources | run_tidy build/lint --checks='-*,bugprone-suspicious-include,misc-unused-*-decls,modernize-deprecated-headers,clang-diagnostic-*'
}

# All checks, over the folders compiled as one: the standard library, which each check walks too, comes once a folder.
tidy() {
    if [[ $# -gt 0 ]]; then
        printf '%s\n' "$@" | run_tidy build/lint
    else
        cmake --preset lint -B build/lint-unity -DTRACEDECK_UNITY=ON >/dev/null
        sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/lint-unity/compile_commands.json |
            grep -v '_test\|_test_' | run_tidy build/lint-unity --checks=-bugprone-suspicious-include
    fi
}

cmake --preset lint >/dev/null || exit 1
step format format
step checks checks
step headers headers
[[ $# -gt 0 ]] || step alone alone
step tidy tidy "$@"
exit $failed

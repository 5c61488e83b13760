#!/usr/bin/env bash
# All static checks: formatting, floors, links, headers that stand alone, clang-tidy.
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

headers() {
    cmake --build --preset lint --target all_verify_interface_header_sets ${JOBS:+-j"$JOBS"} >build/lint/headers.log 2>&1 ||
        { cat build/lint/headers.log; return 1; }
}

# The tests are left out: their time goes into GoogleTest's and rapidcheck's templates.
tidy() {
    local files=("$@")
    if [[ ${#files[@]} -eq 0 ]]; then
        mapfile -t files < <(sources 'tracedeck/*.cpp' 'cli/*.cpp' 'examples/*.cpp' 'fuzz/*.cpp' 'bench/*.cpp' |
            grep -v '_test\.cpp$')
    fi
    printf '%s\n' "${files[@]}" |
        xargs -P "${JOBS:-$(nproc)}" -n 1 clang-tidy-19 -p build/lint --quiet 2>build/lint/tidy.log
}

cmake --preset lint >/dev/null || exit 1
step format format
step checks checks
step headers headers
step tidy tidy "$@"
exit $failed

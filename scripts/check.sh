#!/usr/bin/env bash
# The loop of a minute: formatting, the quick checks of scripts/check-*.py, and the unit tests of what changed since
# this script last passed (the first time: of everything).
#
#   scripts/check.sh [ROOM...]     ROOM: unit tests to run instead, for example timeline, ctf_stream, cli
#
# A room is tested when one of its files changed. Changed headers: the rooms whose sources include one of them, too.
# Environment: JOBS (default: the processors).
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc)}
build=build/dev
passed=$build/checked-tree # the tree that passed last

# The object id of the working tree as git would commit it. The index of the user stays as it is.
tree_of_files() {
    local index
    index=$(mktemp)
    cp "$(git rev-parse --git-path index)" "$index"
    GIT_INDEX_FILE=$index git add -A
    GIT_INDEX_FILE=$index git write-tree
    rm "$index"
}

# The files that changed and still exist.
changed_files() {
    if [[ -s $passed ]] && git cat-file -e "$(cat "$passed")" 2>/dev/null; then
        git diff-tree -r --name-only --diff-filter=d "$(cat "$passed")" "$tree"
    else
        git ls-tree -r --name-only "$tree"
    fi
}

# The rooms of the files on standard input: tracedeck/ctf/stream/a.cpp is of ctf_stream, tracedeck/a.cpp of formats.
rooms_of() {
    sed -nE 's|^tracedeck/[^/]+\.[ch]pp$|formats|p; s|^tracedeck/(.+)/[^/]+\.[ch]pp$|\1|p; s|^(cli\|bench)/[^/]+\.[ch]pp$|\1|p' |
        tr / _ | sort -u
}

# The sources whose objects depend on one of the headers on standard input, as the last build noted.
sources_with() {
    awk -v top="$PWD/" 'NR == FNR { changed[top $0] = 1; next }
        /^[^ ]/ { object = $1; found = 0; next }
        $1 in changed && !found { found = 1; print object }' - <(ninja -C $build -t deps 2>/dev/null) |
        sed -E 's|CMakeFiles/[^/]+\.dir/||; s|\.o:$||'
}

step() {
    local start=$SECONDS name=$1
    shift
    "$@" || { echo "check: $name FAILED"; exit 1; }
    printf 'check: %-8s ok (%d s)\n' "$name" $((SECONDS - start))
}

format() {
    local sources
    mapfile -t sources < <(grep -E '\.[ch]pp$' <<<"$files")
    [[ ${#sources[@]} -eq 0 ]] || clang-format-19 --dry-run -Werror "${sources[@]}"
}

quick_checks() {
    local check status=0
    for check in scripts/check-*.py; do
        python3 "$check" || status=1
    done
    return $status
}

build_tests() {
    [[ ${#rooms[@]} -eq 0 ]] || cmake --build $build -j "$jobs" --target "${rooms[@]/%/_test}"
}

run_tests() {
    local room program
    for room in "${rooms[@]}"; do
        program=$(find $build -name "${room}_test" -type f -executable)
        "$program" --gtest_brief=1 || return 1
    done
}

tree=$(tree_of_files)
files=$(changed_files)
cmake --preset dev >/dev/null
if [[ $# -gt 0 ]]; then
    rooms=("$@")
else
    known=$(cmake --build $build --target help | sed -nE 's/^([a-z0-9_]+)_test: phony$/\1/p')
    mapfile -t rooms < <({ echo "$files"; grep '\.hpp$' <<<"$files" | sources_with; } | rooms_of | grep -xF "$known")
fi
echo "check: $(wc -l <<<"$files") files changed; unit tests of ${rooms[*]:-no room}"
step format format
step checks quick_checks
step build build_tests
step tests run_tests
[[ $# -gt 0 ]] || echo "$tree" >"$passed"

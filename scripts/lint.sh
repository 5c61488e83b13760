#!/usr/bin/env bash
# All static checks: formatting, floors, links, headers and sources that stand alone, clang-tidy.
#
#   scripts/lint.sh [FILE...]     clang-tidy only for these sources; default: all but the tests
# Environment: MORE_CHECKS: of clang-tidy, besides those of .clang-tidy.
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

# FILE: how it is compiled, without its output.
command_of() {
    sed -n "s|^ *\"command\": \"\(.*\) -o [^ ]* -c $PWD/$1\",*\$|\1|; T; s/\\\\\(.\)/\1/g; p; q" build/lint/compile_commands.json
}

# FILE LIKE WHAT...: compiles WHAT, which is FILE, as the source LIKE is, for what the compiler says of it.
compile_alone() {
    eval "$(command_of "$2")" -fsyntax-only -include-pch build/lint/standard.pch -x c++ '"${@:3}"' || {
        echo "$1 does not compile alone"
        exit 1
    }
}

# Twice, so that one without a guard shows.
header_alone() {
    printf '#include "%s"\n#include "%s"\n' "$1" "$1" | compile_alone "$1" "$ANY_SOURCE" -
}

source_alone() {
    compile_alone "$1" "$1" "$1"
}
export -f command_of compile_alone header_alone source_alone
export ANY_SOURCE=tracedeck/base/time.cpp

# What is compiled alone finds the standard library and fmt precompiled, with what their templates become in there;
# whether it includes what it uses of them, scripts/check-includes.py sees.
precompile() {
    sources '*.cpp' '*.hpp' | grep -v '_test\.[ch]pp$' | xargs grep -hE '^#include <([a-z_]+|fmt/format\.h)>$' |
        sort -u >build/lint/standard.hpp
    eval "$(command_of $ANY_SOURCE)" -fpch-instantiate-templates -x c++-header build/lint/standard.hpp -o build/lint/standard.pch
}

# FUNCTION: with each of the files on standard input.
with_each() {
    xargs -P "${JOBS:-$(nproc)}" -I {} bash -c "$1 {}"
}

# Headers that are the first include of a source beside them: `alone` compiles them alone.
with_source() {
    local header
    while read -r header; do
        [[ $(grep -m 1 '^#include' "${header%.hpp}.cpp" 2>/dev/null) == "#include \"$header\"" ]] && echo "$header"
    done
}

headers() {
    local all
    all=$(sources '*.hpp' | grep -v '_test\.hpp$' | sort)
    comm -23 <(echo "$all") <(with_source <<<"$all" | sort) | with_each header_alone
}

# The tests are left out: their time goes into GoogleTest's and rapidcheck's templates.
plain_sources() {
    sources 'tracedeck/*.cpp' 'cli/*.cpp' 'examples/*.cpp' 'fuzz/*.cpp' 'bench/*.cpp' | grep -v '_test\.cpp$'
}

# BUILD OPTION...: clang-tidy over the files on standard input.
run_tidy() {
    local build=$1
    shift
    xargs -P "${JOBS:-$(nproc)}" -n 1 clang-tidy-19 -p "$build" --quiet "$@" 2>"$build/tidy.log"
}

# Whether each source includes what it uses of the project, and what the compiler warns of. Whether names that it makes its
# own are used, clang-tidy sees, which must see that file alone, too, but gains nothing from what is precompiled.
alone() {
    local all own status=0
    all=$(plain_sources | sort)
    own=$(xargs grep -lP '^\s*(using (?!namespace )[^=]*;|namespace \w+ =)' <<<"$all" | sort)
    run_tidy build/lint --checks='-*,misc-unused-*-decls,clang-diagnostic-*' <<<"$own" || status=1
    comm -23 <(echo "$all") <(echo "$own") | with_each source_alone || status=1
    return $status
}

# FOLDER: its programs in one file, where the names of each are its own: main, the entry of a fuzz target, and what may stand in
# an unnamed namespace, which is inside another one for each of the fuzz targets and of the benchmarks.
all_programs() {
    local source name programs
    programs=$(sources "$1/*.cpp" | grep -v '_test\.cpp$')
    # Within a namespace an include must have nothing left to include.
    xargs grep -h '^#include' <<<"$programs" | sort -u
    # A main that is called otherwise would have to return something.
    echo '#pragma clang diagnostic ignored "-Wreturn-type"'
    while read -r source; do
        name=$(basename "$source" .cpp)
        echo "namespace tracedeck::bench {} namespace tracedeck::bench_$name { using namespace bench; }"
        printf '#define %s\n' "main main_of_$name" "LLVMFuzzerTestOneInput LLVMFuzzerTestOneInput_$name" "bench bench_$name"
        [[ $1 != fuzz ]] || echo "namespace program_$name {"
        printf '#include "%s"\n' "$source"
        [[ $1 != fuzz ]] || echo '}'
        printf '#undef %s\n' main LLVMFuzzerTestOneInput bench
    done <<<"$programs"
}

# All other checks, over the folders compiled as one: the standard library, which each check walks too, comes once a
# folder.
tidy() {
    local build=build/lint-unity folder
    if [[ $# -gt 0 ]]; then
        printf '%s\n' "$@" | run_tidy build/lint
        return
    fi
    cmake --preset lint -B $build -DTRACEDECK_UNITY=ON >/dev/null
    for folder in bench examples fuzz; do all_programs $folder >$build/$folder/all_programs.cpp; done
    sed -n 's/^ *"file": "\(.*\)",*$/\1/p' $build/compile_commands.json |
        grep -v "_test\|_test_\|/$build/\(bench\|examples\|fuzz\)/" >$build/sources
    printf '%s\n' $build/{bench,examples,fuzz}/all_programs.cpp >>$build/sources
    local alone=-bugprone-suspicious-include,-misc-unused-*-decls,-modernize-deprecated-headers
    run_tidy $build --checks="$alone,${MORE_CHECKS:-}" <$build/sources
}

cmake --preset lint >/dev/null || exit 1
step format format
step checks checks
step precompile precompile
step headers headers
[[ $# -gt 0 ]] || step alone alone
step tidy tidy "$@"
exit $failed

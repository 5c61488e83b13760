#!/usr/bin/env bash
# Links the command once more, with all it needs inside: build/release/bin/tracedeck-static.
#
#   scripts/build-static.sh [TARGET]    or another target that is linked so: tracedeck-c-alone, the library for C
#
# Debian's packages have no static fmt and simdjson, so both, one source each, are compiled from its source packages,
# which apt-get takes from where the system's packages come from. Exits with 77 and says why where that cannot be.
# Environment: JOBS (default: the processors).
set -euo pipefail
cd "$(dirname "$0")/.."

work=$PWD/build/static
target=${1:-tracedeck-static}
mkdir -p "$work/lists/partial"

skip() {
    echo "SKIPPED, ${target} is not built: $*" >&2
    exit 77
}

# The system's package sources, asked for sources instead of packages. Nothing of the system is changed.
apt_sources() {
    apt-get -qq -o APT::Sandbox::User=root -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$work/lists" "$@"
}

# PACKAGE FILE...: compiles files of the package's source, of the version that is installed, into $work/PACKAGE.o.
compile() {
    local package=$1 source version folder
    shift
    read -r source version < <(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$package")
    folder=$work/$source-$version-pic
    if [[ ! -e $folder.o ]]; then
        if [[ ! -s $work/sources.list ]]; then
            apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
                grep -E 'debian|ubuntu' | sort -u >"$work/sources.list" || skip "no package source of Debian is configured"
            apt_sources update || skip "the package sources cannot be reached"
        fi
        (cd "$work" && apt_sources --download-only source "$source=$version") || skip "there is no source of $source $version"
        rm -rf "$folder"
        # apt-get has checked it by the signature of the archive.
        dpkg-source --no-check -x "$work/${source}_${version#*:}.dsc" "$folder" >/dev/null
        (
            cd "$folder"
            mkdir objects
            # Patterns are of that folder.
            # shellcheck disable=SC2048,SC2086
            printf '%s\0' $* | xargs -0 -P "${JOBS:-1}" -I {} sh -c \
                '${CXX:-c++} -std=c++20 -O2 -DNDEBUG -fPIC -Iinclude -Isrc -I. -c "$1" -o "objects/$(basename "$1").o"' - {}
            ld -r -o "$folder.o" objects/*.o
        )
    fi
    ln -sf "$folder.o" "$work/$package.o"
}

command -v apt-get >/dev/null || skip "this is no Debian"
compile libfmt-dev src/format.cc
compile libsimdjson-dev src/simdjson.cpp
libraries="$work/libfmt-dev.o;$work/libsimdjson-dev.o"
if [[ $target == tracedeck-c-alone ]]; then
    # Code of Debian's archive of re2 cannot be a part of a shared library; the tables, which its source package lacks, can.
    compile libre2-dev 're2/*.cc' util/rune.cc util/strutil.cc
fi
cmake --preset release -DTRACEDECK_STATIC_LIBRARIES="$libraries" -DTRACEDECK_STATIC_RE2_OBJECT="$work/libre2-dev.o" >/dev/null
cmake --build --preset release ${JOBS:+-j "$JOBS"} --target "$target"

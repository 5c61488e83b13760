#!/usr/bin/env bash
# Links the command statically, with nothing left to be found at run time: BUILD/bin/tracedeck-static.
#
#   scripts/build-static.sh [BUILD]     BUILD: a build of the release preset (default build/release)
#
# Debian's packages have no static fmt and simdjson, so both are built from its source packages, which apt-get takes
# from where the system's packages come from.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
deps=$PWD/build/static
mkdir -p "$deps/apt/lists/partial" "$deps/sources"

# The system's package sources, asked for sources instead of packages. Nothing of the system is changed.
source_list() {
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        grep -E 'debian|ubuntu' | sort -u
}

# PACKAGE of the library, its source of the version that is installed.
fetch() {
    local version source
    read -r source version < <(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$1")
    [[ -n $(find "$deps/sources" -maxdepth 1 -type d -name "$source-*") ]] && return
    if [[ ! -s $deps/sources.list ]]; then
        source_list >"$deps/sources.list"
        [[ -s $deps/sources.list ]] || { echo "build-static: no package source to ask for $source" >&2; return 1; }
    fi
    local apt=(apt-get -qq -o Dir::Etc::sourcelist="$deps/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$deps/apt/lists")
    [[ -e $deps/updated ]] || { "${apt[@]}" update && touch "$deps/updated"; }
    (cd "$deps/sources" && "${apt[@]}" source "$source=$version")
}

# SOURCE OPTION...
compile() {
    local source=$1 folder
    shift
    folder=$(find "$deps/sources" -maxdepth 1 -type d -name "$source-*")
    cmake -S "$folder" -B "$deps/$source" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$deps/root" -DCMAKE_INSTALL_LIBDIR=lib "$@" >/dev/null
    cmake --build "$deps/$source" ${JOBS:+-j"$JOBS"} --target install >/dev/null
}

if [[ ! -e $deps/root/lib/libfmt.a || ! -e $deps/root/lib/libsimdjson.a ]]; then
    fetch libfmt-dev
    fetch libsimdjson-dev
    compile fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
    compile simdjson -DSIMDJSON_DEVELOPER_MODE=OFF
fi
cmake --preset release -B "$build" -DTRACEDECK_STATIC_LIBRARIES="$deps/root/lib" >/dev/null
cmake --build "$build" ${JOBS:+-j"$JOBS"} --target tracedeck-static

#!/usr/bin/env bash
# Installs the Debian packages into a bare Debian of their own: runs the command there, compiles programs with the
# development package, and runs the demo with them.
#
#   tests/package/debian.sh [PACKAGES]    folder of the .deb files, default: where `make deb` leaves them
#
# Exits with 77 and says why where a bare Debian cannot be made. Environment: SUITE (default: the one that runs).
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$source/../.." && pwd)
packages=$(realpath "${1:-$top/build/release/packages}")

work=$(mktemp -d)
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
skip() {
    echo "SKIPPED, the packages are not installed in a bare Debian: $*" >&2
    exit 77
}
# Runs something whose output matters only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "$*"; }; }

echo "-- the contents"
for package in tracedeck 'libtracedeck[0-9]*' libtracedeck-dev; do
    file=$(find "$packages" -maxdepth 1 -name "${package}_*.deb")
    [[ -e $file ]] || fail "no package, or several, for $package in $packages"
    dpkg-deb -I "$file" | grep -E '^ (Package|Version|Depends|Installed-Size|Maintainer)'
    dpkg-deb -x "$file" "$work/files"
done
version=$(dpkg-deb -f "$packages"/tracedeck_*.deb Version)
[[ $(dpkg-deb -f "$packages"/libtracedeck-dev_*.deb Depends) == *"libtracedeck${version%.*} (= $version)"* ]] ||
    fail "libtracedeck-dev does not depend on its library"
for file in bin/tracedeck share/man/man1/tracedeck.1.gz share/bash-completion/completions/tracedeck \
    share/zsh/site-functions/_tracedeck share/fish/vendor_completions.d/tracedeck.fish \
    share/doc/{tracedeck,libtracedeck"${version%.*}",libtracedeck-dev}/{copyright,changelog.gz}; do
    [[ -s $work/files/usr/$file ]] || fail "/usr/$file is missing or empty"
done
[[ -z $(find "$work/files" -name '*_test.hpp') ]] || fail "headers of tests are packed"
"$source/exports.sh" "$(find "$work/files" -name 'libtracedeck.so.*' -type f)"

echo "-- a bare Debian"
[[ $(id -u) -eq 0 ]] || skip "this needs root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed (scripts/install-deps.sh packages)"
# shellcheck disable=SC1091
suite=${SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$suite" '$2 == suite && $1 ~ /debian/ { print $1; exit }')
[[ -n $suite && -n $mirror ]] || skip "no package source of Debian is configured"
# Nothing of it outlives this script, so nothing needs to be forced onto the disk.
fast=(--dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"')
mmdebstrap --variant=apt --skip=cleanup/apt/lists "${fast[@]}" "$suite" "$root" "$mirror" >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log"; skip "mmdebstrap could not make one: no network, or no rights"; }
# A line of shell, in /here.
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        chroot "$root" sh -ec "cd /here; $1"
}
install='apt-get -q -y --no-install-recommends install'
mkdir "$root/here"
cp -r "$packages"/*.deb "$source"/{consumer.cpp,CMakeLists.txt} "$top"/examples/record_pool.{cpp,toml} "$top/scripts/demo.sh" "$root/here"

echo "-- the command"
quietly inside "$install ./tracedeck_*.deb"
[[ $(inside 'tracedeck --version') == *"$version"* ]] || fail "tracedeck --version does not say $version"
[[ -z $(inside 'find /usr/lib -name "libtracedeck*"') ]] || fail "the command brought the library"

echo "-- programs with the development package"
quietly inside "$install ./libtracedeck*.deb g++ cmake make pkg-config"
quietly inside 'c++ -std=c++23 -O1 record_pool.cpp -o record_pool $(pkg-config --cflags --libs tracedeck)'
quietly inside 'cmake -B build && cmake --build build'
inside "build/consumer $version jobs.bin"
events=$(inside 'tracedeck print --output jsonl jobs.bin' | wc -l)
[[ $events -eq 1000 ]] || fail "the command prints $events of 1000 events"

echo "-- the demo"
inside 'bash demo.sh /here demo record_pool.toml'

quietly inside 'apt-get -q -y purge "tracedeck*" "libtracedeck*"'
left=$(inside 'find /usr -name "*tracedeck*"')
[[ -z $left ]] || fail "what stays when they are removed: $left"
echo "ok"

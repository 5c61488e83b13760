#!/usr/bin/env bash
# Installs the Debian packages into a bare Debian of their own and runs the demo there; compiles a program with what
# the development package holds.
#
#   tests/package/debian.sh PACKAGES PROGRAMS    folders of the .deb files and of the examples
#
# Exits with 77 and says why where a bare Debian cannot be made. Environment: SUITE (default: the one that runs).
set -euo pipefail
packages=$(realpath "$1") programs=$(realpath "$2")
version=$(dpkg-deb -f "$packages"/tracedeck_*.deb Version)
source=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$source/../.." && pwd)

work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
skip() {
    echo "SKIPPED, packages are not tried in a bare Debian: $*"
    exit 77
}

echo "-- the contents"
for package in tracedeck libtracedeck-dev 'libtracedeck[0-9]*'; do
    # shellcheck disable=SC2206 # a pattern
    file=("$packages"/${package}_*.deb)
    [[ -e ${file[0]} && ${#file[@]} -eq 1 ]] || fail "no package, or several, for $package in $packages"
    dpkg-deb --info "${file[0]}" | grep -E '^ (Package|Version|Depends)'
    dpkg-deb -x "${file[0]}" "$work/files"
done
for file in bin/tracedeck share/man/man1/tracedeck.1.gz share/bash-completion/completions/tracedeck \
    share/zsh/site-functions/_tracedeck share/fish/vendor_completions.d/tracedeck.fish share/doc/tracedeck/copyright; do
    [[ -s $work/files/usr/$file ]] || fail "/usr/$file is missing or empty"
done
[[ -z $(find "$work/files" -name '*_test.hpp') ]] || fail "tests' headers are packed"

echo "-- a program with the development package"
pc=$(find "$work/files" -name tracedeck.pc)
libraries=$(dirname "$(dirname "$pc")")
read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs tracedeck)
"${CXX:-c++}" -std=c++23 "$source/consumer.cpp" -o "$work/consumer" "${flags[@]}"
LD_LIBRARY_PATH=$libraries "$work/consumer" "$version" "$work/jobs.bin"

echo "-- a bare Debian"
[[ $(id -u) -eq 0 ]] || skip "this needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
# shellcheck disable=SC1091
suite=${SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
    awk -v suite="$suite" '$2 == suite && $1 ~ /debian/ { print $1; exit }')
[[ -n $suite && -n $mirror ]] || skip "no package source of Debian is configured"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log"; skip "debootstrap failed: no network, or no rights to make devices"; }
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
mkdir "$root/packages"
cp "$packages"/{tracedeck,libtracedeck[0-9]}*.deb "$root/packages"
inside sh -ec 'apt-get -qq update; apt-get -qq -y --no-install-recommends install /packages/*.deb' >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "the packages cannot be installed"; }
[[ $(inside tracedeck --version) == *"$version"* ]] || fail "tracedeck --version does not say $version"
events=$(inside tracedeck print --output jsonl - <"$work/jobs.bin" | wc -l)
[[ $events -eq 1000 ]] || fail "the command prints $events of 1000 events"

echo "-- the demo there"
mkdir "$root/demo"
cp "$programs/record_pool" "$top/scripts/demo.sh" "$root/demo"
inside bash /demo/demo.sh /demo /demo/out
inside apt-get -qq -y purge tracedeck 'libtracedeck*' >"$work/log" 2>&1 || { cat "$work/log"; fail "they cannot be removed"; }
echo "ok"

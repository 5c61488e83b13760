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

# shellcheck source=tests/package/bare_debian.sh
source "$source/bare_debian.sh"

echo "-- the contents"
for package in tracedeck 'libtracedeck[0-9]*' libtracedeck-c1 python3-tracedeck libtracedeck-dev; do
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
    share/doc/{tracedeck,libtracedeck"${version%.*}",libtracedeck-c1,python3-tracedeck,libtracedeck-dev}/{copyright,changelog.gz}; do
    [[ -s $work/files/usr/$file ]] || fail "/usr/$file is missing or empty"
done
[[ -z $(find "$work/files" -name '*_test.hpp') ]] || fail "headers of tests are packed"
"$source/exports.sh" "$(find "$work/files" -name 'libtracedeck.so.*' -type f)"
"$source/hardened.sh" "$work/files/usr/bin/tracedeck" "$(find "$work/files" -name 'libtracedeck.so.*' -type f)"

echo "-- a bare Debian"
make_bare_debian
install='apt-get -q -y --no-install-recommends install'
cp -r "$packages"/*.deb "$source"/{consumer.cpp,described_names.cpp,CMakeLists.txt} "$top"/examples/{record_pool.cpp,record_pool.toml,list_events.c} "$top/scripts/demo.sh" "$root/here"

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

quietly inside 'cc -std=c11 list_events.c -o list_events -ltracedeck_c'
[[ $(inside './list_events jobs.bin job | wc -l') -eq 1000 ]] || fail "the program in C does not list 1000 events"

echo "-- the package for Python"
quietly inside "$install ./python3-tracedeck_*.deb"
counted=$(inside 'python3 -B -c "import tracedeck; print(tracedeck.query(\"jobs.bin\", \"count()\"))"')
[[ $counted == "[{'count()': 1000}]" ]] || fail "the package for Python counts $counted, not 1000 events"

echo "-- the demo"
inside 'bash demo.sh /here demo record_pool.toml'

quietly inside 'apt-get -q -y purge "tracedeck*" "libtracedeck*" python3-tracedeck'
left=$(inside 'find /usr -name "*tracedeck*"')
[[ -z $left ]] || fail "what stays when they are removed: $left"
echo "ok"

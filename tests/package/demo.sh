#!/usr/bin/env bash
# Runs `make demo` on a fresh clone in a bare Debian, and prints what it downloads beside the compiler and CMake.
#
#   tests/package/demo.sh [LIMIT]     LIMIT: MB of downloads, default 60
#
# Exits with 77 and says why where a bare Debian cannot be made. Environment: SUITE (default: the one that runs).
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
limit=${1:-60}
# shellcheck source=tests/package/bare_debian.sh
source "$top/tests/package/bare_debian.sh"

make_bare_debian
inside 'apt-get -q update && apt-get -q install -y --no-install-recommends g++ cmake make git && apt-get clean'
git clone -q "$top" "$root/here/tracedeck"
inside 'cd tracedeck && make demo'
megabytes=$(du -cm "$root"/var/cache/apt/archives/*.deb | tail -n 1 | cut -f 1)
echo "make demo downloads $megabytes MB beside g++, CMake, make and git"
[[ $megabytes -le $limit ]] || fail "more than $limit MB"

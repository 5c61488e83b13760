#!/usr/bin/env bash
# Installs what building and testing need on Debian 12, only what is missing; does nothing when all is there.
#
#   scripts/install-deps.sh [build] [lint] [fuzz] [packages] [browser]     groups to install, default: build
#
# TRACEDECK_NO_INSTALL=1 makes it do nothing at all: for systems whose packages are named otherwise.
set -euo pipefail

build=(
    g++ cmake ninja-build make pkg-config python3 python3-jsonschema
    libfmt-dev zlib1g-dev libzstd-dev libre2-dev
    libgtest-dev libgmock-dev librapidcheck-dev libsimdjson-dev libtomlplusplus-dev libbenchmark-dev
    zstd groff-base mandoc fish zsh # what the tests try the outputs, the man page and the completions with
)
# Whom the tests compare with, have record (in user space only) and have read, and the compiler for devices. Without them
# these tests are skipped.
peers=(babeltrace2 lttng-tools liblttng-ust-dev gcc-arm-none-eabi protobuf-compiler)
lint=(git clang-19 clang-format-19 clang-tidy-19)
fuzz=(clang-19 libclang-rt-19-dev)
# What the tests look at pages with, from Debian and from npm, the latter in build/node_modules. Without them these tests
# are skipped.
browser=(chromium-headless-shell nodejs npm)
playwright=playwright-core@1.65.1
packages=(dpkg-dev mmdebstrap) # what makes packages, unpacks sources, and makes a bare Debian to try them in

usage() {
    echo "usage: scripts/install-deps.sh [build] [lint] [fuzz] [packages] [browser]" >&2
    exit 2
}

wanted=("${peers[@]}")
for group in "${@:-build}"; do
    case "$group" in
        build) wanted+=("${build[@]}") ;;
        lint) wanted+=("${build[@]}" "${lint[@]}") ;;
        fuzz) wanted+=("${build[@]}" "${fuzz[@]}") ;;
        packages) wanted+=("${build[@]}" "${packages[@]}") ;;
        browser) peers+=("${browser[@]}") wanted+=("${browser[@]}") with_browser=1 ;;
        *) usage ;;
    esac
done

if [[ "${TRACEDECK_NO_INSTALL:-}" == 1 ]]; then
    exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    cat >&2 <<END
This script knows Debian and its kin only. Install by hand what stands for these Debian packages:
  ${wanted[*]}
(a C++23 compiler with std::expected: g++ 12 or clang 19; CMake 3.25), then set TRACEDECK_NO_INSTALL=1.
The tests can do without the first ${#peers[@]}.
END
    exit 1
fi

# Node.js may be there without being Debian's.
install_playwright() {
    local place
    place="$(cd "$(dirname "$0")/.." && pwd)/build"
    if [[ -z "${with_browser:-}" || -d "$place/node_modules/playwright-core" ]]; then return; fi
    mkdir -p "$place"
    if ! npm install --prefix "$place" --no-save --no-audit --no-fund --ignore-scripts "$playwright" </dev/null; then
        echo "$playwright is not installed; the tests that need it are skipped" >&2
    fi
}

missing=() missing_peers=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ " nodejs npm " == *" $package "* ]] && command -v "${package/nodejs/node}" >/dev/null && continue
    [[ "$status" == installed || " ${missing[*]} ${missing_peers[*]} " == *" $package "* ]] && continue
    if [[ " ${peers[*]} " == *" $package "* ]]; then
        missing_peers+=("$package")
    else
        missing+=("$package")
    fi
done
if [[ ${#missing[@]} -eq 0 && ${#missing_peers[@]} -eq 0 ]]; then
    install_playwright
    exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages, and neither root nor sudo to install them: ${missing[*]} ${missing_peers[*]}" >&2
        [[ ${#missing[@]} -eq 0 ]]
        exit
    fi
    as_root=(sudo)
fi
echo "Installing: ${missing[*]} ${missing_peers[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
# A package source that cannot be reached must not keep the others from serving.
"${apt[@]}" update || echo "apt-get update failed; trying with the package lists at hand" >&2
install() { "${apt[@]}" install -y --no-install-recommends "$@" </dev/null; }
[[ ${#missing[@]} -eq 0 ]] || install "${missing[@]}"
[[ ${#missing_peers[@]} -eq 0 ]] || install "${missing_peers[@]}" ||
    echo "Some of these are not installed; the tests that need them are skipped: ${missing_peers[*]}" >&2
install_playwright

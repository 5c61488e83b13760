#!/usr/bin/env bash
# Installs what building and testing need on Debian 12, only what is missing; does nothing when all is there.
#
#   scripts/install-deps.sh [command] [test] [check] [lint] [fuzz] [packages] [browser]     default: command
#
# TRACEDECK_NO_INSTALL=1 makes it do nothing at all: for systems whose packages are named otherwise.
set -euo pipefail

# What building and running the command needs.
command=(
    g++ cmake ninja-build make pkg-config
    libfmt-dev zlib1g-dev libzstd-dev libre2-dev libsimdjson-dev libtomlplusplus-dev nettle-dev
    libsqlite3-dev
)
# What building and running the tests needs besides.
test=(
    git python3 python3-jsonschema libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
    zstd groff-base mandoc # for the compressed inputs, and to read the man page
)
# Programs that the tests compare with or have read, and the compiler for devices. Without them these tests are skipped.
peers=(babeltrace2 lttng-tools liblttng-ust-dev gcc-arm-none-eabi protobuf-compiler fish zsh
    clickhouse-server clickhouse-client curl python3-numpy python3-pandas
    python3-distributed)
check=(ccache clang-format-19)
lint=(git clang-19 clang-format-19 clang-tidy-19)
fuzz=(clang-19 libclang-rt-19-dev)
# What the tests look at pages and tables with, from Debian and from npm, the latter in build/node_modules. Without them
# these tests are skipped.
browser=(chromium-headless-shell nodejs npm)
modules=(
    playwright-core@1.65.1
    @duckdb/node-api@1.5.6-r.1 parquet-wasm@0.8.0 apache-arrow@21.2.0 hyparquet@1.33.0 hyparquet-compressors@1.1.2
)
packages=(dpkg-dev mmdebstrap python3-venv) # what makes packages, unpacks sources, and makes a bare Debian to try them in

usage() {
    echo "usage: scripts/install-deps.sh [command] [test] [check] [lint] [fuzz] [packages] [browser]" >&2
    exit 2
}

optional=()
wanted=("${command[@]}")
for group in "${@:-command}"; do
    case "$group" in
        command) ;;
        test) wanted+=("${test[@]}" "${peers[@]}") optional+=("${peers[@]}") ;;
        check) wanted+=("${test[@]}" "${check[@]}") ;;
        lint) wanted+=("${test[@]}" "${lint[@]}") ;;
        fuzz) wanted+=("${test[@]}" "${fuzz[@]}") ;;
        packages) wanted+=("${packages[@]}") ;;
        browser) wanted+=("${browser[@]}") optional+=("${browser[@]}") with_browser=1 ;;
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
Only tests need these, and are skipped without: ${optional[*]:-(none)}
END
    exit 1
fi

# Node.js may be there without being Debian's.
install_modules() {
    local place module missing=()
    place="$(cd "$(dirname "$0")/.." && pwd)/build"
    if [[ -z "${with_browser:-}" ]]; then return; fi
    for module in "${modules[@]}"; do
        [[ -d "$place/node_modules/${module%@*}" ]] || missing+=("$module")
    done
    if [[ ${#missing[@]} -eq 0 ]]; then return; fi
    mkdir -p "$place"
    # All of them: npm removes what it was not asked for.
    if ! npm install --prefix "$place" --no-save --no-audit --no-fund --ignore-scripts "${modules[@]}" </dev/null; then
        echo "${missing[*]}: not installed; the tests that need them are skipped" >&2
    fi
}

missing=() missing_optional=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ " nodejs npm " == *" $package "* ]] && command -v "${package/nodejs/node}" >/dev/null && continue
    [[ "$status" == installed || " ${missing[*]} ${missing_optional[*]} " == *" $package "* ]] && continue
    if [[ " ${optional[*]} " == *" $package "* ]]; then
        missing_optional+=("$package")
    else
        missing+=("$package")
    fi
done
if [[ ${#missing[@]} -eq 0 && ${#missing_optional[@]} -eq 0 ]]; then
    install_modules
    exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages, and neither root nor sudo to install them: ${missing[*]} ${missing_optional[*]}" >&2
        [[ ${#missing[@]} -eq 0 ]]
        exit
    fi
    as_root=(sudo)
fi
echo "Installing: ${missing[*]} ${missing_optional[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
# A package source that cannot be reached must not keep the others from serving.
"${apt[@]}" update || echo "apt-get update failed; trying with the package lists at hand" >&2
install() { "${apt[@]}" install -y --no-install-recommends "$@" </dev/null; }
[[ ${#missing[@]} -eq 0 ]] || install "${missing[@]}"
[[ ${#missing_optional[@]} -eq 0 ]] || install "${missing_optional[@]}" ||
    echo "Some of these are not installed; the tests that need them are skipped: ${missing_optional[*]}" >&2
install_modules

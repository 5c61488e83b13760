#!/usr/bin/env bash
# Measures pages: what writing one of made-up slices takes, its size, and what it takes a browser.
#   bench/page.sh [SLICES]     default: 10,000,000 on 16 tracks
# Needs build/release/bin/page-marks and scripts/install-deps.sh browser.
set -euo pipefail
cd "$(dirname "$0")/.."

page=$(mktemp --suffix .html)
trap 'rm -f "$page"' EXIT
/usr/bin/env time -f '{"resident_kilobytes": %M}' build/release/bin/page-marks flat "${1:-10000000}" "$page"
NODE_PATH=${NODE_PATH:-$PWD/build/node_modules} node bench/page_bench.mjs "$page"

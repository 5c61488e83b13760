#!/usr/bin/env bash
# Makes docs/page.png, the picture of README.md, from the recording that `make demo` leaves. Needs Debian's
# chromium-headless-shell, or chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
page=$PWD/build/demo/demo.html
browser=$(command -v chromium-headless-shell || command -v chromium)
[[ -f "$page" ]] || {
    echo "make-picture.sh: $page is not there: run make demo" >&2
    exit 1
}
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,560 --virtual-time-budget=6000 \
    --screenshot="$PWD/docs/page.png" "file://$page" 2>/dev/null
echo "docs/page.png is made; look at it"

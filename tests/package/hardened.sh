#!/usr/bin/env bash
# Whether executables and shared libraries are hardened as release builds are.
#
#   tests/package/hardened.sh FILE...
set -euo pipefail

for file in "$@"; do
    fail() {
        echo "FAILED: $file: $*" >&2
        exit 1
    }
    header=$(readelf -hW "$file")
    segments=$(readelf -lW "$file")
    dynamic=$(readelf -dW "$file")
    # Of a static executable, which has them inside and may be stripped, these two are not seen from outside.
    symbols=$(readelf -W --dyn-syms "$file")

    # An executable at an address of the loader's choice, or a library.
    grep -q 'Type: *DYN' <<<"$header" || fail "it is loaded at a fixed address"
    if [[ $file != *.so* ]]; then
        grep -q 'FLAGS_1.*PIE' <<<"$dynamic" || fail "it is no position-independent executable"
    fi
    grep -q 'GNU_RELRO' <<<"$segments" || fail "what is relocated stays writable"
    grep -qE 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || fail "functions are bound late, and their addresses stay writable"
    grep -q 'TEXTREL' <<<"$dynamic" && fail "its code is relocated"
    grep 'GNU_STACK' <<<"$segments" | grep -q 'RWE' && fail "its stack is executable"
    if grep -q 'NEEDED' <<<"$dynamic"; then
        grep -q '__stack_chk_fail' <<<"$symbols" || fail "no stack protector"
        grep -qE '__[a-z]+_chk(@|$)' <<<"$symbols" || fail "no checked copies (_FORTIFY_SOURCE)"
    fi
    if grep -q 'X86-64' <<<"$header"; then
        code=$(objdump -d --no-show-raw-insn "$file" | grep -oE '\<endbr64|orq +\$0x0,(0x0)?\(%rsp\)' | sort | uniq -c)
        [[ $(awk '/endbr64/ { print $1 }' <<<"$code") -gt 1000 ]] || fail "no marks of where indirect calls may lead (-fcf-protection)"
        grep -q 'orq' <<<"$code" || fail "large frames are not probed (-fstack-clash-protection)"
    fi
    echo "hardened: $(basename "$file")"
done

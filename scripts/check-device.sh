#!/usr/bin/env bash
# Compiles the header for devices for bare-metal Cortex-M processors and reports the size of the code.
#
#   scripts/check-device.sh [CORE...]      default: cortex-m0plus cortex-m4
#
# Exit 77, which ctest counts as skipped, when there is no arm-none-eabi-g++.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
compiler=${TRACEDECK_DEVICE_CXX:-arm-none-eabi-g++}
if ! command -v "$compiler" >/dev/null; then
    echo "skipped: there is no $compiler (Debian package gcc-arm-none-eabi)"
    exit 77
fi
size=${compiler%g++}size
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A function of each event, kept by external linkage; then a tracer that uses three of them.
header=tracedeck/tband/device.hpp
{
    echo "#include \"$header\""
    echo "using namespace tracedeck::tband::device;"
    sed -n '/^}  \/\/ namespace detail$/,$p' "$root/$header" | tr '\n' ' ' | grep -o 'inline size_t [a-z_]*([^)]*)' |
        sed -E 's/inline size_t ([a-z_]*)\((.*)\)/\1|\2/' | while IFS='|' read -r name parameters; do
        arguments=$(echo "$parameters" | sed -E 's/[a-zA-Z0-9_]+\*? +([a-z_]+)/\1/g')
        echo "size_t write_$name($parameters) { return tracedeck::tband::device::$name($arguments); }"
    done
} >"$folder/all.cpp"
cat >"$folder/three.cpp" <<END
#include "$header"
namespace device = tracedeck::tband::device;
void send(const uint8_t* bytes, size_t size);
uint64_t now();
void enter(uint32_t isr) {
  uint8_t frame[device::kMaxFrameSize];
  send(frame, device::isr_enter(frame, now(), isr));
}
void leave(uint32_t isr) {
  uint8_t frame[device::kMaxFrameSize];
  send(frame, device::isr_exit(frame, now(), isr));
}
void mark(uint32_t marker, const char* text) {
  uint8_t frame[device::kMaxFrameSize];
  send(frame, device::evtmarker(frame, now(), marker, text));
}
END
functions=$(grep -c '^size_t write_' "$folder/all.cpp")
events=$(grep -c '{0x.., "' "$root/tracedeck/tband/event_table.hpp")
if [[ $functions -ne $events ]]; then
    echo "found $functions functions for $events events" >&2
    exit 1
fi

flags=(-std=c++17 -ffreestanding -nostdlib -fno-exceptions -fno-rtti -fno-threadsafe-statics -mthumb -Os
    -Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror -I "$root")
cores=("$@")
[[ $# -gt 0 ]] || cores=(cortex-m0plus cortex-m4)
for core in "${cores[@]}"; do
    for what in all three; do
        "$compiler" "${flags[@]}" "-mcpu=$core" -c "$folder/$what.cpp" -o "$folder/$what.o"
        # Nothing may be needed from a library, but what compilers call by themselves.
        unknown=$("${compiler%g++}nm" -u "$folder/$what.o" | grep -vE '_Z4send|_Z3now|__aeabi_|mem(cpy|set|move)' || true)
        if [[ -n $unknown ]]; then
            echo "$core: $what needs $unknown" >&2
            exit 1
        fi
        bytes=$("$size" "$folder/$what.o" | awk 'NR == 2 { print $1 " bytes of code, " $2 + $3 " of data" }')
        case $what in
            all) echo "$core: all $functions functions: $bytes" ;;
            three) echo "$core: a tracer of 3 events: $bytes" ;;
        esac
    done
done

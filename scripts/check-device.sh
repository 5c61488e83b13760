#!/usr/bin/env bash
# Compares the bytes that the headers for devices write, of C and of C++, then compiles both for bare-metal Cortex-M
# processors and reports the size of the code.
#
#   scripts/check-device.sh [CORE...]      default: cortex-m0plus cortex-m4
#
# Exit 77, which ctest counts as skipped, when there is no arm-none-eabi-g++.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

header=tracedeck/tband/device.hpp
c_header=tracedeck/tband/device.h
c_flags=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I "$root")
cxx_flags=(-std=c++17 -Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror -I "$root")

# The functions for events of a header, as "NAME|PARAMETERS|ARGUMENTS".
functions_of() { # PREFIX, what the functions come behind, FILE
    sed -n "\\|^$2|,\$p" "$root/$3" | tr '\n' ' ' | grep -o "inline size_t $1[a-z_]*([^)]*)" |
        sed -E "s/inline size_t $1([a-z_]*)\((.*)\)/\1|\2/" | while IFS='|' read -r name parameters; do
        echo "$name|$parameters|$(echo "$parameters" | sed -E 's/[a-zA-Z0-9_ ]+[* ]+([a-z_]+)/\1/g')"
    done
}
functions_of "" '}  // namespace detail$' $header >"$folder/functions"
functions_of td_tband_ '/\* --- Events' $c_header >"$folder/functions.c"
functions=$(wc -l <"$folder/functions")
events=$(grep -c '{0x.., "' "$root/tracedeck/tband/event_table.hpp")
if [[ $functions -ne $events ]] || ! diff <(cut -d '|' -f 1 "$folder/functions") <(cut -d '|' -f 1 "$folder/functions.c"); then
    echo "found $functions functions in $header, $(wc -l <"$folder/functions.c") in $c_header for $events events" >&2
    exit 1
fi

# Long texts, which the unit tests cannot have: the limit is one of a program.
program_of() { # PREFIX HEADER BEGIN
    cat <<END
#include <stdio.h>
#include "$2"
int main(void) {
  static char text[601];
  unsigned char frame[700];
  int size = 0;
  for (size = 0; size <= 600; ++size) {
    text[size] = 0;
    fwrite(frame, 1, $1task_name(frame, 7, text), stdout);
    fwrite(frame, 1, $1evtmarker(frame, 0x123456789ABCDEFULL, 0, text), stdout);
    text[size] = size % 2 == 0 ? 'x' : '\\xC3';
  }
  return 0;
}
END
}
program_of tracedeck::tband::device:: $header >"$folder/long.cpp"
program_of td_tband_ $c_header >"$folder/long.c"
"${CXX:-c++}" "${cxx_flags[@]}" -DTRACEDECK_TBAND_STRING_LIMIT=500 "$folder/long.cpp" -o "$folder/long-cpp"
"${CC:-cc}" "${c_flags[@]}" -DTRACEDECK_TBAND_STRING_LIMIT=500 "$folder/long.c" -o "$folder/long-c"
cmp <("$folder/long-cpp") <("$folder/long-c")

compiler=${TRACEDECK_DEVICE_CXX:-arm-none-eabi-g++}
if ! command -v "$compiler" >/dev/null; then
    echo "skipped: there is no $compiler (Debian package gcc-arm-none-eabi)"
    exit 77
fi
tools=${compiler%g++}

# A function of each event, kept by external linkage; then a tracer that uses three of them.
wrappers() { # PREFIX FILE
    while IFS='|' read -r name parameters arguments; do
        echo "size_t write_$name($parameters);"
        echo "size_t write_$name($parameters) { return $1$name($arguments); }"
    done <"$2"
}
tracer() { # PREFIX LARGEST NOTHING
    cat <<END
void send(const uint8_t* bytes, size_t size);
uint64_t now($3);
void enter(uint32_t isr);
void leave(uint32_t isr);
void mark(uint32_t marker, const char* text);
void enter(uint32_t isr) {
  uint8_t frame[$2];
  send(frame, $1isr_enter(frame, now(), isr));
}
void leave(uint32_t isr) {
  uint8_t frame[$2];
  send(frame, $1isr_exit(frame, now(), isr));
}
void mark(uint32_t marker, const char* text) {
  uint8_t frame[$2];
  send(frame, $1evtmarker(frame, now(), marker, text));
}
END
}
cxx=tracedeck::tband::device::
{
    printf '#include "%s"\nusing namespace tracedeck::tband::device;\n' $header
    wrappers $cxx "$folder/functions"
} >"$folder/all.cpp"
{
    printf '#include "%s"\n' $header
    tracer $cxx ${cxx}kMaxFrameSize ""
} >"$folder/three.cpp"
{
    printf '#include "%s"\n' $c_header
    wrappers td_tband_ "$folder/functions.c"
} >"$folder/all.c"
{
    printf '#include "%s"\n' $c_header
    tracer td_tband_ TD_TBAND_MAX_FRAME_SIZE void
} >"$folder/three.c"

device_flags=(-ffreestanding -nostdlib -mthumb -Os)
cores=("$@")
[[ $# -gt 0 ]] || cores=(cortex-m0plus cortex-m4)
for core in "${cores[@]}"; do
    for what in all.cpp three.cpp all.c three.c; do
        case $what in
            *.cpp) compile=("$compiler" "${cxx_flags[@]}" -fno-exceptions -fno-rtti -fno-threadsafe-statics) ;;
            *.c) compile=("${tools}gcc" "${c_flags[@]}") ;;
        esac
        "${compile[@]}" "${device_flags[@]}" "-mcpu=$core" -c "$folder/$what" -o "$folder/$what.o"
        # Nothing may be needed from a library, but what compilers call by themselves.
        unknown=$("${tools}nm" -u "$folder/$what.o" | grep -vE ' (_Z4send|send$|_Z3now|now$|__aeabi_)|mem(cpy|set|move)' || true)
        if [[ -n $unknown ]]; then
            echo "$core: $what needs $unknown" >&2
            exit 1
        fi
        bytes=$("${tools}size" "$folder/$what.o" | awk 'NR == 2 { print $1 " bytes of code, " $2 + $3 " of data" }')
        case $what in
            all.*) echo "$core, ${what##*.}: all $functions functions: $bytes" ;;
            three.*) echo "$core, ${what##*.}: a tracer of 3 events: $bytes" ;;
        esac
    done
done

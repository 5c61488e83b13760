#!/usr/bin/env bash
# Whether a shared library exports what its installed headers declare, and nothing else of the project.
#
#   tests/package/exports.sh LIBRARY
set -euo pipefail
symbols=$(nm -DC --defined-only "$1")

# Rooms of the library that no public header opens.
hidden=$(grep -E '^[0-9a-f]+ [A-Z] tracedeck::(render|lower|query|dial9::.anonymous|ctf::Metadata|ctf::ClassMapper|ctf::Encoder|columns::ColumnsWriter)::' <<<"$symbols" || true)
[[ -z $hidden ]] || { head <<<"$hidden"; echo "FAILED: internal symbols are exported" >&2; exit 1; }
# Names of others: a program that has its own copy of one would be bound to ours.
foreign=$(awk '{ $1 = $2 = ""; sub(/^ +/, ""); print }' <<<"$symbols" |
    grep -vE '^((vtable|VTT|typeinfo|typeinfo name|guard variable) for |(non-)?virtual thunk to )?tracedeck::' || true)
[[ -z $foreign ]] || { head <<<"$foreign"; echo "FAILED: names that are not the project's are exported" >&2; exit 1; }
for name in open_trace version io::create_file ctf::Producer::create; do
    grep -q " tracedeck::$name(" <<<"$symbols" || { echo "FAILED: $name is not exported" >&2; exit 1; }
done

#!/usr/bin/env bash
# Whether a shared library exports what its installed headers declare, and nothing else of the project.
#
#   tests/package/exports.sh LIBRARY
set -euo pipefail
symbols=$(nm -DC --defined-only "$1")

# Rooms of the library that no public header opens.
hidden=$(grep -E '^[0-9a-f]+ [A-Z] tracedeck::(render|lower|query|dial9::.anonymous|ctf::Metadata|columns::ColumnsWriter)::' <<<"$symbols" || true)
[[ -z $hidden ]] || { head <<<"$hidden"; echo "FAILED: internal symbols are exported" >&2; exit 1; }
for name in open_trace version io::create_file ctf::Producer::create; do
    grep -q " tracedeck::$name(" <<<"$symbols" || { echo "FAILED: $name is not exported" >&2; exit 1; }
done

#!/bin/sh
# Makes the partial answer over some traces, unless it is there: what with_xargs.sh, with_parallel.sh and slurm_array.sh run.
#
#   make_part.sh FOLDER STAGES TRACE...
#
# The part is named by the question and the traces, so that one that is made twice is one. What cannot be read of the traces is
# said on standard error. Exit code 1 when there is no part, and 255, at which xargs ends, when the question is wrong.
set -eu
folder=$1 stages=$2
shift 2
[ $# -gt 0 ] || exit 0
part=$folder/$(printf '%s\n' "$stages" "$@" | sha256sum | cut -c 1-32).answer
[ ! -e "$part" ] || exit 0
code=0
tracedeck query -q "$stages" --partial "$part.$$" "$@" || code=$?
[ $code -ne 2 ] || exit 255
# It has its name when it is complete.
[ -e "$part.$$" ] && mv "$part.$$" "$part"

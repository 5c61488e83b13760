#!/bin/sh
# The same as with_xargs.sh with GNU parallel, which also takes other machines: those see the traces and PARTS by the same paths.
#
#   with_parallel.sh STAGES [--sshlogin A,B...] <LIST
#
# Environment: BATCH, PARTS as of with_xargs.sh; PARTS has to be given.
set -eu
stages=$1
shift
: "${PARTS:?a folder that all machines see}"
mkdir -p "$PARTS"
part=$(cd "$(dirname "$0")" && pwd)/make_part.sh
failed=0
# Lost tasks are started again, three times in all.
parallel --quote --retries 3 -N "${BATCH:-16}" "$@" sh "$part" "$PARTS" "$stages" || failed=1
tracedeck query --merge "$PARTS"/*.answer
exit $failed

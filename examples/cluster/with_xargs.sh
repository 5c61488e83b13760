#!/bin/sh
# Answers a question over many traces, by several processes of one machine.
#
#   with_xargs.sh STAGES <LIST              LIST: a trace a line, files or directories
#
# Each process makes a partial answer over some traces, and the parts are merged. They stay in PARTS: a run that was ended and
# started again makes only those that are missing, and counts none twice. Exit code 1 when some part could not be made: the
# answer is that over the others.
#
# Environment: JOBS   processes (default: the processors)
#              BATCH  traces of a part (default: 16)
#              PARTS  where parts are kept (default: a folder that is removed at the end)
set -eu
stages=$1
if [ -z "${PARTS:-}" ]; then
    PARTS=$(mktemp -d)
    trap 'rm -rf "$PARTS"' EXIT
fi
mkdir -p "$PARTS"
part=$(dirname "$0")/make_part.sh
failed=0
tr '\n' '\0' | xargs -0 -n "${BATCH:-16}" -P "${JOBS:-$(nproc)}" sh "$part" "$PARTS" "$stages" || failed=1
tracedeck query --merge "$PARTS"/*.answer || exit
exit $failed

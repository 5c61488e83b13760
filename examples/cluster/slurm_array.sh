#!/bin/sh
# One task of a Slurm array: the partial answer over its share of a list of traces.
#
#   export STAGES='p99(duration), count() by name' LIST=traces.txt PARTS=/shared/parts
#   job=$(sbatch --parsable --array=0-99 --requeue slurm_array.sh)
#   sbatch --dependency=afterany:"$job" --export=ALL,MERGE=1 slurm_array.sh
#
# All nodes see LIST, the traces, PARTS and this folder. A task that is started again makes no part twice.
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=1:00:00
set -eu
: "${STAGES:?the question}" "${LIST:?a file with a trace a line}" "${PARTS:?a folder that all nodes see}"
mkdir -p "$PARTS"
if [ -n "${MERGE:-}" ]; then
    exec tracedeck query --merge "$PARTS"/*.answer
fi
# Each task takes every SLURM_ARRAY_TASK_COUNT-th trace.
awk -v first="$SLURM_ARRAY_TASK_ID" -v step="$SLURM_ARRAY_TASK_COUNT" '(NR - 1) % step == first' "$LIST" | tr '\n' '\0' |
    xargs -0 -n "${BATCH:-16}" sh "${SCRIPTS:-${SLURM_SUBMIT_DIR:-.}}/make_part.sh" "$PARTS" "$STAGES"

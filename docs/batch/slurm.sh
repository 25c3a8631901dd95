#!/usr/bin/env bash
# The papers' laboratory as a Slurm array of eight parts:
#
#   job=$(sbatch --parsable slurm.sh)
#   sbatch --dependency="afterany:$job" --wrap 'ackclock lab merge part-* --out report'
#
#SBATCH --job-name=ackclock-lab
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --time=01:00:00
set -euo pipefail
part="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
srun ackclock lab run all --jobs "$SLURM_CPUS_PER_TASK" --shard "$part" \
    --out "part-$SLURM_ARRAY_TASK_ID"

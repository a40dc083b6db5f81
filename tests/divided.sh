#!/usr/bin/env bash
# Stands for `heddle run' in tests/oracle.sh, which then compares divided explorations with its table:
#   HEDDLE=tests/divided.sh tests/oracle.sh                              2 to 16 shares (--shard) each, merged
#   HEDDLE=tests/divided.sh LAUNCHER=mpirun.mpich RANKS="2 4 8" tests/oracle.sh      ranks of an MPI job
# The number of shares or ranks is drawn for each command by HEDDLE_SEED. HEDDLE_BUILD: the folder of heddle (build).
heddle=${HEDDLE_BUILD:-build}/heddle
read -r RANDOM _ < <(cksum <<<"${HEDDLE_SEED:-1} $*")
if [ -n "${LAUNCHER:-}" ]; then
    read -r -a numbers <<<"${RANKS:-2 4 8}"
    # shellcheck disable=SC2086
    exec timeout -k 2 120 $LAUNCHER -n "${numbers[RANDOM % ${#numbers[@]}]}" "$heddle" "$@" </dev/null
fi
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
shares=$((RANDOM % 15 + 2))
for ((i = 1; i <= shares; i++)); do "$heddle" "$@" --shard=$i/$shares --journal="$work/part.$i" >/dev/null; done
"$heddle" merge --json "$work"/part.*

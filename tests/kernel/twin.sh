#!/usr/bin/env bash
# Random programs whose threads meet in the kernel, explored, against all orders of their calls made natively (twin.c).
# tests/kernel/twin.sh SEED COUNT [EACH]: COUNT programs, EACH (20) of them in a process; a line for each process. HEDDLE is
# the tool.
set -u
cd "$(dirname "$0")/../.." || exit 2
heddle=${HEDDLE:-$PWD/build/heddle} seed=$1 end=$(($1 + $2)) each=${3:-20} bad=0
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-cc} -w -O1 -DENUMERATE -o "$out/enumerate" tests/kernel/twin.c || { echo "FAIL kernel: twin.c"; exit 1; }
for (( ; seed < end; seed += each)); do
    model=sc cc=gcc count=$((end - seed < each ? end - seed : each)) folder=$(mktemp -d "$out/twin.XXXXXX")
    "$out/enumerate" "$seed" $count "$folder" >"$out/outcomes"
    orders=$(sed -n '1s/^...//p' "$out/outcomes")
    case $((seed / each % 3)) in 0) model=rc11 ;; 1) model=tso ;; esac
    [ $((seed / each % 2)) = 0 ] || ! type clang >/dev/null 2>&1 || cc=clang
    got=$(timeout 900 "$heddle" run --cc=$cc --model=$model --rand=$count --quiet --no-record --no-repair -w \
        -DOUTCOMES="\"$out/outcomes\"" tests/kernel/twin.c -- "$seed" "$folder" 2>&1 | tr -s ' \n' ' ')
    if [[ $got == holds:*" $orders executions"* && -z $(ls -A "$folder") ]]
    then echo "ok kernel: random calls, seeds $seed to $((seed + count - 1)): $orders orders"
    else echo "FAIL kernel: random calls, seeds $seed to $((seed + count - 1)) ($model, $cc, $orders orders): ${got:0:200} | left: $(ls -A "$folder")"; bad=1; fi
done
exit $bad

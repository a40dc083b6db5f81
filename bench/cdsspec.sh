#!/usr/bin/env bash
# bench/cdsspec.sh: CDSSpec's Figure 6 on corpus/cdsspec: executions and CPU time on one core, the paper's tests, all
# executions under rc11. Complete: executions that come to their end, with specification checking; without; and without
# merging those that differ in rounds of a loop for nothing (where that is finite). CDSSpec's complete executions are
# traces, several of one execution graph; Heddle visits each graph once, so it never has more.
set -u
cd "$(dirname "$0")/../corpus/cdsspec" || exit 2
heddle=$PWD/../../build/heddle
json() { "$heddle" "$@" --json --quiet --no-record --time=10s 2>/dev/null; }
fields() { awk -v keys="$1" -f ../../tests/json.awk; }
printf '%-20s %-8s %9s %8s %9s %11s %10s   %s\n' benchmark verdict complete plain unmerged blocked 'CPU ms' \
    'paper: executions, feasible, s'
sum=0
while IFS='|' read -r name file executions feasible seconds; do
    IFS=$'\t' read -r verdict complete blocked cpu <<<"$(json check "$file" | fields 'verdict executions blocked cpu_seconds')"
    IFS=$'\t' read -r plain <<<"$(json run "$file" | fields executions)"
    IFS=$'\t' read -r finite unmerged <<<"$(json run --no-reductions "$file" | fields 'verdict executions')"
    [ "$finite" = holds ] || unmerged=-
    cpu=$(awk "BEGIN { print $cpu * 1000 }")
    sum=$(awk "BEGIN { print $sum + $cpu }")
    printf '%-20s %-8s %9s %8s %9s %11s %10.2f   %10s %9s %6s\n' "$name" "$verdict" "$complete" "$plain" "$unmerged" \
        "$blocked" "$cpu" "$executions" "$feasible" "$seconds"
done <<'TABLE'
Chase-Lev Deque|chase_lev_deque.c|1365|232|0.15
SPSC Queue|spsc_queue.c|19|15|0.01
RCU|rcu.c|1269|756|0.11
Lockfree Hashtable|lockfree_hashtable.c|30941|25731|11.39
MCS Lock|mcs_lock.c|19501|13546|2.62
MPMC Queue|mpmc_queue.c|170220|93224|45.63
M&S Queue|ms_queue.c|168|114|0.05
Linux RW Lock|linux_rwlock.c|148053|405|13.06
TABLE
printf '%-20s %-8s %9s %8s %9s %11s %10.2f   %10s %9s %6s\n' all '' '' '' '' '' "$sum" 371536 134023 73.02

#!/usr/bin/env bash
# What `heddle prove` costs, for each structure of paper 002's Table I and those that it does not have: processor time and
# time by the clock, the best of ROUNDS runs (5), and where the time of one run goes: seconds for the facts, the
# reduction and serial runs; then the tables of Figure 5 and, in milliseconds, Algorithm 1 on them. The last column is
# the paper's time in milliseconds for Algorithm 1 alone, with tables made by hand ("-": not in the paper). The machine
# should be idle. bench/prove.md has a run.
set -eu
cd "$(dirname "$0")/.."
heddle=${HEDDLE:-$PWD/build/heddle}
rounds=${ROUNDS:-5}
TIMEFORMAT='%U %S %R'
field() { grep -o "\"$1\": *[-0-9.a-z\"]*" <<<"$2" | head -n 1 | cut -d: -f2 | tr -d ' "'; }
printf '%-20s %-13s %5s %7s %7s %7s %7s %9s %7s %7s %9s %8s\n' structure verdict steps queries cpu clock facts reduction serial tables alg.1_ms paper_ms
while read -r file paper; do
    cpu=99 clock=99
    for ((i = 0; i < rounds; i++)); do
        { time json=$("$heddle" prove --json "corpus/prove/$file.hp" 2>/dev/null) || true; } 2>"${TMPDIR:-/tmp}/prove.$$"
        read -r user system real <"${TMPDIR:-/tmp}/prove.$$"
        cpu=$(awk "BEGIN{x = $user + $system; print x < $cpu ? x : $cpu}")
        clock=$(awk "BEGIN{print $real < $clock ? $real : $clock}")
    done
    rm -f "${TMPDIR:-/tmp}/prove.$$"
    full=$("$heddle" prove --json --no-search --explain "corpus/prove/$file.hp" || true)
    printf '%-20s %-13s %5s %7s %7.3f %7.3f %7.3f %9.3f %7.3f %7.3f %9.3f %8s\n' "$file" "$(field verdict "$json")" \
        "$(field sub_operations "$json")" "$(field questions "$json")" "$cpu" "$clock" "$(field facts "$json")" \
        "$(field reduction "$json")" "$(field serial "$json")" "$(field tables "$full")" \
        "$(awk "BEGIN{print 1000 * $(field algorithm1 "$full")}")" "$paper"
done <<'ROWS'
ms_queue 5
ms_queue_paper 5
ms_queue_free 5
ms_queue_counted 5
figures/figure4 5
twolock_queue 9
dglm_queue 5
herlihy_wing_queue 3
treiber 3
elimination 14
ts_stack 8
lazy_set 29
vy_cas_set 23
vy_dcas_set 23
orvyy_set 19
snapshot 3
rdcss 4
harris_michael_list -
vyukov_ring -
chase_lev_deque -
ROWS

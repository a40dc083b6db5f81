#!/usr/bin/env bash
# Where the time of `heddle prove` goes, for each structure of the paper's Table I and those that it does not
# have: seconds for the facts, the reduction, serial runs and all of it (the machine should be idle);
# then the tables of Figure 5 and, in milliseconds, Algorithm 1 on them. The last column is the paper's
# time in milliseconds for Algorithm 1 alone, with tables made by hand ("-": not in the paper).
set -eu
cd "$(dirname "$0")/.."
heddle=${HEDDLE:-$PWD/build/heddle}
field() { grep -o "\"$1\": *[-0-9.a-z\"]*" <<<"$2" | head -n 1 | cut -d: -f2 | tr -d ' "'; }
printf '%-20s %-13s %5s %7s %7s %9s %7s %7s %7s %9s %8s\n' structure verdict steps queries facts reduction serial total tables alg.1_ms paper_ms
while read -r file paper; do
    json=$("$heddle" prove --json --no-search "corpus/prove/$file.hp" || true)
    full=$("$heddle" prove --json --no-search --explain "corpus/prove/$file.hp" || true)
    printf '%-20s %-13s %5s %7s %7.3f %9.3f %7.3f %7.3f %7.3f %9.3f %8s\n' "$file" "$(field verdict "$json")" \
        "$(field sub_operations "$json")" "$(field questions "$json")" "$(field facts "$json")" \
        "$(field reduction "$json")" "$(field serial "$json")" "$(field seconds "$json")" "$(field tables "$full")" \
        "$(awk "BEGIN{print 1000 * $(field algorithm1 "$full")}")" "$paper"
done <<'ROWS'
ms_queue 5
ms_queue_paper 5
ms_queue_free 5
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

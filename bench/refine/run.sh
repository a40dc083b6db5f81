#!/usr/bin/env bash
# States of every row of the refinement paper's tables 1 and 4: the paper's, ours, and ours with each
# reduction switched off (a dash: more than LIMIT states or 60 s); then the rate of plain exploration.
#   bench/refine/run.sh [table1|table4|rate]...
set -u
cd "$(dirname "$0")/../.." || exit 2
heddle=${HEDDLE:-$PWD/build/heddle}
limit=${LIMIT:-3000000}
most=20000000
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
[ $# -gt 0 ] || set -- table4 table1 rate
cd corpus/refine || exit 2

# states and CPU seconds of one run
measure() {
    local TIMEFORMAT='%U'
    { time "$heddle" refine --quiet --json --states="$most" --time=60s "$@" >"$out/json" 2>/dev/null; } 2>"$out/cpu"
    IFS=$'\t' read -r states transitions verdict <<<"$(awk -v keys="states transitions verdict" -f ../../tests/json.awk "$out/json")"
    cpu=$(cat "$out/cpu")
    [ "$verdict" = inconclusive ] && states=-
    return 0
}
total=0
row() { # name, factor, paper's seconds, paper's states, arguments
    local name=$1 factor=$2 seconds=$3 paper=$4
    shift 4
    most=20000000
    measure "$@"
    total=$(awk "BEGIN{print $total + $cpu}")
    printf '%-24s %6s | %10s %8s | %-8s %9s %9s %7s |' "$name" "$factor" "$paper" "$seconds" "$verdict" "$states" "$transitions" "$cpu"
    for off in fusion thread-symmetry value-symmetry node-symmetry antichain pruning reductions; do
        most=$limit
        measure "--no-$off" "$@"
        printf ' %9s' "$states"
    done
    echo
}
header() {
    echo; echo "$1"
    printf '%-24s %6s | %10s %8s | %-8s %9s %9s %7s | %9s %9s %9s %9s %9s %9s %9s\n' class factor "paper" "s" ours states trans. s "no fusion" "threads" "values" "nodes" "antichain" "pruning" "none"
}
for what in "$@"; do
    case $what in
    table4)
        header "Table 4: quasi refinement, 2 threads"
        total=0
        row "Quasi Queue (3)" 2 7.2 126810 -DFACTOR=2 -DSEGMENTS=1 segmented_queue.hm
        row "Quasi Queue (6)" 2 21.2 237760 -DFACTOR=2 -DSEGMENTS=2 segmented_queue.hm
        row "Quasi Queue (9)" 2 114.5 1741921 -DFACTOR=2 -DSEGMENTS=3 segmented_queue.hm
        row "Quasi Queue (4)" 3 131.6 442558 -DFACTOR=3 -DSEGMENTS=1 segmented_queue.hm
        row "Quasi Queue (8)" 3 1517.1 1986924 -DFACTOR=3 -DSEGMENTS=2 segmented_queue.hm
        row "Queue buggy1" 2 0.4 1204 -DBUG=1 segmented_queue.hm
        row "Queue buggy2" 2 0.1 345 -DBUG=2 segmented_queue.hm
        row "Lin. Queue" 2 5.5 240583 --quasi=deq:2 michael_scott_queue.hm
        row "Q. Priority Queue (6)" 2 34.3 472981 -DSEGMENTS=2 priority_queue.hm
        row "Q. Priority Queue (9)" 2 198.4 1478045 -DSEGMENTS=3 priority_queue.hm
        row "Q. Priority Queue (4)" 3 343.1 1408763 -DFACTOR=3 -DSEGMENTS=1 priority_queue.hm
        row "Priority Queue buggy" 2 5.4 894 -DBUG=1 priority_queue.hm
        row "Lin. Stack" 2 0.2 2690 --quasi=pop:2 treiber_stack.hm
        echo "all rows of table 4 with all reductions: $total s of one core"
        ;;
    table1)
        header "Table 1: refinement of the specification relaxed by hand"
        total=0
        for line in "1 1 0.1 423" "1 2 0.1 2310" "1 3 0.1 8002" "1 4 0.4 22327" "1 5 0.9 55173" \
            "1 6 2.0 126547" "1 10 55.9 2488052" "1 15 MOut -" "2 1 0.6 26605" "2 2 12.6 456397" \
            "2 3 130.7 4484213" "2 4 MOut -" "3 1 8.8 284484" "3 2 MOut -" "4 1 124.4 3432702" "4 2 MOut -"; do
            read -r factor segments seconds states <<<"$line"
            row "$segments segments" "$factor" "$seconds" "$states" --spec=cluster --quasi=deq:0 -DFACTOR="$factor" -DSEGMENTS="$segments" segmented_queue.hm
        done
        echo "all rows of table 1 with all reductions: $total s of one core"
        ;;
    rate)
        echo; echo "Plain exploration without reductions (bench/refine/rings.hm)"
        most=4000000
        measure --explore --no-reductions ../../bench/refine/rings.hm
        states=$(sed -n 's/^  "states": \([0-9]*\),$/\1/p' "$out/json")
        awk "BEGIN{printf \"%d states, %d transitions, %.2f s of one core: %.0f states/s\n\", $states, $transitions, $cpu, $states / $cpu}"
        ;;
    *) sed -n 2,4p "$0"; exit 2 ;;
    esac
done

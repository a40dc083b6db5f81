#!/usr/bin/env bash
# Waste: complete executions and blocked graphs of searches that are reduced, and whether no more are blocked than
# complete. Counts do not depend on the machine, nor on --jobs. One process; with an argument, only rows that match it.
# Exit status 1 if a row has more blocked graphs than executions, or did not end.
set -u
cd "$(dirname "$0")/.." || exit 2
only=${1:-.} missed=0
value() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" <<<"$2"; }
row() { # name, output of --json
    local complete blocked exhaustive met=yes
    complete=$(value executions "$2") blocked=$(value blocked "$2")
    exhaustive=$(grep -o '"exhaustive": true' <<<"$2")
    if [ -z "$exhaustive" ]; then
        met="NO (did not end)" missed=1
    elif [ "$blocked" -gt "$complete" ]; then
        met=NO missed=1
    fi
    printf '%-60s %10s %10s %7.2f %9.3f  %s\n' "$1" "$complete" "$blocked" \
        "$(awk "BEGIN { print $blocked / ($complete ? $complete : 1) }")" "$(value cpu_seconds "$2")" "$met"
}
printf '%-60s %10s %10s %7s %9s  %s\n' row complete blocked waste 'CPU s' met
while read -r program defines level; do
    [[ "$program $defines $level" =~ $only ]] || continue
    # shellcheck disable=SC2086
    row "${program##*/} ${defines//,/ } $level" \
        "$(build/heddle run --json --no-record --quiet --jobs=1 "$level" "tests/$program" ${defines//,/ })"
done <<'ROWS'
oracle/treiber.c -DP=4,-DQ=3 -O0
oracle/treiber.c -DP=4,-DQ=3 -O1
oracle/msqueue.c -DP=3,-DQ=3 -O0
oracle/msqueue.c -DP=3,-DQ=3 -O1
oracle/msqueue.c -DP=2,-DQ=3 -O0
oracle/ticket.c -DN=6 -O0
oracle/ttas.c -DN=4 -O0
programs/waiting/mcs.c -DN=3 -O0
programs/waiting/drepper.c -DN=3 -O0
programs/waiting/seqlock_retry.c -DN=4 -O0
oracle/mutex.c -DN=6 -O0
ROWS
# tests of check, by their executions: one of 3x3 of each classic, all of 2x2 of libraries that are installed
check() { # name, folder, arguments
    [[ $1 =~ $only ]] || return
    row "$1" "$(cd "$2" && HEDDLE_DEBUG=states=never ../../build/heddle check --json --quiet --no-record --jobs=1 \
        --time=120s "${@:3}")"
}
while IFS='|' read -r file option test; do
    for level in -O0 -O1; do
        check "$file ${option:+$option }$level" corpus/classics ${option:+"$option"} $level --scenario="${test//&/|}" "$file.c"
    done
done <<'ROWS'
treiber_stack||push(1) pop() pop() & push(2) pop() pop() & pop() pop() pop()
michael_scott_queue||enqueue(1) dequeue() dequeue() & enqueue(2) dequeue() enqueue(1) & enqueue(1) dequeue() dequeue()
harris_michael_list|-DSEQ_CST|insert(1) remove(1) contains(2) & insert(1) remove(2) contains(1) & insert(2) contains(1) contains(2)
herlihy_wing_queue|-DSWAP_ORDER=memory_order_acq_rel|enqueue(1) dequeue() enqueue(2) & enqueue(2) dequeue() dequeue() & enqueue(1) enqueue(2) dequeue()
mcs_lock||increment() get() get() & increment() get() get() & increment() get() get()
chase_lev_deque|-DWRITTEN_SLOTS|push(1) push(2) take() & steal() steal() steal() & steal() steal() steal()
seqlock_register||write(1) write(2) write(1) & read() read() read() & read() read() read()
spsc_ring|-DSEQ_CST|put(1) put(2) put(1) & get() get() get()
ROWS
for file in ck_stack.c boost_stack.cpp boost_queue.cpp; do
    dpkg -s "$(sed -n 's|^// package: ||p' "corpus/libraries/$file")" >/dev/null 2>&1 &&
        check "$file tso, all of 2x2" corpus/libraries --model=tso --shape=2x2 "$file"
done
exit $missed

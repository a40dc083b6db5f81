#!/usr/bin/env bash
# Prices: what each reduction saves in processor time. Each row is explored with all reductions and with each one
# switched off (--reductions=-NAME, with those that rest on it); a figure is the factor of processor time beside that
# with all of them, least of HEDDLE_BENCH_RUNS runs (2), with the number of blocked graphs if that differs. A reduction
# whose column has nothing over 1.03 in rows of over 0.1 s saves nothing there. With an argument, only rows that match it.
# One process. `-': it did not end in a minute.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD only=${1:-.} runs=${HEDDLE_BENCH_RUNS:-2}
names="waiting sections counters hopeless confirm doomed returning lost barriers symmetry"
value() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" <<<"$2"; }
best() { # reductions, folder, arguments: least CPU seconds and blocked graphs; nothing if it did not end
    local least="" out cpu
    for _ in $(seq "$runs"); do
        out=$(cd "$2" && HEDDLE_DEBUG=states=never "$top/build/heddle" "$3" --json --no-record --quiet --jobs=1 --time=60s --reductions="$1" \
            "${@:4}" 2>/dev/null)
        grep -q '"exhaustive": true' <<<"$out" || return
        cpu=$(value cpu_seconds "$out")
        if [ -z "$least" ] || awk "BEGIN{exit !($cpu < $least)}"; then least=$cpu; fi
    done
    echo "$least $(value blocked "$out")"
}
row() { # name, folder, arguments
    local all without blocked all_blocked
    [[ $1 =~ $only ]] || return
    read -r all all_blocked < <(best all "${@:2}")
    printf '%-40s %8s s %8s blocked:' "$1" "${all:--}" "${all_blocked:--}"
    for name in $names; do
        without="" blocked=""
        read -r without blocked < <(best "-$name" "${@:2}")
        if [ -z "$without" ] || [ -z "$all" ]; then
            printf ' %s -' "$name"
        else
            printf ' %s %.2f' "$name" "$(awk "BEGIN { print $without / ($all + 1e-9) }")"
            [ "$blocked" = "$all_blocked" ] || printf '(%s)' "$blocked"
        fi
    done
    echo
}
row "treiber 5/4 -O0" . run -O0 -DP=5 -DQ=4 tests/oracle/treiber.c
row "msqueue 3/3 -O0" . run -O0 -DP=3 -DQ=3 tests/oracle/msqueue.c
row "drepper 3 -O0" . run -O0 -DN=3 tests/programs/waiting/drepper.c
while IFS='|' read -r file option test; do
    row "$file -O1" corpus/classics check -O1 ${option:+"$option"} --scenario="${test//&/|}" "$file.c"
done <<'ROWS'
treiber_stack||push(1) pop() pop() & push(2) pop() pop() & pop() pop() pop()
michael_scott_queue||enqueue(1) dequeue() dequeue() & enqueue(2) dequeue() enqueue(1) & enqueue(1) dequeue() dequeue()
harris_michael_list|-DSEQ_CST|insert(1) remove(1) contains(2) & insert(1) remove(2) contains(1) & insert(2) contains(1) contains(2)
mcs_lock||increment() get() get() & increment() get() get() & increment() get() get()
chase_lev_deque|-DWRITTEN_SLOTS|push(1) push(2) take() & steal() steal() steal() & steal() steal() steal()
seqlock_register||write(1) write(2) write(1) & read() read() read() & read() read() read()
ROWS

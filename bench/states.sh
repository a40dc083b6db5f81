#!/usr/bin/env bash
# One test by its executions and by its states, under sc: the classics with 3 threads of 2 and of 3 calls (2 threads
# where the structure has two roles), the same test both ways. `pairs` are states with the ways to explain the calls so
# far. A time limit (HEDDLE_BENCH_TIME, 60s) ends a column with a dash. ROWS=REGEX chooses structures, MODEL=tso
# another model.
set -u
cd "$(dirname "$0")/.." || exit 2
limit=${HEDDLE_BENCH_TIME:-60s}
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([0-9a-z.e+-]*\).*/\1/p" <<<"$2"; }
decide() { # how, file, test; prints verdict, count, seconds
    local out count=executions
    [ "$1" = never ] || count=test_states
    out=$(HEDDLE_DEBUG=states=$1 build/heddle check --model="${MODEL:-sc}" --json --quiet --no-record --jobs=1 --time="$limit" \
        --scenario="$3" "corpus/classics/$2.c" 2>/dev/null)
    count=$(value $count "$out")
    echo "$(value verdict "$out") ${count:--} $(value cpu_seconds "$out")"
}
printf '%-20s %-5s %-9s %11s %9s %9s %9s %9s\n' structure shape verdict executions 'CPU s' pairs 'CPU s' 'times'
while IFS=';' read -r file shape test; do
    read -r verdict executions seconds <<<"$(decide never "$file" "$test")"
    read -r again pairs fast <<<"$(decide always "$file" "$test")"
    [ "$verdict" = "$again" ] || [ "$verdict" = inconclusive ] || verdict="$verdict/$again"
    [ "$verdict" != inconclusive ] || { verdict=$again; executions=">$executions"; }
    awk -v f="$file" -v s="$shape" -v v="$verdict" -v e="$executions" -v a="$seconds" -v p="$pairs" -v b="$fast" \
        'BEGIN { printf "%-20s %-5s %-9s %11s %9.2f %9s %9.2f %9.1f\n", f, s, v, e, a, p, b, a / (b > 0.01 ? b : 0.01) }'
done < <(grep -E -e "${ROWS:-.}" <<'ROWS'
treiber_stack;3x2;push(1) push(2) | push(1) push(2) | push(1) push(2)
treiber_stack;3x2;push(1) pop() | push(2) pop() | push(1) pop()
treiber_stack;3x3;push(1) pop() push(2) | push(2) pop() pop() | push(1) pop() pop()
michael_scott_queue;3x2;enqueue(1) dequeue() | enqueue(2) dequeue() | enqueue(1) dequeue()
michael_scott_queue;3x3;enqueue(1) dequeue() dequeue() | enqueue(2) dequeue() enqueue(1) | enqueue(1) dequeue() dequeue()
harris_michael_list;3x2;insert(1) remove(1) | insert(1) remove(2) | insert(2) contains(1)
harris_michael_list;3x3;insert(1) remove(1) insert(2) | insert(1) remove(2) contains(1) | insert(2) contains(1) remove(1)
herlihy_wing_queue;3x2;enqueue(1) dequeue() | enqueue(2) dequeue() | enqueue(1) dequeue()
herlihy_wing_queue;3x3;enqueue(1) dequeue() enqueue(2) | enqueue(2) dequeue() dequeue() | enqueue(1) enqueue(2) dequeue()
mcs_lock;3x2;increment() increment() | increment() get() | increment() get()
mcs_lock;3x3;increment() increment() get() | increment() get() increment() | increment() get() increment()
chase_lev_deque;3x2;push(1) take() | steal() steal() | steal() steal()
chase_lev_deque;3x3;push(1) push(2) take() | steal() steal() steal() | steal() steal() steal()
seqlock_register;3x2;write(1) write(2) | read() read() | read() read()
seqlock_register;3x3;write(1) write(2) write(1) | read() read() read() | read() read() read()
spsc_ring;2x3;put(1) put(2) put(1) | get() get() get()
spsc_ring;2x6;put(1) put(2) put(1) put(2) put(1) put(2) | get() get() get() get() get() get()
hazard_list;3x2;insert(1) remove(1) | insert(1) remove(2) | insert(2) contains(2)
hazard_list;3x3;insert(1) remove(1) insert(2) | insert(1) remove(2) contains(2) | insert(2) contains(2) remove(1)
lazy_skiplist;3x2;insert(1) remove(1) | insert(1) remove(2) | insert(2) contains(2)
lazy_skiplist;3x3;insert(1) remove(1) insert(2) | insert(1) remove(2) contains(2) | insert(2) contains(2) remove(1)
striped_map;3x2;put(1) get(2) | put(2) remove(1) | get(1) put(5)
striped_map;3x3;put(1) get(2) remove(1) | put(2) remove(1) get(1) | get(1) put(5) get(2)
ROWS
)

#!/usr/bin/env bash
# One test by its executions and by its states, under sc: the classics with 3 threads of 2 and of 3 calls (2 threads
# where the structure has two roles), the same test both ways. `pairs` are states with the ways to explain the calls so
# far. A time limit (HEDDLE_BENCH_TIME, 60s) ends a column with a dash. ROWS=REGEX chooses structures, MODEL=tso
# another model.
#
# states.sh speed: the rings and stacks of tests/unbounded whose threads call for ever, on one core: states and pairs a
# second of processor time, the least of REPEAT (3) runs, and bytes of all tables for each. SYMMETRY=never: no threads
# are taken for interchangeable (the default here), SYMMETRY=: as users have it.
# states.sh jobs: the largest of them with one process and with two, REPEAT times in turn: seconds, of a machine that must
# have nothing else to do.
set -u
cd "$(dirname "$0")/.." || exit 2
speed_rows() { # name; threads; arguments
    grep -E -e "${ROWS:-.}" <<'ROWS'
SPSC ring;2;-DM4 -DWRAP=999 --elements=3 tests/unbounded/spsc_ring.c
Vyukov ring, SPSC;2;-DROLES -DWRAP=512 --elements=2 tests/unbounded/vyukov_ring.c
Vyukov ring, MPMC;2;-DPROMISE --elements=2 --lag=4 tests/unbounded/vyukov_ring.c
Vyukov ring, MPMC;3;-DPROMISE --elements=1 --lag=3 tests/unbounded/vyukov_ring.c
pool stack, tags;2;-DTAGS --elements=2 --lag=3 tests/unbounded/pool_stack.c
stack, hazard pointers;2;-DHAZARD --elements=2 tests/unbounded/treiber_stack.c
stack, heap nodes;3;--elements=3 tests/unbounded/treiber_stack.c
stack, lock;3;-DLOCK --elements=4 tests/unbounded/treiber_stack.c
ROWS
}
for_ever() { # threads, processes, arguments: prints the values of keys
    local symmetry=${SYMMETRY-never}
    # shellcheck disable=SC2086
    HEDDLE_DEBUG=${symmetry:+symmetry=$symmetry} build/heddle check --unbounded="$1" --model="${MODEL:-sc}" \
        --jobs="$2" --json --quiet --no-record $3 2>/dev/null |
        awk -v keys="verdict states histories steps states_bytes cpu_seconds seconds" -f tests/json.awk
}
if [ "${1:-}" = speed ]; then
    printf '%-24s %7s %-12s %8s %8s %8s %8s %10s %9s %11s %10s\n' structure threads verdict states pairs steps 'CPU s' states/s pairs/s bytes/state bytes/pair
    while IFS=';' read -r name threads arguments; do
        for _ in $(seq "${REPEAT:-3}"); do for_ever "$threads" 1 "$arguments"; done |
            awk -F'\t' -v name="$name" -v threads="$threads" '
                { if (NR == 1 || $6 < least) least = $6; v = $1; s = $2; p = $3; n = $4; b = $5 }
                END { printf "%-24s %7d %-12s %8d %8d %8d %8.3f %10.0f %9.0f %11.1f %10.1f\n", name, threads, v, s, p, n, least,
                             s / least, p / least, b / s, b / p
                      print s, p, b >"/dev/stderr" }'
    done < <(speed_rows) 2> >(awk '{ s += $1; p += $2; b += $3 } END { printf "all of them: %.1f bytes a state, %.1f a pair\n", b / s, b / p }')
    wait
    exit
fi
if [ "${1:-}" = jobs ]; then
    for _ in $(seq "${REPEAT:-3}"); do
        for jobs in 1 2; do for_ever 3 $jobs '--elements=4 tests/unbounded/treiber_stack.c'; done | awk -F'\t' '
            { second[NR] = $7; cpu[NR] = $6; s = $2 }
            END { printf "%d states: 1 process %.2f s, 2 processes %.2f s (CPU %.2f and %.2f s): %.2f times\n", s, second[1], second[2],
                         cpu[1], cpu[2], second[1] / second[2] }'
    done
    exit
fi
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

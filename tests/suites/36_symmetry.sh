# Equal threads (guest/explore/symmetry): of executions that differ only in which of them did what one is explored, and
# none is lost. tests/programs/wrong/symmetry_*.c have threads that are told apart. HEDDLE_NIGHTLY=1: 10,000 programs.
# builds: kept
[ -x build/heddle ] || { echo "skip symmetry: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
run() { build/heddle run --quiet --no-record --json "$@" 2>&1; }
field() { awk -v keys="$1" -f tests/json.awk; }
some() { if [ -n "${HEDDLE_NIGHTLY:-}" ]; then echo "$1"; else echo "$2"; fi; }
seed=${HEDDLE_SEED:-1}

# --- N equal threads with one RMW or one critical section each: the N! orders are one. Of N equal readers beside one
# write, 0 to N see it. A reader and its writer, each twice: see below. Off with --no-reductions and by its hook
while IFS='|' read -r want all options; do
    for model in sc tso pso rc11; do
        # shellcheck disable=SC2086
        got=$(run --jobs=1 --model=$model $options | field "verdict executions alike")
        threads=${options##*-DN=}; threads=${threads%% *}
        [ "$got" = holds$'\t'"$want"$'\t'"$threads" ]; say $? "$options $model" "$got, not $want with $threads threads"
    done
    # shellcheck disable=SC2086
    got=$(HEDDLE_DEBUG=graph-symmetry=never run --jobs=1 $options | field "executions alike")
    [ "$got" = "$all"$'\t'0 ]; say $? "$options, all" "$got, not $all"
done <<'ROWS'
1|720|tests/oracle/ainc.c -DN=6
1|24|tests/oracle/ticket.c -DN=4
1|24|tests/oracle/mutex.c -DN=4
8|128|tests/oracle/readers.c -DN=7
ROWS
got=$(run --no-reductions -DN=5 tests/oracle/ainc.c | field "executions alike")
[ "$got" = 120$'\t'0 ]; say $? "--no-reductions" "$got"

# --- several processes, a journal, and shares count what one process does
for options in "-DN=2 tests/oracle/incloop.c" "-DN=3 tests/oracle/ttas.c"; do
    # shellcheck disable=SC2086
    one=$(run --jobs=1 $options | field "verdict executions blocked alike")
    # shellcheck disable=SC2086
    three=$(HEDDLE_DEBUG=eager-workers run --jobs=3 $options | field "verdict executions blocked alike")
    [ "$one" = "$three" ]; say $? "jobs: $options" "$one with one, $three with three"
done

# --- programs that look at where the memory of equal threads lies: threads are told apart. By day under one model each
turn=0
for how in HEAP STACK HASH_OF_HEAP HASH_OF_STACK LOCAL_THREAD SENT_TO_MAIN SENT_TO_OTHER SORTED LOCKS INDEX WRITTEN XORED ADDED \
    PARTS BYTES PRINTED TAGGED WAITED RETRIED THIRD FREED; do
    turn=$((1 - turn))
    for model in $(some "sc tso pso rc11" "$([ $turn = 1 ] && echo sc || echo rc11)"); do
        got=$(run --model=$model -DHOW=$how tests/symmetry/addresses.c | field "verdict")
        [ "$got" = violated ]; say $? "addresses: $how $model" "$got"
    done
done
# the same of thread-local variables
for how in HEAP SENT_TO_MAIN SENT_TO_OTHER LOCKS WAITED RETRIED THIRD; do
    turn=$((1 - turn))
    for model in $(some "sc tso pso rc11" "$([ $turn = 1 ] && echo sc || echo rc11)"); do
        got=$(run --model=$model -DSTORAGE -DHOW=$how tests/symmetry/addresses.c | field "verdict")
        [ "$got" = violated ]; say $? "thread-local addresses: $how $model" "$got"
    done
done
# N threads take a queue lock once each, with thread-local nodes: N! orders of the swaps, and of two that follow each
# other the first has freed the lock or hands it over, so N! * 2^(N-1) executions; and as many blocks as orders are one
for model in sc tso pso rc11; do
    for setting in "2 2 4" "3 4 24" "4 8 192"; do
        read -r n one all <<<"$setting"
        got=$(run --jobs=1 --model=$model -DN="$n" tests/symmetry/queue_lock.c | field "verdict executions alike")
        [ "$got" = holds$'\t'"$one"$'\t'"$n" ]; say $? "thread-local nodes: $n threads, $model" "$got, not $one"
        got=$(HEDDLE_DEBUG=graph-symmetry=never,eager-confirm run --jobs=1 --model=$model -DN="$n" tests/symmetry/queue_lock.c | field "verdict executions")
        [ "$got" = holds$'\t'"$all" ]; say $? "thread-local nodes: $n threads, $model, all" "$got, not $all"
    done
done
got=$(run --model=sc tests/symmetry/addresses_less.cc | field "verdict alike")
[ "$got" = violated$'\t'0 ]; say $? "addresses: std::less" "$got"
for setting in "sc 0" "rc11 0" "sc 1" "rc11 1"; do
    read -r model stack <<<"$setting"
    got=$(build/heddle check --quiet --no-record --json --model="$model" "--scenario=put() | put()" -DON_STACK="$stack" \
        tests/symmetry/addresses_check.c 2>&1 | field "verdict violation")
    [ "$got" = violated$'\t'linearizability ]; say $? "addresses: check, $setting" "$got"
done

# --- random programs with equal threads: the orbits of all their executions, each once
gcc -O2 -w -o "$work/twin" tests/helpers/symmetry_twin.c || { echo "FAIL symmetry: no twin"; exit 1; }
wraps=-Wl,--wrap=main,--wrap=memcpy,--wrap=memmove,--wrap=memset
[ -f build/lib/wrap.args ] && wraps=@build/lib/wrap.args
gcc -O1 -D_GNU_SOURCE -Isrc -o "$work/table" tests/helpers/liveness_table.c build/tool.a -ldw -lelf -lcapstone ||
    { echo "FAIL symmetry: no table maker"; exit 1; }
make_twin() { # NAME LEVEL [FLAG]: with it, NAME is that of the source and "_", the flag of the rest
    gcc "$2" ${3:+"$3"} -g -w -fno-omit-frame-pointer -fsanitize=thread --param tsan-distinguish-volatile=1 -D_GNU_SOURCE -Isrc -Iinclude -c -o "$work/$1.o" "tests/twin/${1%_*}.c" &&
        gcc -no-pie -o "$work/$1" "$work/$1.o" build/lib/heddle_rt.o -Wl,-z,now,--build-id=none "$wraps" -ldl -lpthread &&
        "$work/table" "$work/$1" "$work/$1.table"
}
for name in interp locks waits confirms blocks; do make_twin $name -O1 || echo "FAIL symmetry: $name.c"; done
make_twin blocks_storage -O1 -DSTORAGE || echo "FAIL symmetry: blocks.c -DSTORAGE"
generate=build/twin/twin
if [ ! -x $generate ]; then
    mkdir -p build/twin
    gcc -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -O2 -o $generate tests/twin/driver.c tests/twin/build.c tests/twin/enumerate.c tests/twin/machine.c \
        tests/twin/generate.c tests/twin/interleave.c src/judge/graph/axioms.c src/judge/graph/relation.c build/tool.a \
        -ldw -lelf -lcapstone -lz || echo "FAIL symmetry: no generator"
fi
for model in sc tso pso rc11; do
    said=$($generate generate $((seed * 100000 + ${#model})) "$(some 10000 20)" 4 | awk -v seed="$seed" -f tests/twin/double.awk |
        "$work/twin" "$work/interp" $model "$work")
    say $? "random programs, $model: ${said##*$'\n'}" "$said"
done
for model in sc rc11; do
    said=$(awk -v seed="$seed" -v count="$(some 10000 15)" -f tests/twin/locks.awk | awk -v seed="$seed" -v blank=1 -v most=3 -f tests/twin/double.awk |
        "$work/twin" "$work/locks" $model "$work" "" "plain-search,liveness=$work/locks.table")
    say $? "random programs with locks, $model: ${said##*$'\n'}" "$said"
done

# --- equal threads that allocate blocks, on the heap or as thread-local ones, and pass pointers to them; the same with
# steps that look at addresses
for model in sc tso pso rc11; do
    for looks in "" 1; do
        for name in blocks blocks_storage; do
            said=$(awk -v seed="$seed" -v count="$(some 3000 10)" -v looks="$looks" -f tests/twin/blocks.awk |
                awk -v seed="$seed" -v blank=1 -v most=4 -f tests/twin/double.awk |
                "$work/twin" "$work/$name" $model "$work" "" "plain-search,thread-local,liveness=$work/$name.table" ${looks:+apart})
            say $? "random programs with $name${looks:+, addresses}, $model: ${said##*$'\n'}" "$said"
        done
    done
done

# two groups of equal threads: an address of the own group is told from one of the other
said=$(echo "N0P1I1 N0P1I1 N0X1 N0X1" | "$work/twin" "$work/blocks" sc "$work" "" "plain-search,liveness=$work/blocks.table" apart)
say $? "blocks, two groups: ${said##*$'\n'}" "$said"

# --- together with reads that confirm: final memories, and whether threads can be stuck
gcc -O1 -w -o "$work/compare" tests/helpers/compare_twins.c || echo "FAIL symmetry: no comparison"
for setting in "waits rc11" "waits sc" "confirms tso" "confirms rc11"; do
    read -r name model <<<"$setting"
    said=$(awk -v seed="$seed" -v count="$(some 10000 15)" -f tests/twin/$name.awk | awk -v seed="$seed" -v blank=1 -v most=3 -f tests/twin/double.awk |
        "$work/compare" "$work/$name" "$work/$name.table" $model "$work")
    say $? "random programs that $name, $model: ${said##*$'\n'}" "$said"
done

# --- a barrier, whose arrivals come by rank (guest/explore/reduce/waiting/arrivals.h), which tells threads apart: N increments
# before it and N behind it have (N!)^2 orders
cat >"$work/barrier.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int before, after;
static pthread_barrier_t barrier;
static void *work(void *unused)
{
    atomic_fetch_add(&before, 1);
    pthread_barrier_wait(&barrier);
    atomic_fetch_add(&after, 1);
    return unused;
}
int main(void)
{
    pthread_t t[N];
    pthread_barrier_init(&barrier, 0, N);
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
for model in sc rc11; do
    got=$(run --jobs=1 --model=$model -DN=3 "$work/barrier.c" | field "verdict executions alike")
    [ "$got" = holds$'\t'36$'\t'0 ]; say $? "a barrier, $model" "$got, not 36"
done

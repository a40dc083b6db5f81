# Ways to search: several processes, sampled executions, a bound on preemptions. The search for cycles of psc.
# builds: kept with oracle
[ -x build/heddle ] || { echo "skip search: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
run() { build/heddle run --quiet --no-record "$@" 2>&1; }
field() { awk -v keys="$1" -f tests/json.awk; }

# --- several processes: with work given away at every leaf, the same totals and the same graphs
rows='^(fib|treiber|mutex|deadlock|ainc|corr|race|sb|mixed/m0[0-3]5)'
[ -z "${HEDDLE_NIGHTLY:-}" ] || rows=.
output=$(HEDDLE_DEBUG=eager-workers ROWS=$rows tests/oracle.sh --jobs=3); say $? "jobs: oracle rows" "$output"
for program in "treiber.c -DP=2 -DQ=2" "fib.c -DN=3 --model=tso" "mutex.c -DN=4" "mixed/m017.c --checkpoints=never" \
    "treiber.c -DP=2 -DQ=1 --checkpoints=never"; do
    read -r file options <<<"$program"
    # shellcheck disable=SC2086
    HEDDLE_DEBUG=dump-graphs=$work/one run --no-reductions $options "tests/oracle/$file" >/dev/null
    # shellcheck disable=SC2086
    HEDDLE_DEBUG=dump-graphs=$work/three,eager-workers run --no-reductions --jobs=3 $options \
        "tests/oracle/$file" >/dev/null
    [ -s "$work/one" ] && cmp -s <(sort "$work/one") <(sort "$work/three")
    say $? "jobs: the same graphs of $program" "$(wc -l <"$work/one") and $(wc -l <"$work/three")"
    rm -f "$work/one" "$work/three"
done
# RMWs on one location: in program order of the search each has one write that no other RMW has taken, so every
# execution but the first comes of a revisit; and every revisit leads to an execution, since those that leave two RMWs
# behind one write are not begun (revisit_breaks_rmw)
for program in "ainc.c -DN=6" "casonce.c -DN=5"; do
    read -r file options <<<"$program"
    for model in sc tso rc11; do
        # shellcheck disable=SC2086
        got=$(run --json --jobs=1 --no-reductions --model=$model $options "tests/oracle/$file" | field "executions revisits")
        awk '{ exit !($1 > 1 && $2 == $1 - 1) }' <<<"$got"; say $? "revisits: $program $model" "$got"
    done
done
# what makes an exploration begin again (racing locations, split cells, thread-local storage), violations
for program in correct/peterson_plain_sc.c correct/stack_shared.c correct/cxx_thread_local.cpp correct/cxx_vector_string.cpp \
    wrong/deadlock_philosophers.c wrong/race_counter.c wrong/mp_relaxed.c; do
    file=tests/programs/$program
    keys="verdict violation executions blocked promoted"
    case $program in wrong/*) keys="verdict violation" ;; esac
    options=$(sed -n 's|^// args: ||p' "$file")
    # shellcheck disable=SC2086
    one=$(run --json $options "$file" | field "$keys")
    # shellcheck disable=SC2086
    three=$(HEDDLE_DEBUG=eager-workers run --json --jobs=3 $options "$file" | field "$keys")
    [ "$one" = "$three" ]; say $? "jobs: $program" "$one with one, $three with three"
done
# nobody stays when the tool is killed, and a time limit ends all
HEDDLE_DEBUG=eager-workers build/heddle run --quiet --no-record --no-reductions --jobs=4 -DP=4 -DQ=3 \
    tests/oracle/treiber.c >/dev/null 2>&1 &
sleep 1; kill -9 $! 2>/dev/null; wait 2>/dev/null; sleep 0.3
! pgrep -f "$TMPDIR" >/dev/null; say $? "jobs: the tool is killed" "$(pgrep -af "$TMPDIR")"
got=$(run --json --no-reductions --jobs=3 --time=1s -DP=4 -DQ=3 tests/oracle/treiber.c | field "verdict exhaustive")
[ "$got" = "inconclusive"$'\t'"false" ]; say $? "jobs: time limit" "$got"
! pgrep -f "$TMPDIR" >/dev/null; say $? "jobs: after the time limit" "$(pgrep -af "$TMPDIR")"

# --- looks ahead: random schedules beside the search find what it meets last, and change nothing else; the
# estimate of the number of executions is that of a fixed seed: here within three standard errors of the truth
output=$(HEDDLE_DEBUG=looks=always ROWS='^(fib|mutex|corr|sb)' tests/oracle.sh)
say $? "looks: oracle rows" "$output"
got=$(run --json tests/programs/wrong/met_last.c | field "verdict violation")
[ "$got" = "violated"$'\t'"assertion" ]; say $? "looks: a bug that the search meets last" "$got"
got=$(HEDDLE_DEBUG=looks=never run --json --jobs=1 --time=1s tests/programs/wrong/met_last.c | field "verdict estimate")
[ "$got" = "inconclusive"$'\t'"-" ]; say $? "looks: the search alone does not meet it" "$got"
got=$(HEDDLE_DEBUG=looks=always run --time=1s --jobs=1 --no-reductions -DN=9 tests/oracle/corr.c) # more than a second of executions; a busy machine may not come to the first look in a second
grep -Eq 'of about [0-9.e+]+ by estimate, give or take' <<<"$got"; say $? "looks: an inconclusive answer tells the estimate" "$got"
# of 13! executions few probes carry most of the weight: no error is told, and what is said to be exceeded is
got=$(HEDDLE_DEBUG=looks=always run --time=1s --jobs=1 --no-reductions -DN=13 tests/oracle/ainc.c)
! grep -q 'of about' <<<"$got"; say $? "looks: no estimate of a heavy tail" "$got"
got=$(HEDDLE_DEBUG=looks=always run --json --time=1s --jobs=1 --no-reductions -DN=13 tests/oracle/ainc.c | field estimate_least)
awk -v most=6227020800 '{ exit !($1 > 0 && $1 <= most) }' <<<"$got"; say $? "looks: at least so many of 13!" "$got"
while read -r truth program; do
    # shellcheck disable=SC2086
    got=$(HEDDLE_DEBUG=looks=always run --json --jobs=1 --no-reductions $program |
        field "executions estimate estimate_error estimate_least")
    awk -v truth="$truth" '{ d = $2 - truth; exit !($1 == truth && d * d <= 9 * $3 * $3 + 0.5 && $4 <= truth) }' <<<"$got"
    say $? "looks: estimate for $program" "$got instead of $truth"
done <<'ROWS'
131072 tests/oracle/readers.c -DN=17
181440 tests/oracle/corr.c -DN=7
537824 tests/oracle/seqlock.c -DN=5
ROWS

# --- samples: of small programs every graph and no other, by both samplers; repeatable; confirmed
for program in "treiber.c -DP=2 -DQ=1" "fib.c -DN=2" "corr.c -DN=3" "mutex.c -DN=3" "mixed/m006.c --model=sc" \
    "mixed/m007.c --model=tso"; do
    read -r file options <<<"$program"
    # shellcheck disable=SC2086
    HEDDLE_DEBUG=dump-graphs=$work/all run --no-reductions $options "tests/oracle/$file" >/dev/null
    for sampler in pos pct; do
        # shellcheck disable=SC2086
        HEDDLE_DEBUG=dump-graphs=$work/some run --no-reductions --schedules=20000 --sampler=$sampler $options \
            "tests/oracle/$file" >/dev/null
        [ -s "$work/all" ] && cmp -s <(sort "$work/all") <(sort -u "$work/some")
        say $? "$sampler: the graphs of $program" "$(wc -l <"$work/all") and $(sort -u "$work/some" | wc -l)"
        rm -f "$work/some"
    done
    rm -f "$work/all"
done
for name in a b; do HEDDLE_DEBUG=dump-graphs=$work/$name run --schedules=50 --seed=7 -DN=3 tests/oracle/fib.c >/dev/null; done
cmp -s "$work/a" "$work/b"; say $? "samples: the same seed, the same executions" ""
HEDDLE_DEBUG=dump-graphs=$work/c run --schedules=50 --seed=8 -DN=3 tests/oracle/fib.c >/dev/null
! cmp -s "$work/a" "$work/c"; say $? "samples: another seed, other executions" ""
got=$(run --json --schedules=100 -DN=3 tests/oracle/fib.c | field "verdict exhaustive executions")
[ "$got" = "holds"$'\t'"false"$'\t'"100" ]; say $? "samples: the answer is not exhaustive" "$got"
run --schedules=100 -DN=3 tests/oracle/fib.c | grep -q 'among 100 sampled'; say $? "samples: the answer names its bound" ""
for program in deadlock_philosophers race_counter mp_relaxed use_after_free_atomic mutex_trylock_ignored cond_lost_wakeup; do
    got=$(run --json --schedules=500 "tests/programs/wrong/$program.c" | field verdict)
    [ "$got" = violated ]; say $? "samples: $program is found and confirmed" "$got"
done

# --- preemptions: against all interleavings with at most so many, and what the answer says
twin=$work/twin
if ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -O2 -o "$twin" tests/twin/driver.c tests/twin/enumerate.c tests/twin/machine.c tests/twin/interleave.c \
    tests/twin/generate.c tests/twin/build.c build/tool.a \
    -ldw -lelf -lcapstone -lz -lm &&
    HEDDLE_RUNTIME=build/lib/heddle_rt.o "$twin" build gcc tests/twin/interp.c "$work/interp"; then
    count=$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 3000 || echo 15)
    for n in 0 1 2 3; do
        HEDDLE_DEBUG=model=sc,no-reductions,preemptions=$n \
            "$twin" "--preemptions=$n" compare sc 1 "$count" -- "$work/interp" >"$work/compare"
        say $? "preemptions: $(tail -n 1 "$work/compare") with $n" "$(head -n 20 "$work/compare")"
    done
else
    echo "FAIL preemptions: the twin does not compile"
fi
# What is pruned on the way is beyond the bound: with locks, the same graphs as when only leaves are judged.
if HEDDLE_RUNTIME=build/lib/heddle_rt.o "$twin" build gcc tests/twin/locks.c "$work/locks"; then
    compared=0 differ=
    export HEDDLE_DEBUG
    while read -r text; do
        for n in 0 1; do
            export HEDDLE_TWIN_PROGRAM=$text HEDDLE_DEBUG=model=sc,no-reductions,preemptions=$n
            rm -f "$work/pruned" "$work/whole"
            HEDDLE_DEBUG=$HEDDLE_DEBUG,preemption-slack=1000,dump-graphs=$work/whole timeout 20 "$work/locks" >/dev/null || continue
            HEDDLE_DEBUG=$HEDDLE_DEBUG,dump-graphs=$work/pruned timeout 20 "$work/locks" >/dev/null
            compared=$((compared + 1))
            cmp -s <(sort "$work/whole") <(sort "$work/pruned") || differ="$differ; $n: $text"
        done
    done < <(awk -v seed=1 -v count="$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 1000 || echo 25)" -f tests/twin/locks.awk)
    unset HEDDLE_DEBUG HEDDLE_TWIN_PROGRAM
    [ -z "$differ" ] && [ "$compared" -gt 10 ]; say $? "preemptions: $compared runs of programs with locks" "$differ"
    # Threads that nothing can free: giving them up loses no execution and no deadlock (guest/explore/reduce/waiting/waiting.h).
    compared=0 cut=0 differ=
    export HEDDLE_DEBUG
    while read -r text; do
        for model in sc tso rc11; do
            export HEDDLE_TWIN_PROGRAM=$text HEDDLE_DEBUG=keep-going,model=$model
            rm -f "$work/followed" "$work/cut"
            followed=$(HEDDLE_DEBUG=$HEDDLE_DEBUG,follow-hopeless,dump-graphs=$work/followed timeout 10 "$work/locks") || continue
            short=$(HEDDLE_DEBUG=$HEDDLE_DEBUG,dump-graphs=$work/cut timeout 10 "$work/locks")
            compared=$((compared + 1))
            stuck() { sed -n 's/.* \([0-9]*\) stuck.*/\1/p' <<<"$1"; }
            [ "${followed%% stuck*}" = "${short%% stuck*}" ] || cut=$((cut + 1))
            cmp -s <(sort "$work/followed") <(sort "$work/cut") &&
                [ $(($(stuck "$followed") > 0)) = $(($(stuck "$short") > 0)) ] || differ="$differ; $model: $text"
        done
    done < <(awk -v seed=1 -v count="$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 1500 || echo 35)" -v waits=1 -f tests/twin/locks.awk)
    unset HEDDLE_DEBUG HEDDLE_TWIN_PROGRAM
    [ -z "$differ" ] && [ "$cut" -gt 10 ]; say $? "waiting: $compared runs, $cut of them cut" "$differ"
else
    echo "FAIL preemptions: locks.c does not compile"
fi
# Three threads that each take a lock once: switches at the lock are free, so no order needs a preemption.
got=$(run --json --no-reductions --preemptions=0 -DN=3 tests/oracle/mutex.c | field "verdict exhaustive executions")
[ "$got" = "holds"$'\t'"false"$'\t'"6" ]; say $? "preemptions: waiting for a lock is free" "$got"
run --preemptions=1 -DN=3 --model=sc tests/oracle/fib.c | tr -s '\n ' ' ' | grep -q 'among executions with at most 1 preemption'
say $? "preemptions: the answer names its bound" ""
# Schedules that a plain search performs, counted by merging equal places: two threads of two accesses each, a main
# that joins them in order. Without preemptions: T1, then T2 or (main, T2); or T2, T1: 3. With one: also T1 preempted
# for T2; T2, first, for T1, after whose end T2 or main goes on; T2, second, for main: 3 + 1 + 2 + 1.
cat >"$work/two.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b, c, d;
static void *f(void *x) { a = 1; b = 1; return x; }
static void *g(void *x) { c = 1; d = 1; return x; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }
C
got=$(for n in 0 1; do HEDDLE_DEBUG=count-schedules run --model=sc --preemptions=$n "$work/two.c" | tr -s '\n ' ' ' | sed -n 's/.*tells no two interleavings alike: \([0-9]*\).*/\1/p'; echo; done)
[ "$got" = $'3\n7' ]; say $? "preemptions: schedules are counted" "$got"

# A process that has found something and dies before it could tell leaves no verdict: the others found nothing.
cat >"$work/died.c" <<'C'
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x[3];
static void *work(void *a) { for (int k = 0; k < 3; k++) atomic_fetch_add(&x[k], 1); return a; }
int main(void)
{
    pthread_t t[4];
    unsigned other = heddle_choose(2); /* the second choice is given away, and fails */
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    assert(!other);
}
C
for jobs in 2 4; do
    got=$(HEDDLE_DEBUG=eager-workers,die-claimed run --json --jobs=$jobs "$work/died.c" | field "verdict reason")
    [ "$got" = inconclusive$'\t'"a process that explored a part of the executions died" ]; say $? "jobs: $jobs, the process with the outcome dies" "$got"
done

# --- rc11: the search for a cycle (model_psc.c) against psc by matrices, at every place that is tried in random
# graphs; both must find cycles and graphs without
for shape in "-DTHREADS=4 -DSTEPS=5" "-DTHREADS=5 -DSTEPS=2" "-DTHREADS=2 -DSTEPS=9 -DLOCATIONS=2"; do
    # shellcheck disable=SC2086
    got=$(HEDDLE_DEBUG=check-psc run --json --schedules="$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 20000 || echo 400)" $shape tests/helpers/random_steps.c |
        field "verdict reason")
    [ "${got%%$'\t'*}" = holds ]; say $? "psc: random steps $shape" "$got"
done
# What waits in libstdc++ by loads alone looks once before it sleeps: each of its 16 looks was a choice.
for cc in gcc ${HEDDLE_NIGHTLY:+clang}; do
    counts=$(for options in "" --no-reductions; do
        # shellcheck disable=SC2086
        build/heddle run --quiet --json --no-record --cc=$cc $options -std=c++20 tests/programs/correct/cxx_barrier_latch.cpp |
            awk -v keys="verdict executions" -f tests/json.awk
    done | tr '\n\t' '  ')
    read -r verdict few again many <<<"$counts"
    if [ "$verdict $again" = "holds holds" ] && [ $((few * 10)) -lt "$many" ]; then echo "ok looks before sleep, $cc"; else
        echo "FAIL looks before sleep, $cc: $counts"
    fi
done

# heddle check: where the specification comes from. Every expectation is derived in the comment before it.
# builds: kept with corpus
heddle=$PWD/build/heddle
"$heddle" check --help >/dev/null 2>&1 || { echo "skip check spec (the tool has no check)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# expect NAME STATUS PATTERN ARGUMENTS...: exit status, and a pattern in the output as one line.
expect() {
    local name=$1 status=$2 pattern=$3; shift 3
    local output got
    output=$(timeout 120 "$heddle" check --quiet --no-record --model=sc "$@" 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL check spec: $name: exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$(tr -s '\n ' ' ' <<<"$output")"; then
        echo "FAIL check spec: $name: nothing matches '$pattern': $output"
    else
        echo "ok check spec: $name"
    fi
}

# A queue whose elements keep their places; those of the oldest segment that has any are taken in any order.
# So gets are permuted inside segments of S elements: none is displaced by more than S-1 places, and by
# S-1 it can be (the last of a full segment first).
cat >queue.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[16], first, end, segment;
static bool there[16];
#ifndef SEGMENT
#define SEGMENT 1
#endif
HD_INIT { first = end = 0; segment = SEGMENT; }
#ifdef REFERENCE
HD_REFERENCE { segment = 1; }
#endif
HD_OP(put, int, v, 1, 2)
{
    pthread_mutex_lock(&m);
    items[end] = v;
    there[end++] = true;
    pthread_mutex_unlock(&m);
    return HD_VOID;
}
HD_OP(get)
{
    HdValue result = HD_NONE;
    pthread_mutex_lock(&m);
    while (first < end && !there[first])
        first++;
    if (first < end) {
        int found[16], count = 0;
        for (int i = first; i < end && i < (first / segment + 1) * segment; i++)
            if (there[i])
                found[count++] = i;
        int i = found[count > 1 ? heddle_choose((unsigned)count) : 0];
        there[i] = false;
        result = HD_INT(items[i]);
    }
    pthread_mutex_unlock(&m);
    return result;
}
#ifdef GOLDEN
static int kept[16], from, to;
HD_GOLDEN_INIT { from = to = 0; }
HD_GOLDEN(put, int, v) { kept[to++] = v; return HD_VOID; }
HD_GOLDEN(get) { return from < to ? HD_INT(kept[from++]) : HD_NONE; }
#endif
C
expect "observed: a queue" 0 '^holds' --shape=2x2 queue.c
expect "observed: one that chooses has no deterministic specification" 1 'violated: nondeterminism' -DSEGMENT=2 queue.c
for spec in REFERENCE GOLDEN; do
    expect "$spec: a queue" 0 '^holds' --shape=2x2 -D$spec queue.c
    expect "$spec: out of order is wrong" 1 'violated: linearizability' --shape=2x2 -D$spec -DSEGMENT=2 queue.c
    expect "$spec: by 1 is right with get:1" 0 '^holds' --shape=2x2 --quasi=get:1 -D$spec -DSEGMENT=2 queue.c
    expect "$spec: by 2 is wrong with get:1" 1 'violated: linearizability' --quasi=get:1 -D$spec -DSEGMENT=3 queue.c
    expect "$spec: by 2 is right with get:2" 0 '^holds' --shape=2x2 --quasi=get:2 -D$spec -DSEGMENT=3 queue.c
    expect "$spec: 3x2, by 1" 0 '^holds' --shape=3x2 --samples=10 --quasi=get:1 -D$spec -DSEGMENT=2 queue.c
    # both gets in one thread: the displaced one is the earlier call of its own thread
    expect "$spec: out of the order of one thread" 0 '^holds' --scenario='put(1) put(2) get() get()' --quasi=get:1 -D$spec -DSEGMENT=2 queue.c
    # without the second get nothing is left to exchange the first one with: slot does not add calls
    expect "$spec: slot does not complete runs" 1 'violated: linearizability' --scenario='put(1) put(2) get()' --quasi=get:1 --semantics=slot -D$spec -DSEGMENT=2 queue.c
    expect "$spec: kooo does" 0 '^holds' --scenario='put(1) put(2) get()' --quasi=get:1 -D$spec -DSEGMENT=2 queue.c
done
expect "no factor is linearizability" 1 'violated: linearizability' --shape=2x2 --quasi=get:0 -DGOLDEN -DSEGMENT=2 queue.c
expect "quasi over observed runs" 0 '^holds' --shape=2x2 --quasi=get:1 queue.c
expect "replaced on the command line" 1 'violated: nondeterminism' --spec=observed -DGOLDEN -DSEGMENT=2 queue.c
expect "quasi of no operation" 2 'has no operation "take"' --quasi=take:1 -DGOLDEN queue.c

# A stack is no queue; its own serial runs can't tell.
cat >stack.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[16], count;
HD_INIT { count = 0; }
HD_OP(put, int, v, 1, 2) { pthread_mutex_lock(&m); items[count++] = v; pthread_mutex_unlock(&m); return HD_VOID; }
HD_OP(get) { HdValue r = HD_NONE; pthread_mutex_lock(&m); if (count) r = HD_INT(items[--count]); pthread_mutex_unlock(&m); return r; }
#ifdef QUEUE
static int kept[16], from, to;
HD_GOLDEN_INIT { from = to = 0; }
HD_GOLDEN(put, int, v) { kept[to++] = v; return HD_VOID; }
HD_GOLDEN(get) { return from < to ? HD_INT(kept[from++]) : HD_NONE; }
#endif
#ifdef BAG /* any element may be given back */
static int kept[16], n;
HD_GOLDEN_INIT { n = 0; }
HD_GOLDEN(put, int, v) { kept[n++] = v; return HD_VOID; }
HD_GOLDEN(get) { if (!n) return HD_NONE; unsigned i = heddle_choose((unsigned)n); int v = kept[i]; kept[i] = kept[--n]; return HD_INT(v); }
#endif
C
expect "observed: a stack is consistent with itself" 0 '^holds' --shape=2x2 stack.c
expect "golden: a stack is no queue" 1 'violated: linearizability.*get must return 1' -DQUEUE stack.c
expect "golden with choices: a stack is a bag" 0 '^holds' --shape=2x2 -DBAG stack.c

# Waiting: take() waits while there is nothing. NEVER: it returns nothing instead. LOST: a waiter is not
# woken (the signal comes only when the counter was 0 and is sent before the put).
cat >wait.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count;
HD_INIT { count = 0; }
HD_OP(put)
{
    pthread_mutex_lock(&m);
    count++;
#ifndef LOST
    pthread_cond_broadcast(&c);
#endif
    pthread_mutex_unlock(&m);
    return HD_VOID;
}
HD_OP(take)
{
    HdValue result = HD_VOID;
    pthread_mutex_lock(&m);
#ifdef NEVER
    if (!count)
        result = HD_NONE;
    else
        count--;
#else
    while (!count)
        pthread_cond_wait(&c, &m);
    count--;
#endif
    pthread_mutex_unlock(&m);
    return result;
}
static int left;
HD_GOLDEN_INIT { left = 0; }
HD_GOLDEN(put) { left++; return HD_VOID; }
#ifdef REALLY /* golden code may also really wait */
static pthread_mutex_t gold = PTHREAD_MUTEX_INITIALIZER;
HD_GOLDEN(take) { if (!left) { pthread_mutex_lock(&gold); pthread_mutex_lock(&gold); } left--; return HD_VOID; }
#elif defined EITHER
HD_GOLDEN(take) { if (!left) return heddle_choose(2) ? HD_WAIT : HD_NONE; left--; return HD_VOID; }
#else
HD_GOLDEN(take) { if (!left) return HD_WAIT; left--; return HD_VOID; }
#endif
C
expect "golden: waits where it should" 0 '^holds' --shape=2x2 wait.c
expect "golden that really waits" 0 '^holds' --shape=2x2 -DREALLY wait.c
expect "golden: does not wait" 1 'violated: linearizability' -DNEVER wait.c
expect "golden: a lost wake-up" 1 'violated: stuck' -DLOST wait.c
expect "golden allows both: it waits" 0 '^holds' --shape=2x2 -DEITHER wait.c
expect "golden allows both: it does not" 0 '^holds' --shape=2x2 -DEITHER -DNEVER wait.c
expect "golden allows both, but no lost wake-up" 1 'violated: stuck' -DEITHER -DLOST wait.c

# Bad input.
file() { { echo '#include <heddle.h>'; cat; } >"$1"; }
file lacks.c <<<'HD_OP(a) { return HD_VOID; } HD_OP(b) { return HD_VOID; } HD_GOLDEN(a) { return HD_VOID; }'
file extra.c <<<'HD_OP(a) { return HD_VOID; } HD_GOLDEN(z) { return HD_VOID; }'
file parameters.c <<<'HD_OP(a, int, v, 1) { (void)v; return HD_VOID; } HD_GOLDEN(a) { return HD_VOID; }'
file both.c <<<'HD_SPEC("fifo") HD_OP(deq) { return HD_NONE; } HD_GOLDEN(deq) { return HD_NONE; }'
file none.c <<<'HD_OP(a) { return HD_VOID; }'
file waits.c <<<'HD_OP(a) { return HD_WAIT; }'
file crashes.c <<<'static int *p; HD_OP(a) { return HD_INT(1); } HD_GOLDEN(a) { return HD_INT(*p); }'
expect "golden code lacks an operation" 2 'lacks.c:2: operation b has no golden code, but others have' lacks.c
expect "golden code of no operation" 2 'extra.c:2: HD_GOLDEN(z) is golden code of no operation' extra.c
expect "golden code with other parameters" 2 'parameters.c:2: HD_GOLDEN(a) has 0 parameters, but the operation' parameters.c
expect "golden code and HD_SPEC" 2 'both.c:2: there are golden code and HD_SPEC("fifo")' both.c
expect "both, but one is chosen" 0 '^holds' --spec=golden --shape=1x1 both.c
expect "--spec=golden without golden code" 2 'the test file has no golden code' --spec=golden none.c
expect "an implementation with HD_WAIT" 3 'a() returns HD_WAIT, which is for golden code only' waits.c
expect "golden code that crashes" 1 'violated: crash.*it fails in the golden code' crashes.c

# As C++, with both compilers, without a warning.
cp queue.c queue.cc
for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "skip check spec: $cc"; continue; }
    expect "C++ with $cc" 0 '^holds' --cc=$cc --shape=2x1 -DGOLDEN -Wall -Wextra -Werror queue.cc
    expect "C with $cc" 0 '^holds' --cc=$cc --shape=2x1 -DGOLDEN -Wall -Wextra -Wpedantic -Werror queue.c
done

# Objects that tell threads apart: the serial runs have the same threads as the test.
# A recursive mutex is correct: whatever happens, its calls take effect one after the other, with the owner in
# its state. (In one thread trylock never fails, so that "trylock() | trylock()" would look wrong.)
cat >owner.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m;
HD_INIT
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    pthread_mutexattr_destroy(&a);
}
static _Thread_local int depth; /* unlocking what another thread has locked is a misuse, not a result */
HD_OP(trylock) { bool got = !pthread_mutex_trylock(&m); depth += got; return HD_BOOL(got); }
HD_OP(unlock) { if (!depth) return HD_BOOL(false); depth--; return HD_BOOL(!pthread_mutex_unlock(&m)); }
#ifdef LOCK
HD_OP(lock) { pthread_mutex_lock(&m); depth++; return HD_VOID; }
#endif
C
# The same by hand, right (one compare-exchange) and wrong (look, then take).
cat >spin.c <<'C'
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_ulong owner;
static atomic_int depth;
HD_INIT { owner = 0; depth = 0; }
HD_OP(trylock)
{
    unsigned long self = (unsigned long)pthread_self() + 1, none = 0;
    if (owner == self) { depth++; return HD_BOOL(true); }
#ifdef WRONG
    if (owner != none) return HD_BOOL(false);
    owner = self;
#else
    if (!atomic_compare_exchange_strong(&owner, &none, self)) return HD_BOOL(false);
#endif
    depth = 1;
    return HD_BOOL(true);
}
HD_OP(unlock)
{
    if (owner != (unsigned long)pthread_self() + 1) return HD_BOOL(false);
    if (--depth == 0) owner = 0;
    return HD_BOOL(true);
}
C
# Each thread counts its own calls: a function of the calls and of who makes them. With a shared cell that is
# read and written in two steps the count of all calls is wrong.
cat >local.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
static _Thread_local int mine;
static atomic_int all;
HD_INIT { all = 0; }
HD_OP(count) { return HD_INT(mine++); }
#ifdef SHARED
HD_OP(count_all) { int seen = all; all = seen + 1; return HD_INT(seen * 10 + mine++); }
#endif
C
# What a thread does at its end comes after all calls: the invariant must see it in serial runs, too.
cat >ends.c <<'C'
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_key_t key;
static atomic_int made, flushed;
static void flush(void *count) { flushed += (int)(intptr_t)count; }
HD_INIT { made = flushed = 0; pthread_key_create(&key, flush); }
HD_OP(count)
{
    intptr_t mine = (intptr_t)pthread_getspecific(key) + 1;
    pthread_setspecific(key, (void *)mine);
    made++;
    return HD_INT(mine);
}
HD_INVARIANT { return made == flushed; }
C
for mode in auto never; do
    expect "threads, checkpoints $mode: a recursive mutex" 0 '^holds' --checkpoints=$mode --shape=2x2 owner.c
    expect "threads, checkpoints $mode: waiting for another owner" 0 '^holds' --checkpoints=$mode --shape=2x2 -DLOCK owner.c
    expect "threads, checkpoints $mode: an owner by hand" 0 '^holds' --checkpoints=$mode --shape=2x2 spin.c
    expect "threads, checkpoints $mode: two owners" 1 'violated: linearizability.*2x1 is the smallest' --checkpoints=$mode -DWRONG spin.c
    expect "threads, checkpoints $mode: thread_local" 0 '^holds' --checkpoints=$mode --shape=2x2 local.c
    expect "threads, checkpoints $mode: thread_local and shared" 1 'violated: linearizability' --checkpoints=$mode -DSHARED local.c
    expect "threads, checkpoints $mode: at the end of a thread" 0 '^holds' --checkpoints=$mode --shape=2x2 ends.c
done
expect "threads: three of them" 0 '^holds' --shape=3x2 --samples=20 -DLOCK owner.c

# HD_MAY_BLOCK. take() of wait.c waits while there is nothing, in serial runs, too: right where it is named. Without
# golden code the serial runs of the LOST variant have the waiting take as well; a put never waits.
cat >block.c <<'C'
#include "wait.c"
HD_MAY_BLOCK(NAMES)
C
cat >lock.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
HD_OP(acquire) { pthread_mutex_lock(&m); return HD_VOID; }
HD_MAY_BLOCK("")
C
cat >array.c <<'C'
#include <heddle.h>
static int items[64];
HD_OP(list, int, n, MOST) { return HD_ARRAY(items, n); }
C
sed -i 's/^#include <heddle.h>/&\n#ifndef MOST\n#define MOST 40\n#endif/' array.c
expect "may block: it is named" 0 '^holds' --shape=2x2 '-DNAMES="take"' --spec=observed block.c
expect "may block: it is not" 1 'violated: stuck.*take() waits for ever in a serial run, but HD_MAY_BLOCK does not name it' '-DNAMES=""' --spec=observed block.c
expect "may block: no such operation" 2 'block.c:2: HD_MAY_BLOCK names wait, which is no operation' '-DNAMES="put wait"' block.c
expect "may block: with a built-in specification" 1 'violated: stuck.*acquire() waits for ever, but HD_MAY_BLOCK' --spec=lock --scenario='acquire() | acquire()' lock.c
# HD_ASYNC. The effect of close() comes with the get() after it, whosever that is; what the golden code says at once.
# The mutants: the effect goes away again; another operation lags that does not say so; a result that no place explains.
cat >async.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_bool asked, closed;
static bool gone, golden_closed, golden_other;
static atomic_bool other_asked, other;
HD_OP(close)
{
    atomic_store(&asked, true);
#ifdef WRONG_RESULT
    return HD_BOOL(atomic_load(&closed));
#else
    return HD_VOID;
#endif
}
HD_OP(get)
{
#ifdef GOES_AWAY
    bool now = atomic_exchange(&closed, false);
#else
    bool now = atomic_load(&closed);
#endif
    if (atomic_load(&asked))
        atomic_store(&closed, true);
#ifdef GOES_AWAY
    atomic_store(&asked, false);
#endif
    return HD_BOOL(now);
}
#ifdef OTHER
HD_OP(set) { atomic_store(&other_asked, true); return HD_VOID; }
HD_OP(look) { bool now = atomic_load(&other); atomic_store(&other, atomic_load(&other_asked)); return HD_BOOL(now); }
HD_GOLDEN(set) { golden_other = true; return HD_VOID; }
HD_GOLDEN(look) { return HD_BOOL(golden_other); }
#endif
HD_GOLDEN_INIT { golden_closed = golden_other = false; }
#ifdef WRONG_RESULT
HD_GOLDEN(close) { bool was = golden_closed; golden_closed = true; return HD_BOOL(!was); }
#else
HD_GOLDEN(close) { golden_closed = true; return HD_VOID; }
#endif
HD_GOLDEN(get) { return HD_BOOL(golden_closed); }
#ifdef SHUT
HD_ASYNC(shut)
#elif !defined PROMPT
HD_ASYNC(close)
#endif
C
for model in sc rc11; do
    expect "async: $model" 0 '^holds' --model=$model --shape=2x2 --exhaustive async.c
    expect "async: not said, $model" 1 'violated: linearizability' --model=$model -DPROMPT --shape=2x2 async.c
    expect "async: an effect that goes away, $model" 1 'violated: linearizability' --model=$model -DGOES_AWAY --scenario='close() get() get() get()' async.c
    expect "async: a result that fits nowhere, $model" 1 'violated: linearizability' --model=$model -DWRONG_RESULT --scenario='close() | get()' async.c
    expect "async: another one lags, $model" 1 'violated: linearizability' --model=$model -DOTHER --scenario='set() look() | close()' async.c
done
expect "async: within preemptions" 0 '^holds' --model=sc --preemptions=1 --shape=2x2 async.c
expect "async: sequential consistency" 0 '^holds' --consistency=sequential --model=sc --shape=2x2 async.c
expect "async: one thread, by its own order" 0 '^holds' --scenario='close() get() get()' async.c
expect "async: before the threads" 0 '^holds' --scenario='close() / get() | get() / get()' async.c
# A call that is in progress until the end overlaps the one that waits, so that it may fail beside it.
cat >beside.c <<'C'
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
HD_OP(wait) { pthread_mutex_lock(&m); for (;;) pthread_cond_wait(&c, &m); }
HD_OP(ask) { return HD_NONE; }
HD_GOLDEN(wait) { return HD_WAIT; }
HD_GOLDEN(ask) { return HD_BOOL(1); }
HD_MAY_FAIL(ask, HD_NONE)
#ifndef PROMPT
HD_ASYNC(ask)
#endif
C
expect "async: it fails beside a call that waits" 0 '^holds' --scenario='wait() | ask()' beside.c
expect "async: one that has returned does not" 1 'violated' -DPROMPT --scenario='wait() | ask()' beside.c
expect "async: no such operation" 2 'async.c:.*: HD_ASYNC names shut, which is no operation' -DSHUT async.c
expect "async: for ever" 2 '--unbounded does not go with HD_ASYNC' --unbounded --model=sc async.c
expect "async: observations" 2 'not with HD_ASYNC' --observations=async.xml --spec=observed async.c
# A lock that its own code never gives back: serial runs get stuck as the threads do, so nothing is wrong by them, and
# the answer says who waits; with HD_MAY_BLOCK it says where.
cat >kept.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
static atomic_int word;
HD_OP(flip) { while (atomic_exchange(&word, 1)) ; return HD_VOID; }
HD_OP(look) { return HD_INT(0); }
#ifdef NAMES
HD_MAY_BLOCK(NAMES)
#endif
C
for how in --shape=2x1 --unbounded; do
    expect "waits in serial runs: $how" 0 '^holds.*note: flip() waits for ever in some serial runs, and may therefore in tests: HD_MAY_BLOCK("flip") if that is meant; HD_MAY_BLOCK("") shows where' $how kept.c
    expect "the same, wanted: $how" 0 '^holds' $how '-DNAMES="flip"' kept.c
    "$heddle" check --quiet --no-record --model=sc $how '-DNAMES="flip"' kept.c 2>&1 | grep -q 'serial runs, and' &&
        echo "FAIL check spec: waits that are wanted are told: $how" || echo "ok check spec: waits that are wanted: $how"
    who=T2; [ $how = --unbounded ] && who=T1 # the shortest: one thread alone
    expect "the same, not wanted: $how" 1 "Why: $who waits at kept.c:4 for word to change, but it stays 1. The execution" $how '-DNAMES=""' kept.c
done
expect "more items than an array has" 3 'list(40) returns an array of 40 items (array.c:6); HD_ARRAY takes at most 32' array.c
expect "as many as it has" 0 '^holds' -DMOST=32 array.c

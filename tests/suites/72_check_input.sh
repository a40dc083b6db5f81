# heddle check, bad input: each gives the right exit status and a message that says what to change.
heddle=$PWD/build/heddle
"$heddle" check --help >/dev/null 2>&1 || { echo "skip check input (the tool has no check)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export TMPDIR=$work/tmp; mkdir "$TMPDIR"

# expect NAME STATUS PATTERN ARGUMENTS...: exit status, and a pattern in the output as one line.
expect() {
    local name=$1 status=$2 pattern=$3; shift 3
    local output got
    output=$(timeout 60 "$heddle" check --quiet --hang=2s --time=30s "$@" 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL check input: $name: exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$(tr -s '\n ' ' ' <<<"$output")"; then
        echo "FAIL check input: $name: nothing matches '$pattern': $output"
    elif [ -n "$(ls -A "$TMPDIR")" ]; then
        echo "FAIL check input: $name: left behind: $(ls -A "$TMPDIR")"; rm -rf "${TMPDIR:?}"/*
    else
        echo "ok check input: $name"
    fi
}
file() { { echo '#include <heddle.h>'; echo '#include <stdatomic.h>'; echo '#include <stdlib.h>'; cat; } >"$1"; }

# no operations
file init_only.c <<<'HD_INIT { }'
echo 'int x;' >unrelated.c
expect "no operations" 2 'no operations are declared: write at least one HD_OP(name)' init_only.c
expect "no operations, no header" 2 'no operations are declared' unrelated.c

# never returns, serially
file loop.c <<<'HD_OP(loop) { for (;;) ; }'
file count.c <<<'static atomic_int x; HD_OP(count) { for (;;) x++; }'
file wait.c <<<'static atomic_int x; HD_OP(wait) { while (!x) ; return HD_VOID; } HD_OP(set) { x = 1; return HD_VOID; }'
expect "never returns: silent loop" 3 'nothing happened for 2 s.*at loop.c:4; an operation must return' loop.c
expect "never returns: loop with accesses" 3 'count(): an operation does not return although it is called alone; give its loop an end' count.c
expect "waiting is no fault" 0 '^holds' --shape=2x2 wait.c
file stuck.c <<<'static atomic_int x; HD_OP(wait) { while (!x) ; return HD_VOID; }'
expect "waiting for ever in all runs is no fault, either" 0 '^holds' --shape=2x2 stuck.c
file quit.c <<<'HD_OP(quit) { exit(3); }'
expect "ends the program" 3 'quit() ends the program; an operation must return' quit.c

# crashes, serially
file crash.c <<<'static int *p; HD_OP(get) { return HD_INT(*p); }'
file refuse.c <<'C'
#include <assert.h>
static atomic_int x;
HD_OP(put) { x++; return HD_VOID; }
HD_OP(take) { assert(x > 0); x--; return HD_VOID; }
C
expect "crashes" 1 'violated: crash .*null pointer.*at crash.c:4.*fails in a serial run, without any concurrency' --no-record crash.c
expect "not allowed at first" 1 'violated: assertion .*refuse.c:7.*declare only calls that are allowed in every order' --no-record refuse.c

# results that are no function of the calls
file rand.c <<<'HD_OP(draw) { return HD_INT(rand()); }'
file address.c <<<'HD_OP(make) { return HD_INT((intptr_t)malloc(8)); }'
file stack.c <<<'HD_OP(where) { int x; return HD_INT((intptr_t)&x); }'
printf '#include <heddle.h>\n#include <time.h>\nHD_OP(now) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return HD_INT(t.tv_nsec); }\n' >clock.c
file choice.c <<<'HD_OP(flip) { return HD_INT(heddle_choose(2)); }'
for what in rand address stack clock choice; do
    expect "nondeterminism: $what" 1 'violated: nondeterminism .*in one serial run and .* in another.*a result may depend on the calls before it, not on an address, a random number' $what.c
done
output=$("$heddle" replay address.heddle 2>&1); status=$?
if [ $status = 1 ] && grep -q 'violated: nondeterminism' <<<"$output"; then echo "ok check input: nondeterminism is replayed"
else echo "FAIL check input: replay of nondeterminism: exit status $status: $output"; fi
# a bug of concurrency stays one, whatever the serial runs elsewhere give
file lost.c <<<'static atomic_int x; HD_OP(inc) { int v = x; x = v + 1; return HD_VOID; } HD_OP(get) { return HD_INT(x); }'
expect "a lost update is no nondeterminism" 1 'violated: linearizability' --no-record lost.c
# a timeout that only concurrency can cause is none, either
file timed.c <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
HD_OP(try) { struct timespec t = {0, 0}; if (pthread_mutex_timedlock(&m, &t)) return HD_BOOL(false); pthread_mutex_unlock(&m); return HD_BOOL(true); }
C
expect "a lock that times out is no nondeterminism" 1 'violated: linearizability' --no-record timed.c

# declared twice
file one.c <<<'HD_OP(put) { return HD_VOID; }'
file two.c <<<'HD_OP(get) { return HD_VOID; } HD_OP(put) { return HD_VOID; }'
file again.c <<<'HD_INIT { } HD_OP(a) { return HD_VOID; }'
file also.c <<<'HD_INIT { } HD_OP(b) { return HD_VOID; }'
expect "two files declare the same operation" 2 'operation put is declared twice; the other one stands at .*: give one of them another name' one.c two.c
expect "one file declares it twice" 2 'redefinition of .*put' -std=gnu11 one.c -include "$work/one.c"
expect "two files set up" 2 'a second HD_INIT' again.c also.c

# settings
file spec.c <<<'HD_OP(put) { return HD_VOID; } HD_SPEC("fifoo")'
file method.c <<<'HD_OP(jump) { return HD_VOID; } HD_SPEC("fifo")'
file single.c <<<'HD_OP(put) { return HD_VOID; } HD_SINGLE("push")'
file scenario.c <<<'HD_OP(put, int, v, 1, 2) { (void)v; return HD_VOID; } HD_SCENARIO("put(1) | put(3)")'
expect "no such specification" 2 'there is no specification "fifoo"; there are: fifo' spec.c
expect "no such operation in the specification" 2 'method.c:4: specification fifo has no operation jump' method.c
expect "a role of no operation" 2 'single.c:4: HD_SINGLE names push, which is no operation' single.c
# one thread for all calls: nothing would overlap, and everything would hold
file alone.c <<<'static atomic_int x; HD_OP(put) { x++; return HD_VOID; } HD_OP(get) { return HD_INT(x); } HD_SINGLE(ROLES)'
expect "roles that leave one thread" 2 'alone.c:4: HD_SINGLE("put get") gives all operations to one thread.*HD_SINGLE("put | get")' '-DROLES="put get"' alone.c
expect "roles with commas that leave one thread" 2 'gives all operations to one thread' '-DROLES="put,get"' alone.c
expect "roles without spaces" 0 'holds.* all 1 tests\? of 2x1\|the 1 test of 2x1' '-DROLES="put|get"' --shape=2x1 alone.c
expect "a shape for more threads than roles" 2 'there is no test of 3x1: HD_SINGLE leaves no operation' '-DROLES="put|get"' --shape=3x1 alone.c
expect "a test of one thread" 0 '^holds.*the given test note: the tests have one thread: no two calls overlap' --scenario='put() put()' one.c
expect "an empty scenario" 2 "scenario wants a test, like 'put(1) get() | put(2)'" --scenario= one.c
expect "no samples" 2 'samples=0: a number of tests is wanted' --samples=0 one.c
expect "a call that is not declared" 2 '"pvt()" is no declared call; there are: put()' --scenario='pvt() | put()' one.c
# an operation must return a value, in both languages
file noreturn.c <<<'static atomic_int x; HD_OP(inc) { x++; }'
cp noreturn.c noreturn.cc; sed -i 's/atomic_int x/int x/; /stdatomic/d' noreturn.cc
expect "no value is returned" 2 'error: .*non-void function.*noreturn.c does not compile' noreturn.c
expect "no value is returned, C++" 2 'error: .*non-void.*noreturn.cc does not compile' noreturn.cc
expect "no value is returned, clang" 2 'error: .*non-void function.*noreturn.cc does not compile' --cc=clang noreturn.cc
expect "serial runs from a device without end" 2 '/dev/zero is a device, not a regular file' --observations=/dev/zero one.c
expect "a scenario with another value" 2 'put(3)" is no declared call; those of put: put(1), put(2)' scenario.c
expect "a shape that is none" 2 'threads x calls, like 3x3' --shape=3 one.c
expect "a shape that is too large" 2 'at most 8x16' --shape=9x9 one.c

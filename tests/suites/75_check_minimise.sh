# heddle check: the failing test is made as small, and its execution as simple, as it can be.
heddle=$PWD/build/heddle
"$heddle" check --help >/dev/null 2>&1 || { echo "skip check minimise (the tool has no check)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
expect() { # NAME PATTERN ARGUMENTS...
    local name=$1 pattern=$2 output; shift 2
    output=$(timeout 120 "$heddle" check --quiet --no-record --model=sc "$@" 2>&1 </dev/null)
    if grep -q -e "$pattern" <<<"$(tr -s '\n ' ' ' <<<"$output")"; then echo "ok check minimise: $name"
    else echo "FAIL check minimise: $name: nothing matches '$pattern': $output"; fi
}
# Increments are lost unless the object is open (opened != 0). A test with open() and close() fails, and fails no more
# without one of the two alone, but without both. Which values are added does not matter.
cat >pair.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
static atomic_int opened, x;
HD_OP(open) { opened++; return HD_VOID; }
HD_OP(close) { opened--; return HD_VOID; }
HD_OP(inc, int, v, 1, 2)
{
    if (opened != 0) {
        atomic_fetch_add(&x, v);
    } else {
        int seen = x;
        x = seen + v;
    }
    return HD_VOID;
}
HD_OP(get) { return HD_INT(x); }
C
expect "two calls at once, and arguments" 'T1: inc(1) T2: inc(1), get() = 1 .*2x2 is the smallest test that fails' --scenario='open() close() inc(2) | inc(2) get()' pair.c
expect "the same with three threads" 'T1: inc(1) T2: inc(1), get() = 1 .*2x2 is the smallest test that fails' --scenario='open() close() | inc(2) | inc(2) get()' pair.c
# An increment is lost when one thread is preempted between its read and its write; without a preemption calls are
# serial.
expect "one preemption" 'the execution has 1 preemption; none with fewer' --scenario='inc(1) | inc(1) get()' pair.c
# look() gives true only if it sees 1 and then 0, which blink() writes: blink is preempted after the first write, and
# look after the first read. Alone each gives false.
cat >blink.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
static atomic_int x;
HD_OP(blink) { x = 1; x = 0; return HD_VOID; }
HD_OP(look) { return HD_BOOL(x == 1 && x == 0); }
C
expect "two preemptions" 'T1: blink() T2: look() = true.*2x1 is the smallest.*the execution has 2 preemptions; none with fewer' blink.c
expect "fewer than needed are allowed" '^holds.*at most 1 preemption' --preemptions=1 --shape=2x2 blink.c
# --jobs: the tests are shared out among processes; the same answer, the same totals
cat >counter.c <<'C'
#include <heddle.h>
#include <stdatomic.h>
static atomic_int x;
HD_OP(inc, int, v, 1, 2) { return HD_INT(atomic_fetch_add(&x, v)); }
HD_OP(get) { return HD_INT(x); }
C
totals() { "$heddle" check --quiet --no-record --model=sc --json "$@" 2>&1 | grep -oE '"(verdict|tests|histories|coverage)": [^,]*' | tr '\n' ' '; }
one=$(totals counter.c) three=$(totals --jobs=3 counter.c)
if [ -n "$one" ] && [ "$one" = "$three" ]; then echo "ok check minimise: jobs"; else echo "FAIL check minimise: jobs: $one and $three"; fi
for jobs in 2 4; do expect "jobs: a violation with $jobs" '^violated: linearizability.*2x2 is the smallest' --jobs=$jobs pair.c; done
# A violation that is found when the budget of its round is nearly spent, or just before the time limit, is found again
# whatever the budget is: no assertion of ours fails, and the answer is right.
for time in 40ms 100ms 300ms 5s; do
    timeout 60 "$heddle" check --quiet --no-record --time=$time "${heddle%/build/heddle}/tests/unbounded/seqlock.c" >late 2>&1; status=$?
    if [ $status = 1 ] || { [ $status = 3 ] && [ $time != 5s ]; }; then echo "ok check minimise: late, --time=$time"
    else echo "FAIL check minimise: late, --time=$time: status $status: $(head -n 2 late)"; fi
done
# The execution that is shown is the one that fails, whatever others its graph has: put(1) of one thread returns before
# peek() of another begins, which does not see it; under each model.
for model in sc tso rc11; do
    shown=$("$heddle" check --no-record --model=$model --shape=3x1 "${heddle%/build/heddle}/tests/found/no_preemption.c" 2>&1 |
        sed -n '/^The execution/,$p' | grep -oE '(call|return) (put|peek)' | tr '\n' ' ')
    if [[ $shown == *"return put call peek "* ]]; then echo "ok check minimise: what is shown fails, $model"
    else echo "FAIL check minimise: what is shown, $model: $shown"; fi
done

# shellcheck shell=bash
# heddle check: several objects in one test, calls before and after the threads, sequences as one entry.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
expect() { # NAME STATUS PATTERN ARGUMENTS...
    local name=$1 status=$2 pattern=$3 output got; shift 3
    output=$(timeout 60 "$heddle" check --quiet --no-record --time=30s "$@" 2>&1 </dev/null | tr -s '\n ' ' '; exit "${PIPESTATUS[0]}"); got=$?
    if [ "$got" != "$status" ]; then echo "FAIL check lists: $name: exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$output"; then echo "FAIL check lists: $name: nothing matches '$pattern': $output"
    else echo "ok check lists: $name"; fi
}
file() { { printf '#include <heddle.h>\n#include <stdatomic.h>\nstatic atomic_int a, b;\n'; cat; } >"$1"; }

# two counters, the second one right or with a lost update; each is told by its name
file objects.c <<'C'
HD_OP_OF(good, inc) { a++; return HD_VOID; }
HD_OP_OF(good, get) { return HD_INT(a); }
#ifdef LOST
HD_OP_OF(bad, inc) { int v = b; b = v + 1; return HD_VOID; }
#else
HD_OP_OF(bad, inc) { b++; return HD_VOID; }
#endif
HD_OP_OF(bad, get) { return HD_INT(b); }
C
expect "two objects" 0 '^holds' --shape=2x2 objects.c
expect "one of two is wrong" 1 'violated: linearizability.*calls on bad gives.*bad.get() = 1 .*2x2 is the smallest test that fails' --shape=2x2 -DLOST objects.c
expect "specifications by object" 0 '^holds' --shape=2x2 --spec=good:counter,bad:counter objects.c
expect "a specification of one of them" 1 'calls on bad gives' --shape=2x2 --spec=good:counter -DLOST objects.c
expect "the other one's is wrong, too" 1 'calls on bad that counter allows gives' --shape=2x2 --spec=bad:counter -DLOST objects.c
expect "one specification for all" 0 '^holds' --shape=2x2 --spec=counter objects.c
expect "a specification without such an operation" 2 'objects.c:4: specification fifo has no operation inc' --spec=good:fifo objects.c
expect "a specification of no object" 2 'names object x, but no operation is of an object of that name' --spec=x:fifo objects.c
expect "a scenario with objects" 1 'calls on bad gives' --scenario='bad.inc() good.inc() | bad.inc() bad.get()' -DLOST objects.c
# objects that are not independent: what one gives depends on calls on the other
file entangled.c <<'C'
HD_OP_OF(one, set) { a = 1; return HD_VOID; }
HD_OP_OF(two, get) { return HD_INT(a + b); }
C
expect "objects that depend on each other" 1 'violated: nondeterminism' --shape=2x1 entangled.c

# a lost update that one call of each thread does not show: a call after them does
file stack.c <<'C'
HD_OP(inc) { int v = a; a = v + 1; return HD_VOID; }
HD_OP(get) { return HD_INT(a + b); }
#ifdef LISTS
HD_FIRST("inc() inc()")
HD_LAST("get()")
#endif
#ifdef SEQUENCE
HD_SEQUENCE(both, "inc() get()")
#endif
C
expect "one call each does not show it" 0 '^holds.*all 3 tests of 2x1' --shape=2x1 stack.c
expect "with a call at the end it shows" 1 'violated: linearizability.*main: get() = 1 T1: inc() T2: inc() .*2x1+1 is the smallest test that fails.*HD_SCENARIO("/ inc() | inc() / get()")' --shape=2x1 -DLISTS stack.c
expect "first calls are there, too" 0 '^holds' --scenario='inc() / get() | get() /' stack.c
expect "a sequence is one entry" 1 'violated: linearizability.*2x2 is the smallest test that fails.*HD_SCENARIO("inc() | inc() get()")' --shape=2x1 -DSEQUENCE stack.c
file fine.c <<'C'
HD_OP(inc) { a++; return HD_VOID; }
HD_OP(get) { return HD_INT(a + b); }
HD_SEQUENCE(both, "inc() get()")
HD_SEQUENCE(many, "inc() inc() inc() inc() inc() inc() inc() inc() inc()")
C
expect "sequences are counted as entries" 0 '^holds.*all 4 tests of 1x1' --shape=1x1 fine.c
# nine calls twice are more than one thread may make
expect "tests that are too long are left out, and that is said" 0 '^holds.*15 tests of 1x2 note: .* note: 1 tests were left out: .*or 16 of one thread' --shape=1x2 fine.c
file other.c <<'C'
HD_OP(inc) { a++; return HD_VOID; }
HD_OP(get) { return HD_INT(a + b); }
HD_SINGLE("inc | get")
HD_SEQUENCE(both, "inc() get()")
C
expect "a sequence for no thread" 2 'other.c:7: "inc() get()": no thread may make all of these calls' other.c
file unknown.c <<<'HD_OP(inc) { a++; b++; return HD_VOID; } HD_FIRST("dec()")'
expect "a first call that is none" 2 'unknown.c:4: "dec()": "dec()" is no declared call; there are: inc()' unknown.c
file threads.c <<<'HD_OP(inc) { a++; b++; return HD_VOID; } HD_LAST("inc() | inc()")'
expect "last calls of two threads" 2 'threads.c:4: "inc() | inc()": these calls are made by one thread' threads.c
file first.c <<<'HD_OP(inc) { a++; b++; return HD_VOID; } HD_FIRST("inc()")'
file second.c <<<'HD_OP(dec) { a--; b--; return HD_VOID; } HD_FIRST("dec()")'
expect "two files say what comes first" 2 'a second HD_FIRST' first.c second.c
# A shape of which no test has held is not among what holds: the consumer of this ring gives a place back too early, which
# needs a third put, and tests of 2x3 are sampled before any of them is explored.
cat >"$work/early.c" <<'C'
#include <heddle.h>
#include <stdatomic.h>
static int place[2];
static atomic_uint taken, put_in;
HD_SINGLE("put | get")
HD_OP(put, int, v, 1, 2)
{
    unsigned i = atomic_load_explicit(&put_in, memory_order_relaxed), next = (i + 1) % 2;
    if (next == atomic_load_explicit(&taken, memory_order_acquire)) return HD_BOOL(0);
    place[i] = v;
    atomic_store_explicit(&put_in, next, memory_order_release);
    return HD_BOOL(1);
}
HD_OP(get)
{
    unsigned i = atomic_load_explicit(&taken, memory_order_relaxed);
    if (i == atomic_load_explicit(&put_in, memory_order_acquire)) return HD_NONE;
    int v = place[i];
    atomic_store_explicit(&taken, (i + 1) % 2, memory_order_relaxed);
    return HD_INT(v);
}
C
got=$("$heddle" check --quiet --no-record "$work/early.c" 2>&1 | tr -s ' \n' ' ')
case $got in
*"these hold: "*" 0 of "*) echo "FAIL lists: what has not held is listed: ${got:0:400}" ;;
*"2x3 is the smallest test that fails; these hold: all 2 tests of 1x1"*) echo "ok lists: a shape of which no test has held" ;;
*) echo "FAIL lists: ${got:0:400}" ;;
esac
# Larger tests are chosen to fit into a limit of half a minute and more, which is then not reached.
treiber=${heddle%/build/heddle}/corpus/classics/treiber_stack.c
expect "a limit that is too short" 3 '^inconclusive.*the time limit of 2 s was reached' --time=2s "$treiber"
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    expect "a limit that tests are chosen for" 0 '^holds.*all 45 tests of 2x2.*random tests of 3x3.*for a check of 32 s were left out; --time=5m' --time=32s "$treiber"
fi

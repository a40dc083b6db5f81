# shellcheck shell=bash disable=SC2016
# heddle check --quasi: calls of main, well-formed tests, explored random numbers, the smallest factor, and who was
# overtaken. Expected values: the factors of the published algorithms (segments of K+1 cells, or K cells, are K, or
# K-1, out of order); the rest is derived by hand beside each case.
heddle=$PWD/build/heddle
"$heddle" check --help >/dev/null 2>&1 || { echo "skip quasi (the tool has no check)"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT

check() { # NAME, what the output must match, arguments
    local name=$1 wanted=$2 got; shift 2
    got=$(timeout 60 "$heddle" "$@" --no-record --quiet 2>&1)
    if grep -Eq -- "$wanted" <<<"$got"; then echo "ok quasi: $name"
    else echo "FAIL quasi: $name: $(head -n 3 <<<"$got" | tr '\n' ' '), expected $wanted: heddle $*"; fi
}
queue=corpus/roundup/segment_queue_check.c

# what main calls
check "one slash" 'takes two, before / threads / after' check --scenario='enq(1) / deq()' $queue
check "slash after a bar" 'before / threads / after' check --scenario='enq(1) | deq() / deq() / deq()' $queue
check "bar after the threads" 'no \| there' check --scenario='/ enq(1) / deq() | deq()' $queue
check "empty thread" 'thread 2 of the scenario makes no call' check --scenario='/ enq(1) | / deq()' $queue
check "shape with main" 'all 10 tests of 2x2\+4' check --model=sc --quasi=deq:1 -DK=1 --shape=2x2+4 $queue
check "shape too large" 'at most 8x16 and 32 calls' check --shape=2x8+17 $queue
check "shape without roles" 'known by its name to put or to take' check --shape=1x1+2 corpus/lineup/barrier_check.c
# 4 puts in 2 threads: 10 kinds of tests (two columns of 2 puts or takes each, without order: 4 * 5 / 2), and each
# makes main take what is missing, so slot has whole runs to compare with
check "tests are made well-formed" '^holds' check --model=sc --quasi=deq:2 --semantics=slot --shape=2x1 --exhaustive $queue

# random numbers
cat >"$out/dice.c" <<'C'
#include <assert.h>
#include <stdlib.h>
int main(void) { int a = rand() % 3, b = rand() % 3; assert(!(a == 2 && b == 1)); return 0; }
C
check "rand explored" '^violated: assertion' run --rand=3 "$out/dice.c"
check "rand within a bound" '^holds' run --rand=2 "$out/dice.c"
check "rand, one other value" '^holds' run --rand=3:1 "$out/dice.c"
check "rand, two other values" '^violated: assertion' run --rand=3:2 "$out/dice.c"
check "rand says its bound" 'rand\(\) gives 0 to 1 only' run --rand=2 "$out/dice.c"
check "rand=3: every pair once" "\"executions\": 9," run --rand=3 --json -DNDEBUG "$out/dice.c"
check "bad rand" 'a number of values from 1 to 1024' run --rand=x "$out/dice.c"

# the smallest factor
smallest() { # factor, arguments: found, and one less is rejected by an execution
    local factor=$1 less json; shift
    less=${factor%:*}:$((${factor#*:} - 1))
    json=$(timeout 100 "$heddle" check --model=sc --quasi=auto --json --no-record --quiet "$@" 2>&1)
    if grep -q "\"quasi\": \"$factor\", \"rejected\": \[{.*\"verdict\": \"violated\".*\"quasi\": \"$less\"}\]" <<<"$json"
    then echo "ok quasi: auto $factor: $*"
    else echo "FAIL quasi: auto, expected $factor: ${json##*remarks}: heddle check --quasi=auto $*"; fi
}
few='enq(1) enq(2) enq(3) / enq(4) | deq() / deq() deq() deq()'
smallest deq:1 -DK=1 --shape=2x1+4 --exhaustive $queue
smallest deq:2 -DK=2 --scenario="$few" $queue
smallest deq:3 -DK=3 --scenario="$few" $queue
# 3 (or 4) is the last that may be taken, and one that is added before it then makes it one place earlier
smallest deqmin:2 --scenario='enq(1) enq(3) / enq(2) | deqmin() / deqmin() deqmin()' corpus/roundup/priority_queue_check.c
smallest deqmin:3 -DK=3 --scenario='enq(1) enq(2) enq(4) / enq(3) | deqmin() / deqmin() deqmin() deqmin()' corpus/roundup/priority_queue_check.c
for k in 2 3; do
    for structure in rd bk ubk; do
        smallest deq:$((k - 1)) -DK=$k --rand=$k:1 --scenario="$few" corpus/scal/${structure}_queue_check.c
    done
    smallest pop:$((k - 1)) -DK=$k -DREPAIRED --rand=1 --preemptions=4 \
        --scenario='push(1) push(2) push(3) / pop() | pop() / pop()' corpus/scal/k_stack_check.c
done
check "auto: linearizable" 'pop:0 is the smallest' check --model=sc --quasi=auto --shape=2x2+4 corpus/roundup/marked_stack_check.c
check "auto: no factor helps" 'no factor is large enough' check --model=sc --quasi=auto -DTWICE --scenario='enq(1) / deq() | deq() /' $queue
check "auto: two groups" 'enq:0, deq:2 are the smallest' check --model=sc --quasi=enq:auto,deq:auto --scenario='enq(1) enq(2) / enq(3) | deq() / deq() deq()' $queue
check "auto: bad factor" 'OPERATION:auto; not "enq:99"' check --quasi=deq:auto,enq:99 $queue

# who was overtaken
frame='enq(1) enq(2) / enq(3) deq() | enq(4) deq() / deq() deq()'
check "overtaken three times" 'element 1 is overtaken 3 times, by 2 .*deq:2 allows 2"' check --json --model=sc --quasi=deq:2 -DFAR --scenario="$frame" $queue
check "taken twice" 'element 1 is put once, by enq\(1\) of main, and taken twice, by deq\(\) of T1 and deq\(\) of T2' \
    check --json --model=sc --quasi=deq:2 -DTWICE --scenario="enq(1) / deq() | deq() /" $queue
check "too early" 'element 3 is taken by deq\(\) of T1 before 1 .* and 2 .*number 1 of deq, and would be number 3' \
    check --json --model=sc --quasi=deq:1 --scenario="enq(1) enq(2) enq(3) / deq() /" $queue
check "found nothing" 'finds nothing before' check --json --model=sc --quasi=pop:2 -DGIVES_UP \
    --scenario='push(1) push(2) / push(3) pop() | push(4) pop() / pop() pop()' corpus/roundup/marked_stack_check.c
# Round-Up, section VI.D: the same item is added to the stack twice, although push is executed once
check "k-stack" 'element ([0-9]) is put once, by push\(\1\) of T1, and taken twice, by pop\(\) of T2 and pop\(\) of main' check --model=sc \
    --json --rand=1 --preemptions=5 -DK=2 --quasi=pop:2 \
    --scenario='push(1) push(2) push(3) pop() / push(4) | pop() / pop() pop() pop() pop()' corpus/scal/k_stack_check.c

check "counted pointers are readable" 'cas [a-z]+#[0-9]+\.cells\[[01]\]: .*[0-9], tag [0-9]' check --model=sc --ascii --rand=1 --preemptions=5 -DK=2 \
    --quasi=pop:2 --scenario='push(1) push(2) push(3) pop() / push(4) | pop() / pop() pop() pop() pop()' corpus/scal/k_stack_check.c

# Definition 4: without enq in a group its order is not compared, so any order of takes is allowed
check "def4" '^holds' check --model=sc --quasi=deq:0 --semantics=def4 --scenario="$frame" $queue
check "def4, both groups" '^violated' check --model=sc --quasi=enq:0,deq:1 --semantics=def4 --scenario="$frame" $queue
check "def4, factor 2" '^holds' check --model=sc --quasi=enq:0,deq:2 --semantics=def4 --scenario="$frame" $queue
check "def4, calls that may fail" '^heddle: def4 does not say' check --model=sc --quasi=deq:1 --semantics=def4 --may-fail=auto --scenario="$frame" $queue
check "def4 under rc11" 'needs --model=sc' check --quasi=deq:1 --semantics=def4 --scenario="$frame" $queue
# a test of whole runs stays well-formed while it is made smaller: three elements are needed to overtake one twice
check "smaller but well-formed" '"smallest": "1x2\+4"' check --json --model=sc --quasi=deq:1 --semantics=slot --scenario="$frame" $queue

# golden code, around which main makes calls as well
cat >"$out/golden_check.c" <<C
#include <heddle.h>
#include "$PWD/corpus/roundup/segment_queue.h"
static struct queue q;
static int items[8], first, end;
HD_INIT { queue_init(&q); }
HD_OP(enq, int, v, 1, 2, 3, 4) { queue_enqueue(&q, v); return HD_VOID; }
HD_OP(deq) { int v; return queue_dequeue(&q, heddle_choose(CELLS), &v) ? HD_INT(v) : HD_NONE; }
HD_GOLDEN_INIT { first = end = 0; }
HD_GOLDEN(enq, int, v) { items[end++] = v; return HD_VOID; }
HD_GOLDEN(deq) { return first < end ? HD_INT(items[first++]) : HD_NONE; }
C
check "golden code, factor 2" '^holds' check --model=sc --quasi=deq:2 --scenario="$frame" "$out/golden_check.c"
check "golden code, factor 1" '^violated' check --model=sc --quasi=deq:1 --scenario="$frame" "$out/golden_check.c"
check "golden code, auto" 'deq:2 is the smallest' check --model=sc --quasi=auto --scenario='enq(1) enq(2) / enq(3) | deq() / deq() deq()' "$out/golden_check.c"

# The examples of heddle-quasi(7), as recorded histories. + is a put, - a take.
history() { # factors, run
    local call
    for call in $2; do
        case $call in
        +*) echo "{\"process\":1,\"type\":\"call\",\"op\":\"enq\",\"args\":[${call#+}]}"
            echo "{\"process\":1,\"type\":\"return\",\"result\":null}" ;;
        -*) echo "{\"process\":1,\"type\":\"call\",\"op\":\"deq\",\"args\":[]}"
            echo "{\"process\":1,\"type\":\"return\",\"result\":${call#-}}" ;;
        esac
    done >"$out/history.jsonl"
    for semantics in kooo slot def4; do
        timeout 20 "$heddle" history --spec=fifo --quasi="$1" --semantics=$semantics "$out/history.jsonl" >/dev/null 2>&1
        case $? in 0) printf 'yes ' ;; 1) printf 'no ' ;; *) printf 'error ' ;; esac
    done
}
example() { # factors, run, expected
    local got; got=$(history "$1" "$2")
    if [ "$got" = "$3 " ]; then echo "ok quasi: manual: $2"
    else echo "FAIL quasi: manual: $1, $2: kooo, slot, def4: $got, expected $3"; fi
}
example enq:0,deq:1 '+1 +2 +3 -2 -1 -3' 'yes yes yes'
example enq:0,deq:1 '+1 +2 +3 -1 -3 -2' 'yes yes yes'
example enq:0,deq:1 '+1 +2 +3 -3 -1 -2' 'no no no'
example enq:0,deq:1 '+1 +2 +3 -2 -3 -1' 'no no no'
example enq:0,deq:1 '+1 +2 +3 +4 -3 -2 -1 -4' 'no no no'
example enq:0,deq:1 '+1 +2 -2' 'yes no no'
example enq:0,deq:1 '+1 -2 +2 -1' 'no yes yes'
example enq:0,deq:0 '-1 +1' 'no no yes'

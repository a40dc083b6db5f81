# shellcheck shell=bash disable=SC2016
# builds: kept
# check under rc11 by the states of rc11 itself (guest/states/views, doc/proofs/views.md): random operations in mixed
# orders and the classics, each test decided by these states and by executions (HEDDLE_DEBUG=states=views); and threads
# that call for ever, right and with one order weakened at some calls.
# HEDDLE_NIGHTLY=1: many more.
heddle=$PWD/build/heddle orders=$PWD/tests/check_twin/orders.h
[ -x "$heddle" ] || { echo "skip views: build/heddle is not there"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-gcc} -O2 -o "$out/twin" tests/check_twin/twin.c || { echo "FAIL views: twin.c does not compile"; exit 1; }
export heddle orders out

both() { # NAME LEAST WORDS...: decided both ways with one answer; LEAST tests at least by states
    local name=$1 least=$2 got count
    shift 2
    got=$(HEDDLE_DEBUG=states=views timeout 120 "$heddle" check --model=rc11 --jobs=1 --quiet --no-record "$@" 2>&1 | tr -s ' \n' ' ')
    count=$(sed -n 's/.* \([0-9]*\) were decided both ways, with the same answer.*/\1/p' <<<"$got")
    if [ "${count:-0}" -ge "$least" ] && [[ $got != *"internal error"* ]]; then echo "ok views $name: ${count:-0} tests both ways"
    else echo "FAIL views $name: ${got:0:300}"; fi
}
random() { # SEED
    "$out/twin" "$1" "$out/$1.c" >/dev/null
    both "seed $1" 1 -include "$orders" "-DSEED=$1" "$out/$1.c"
    rm -f "$out/$1.c"
}
for_ever() { # WORDS, EXPECTED: two threads that call for ever
    local got
    # shellcheck disable=SC2086
    got=$(timeout 60 "$heddle" check --unbounded=2 --model=rc11 --time=30s --quiet --no-record --no-repair $1 tests/unbounded/rc11/calls.c 2>&1 | tr -s ' \n' ' ')
    case "$2: $got" in
    "holds: holds: "*"states of rc11 itself"* | "violated race: violated: race"*) echo "ok views for ever $1" ;;
    *) echo "FAIL views for ever $1: ${got:0:300}" ;;
    esac
}
export -f both random for_ever
most=24; [ -z "${HEDDLE_NIGHTLY:-}" ] || most=2000
seq 1 $most | xargs -P2 -I{} bash -c 'random "$1"' _ {}
both treiber_stack 6 --shape=2x2 --samples=6 corpus/classics/treiber_stack.c
both michael_scott_queue 6 --shape=2x2 --samples=6 corpus/classics/michael_scott_queue.c
both harris_michael_list 8 --shape=2x2 --samples=8 corpus/classics/harris_michael_list.c
grep '^// run:' tests/unbounded/rc11/calls.c | sed 's|^// run: ||; s| => |\n|' | xargs -P2 -d '\n' -n2 bash -c 'for_ever "$1" "$2"' _
# with one value of each variable nothing is stored while somebody may read the old one: the answer says so
got=$("$heddle" check --unbounded=2 --model=rc11 --messages=1 --quiet --no-record -DLOCK tests/unbounded/rc11/calls.c 2>&1 | tr -s ' \n' ' ')
if [[ $got == "holds: "*"at most 1 values of a place that some thread may still read"* ]]; then echo "ok views --messages=1"
else echo "FAIL views --messages=1: ${got:0:300}"; fi

# shellcheck shell=bash disable=SC2016
# heddle check under rc11, tso and pso: which real-time orders a client could add, decided in the fast way and, for every
# question and for sets of edges at random (HEDDLE_DEBUG=check-edges), by matrices and by the axioms; on random tests with
# random memory orders and fences, on parts of litmus tests, and on a few structures. Without it answers are
# remembered from graph to graph: the verdict must be the same. HEDDLE_NIGHTLY=1 makes many more.
# builds: kept with oracle
heddle=$PWD/build/heddle shapes=$PWD/tests/check_twin/shapes.c
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
cp tests/check_twin/litmus.awk "$out"
export heddle out shapes

agree() { # MODEL NAME ARGUMENTS...: a disagreement is an internal error, status 4
    local model=$1 name="$2 under $1" output plain status; shift 2
    output=$(HEDDLE_DEBUG=check-edges timeout 100 "$heddle" check --quiet --no-record --no-repair --time=40s --model="$model" "$@" 2>&1); status=$?
    plain=$(timeout 100 "$heddle" check --quiet --no-record --no-repair --time=40s --model="$model" "$@" 2>&1)
    case $status in
    0 | 1) if [ "${output%%:*}" = "${plain%%:*}" ]; then echo "ok check_edges $name: ${output%%:*}"
           else echo "FAIL check_edges $name: ${output%%:*}, but with what is remembered ${plain%%:*}"; fi ;;
    3) echo "skip check_edges $name: ${output:0:200}" ;; # too large for its time
    *) echo "FAIL check_edges $name: exit status $status: $output" ;; esac
}
run_seed() {
    awk -v seed="$1" -f "$out/litmus.awk" >"$out/$1.c"
    agree rc11 "seed $1" "$out/$1.c"
    agree tso "seed $1" "$out/$1.c"
    [ $(($1 % 3)) -ne 0 ] || agree pso "seed $1" "$out/$1.c"
    rm -f "$out/$1.c"
}
# Places that are a word and its halves: graphs are asked of whole locations, the axioms of bytes. Under rc11 only the axioms
# are asked; an answer that goes less far is skipped.
run_parts() {
    awk -v seed="$1" -v parts=1 -f "$out/litmus.awk" >"$out/parts$1.c"
    for model in rc11 tso pso; do agree $model "parts, seed $1" "$out/parts$1.c"; done
    rm -f "$out/parts$1.c"
}
# Words of which only a half is stored: loads of the word give what loads of the half do, in every model.
run_halves() {
    local model one two
    awk -v seed="$1" -v parts=2 -f "$out/litmus.awk" >"$out/wide$1.c"
    awk -v seed="$1" -v parts=3 -f "$out/litmus.awk" >"$out/narrow$1.c"
    for model in rc11 tso; do
        one=$(timeout 100 "$heddle" check --quiet --no-record --time=40s --model=$model "$out/narrow$1.c" 2>&1)
        two=$(timeout 100 "$heddle" check --quiet --no-record --time=40s --model=$model "$out/wide$1.c" 2>&1)
        if [ "${one%%:*}" = "${two%%:*}" ]; then echo "ok check_edges halves, seed $1 under $model: ${one%%:*}"
        elif [ "${two%%:*}" = inconclusive ] && [ $model = rc11 ]; then echo "ok check_edges halves, seed $1 under $model: goes less far"
        else echo "FAIL check_edges halves, seed $1 under $model: ${two%%:*}, with loads of halves ${one%%:*}"; fi
    done
    rm -f "$out/wide$1.c" "$out/narrow$1.c"
}
run_shape() { # MODEL SET SHAPE SAMPLES
    agree "$1" "$2 of $3" --shape="$3" --samples="$4" -D"$2" "$shapes"
}
export -f agree run_seed run_parts run_halves run_shape
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    seq 1 1000 | xargs -P2 -I{} bash -c 'run_seed "$1"' _ {}
    seq 1 1000 | xargs -P2 -I{} bash -c 'run_parts "$1"' _ {}
    seq 1 1000 | xargs -P2 -I{} bash -c 'run_halves "$1"' _ {}
    for set in FENCES LOCKED MIXED; do for model in rc11 tso pso; do
        echo "$model $set 5x1 60"; echo "$model $set 4x1 500"; echo "$model $set 3x2 60"; echo "$model $set 2x3 60"
    done; done | xargs -P2 -L1 bash -c 'run_shape "$@"' _
else
    seq 1 4 | xargs -P2 -I{} bash -c 'run_seed "$1"' _ {}
    seq 1 3 | xargs -P2 -I{} bash -c 'run_halves "$1"' _ {}
    xargs -P2 -L1 bash -c 'run_shape "$@"' _ <<'END'
rc11 FENCES 5x1 8
rc11 FENCES 3x2 8
tso FENCES 3x2 8
rc11 LOCKED 4x1 8
tso LOCKED 4x1 15
tso LOCKED 3x2 4
rc11 MIXED 4x1 15
rc11 MIXED 3x2 8
tso MIXED 3x2 15
pso FENCES 3x2 4
pso LOCKED 3x2 4
pso MIXED 3x2 8
END
fi
# Independent reads of independent writes, the first reader's calls put in order by the client: fences forbid it.
agree rc11 "reads of two writes" --scenario='wx() | wy() | rx() | fry() | ry() frx()' -DFENCES "$shapes"
# Store buffering with seq_cst accesses, a thread cut in two: by happens-before that leaves and arrives by program order
# to other places, that of the client, of the operations, or on one place only; or by program order alone.
for scenario in 'wxs() | rys() | wys() rxs()' 'wxsz() | rzys() | wys() | rxs()' 'wxs() | rys() | wyrxs()' \
    'wys() | rya() | rys() rxs() | wxs() rys() | wy()'; do
    agree rc11 "store buffering $scenario" --scenario="$scenario" -DMIXED "$shapes"
done
agree rc11 "Treiber's stack" --shape=2x2 --samples=4 corpus/classics/treiber_stack.c
agree tso "Treiber's stack" --shape=2x2 --samples=4 corpus/classics/treiber_stack.c
agree pso "Treiber's stack" --shape=2x2 --samples=4 corpus/classics/treiber_stack.c
agree rc11 "Chase and Lev's deque" --shape=2x2 --samples=4 corpus/classics/chase_lev_deque.c
agree tso "Chase and Lev's deque" --shape=2x2 --samples=4 corpus/classics/chase_lev_deque.c
agree rc11 "seqlock" --shape=2x2 --samples=4 corpus/classics/seqlock_register.c

# A client's edges are no way around "no thin air": get = 1 comes from pass, that from set, so that set can't be
# called after get has returned. The only serial order of get = 1, pass = 1 is set, pass, get.
cat >"$out/pass.c" <<'END'
#include <heddle.h>
#include <stdatomic.h>
static atomic_int x, y;
HD_OP(get) { return HD_INT(atomic_load_explicit(&x, memory_order_relaxed)); }
HD_OP(set) { atomic_store_explicit(&y, 1, memory_order_relaxed); return HD_INT(0); }
HD_OP(pass)
{
    int seen = atomic_load_explicit(&y, memory_order_relaxed);
    if (seen) atomic_store_explicit(&x, 1, memory_order_relaxed);
    return HD_INT(seen);
}
HD_SCENARIO("get() | pass() | set()")
END
output=$("$heddle" check --quiet --no-record --model=rc11 "$out/pass.c" 2>&1)
case $output in holds:*) echo "ok check_edges out of thin air" ;; *) echo "FAIL check_edges out of thin air: $output" ;; esac
# a violation after a load that raced: its value must not stay in memory for the next execution
for model in tso pso; do agree $model "peterson's lock" tests/unbounded/peterson.c; done

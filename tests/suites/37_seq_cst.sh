# shellcheck shell=bash disable=SC2016
# builds: kept
# rc11 decided by the states of sc where all races are between seq_cst accesses (guest/states/strong.h,
# doc/proofs/seq_cst_races.md): random structures and copies of the classics with seq_cst orders, each test decided both
# ways, by those states and by the executions of rc11; and the accesses that must prevent it. HEDDLE_NIGHTLY=1: many more.
heddle=$PWD/build/heddle
[ -x "$heddle" ] || { echo "skip seq_cst: build/heddle is not there"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-gcc} -O2 -o "$out/twin" tests/check_twin/twin.c && ${CC:-gcc} -O2 -o "$out/features" tests/unbounded/twin/features.c ||
    { echo "FAIL seq_cst: the generators do not compile"; exit 1; }
export heddle out
strengthen='s/memory_order_(relaxed|consume|acquire|release|acq_rel)/memory_order_seq_cst/g; s/__ATOMIC_(RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL)/__ATOMIC_SEQ_CST/g'

both() { # NAME LEAST WORDS...: decided both ways with one answer; LEAST tests at least by states
    local name=$1 least=$2 got count
    shift 2
    got=$(cd "$out" && HEDDLE_DEBUG=states=both timeout 120 "$heddle" check --model=rc11 --jobs=1 --quiet --no-record "$@" 2>&1 | tr -s ' \n' ' ')
    count=$(sed -n 's/.* \([0-9]*\) were decided both ways, with the same answer.*/\1/p' <<<"$got")
    if [ "${count:-0}" -ge "$least" ] && [[ $got != *"internal error"* && $got != *"does not compile"* ]]; then echo "ok seq_cst $name: ${count:-0} tests both ways"
    else echo "FAIL seq_cst $name: ${got:0:300}"; fi
}
random() { # GENERATOR SEED: of features every fourth one is C++
    local file=$1$2.c
    [ "$1" = twin ] || [ $(($2 % 4)) != 0 ] || file=$1$2.cpp
    "$out/$1" "$2" "$out/$file" >/dev/null && sed -E -i "$strengthen" "$out/$file" && both "$1 $2" 0 --shape=2x2 --time=20s "$file"
    rm -f "${out:?}/$file"
}
export -f both random
export strengthen
most=${HEDDLE_NIGHTLY:+500}
{ seq -f 'twin %g' "${most:-16}"; if [ -n "$most" ]; then seq -f 'features %g' "$most"; else printf 'features %d\n' 1 2 3 4 5 6 8; fi; } | xargs -P2 -L1 bash -c 'random "$1" "$2"' _
for file in corpus/classics/*.[ch]; do sed -E "$strengthen" "$file" >"$out/${file##*/}"; done
both treiber_stack 10 --shape=2x2 --samples=12 treiber_stack.c
both michael_scott_queue 6 --shape=2x2 --samples=8 michael_scott_queue.c
both harris_michael_list 6 --shape=2x2 --samples=8 harris_michael_list.c

# --- what prevents it: each of these accesses, and nothing else, in two threads that call for ever; the states of rc11
# itself (37_views) decide then, or refuse
prevented() { # NAME, VERDICT and whose states say so, STATEMENT: of a test file whose other accesses are seq_cst
    local got
    cat >"$out/prevented.c" <<END
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static union { atomic_int whole; atomic_short half[2]; } u;
static volatile int v;
static int plain;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
HD_OP(set) { $3; atomic_fetch_xor(&x, 1); return HD_VOID; }
HD_OP(look) { int r = atomic_load(&x); (void)r; return HD_VOID; }
END
    got=$(timeout 60 "$heddle" check --unbounded=2 --model=rc11 --quiet --no-record --no-repair "$out/prevented.c" 2>&1 |
        sed -nE '1s/:.*//p; s/.*decided by the (states of (sc|rc11)).*/\1/p' | tr '\n' ' ')
    if [ "${got% }" = "$2" ]; then echo "ok seq_cst prevented: $1"; else echo "FAIL seq_cst prevented: $1: $got"; fi
}
prevented nothing 'holds states of sc' 'atomic_store(&x, 1)'
prevented mutex 'holds states of sc' 'pthread_mutex_lock(&m); plain ^= 1; pthread_mutex_unlock(&m)'
prevented relaxed_load 'holds states of rc11' 'atomic_load_explicit(&x, memory_order_relaxed)'
prevented release_store 'holds states of rc11' 'atomic_store_explicit(&x, 1, memory_order_release)'
prevented acquire_exchange 'holds states of rc11' 'atomic_exchange_explicit(&x, 1, memory_order_acq_rel)'
prevented weaker_failure 'holds states of rc11' 'int e = 2; atomic_compare_exchange_strong_explicit(&x, &e, 3, memory_order_seq_cst, memory_order_acquire)'
prevented volatile 'holds states of rc11' 'v = 1'
prevented trylock 'holds states of rc11' 'if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m)'
prevented sizes inconclusive 'atomic_store(&u.whole, 0); atomic_store(&u.half[1], 0)'
prevented plain_race violated 'plain = 1'

# --- threads that call for ever, as their own rows (// run:) have them hold under sc: the same states
while read -r file words; do
    # shellcheck disable=SC2086
    for model in rc11 sc; do
        timeout 60 "$heddle" check --unbounded $words --model=$model --json --quiet --no-record "tests/unbounded/$file" | awk -v keys="verdict model states" -f tests/json.awk
    done >"$out/for_ever"
    mapfile -t got <"$out/for_ever"
    if [[ ${got[0]} == $'holds\trc11\t'[1-9]* ]] && [ "${got[0]/rc11/sc}" = "${got[1]}" ]; then echo "ok seq_cst for ever: $file"
    else echo "FAIL seq_cst for ever: $file: ${got[*]}"; fi
done <<'ROWS'
back_off.c --unbounded=2
list_set.c
long_way.c --elements=3
ms_queue.c --lag=2 --elements=2
returned.c
seqlock.c -DTICKETS --lag=3
tas_lock.c --unbounded=3
ticket_lock.c --unbounded=3
treiber_stack.c --elements=2
tree_set.cpp
two_lock_queue.c --elements=2
vyukov_ring.c -DROLES --elements=2
ROWS

# --- threads that loop for ever under rc11 with weaker orders, by the states of rc11 itself (guest/states/views): what holds
# is textbook; each order weakened once is a race that only weak memory shows
for_ever() { # WORDS, EXPECTED
    local got
    # shellcheck disable=SC2086
    got=$("$heddle" run --unbounded --model=rc11 --quiet --no-record --no-repair --time=20s $1 2>&1 | tr -s ' \n' ' ')
    if [[ $got == $2 ]]; then echo "ok for ever $1"; else echo "FAIL for ever $1: ${got:0:300}"; fi
}
cd tests/unbounded/rc11 || exit
for_ever handover.c "holds: *it may run for ever; no thread waits for ever*states of rc11 itself*"
for_ever tas.c "holds: *at most 4 values of a place*"
for_ever flags.c "holds: *at most 4 values of a place*"
for_ever "handover.c -DSET=memory_order_relaxed" "violated: race*"
for_ever "tas.c -DREL=memory_order_relaxed" "violated: race*"
for_ever "tas.c -DACQ=memory_order_relaxed" "violated: race*"
for_ever "flags.c -DFENCE=memory_order_acq_rel" "violated: race*"

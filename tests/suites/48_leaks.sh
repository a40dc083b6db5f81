# --leaks=error: an execution that ends with memory that nothing points to is a violation; without it a note.
# Random texts of tests/leaks against all their interleavings; what points to memory, kind by kind.
# builds: kept
. tests/share.sh
heddle=$PWD/build/heddle; seed=${HEDDLE_SEED:-$((RANDOM + 1))}
[ -x "$heddle" ] || { echo "skip leaks: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cc -std=c17 -D_GNU_SOURCE -O1 -o "$work/twin" tests/leaks/twin.c || exit 2
cp tests/leaks/slots.c "$work"; cd "$work" || exit 2
count=${LEAKS:-$([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 1000 || echo 24)} models=(rc11 sc tso) number=0 bad=0 lost=0
while read -r text want; do
    number=$((number + 1)) model=${models[number % 3]} place=
    [ $((number % 4)) != 0 ] || place=-DSLOTS_IN_HEAP
    [ $((number % 5)) != 0 ] || place="$place --no-reductions"
    # shellcheck disable=SC2086
    timeout 100 "$heddle" run -q --leaks=error --model=$model --no-record --no-repair "-DTEXT=\"$text\"" $place slots.c >out 2>&1; got=$?
    lost=$((lost + want))
    [ $got = "$want" ] && { [ $got = 0 ] || grep -q '^violated: leak' out; } && continue
    bad=$((bad + 1))
    echo "FAIL leaks: $text: $got, not $want: heddle run --leaks=error --model=$model -DTEXT=\\\"$text\\\" $place tests/leaks/slots.c (seed $seed)"
done < <(./twin "$count" "$seed")
[ $bad = 0 ] && echo "ok leaks: $number random texts, $lost of them lose something"
cat >kinds.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static void *global;
static _Atomic(uintptr_t) tagged;
static _Thread_local void *local;
static void *work(void *p)
{
    KIND;
    return p;
}
int main(void)
{
    pthread_t t;
    void *here = malloc(24);
    pthread_create(&t, 0, work, here);
    pthread_join(t, 0);
    (void)global, (void)local;
#ifdef END
    END;
#endif
}
C
kind() { # STATUS KIND END [WORDS...]
    local status=$1 kind=$2 end=$3 got; shift 3
    "$heddle" run -q --leaks=error --no-record --no-repair "-DKIND=$kind" "-DEND=$end" "$@" kinds.c >out 2>&1; got=$?
    [ $got = "$status" ] && echo "ok leaks: $kind; $end" || echo "FAIL leaks: $kind; $end: $got, not $status: $(head -n 3 out)"
}
kind 1 '' 'return 0'
kind 0 'free(p)' 'return 0'
kind 0 'global = p' 'return 0'
kind 0 'global = (char *)p + 23' 'return 0'
kind 1 'global = (char *)p + 24' 'return 0'
kind 1 'global = p' 'global = NULL'
kind 0 'atomic_store(&tagged, (uintptr_t)p | 1)' 'return 0'
kind 0 'atomic_store(&tagged, (uintptr_t)p | UINT64_C(7) << 48)' 'return 0'
kind 1 'atomic_store(&tagged, ~(uintptr_t)p)' 'return 0'
kind 1 'atomic_store(&tagged, (uintptr_t)p); atomic_store(&tagged, 0)' 'return 0'
kind 1 'local = p' 'return 0'
kind 0 '' 'local = here'
kind 0 '' 'exit(0)'
kind 0 '' '_Exit(0)'
kind 0 'void **q = malloc(16); q[1] = p; global = q' 'return 0'
kind 1 'void **q = malloc(16); q[1] = p; p = q' 'return 0'
kind 1 'void **q = p; q[0] = q' 'return 0' # a ring that nothing leads to
# the message names the object, the record shows it again, a note stays a note
"$heddle" run -q --leaks=error --no-repair -DKIND= --record=leak.heddle kinds.c >out 2>&1
grep -q 'block#1 (24 bytes) is never freed, and nothing points to it any more' out && "$heddle" replay -q leak.heddle | grep -q '^violated: leak' && echo "ok leaks: shown again" || echo "FAIL leaks: shown again: $(cat out)"
for policy in note ignore; do
    "$heddle" run -q --leaks=$policy --no-record -DKIND= '-DEND=return 0' kinds.c >out 2>&1; got=$?
    [ "$got $(grep -c 'a leak: 1 object' out)" = "0 $([ $policy = note ] && echo 1 || echo 0)" ] && echo "ok leaks: $policy" || echo "FAIL leaks: $policy: $got $(cat out)"
done
"$heddle" run --leaks=maybe kinds.c >out 2>&1; [ $? = 2 ] && grep -q 'note, error or ignore' out && echo "ok leaks: policies" || echo "FAIL leaks: policies: $(cat out)"

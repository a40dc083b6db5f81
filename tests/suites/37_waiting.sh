# Loops that wait or retry: what looking for them costs, and what is not explored because of them.
[ -x build/heddle ] || { echo "skip waiting: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
say() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "FAIL $2: $3"; fi; }
run() { build/heddle run --quiet --no-record --jobs=1 "$@" 2>&1; }
field() { awk -v keys="$1" -f tests/json.awk; }

# --- a loop that counts costs the same in each round: four times the rounds, four times the time (16 if it
# were quadratic); a reader of n rounds beside one store has n + 1 executions
cat >"$work/rounds.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static int sum;
static void *write_once(void *a) { atomic_store_explicit(&x, 1, memory_order_relaxed); return a; }
static void *read_often(void *a)
{
    int s = 0;
    for (int i = 0; i < N; i++)
        s += atomic_load_explicit(&x, memory_order_relaxed);
    sum = s;
    return a;
}
int main(void)
{
    pthread_t w, r;
    if (WRITERS)
        pthread_create(&w, 0, write_once, 0);
    pthread_create(&r, 0, read_often, 0);
    if (WRITERS)
        pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
C
alone() { run --json --loop-bound=10000 -DWRITERS=0 -DN="$1" "$work/rounds.c" | field "executions cpu_seconds"; }
few=$(alone 1900); many=$(alone 7600)
awk -v few="${few#*$'\t'}" -v many="${many#*$'\t'}" 'BEGIN { exit !(many < 10 * few + 0.05) }'
say $? "a loop that counts: time" "1900 rounds $few, 7600 rounds $many (executions, seconds)"
got=$(run --json --loop-bound=10000 -DWRITERS=1 -DN=150 "$work/rounds.c" | field "verdict executions blocked")
[ "$got" = holds$'\t'151$'\t'0 ]; say $? "a loop that counts: executions" "$got"

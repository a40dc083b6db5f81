#!/usr/bin/env bash
# One long execution: processor time an event (an access, for plain ones) at growing lengths, of the exploration
# alone, best of several runs. It should not grow.
set -u
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
runs=${HEDDLE_BENCH_RUNS:-5}
head='#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y; static int z[64]; static volatile int v[2]; static atomic_int many[8000];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) void plain(int *p, int i) { p[i & 63] += i; }
'
two='int main(void) { pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }'
one='int main(void) { f(0); return 0; }'
printf '%-40s %8s %8s %10s %8s\n' program rounds events 'CPU ms' 'us each'
while IFS='|' read -r name threads events rounds body; do
    main=$one; [ "$threads" = 1 ] || main=$two
    echo "$head static void *f(void *me) { (void)me; for (int i = 0; i < N; i++) { $body; } return 0; } $main" >"$work/long.c"
    for n in $rounds; do
        least=$(for _ in $(seq "$runs"); do
            timeout 60 build/heddle run --json --no-record --schedules=20 "-DN=$n" "$work/long.c" 2>/dev/null |
                sed -n 's/.*"cpu_seconds": \([0-9.e-]*\).*/\1/p'
        done | sort -g | head -n 1)
        awk -v p="$name" -v n="$n" -v e=$((n * events * threads)) -v c="${least:-0}" \
            'BEGIN{printf "%-40s %8d %8d %10.2f %8.3f\n", p, n, e, c * 1e3 / 20, c * 1e6 / 20 / e}'
    done
done <<'ROWS'
2 threads, relaxed RMW|2|2|300 1000 3000|atomic_fetch_add_explicit(&x, 1, memory_order_relaxed)
2 threads, relaxed RMW, sc store, load|2|4|300 1000 1900|atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); atomic_store(&y, i); atomic_load(&y)
2 threads, relaxed store, load|2|2|300 1000 3000|atomic_store_explicit(&x, i, memory_order_relaxed); atomic_load_explicit(&x, memory_order_relaxed)
2 threads, mutex|2|3|300 1000 2000|pthread_mutex_lock(&m); z[0]++; pthread_mutex_unlock(&m)
2 threads, volatile, each its own|2|2|300 1000 3000|v[(long)me] = v[(long)me] + 1
1 thread, relaxed loads, all different|1|1|1000 3000 7900|atomic_load_explicit(&many[i], memory_order_relaxed)
1 thread, plain|1|2|10000 100000 1000000|plain(z, i)
ROWS

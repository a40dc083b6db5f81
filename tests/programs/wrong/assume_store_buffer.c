// expect: violated assertion
// Both threads may read 0, where accesses are relaxed.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen;

static void *other(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    seen = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    int mine = atomic_load_explicit(&y, memory_order_relaxed);
    pthread_join(thread, NULL);
    heddle_assume(!mine);
    heddle_assume(!seen);
    assert(!"both read 0");
}

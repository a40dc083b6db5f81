/* Violations behind thousands of events: they are judged again in time that grows with their number. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int d;
static void *work(void *unused)
{
    for (int i = 0; i < N; i++)
        atomic_store_explicit(&x, i, memory_order_relaxed);
    d = 1;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return unused;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    if (RACE && atomic_load_explicit(&y, memory_order_relaxed))
        d = 2;
    pthread_join(a, 0);
    assert(RACE || d != 1);
}

// expect: holds
// Load buffering: RC11 has no values out of thin air, and no cycle of po and rf at all.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
static void *left(void *arg)
{
    a = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return arg;
}
static void *right(void *arg)
{
    b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!(a && b));
    return 0;
}

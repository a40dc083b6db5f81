// expect: holds
// Even relaxed reads of one location never go back in its coherence order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *writer(void *arg)
{
    for (int i = 1; i <= 3; i++)
        atomic_store_explicit(&x, i, memory_order_relaxed);
    return arg;
}
static void *reader(void *arg)
{
    int a = atomic_load_explicit(&x, memory_order_relaxed);
    int b = atomic_load_explicit(&x, memory_order_relaxed);
    assert(a <= b);
    return arg;
}
int main(void)
{
    pthread_t t, u, v;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_create(&v, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    return 0;
}

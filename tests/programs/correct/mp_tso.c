// expect: holds
// args: --model=tso
// executions: 2
// Message passing with relaxed stores: tso keeps the order of stores, so that of the four ways to read only
// flag = 1, data = 0 is left out; data is read only after flag = 1.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void *writer(void *x)
{
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
    pthread_join(t, 0);
    return 0;
}

// expect: violated assertion
// args: --model=pso
// Message passing with relaxed stores to two locations: right under tso, wrong under pso, whose stores to
// different locations reach memory in any order.
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

// expect: holds
// args: --model=pso
// executions: 4
// Two ways to keep the order of stores under pso: a release fence between them, and a release store. The flags
// are read independently, data only after flag = 1, which determines it: 2 x 2 ways to read.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data[2];
static atomic_int flag[2];
static void *writer(void *x)
{
    data[0] = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag[0], 1, memory_order_relaxed);
    return x;
}
static void *other(void *x)
{
    data[1] = 42;
    atomic_store_explicit(&flag[1], 1, memory_order_release);
    return x;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, writer, 0);
    pthread_create(&t, 0, other, 0);
    for (int i = 0; i < 2; i++)
        if (atomic_load_explicit(&flag[i], memory_order_acquire))
            assert(data[i] == 42);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}

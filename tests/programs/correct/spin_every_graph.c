// expect: holds
// args: --no-reductions
// Every consistent graph is visited, and still a loop that only waits ends: by loads, by exchanges of a lock, and by a
// compare-exchange that tries again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, lock, turns;
static int data;

static void take(void)
{
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
        ;
    data++;
    atomic_store_explicit(&lock, 0, memory_order_release);
}

static void *first(void *arg)
{
    take();
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void *second(void *arg)
{
    int zero = 0;
    take();
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    while (!atomic_compare_exchange_weak(&turns, &zero, 1))
        zero = 0;
    assert(data == 2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

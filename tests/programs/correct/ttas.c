// expect: holds
// Test-and-test-and-set lock; nothing tells the checker that these are spin loops.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int x;
static void *work(void *arg)
{
    do
        while (atomic_load_explicit(&lock, memory_order_relaxed))
            ;
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire));
    x++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(x == 3);
    return 0;
}

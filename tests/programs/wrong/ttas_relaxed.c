// expect: violated race
// The exchange that takes the lock does not acquire.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int x;
static void *work(void *arg)
{
    do
        while (atomic_load_explicit(&lock, memory_order_relaxed))
            ;
    while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed));
    x++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

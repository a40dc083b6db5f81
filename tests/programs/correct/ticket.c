// expect: holds
// Ticket lock, three threads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint next, owner;
static int x;
static void *work(void *arg)
{
    unsigned me = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&owner, memory_order_acquire) != me)
        ;
    x++;
    atomic_store_explicit(&owner, me + 1, memory_order_release);
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

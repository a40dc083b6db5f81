// expect: violated race
// Ticket lock whose waiting load does not acquire.
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint next, owner;
static int x;
static void *work(void *arg)
{
    unsigned me = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&owner, memory_order_relaxed) != me)
        ;
    x++;
    atomic_store_explicit(&owner, me + 1, memory_order_release);
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

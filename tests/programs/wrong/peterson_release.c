// expect: violated race
// Peterson's lock with release and acquire only: both threads can enter.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int want[2], turn;
static int x;
static void *work(void *arg)
{
    int me = (int)(long)arg;
    atomic_store_explicit(&want[me], 1, memory_order_release);
    atomic_store_explicit(&turn, !me, memory_order_release);
    while (atomic_load_explicit(&want[!me], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == !me)
        ;
    x++;
    atomic_store_explicit(&want[me], 0, memory_order_release);
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, (void *)0);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

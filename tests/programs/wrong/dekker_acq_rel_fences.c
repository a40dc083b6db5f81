// expect: violated race
// Dekker's entry protocol with acquire-release fences: they do not order a store before a load.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int want[2];
static int x;
static void *work(void *arg)
{
    int me = (int)(long)arg;
    atomic_store_explicit(&want[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_acq_rel);
    if (!atomic_load_explicit(&want[!me], memory_order_relaxed))
        x++;
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

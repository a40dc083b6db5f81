// expect: violated race
// The consumer gives a slot back with a relaxed store: the producer overwrites it while it is read.
#include <pthread.h>
#include <stdatomic.h>
static int slot[1], sum;
static atomic_uint head, tail;
static void *producer(void *arg)
{
    for (unsigned i = 0; i < 2; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == 1)
            ;
        slot[0] = (int)i + 1;
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return arg;
}
static void *consumer(void *arg)
{
    for (unsigned i = 0; i < 2; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i)
            ;
        sum += slot[0];
        atomic_store_explicit(&head, i + 1, memory_order_relaxed);
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, producer, NULL);
    pthread_create(&u, NULL, consumer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

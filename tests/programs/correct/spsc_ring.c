// expect: holds
// Ring of two slots, one producer, one consumer; plain slots ordered by acquire and release.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int slot[2];
static atomic_uint head, tail;
static void *producer(void *arg)
{
    for (unsigned i = 0; i < 3; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == 2)
            ;
        slot[i % 2] = (int)i + 1;
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return arg;
}
static void *consumer(void *arg)
{
    for (unsigned i = 0; i < 3; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i)
            ;
        assert(slot[i % 2] == (int)i + 1);
        atomic_store_explicit(&head, i + 1, memory_order_release);
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

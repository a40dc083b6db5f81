/* ring.c: a ring buffer for one producer and one consumer, without locks. Every test on an x86 machine
 * passes, for years. It is wrong all the same: one memory order is too weak.
 *
 *     heddle run ring.c               finds it
 *     heddle run ring.c -DFIXED       proves the repair, for this test */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 2
static int slots[SIZE];
static atomic_uint head, tail; /* head: next to take; tail: next to fill */

#ifdef FIXED
#define TAKEN memory_order_release
#else
#define TAKEN memory_order_relaxed
#endif

static bool ring_put(int value)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
        return false; /* full */
    slots[t % SIZE] = value;
    atomic_store_explicit(&tail, t + 1, memory_order_release);
    return true;
}

static bool ring_get(int *value)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (h == atomic_load_explicit(&tail, memory_order_acquire))
        return false; /* empty */
    *value = slots[h % SIZE];
    atomic_store_explicit(&head, h + 1, TAKEN);
    return true;
}

static void *produce(void *unused)
{
    for (int value = 1; value <= 3; value++)
        ring_put(value);
    return unused;
}

static void *consume(void *unused)
{
    int value, last = 0;
    for (int i = 0; i < 2; i++)
        if (ring_get(&value)) {
            assert(value > last); /* in the order of the puts */
            last = value;
        }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}

/* exchange_parts.c: N threads take a lock once each by an exchange that is made of a load and a
 * compare-exchange, as Concurrency Kit's is for compilers without one: an attempt that fails writes
 * 1 over 1. -DVOLATILE: the load and the store are volatile accesses; -DFENCES: fences order them.
 * The executions are the orders in which the threads get the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static unsigned lock;
static int counter;

static inline unsigned load(unsigned *from)
{
#ifdef VOLATILE
    return *(volatile unsigned *)from;
#else
    return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

static inline void store(unsigned *to, unsigned value)
{
#ifdef VOLATILE
    *(volatile unsigned *)to = value;
#else
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

static inline void fence(int order)
{
#ifdef FENCES
    (void)order;
    __sync_synchronize();
#else
    atomic_thread_fence(order);
#endif
}

static inline _Bool exchange_if(unsigned *at, unsigned expected, unsigned wanted, unsigned *found)
{
    *found = __sync_val_compare_and_swap(at, expected, wanted);
    return *found == expected;
}

static unsigned exchange(unsigned *at, unsigned value)
{
    unsigned found = load(at);
    while (!exchange_if(at, found, value, &found)) {
    }
    return found;
}

static void *work(void *unused)
{
    while (exchange(&lock, 1)) {
    }
    fence(memory_order_acquire);
    counter++;
    fence(memory_order_release);
    store(&lock, 0);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}

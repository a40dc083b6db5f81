// Two threads take a test-and-set lock for ever; ACQ and REL are its orders.
#include <pthread.h>
#include <stdatomic.h>
#ifndef ACQ
#define ACQ memory_order_acquire
#endif
#ifndef REL
#define REL memory_order_release
#endif
static atomic_int locked;
static int shared;
static void *work(void *a)
{
    for (;;) {
        while (atomic_exchange_explicit(&locked, 1, ACQ))
            while (atomic_load_explicit(&locked, memory_order_relaxed))
                ;
        shared = (shared + 1) % 3;
        atomic_store_explicit(&locked, 0, REL);
    }
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
}

// A value is handed over through a flag for ever; SET is the order of the store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef SET
#define SET memory_order_release
#endif
static atomic_int full;
static int value;
static void *put(void *a)
{
    for (int i = 0;; i = !i) {
        while (atomic_load_explicit(&full, memory_order_acquire))
            ;
        value = i;
        atomic_store_explicit(&full, 1, SET);
    }
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, put, NULL);
    for (int i = 0;; i = !i) {
        while (!atomic_load_explicit(&full, memory_order_acquire))
            ;
        assert(value == i);
        atomic_store_explicit(&full, 0, memory_order_release);
    }
}

// expect: holds
// executions: 2
// A choice of the program's does not keep its waiting loops from being recognised: for each of two values one thread
// waits until the other has stored it, in one way.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
unsigned heddle_choose(unsigned count) __attribute__((weak));
static atomic_int x;
static int value;
static void *store(void *arg)
{
    atomic_store_explicit(&x, value, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t;
    value = 1 + (int)heddle_choose(2);
    pthread_create(&t, NULL, store, NULL);
    for (int seen = 0; !seen;)
        seen = atomic_load_explicit(&x, memory_order_acquire) == value;
    pthread_join(t, NULL);
    return 0;
}

// expect: violated assertion
// A thread that looks at a flag under a lock made of atomics goes round for nothing, unless another thread
// tries the lock meanwhile and shows that it was taken (src/guest/explore/reduce/waiting/looks.h).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int done;
static void take(void) { while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {} }
static void give(void) { atomic_store_explicit(&lock, 0, memory_order_release); }
static void *poll(void *arg)
{
    for (int found = 0; !found;) {
        take();
        found = done;
        give();
    }
    return arg;
}
int main(void)
{
    pthread_t looker;
    pthread_create(&looker, 0, poll, 0);
    int taken = atomic_exchange_explicit(&lock, 1, memory_order_acquire);
    if (!taken)
        give();
    take();
    done = 1;
    give();
    pthread_join(looker, 0);
    assert(!taken);
    return 0;
}

// expect: violated assertion
// A lock made of atomics whose taking is relaxed does not pass on what its last owner did: who takes it after a thread
// that only looks may miss the data, who takes it without that thread between may not. So a round of the thread that
// looks is not nothing (src/guest/explore/reduce/waiting/sections.c).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock = 1, data, done;
static void *poll(void *arg)
{
    for (int found = 0; !found;) {
        while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed)) {}
        found = atomic_load_explicit(&done, memory_order_relaxed);
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
    return arg;
}
static int seen;
static void *use(void *arg)
{
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {}
    seen = atomic_load_explicit(&data, memory_order_relaxed);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    atomic_store_explicit(&lock, 0, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t looker, user;
    pthread_create(&looker, 0, poll, 0);
    pthread_create(&user, 0, use, 0);
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&lock, 0, memory_order_release);
    pthread_join(looker, 0);
    pthread_join(user, 0);
    assert(seen == 1);
    return 0;
}

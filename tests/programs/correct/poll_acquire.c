// expect: holds
// executions: 1
// As wrong/poll_relaxed.c, but who looks acquires: rounds that find nothing are left out, and so the user always comes
// before the round that finds the flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock = 1, data, done;
static void *poll(void *arg)
{
    for (int found = 0; !found;) {
        while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {}
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

/* A thread that waits says so before it links itself. Without the release (or the acquire that goes with it) the store
 * that ends the waiting may come before the one that begins it: it waits for ever. The last two hand over the data. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int waits, linked;
static int data;
static void *waiter(void *argument)
{
    atomic_store_explicit(&waits, 1, memory_order_relaxed);
    atomic_store_explicit(&linked, 1, memory_order_release); // weaken: needed store release
    while (atomic_load_explicit(&waits, memory_order_acquire)) // weaken: needed load acquire
        ;
    assert(data == 1);
    return argument;
}
static void *waker(void *argument)
{
    data = 1;
    while (!atomic_load_explicit(&linked, memory_order_acquire)) // weaken: needed load acquire
        ;
    atomic_store_explicit(&waits, 0, memory_order_release); // weaken: needed store release
    return argument;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, waker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}

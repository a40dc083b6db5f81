/* Does a release sequence go on through a later relaxed store of the same thread (C11), or through
 * read-modify-writes alone (C++20)? */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *writer(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_release);
    atomic_store_explicit(&y, 2, memory_order_relaxed);
    return unused;
}
static void *changer(void *unused)
{
    atomic_exchange_explicit(&y, 3, memory_order_relaxed);
    return unused;
}
static void *reader(void *unused)
{
    atomic_load_explicit(&y, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, changer, 0);
    pthread_create(&c, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}

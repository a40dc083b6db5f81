// expect: violated assertion
// Without the reader's fence the second look at the sequence number may come too early.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint seq;
static atomic_int a, b;
static void *writer(void *arg)
{
    atomic_store_explicit(&seq, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&a, 1, memory_order_relaxed);
    atomic_store_explicit(&b, 1, memory_order_relaxed);
    atomic_store_explicit(&seq, 2, memory_order_release);
    return arg;
}
static void *reader(void *arg)
{
    unsigned before = atomic_load_explicit(&seq, memory_order_acquire);
    int x = atomic_load_explicit(&a, memory_order_relaxed);
    int y = atomic_load_explicit(&b, memory_order_relaxed);
    unsigned after = atomic_load_explicit(&seq, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(x == y);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

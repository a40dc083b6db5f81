// expect: holds
// Message passing of a plain payload by fences around relaxed accesses: no race.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag;
static void *writer(void *arg)
{
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}
static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(data == 42);
    }
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

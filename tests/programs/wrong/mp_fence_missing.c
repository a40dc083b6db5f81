// expect: violated race
// The release fence alone does not make the reader's plain access safe: its fence is missing.
#include <pthread.h>
#include <stdatomic.h>
static int data, copy;
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
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        copy = data;
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

// expect: violated assertion
// Message passing over a relaxed flag: the payload may be missed. It is atomic, so this is no race.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int data, flag;
static void *writer(void *arg)
{
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}
static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
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

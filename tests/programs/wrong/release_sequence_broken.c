// expect: violated race
// A relaxed store by another thread ends the release sequence: whoever reads it has not synchronised.
#include <pthread.h>
#include <stdatomic.h>
static int data, copy;
static atomic_int flag;
static void *writer(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}
static void *relay(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, 2, memory_order_relaxed);
    return arg;
}
static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        copy = data;
    return arg;
}
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, relay, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}

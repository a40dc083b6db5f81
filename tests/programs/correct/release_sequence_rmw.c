// expect: holds
// A relaxed read-modify-write by another thread continues the release sequence of the flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag;
static void *writer(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}
static void *bump(void *arg)
{
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}
static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        assert(data == 1); /* 2 is only reached as 0, 1 (store), 2 (add) */
    return arg;
}
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, bump, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}

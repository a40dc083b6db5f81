/* A test-and-set lock (TEST: that looks before it tries). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int lock;
static int x;
static void *run(void *arg)
{
    for (;;) {
#ifdef TEST
        while (atomic_load_explicit(&lock, memory_order_acquire))
            ;
#endif
        if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))
            break;
    }
    x++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(x == N);
}

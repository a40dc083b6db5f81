// expect: holds
// executions: 6
// A lock that counts who wants it: who is not alone takes itself back and tries again. Three threads are served in 3! orders.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int wanting;
static int order;

static void *serve(void *number)
{
    while (atomic_fetch_add(&wanting, 1) != 0)
        atomic_fetch_sub(&wanting, 1);
    order = order * 10 + (int)(long)number;
    atomic_fetch_sub(&wanting, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, serve, (void *)(i + 1));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(order % 9 == N * (N + 1) / 2);
}

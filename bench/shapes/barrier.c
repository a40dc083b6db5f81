/* A barrier of N threads that counts them down in an atomic; each reads afterwards what another has
 * written. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int left = N, part[N];
static void *run(void *arg)
{
    int i = (int)(long)arg;
    atomic_store_explicit(&part[i], 1, memory_order_relaxed);
    atomic_fetch_sub(&left, 1);
    while (atomic_load(&left))
        ;
    (void)atomic_load_explicit(&part[(i + 1) % N], memory_order_relaxed);
    return NULL;
}
int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, run, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
}

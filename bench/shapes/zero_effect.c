/* Threads that add and subtract while they wait for a flag. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
static atomic_int x, flag;
static void *run(void *arg)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
        atomic_fetch_add(&x, 1);
        atomic_fetch_sub(&x, 1);
    }
    return arg;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, run, NULL);
    atomic_store_explicit(&flag, 1, memory_order_release);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
}

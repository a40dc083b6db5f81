/* Readers that read several locations, and read them again until nothing has changed; writers count
 * one up each. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef W
#define W 2
#endif
#ifndef R
#define R 1
#endif
static atomic_int x, y;
static void *writer(void *arg)
{
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&y, 1);
    return arg;
}
static void *reader(void *arg)
{
    int a, b;
    do {
        a = atomic_load(&x);
        b = atomic_load(&y);
    } while (a != atomic_load(&x) || b != atomic_load(&y));
    return arg;
}
int main(void)
{
    pthread_t t[W + R];
    for (int i = 0; i < W + R; i++)
        pthread_create(&t[i], NULL, i < W ? writer : reader, NULL);
    for (int i = 0; i < W + R; i++)
        pthread_join(t[i], NULL);
}

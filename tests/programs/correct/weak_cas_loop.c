// expect: holds
// args: --weak-cas --cc=gcc
// only if: defined __x86_64__
// In a loop a weak compare-exchange is fine, however often it fails.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *twice(void *arg)
{
    int old = atomic_load_explicit(&x, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&x, &old, old + 2))
        ;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, twice, NULL);
    pthread_create(&u, NULL, twice, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 4);
    return 0;
}

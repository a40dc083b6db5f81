// expect: holds
// Memory allocated in one thread, handed over, freed in another.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) box;
static void *sender(void *arg)
{
    int *p = malloc(sizeof *p);
    *p = 9;
    atomic_store_explicit(&box, p, memory_order_release);
    return arg;
}
static void *receiver(void *arg)
{
    int *p;
    while (!(p = atomic_exchange_explicit(&box, NULL, memory_order_acquire)))
        ;
    assert(*p == 9);
    free(p);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, sender, NULL);
    pthread_create(&u, NULL, receiver, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

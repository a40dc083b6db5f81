// expect: violated use-after-free
// The updater frees the old version at once, while a reader may hold it.
// The reader that loaded the old version reads it without any order to the free. What it reads in the new one was
// written before the exchange, which is a release that its acquire reads; sum has one writer: nothing else races.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct data { int a, b; };
static _Atomic(struct data *) current;
static int sum;
static void *reader(void *arg)
{
    struct data *d = atomic_load_explicit(&current, memory_order_acquire);
    sum = d->a + d->b;
    return arg;
}
static void *updater(void *arg)
{
    struct data *d = malloc(sizeof *d);
    d->a = d->b = 2;
    free(atomic_exchange(&current, d));
    return arg;
}
int main(void)
{
    pthread_t t, u;
    struct data *d = malloc(sizeof *d);
    d->a = d->b = 1;
    atomic_init(&current, d);
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, updater, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

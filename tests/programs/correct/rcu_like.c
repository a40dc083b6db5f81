// expect: holds
// Read-copy-update: readers announce themselves; the updater swaps the pointer and waits for them
// before it frees the old version.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct data { int a, b; };
static _Atomic(struct data *) current;
static atomic_int readers;
static void *reader(void *arg)
{
    atomic_fetch_add(&readers, 1);
    struct data *d = atomic_load(&current);
    assert(d->a == d->b);
    atomic_fetch_sub(&readers, 1);
    return arg;
}
static void *updater(void *arg)
{
    struct data *d = malloc(sizeof *d), *old;
    d->a = d->b = 2;
    old = atomic_exchange(&current, d);
    while (atomic_load(&readers))
        ;
    free(old);
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
    free(atomic_load(&current));
    return 0;
}

// expect: violated assertion
// The waiter has read an old value of `a` and waits for b; the writer has read d = 0 and ended. Who
// sets d comes last, and then the writer sets b after all: the waiter leaves with the old value of
// `a`.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int a, b, d;

static void *count(void *none)
{
    for (int i = 1; i <= 20; i++) // so many blocked graphs, and the reduction begins
        atomic_store(&a, i);
    return none;
}

static void *wait(void *none)
{
    int old;
    do
        old = atomic_load(&a);
    while (!atomic_load(&b));
    assert(old);
    return none;
}

static void *write(void *none)
{
    if (atomic_load(&d))
        atomic_store(&b, 1);
    return none;
}

static void *choose(void *none)
{
    atomic_store(&d, 1);
    return none;
}

int main(void)
{
    void *(*const run[])(void *) = {count, wait, write, choose};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, run[i], NULL);
    return 0; // ends whoever still waits
}

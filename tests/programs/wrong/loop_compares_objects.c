// expect: violated assertion
// The second round of a loop that allocates and frees tells its object from that of the first, which is freed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static atomic_int flag;

static void *wait(void *arg)
{
    volatile uintptr_t first = 0, now = 0;
    while (!atomic_load(&flag)) {
        assert(first == now);
        int *p = malloc(sizeof *p);
        now = (uintptr_t)p;
        if (!first)
            first = now;
        free(p);
    }
    return arg;
}

static void *set(void *arg)
{
    atomic_store(&flag, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, wait, 0);
    pthread_create(&b, 0, set, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

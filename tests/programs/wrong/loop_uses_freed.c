// expect: violated use-after-free
// The second round of a loop that allocates and frees writes to the object of the first.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int flag;

static void *wait(void *arg)
{
    int *volatile before = 0;
    while (!atomic_load(&flag)) {
        int *p = malloc(sizeof *p);
        if (before)
            *before = 1;
        before = p;
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

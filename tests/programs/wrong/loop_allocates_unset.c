// expect: violated uninitialised-read
// The first round of a loop allocates zeroes, the others memory that nobody has set, which only the thread's end reads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int flag, sum;

static void *wait(void *arg)
{
    int rounds = 0;
    for (;;) {
        atomic_int *p = rounds ? malloc(sizeof *p) : calloc(1, sizeof *p);
        rounds = 1;
        if (atomic_load(&flag)) {
            atomic_store(&sum, atomic_load(p));
            free(p);
            return arg;
        }
        free(p);
    }
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

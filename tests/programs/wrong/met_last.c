// expect: violated assertion
// Depth-first search changes the first choice last: whether thread 1 sees what thread 0 stores is
// decided before millions of executions of the five threads. A random schedule shows it at once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define THREADS 5
static atomic_int turns[THREADS], stored;
static void *work(void *argument)
{
    long self = (long)argument;
    int seen = 1;
    if (self == 0)
        atomic_store(&stored, 1);
    if (self == 1)
        seen = atomic_load(&stored);
    for (int round = 0; round < 2; round++) {
        for (int other = 0; other < THREADS; other++)
            if (other != self)
                atomic_load(&turns[other]);
        atomic_fetch_add(&turns[self], 1);
    }
    assert(seen);
    return NULL;
}
int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

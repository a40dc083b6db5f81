// expect: holds
// executions: 256
// args: --model=tso
// The last of 63 threads sets a flag that eight read, from both halves of the threads: each sees it
// or does not, which makes 2^8 executions. The others have locations of their own.
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 63
static _Atomic int flag, own[THREADS];

static void *work(void *argument)
{
    long self = (long)argument;
    if (self == THREADS - 1)
        atomic_store(&flag, 1);
    else if (self % 8 == 0)
        atomic_store(&own[self], atomic_load(&flag));
    else
        atomic_store(&own[self], 1);
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

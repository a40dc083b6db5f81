// expect: inconclusive
// executions: 1
// One of two executions creates more threads than Heddle explores: that one is given up, the other is
// explored.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int flag;

static void *set(void *argument)
{
    atomic_store(&flag, 1);
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t setter, threads[63];
    pthread_create(&setter, NULL, set, NULL);
    if (atomic_load(&flag)) {
        for (int i = 0; i < 63; i++)
            pthread_create(&threads[i], NULL, nothing, NULL);
        for (int i = 0; i < 63; i++)
            pthread_join(threads[i], NULL);
    } else {
#ifdef WRONG
        assert(!"no flag");
#endif
    }
    pthread_join(setter, NULL);
}

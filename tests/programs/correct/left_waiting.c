// expect: holds
// executions: 3
// Main does not wait for two threads, of which one may wait for ever: the other one sets its flag, and main sees that or not,
// and takes it back if it does. Then the first one has seen it before, or waits for ever.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;

static void *wait(void *arg)
{
    while (!atomic_load(&flag))
        ;
    return arg;
}

static void *set(void *arg)
{
    atomic_store(&flag, 2);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, wait, 0);
    pthread_create(&t, 0, set, 0);
    if (atomic_load(&flag) == 2)
        atomic_store(&flag, 0);
    return 0;
}

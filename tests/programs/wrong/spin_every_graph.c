// expect: violated livelock
// args: --no-reductions
// Every graph is visited; a thread waits for a flag that nobody sets.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, other;

static void *wait(void *arg)
{
    while (!atomic_load(&flag) || !atomic_load(&other))
        ;
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

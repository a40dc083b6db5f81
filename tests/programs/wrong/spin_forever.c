// expect: violated livelock
// A thread spins on a flag that nobody sets when the other thread comes first.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn, flag;
static void *waiter(void *arg)
{
    atomic_store(&turn, 1);
    while (!atomic_load(&flag))
        ;
    return arg;
}
static void *setter(void *arg)
{
    if (atomic_load(&turn))
        atomic_store(&flag, 1);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, setter, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

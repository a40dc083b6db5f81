// One thread sets b while it looks at a, and takes it back; the other waits to see b set, then sets a. Whoever waits can see it
// in the next round: from every state both can end.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void *one(void *arg)
{
    int seen;
    do {
        atomic_exchange(&b, 1);
        seen = atomic_load(&a);
        atomic_store(&b, 0);
    } while (!seen);
    return arg;
}
static void *two(void *arg)
{
    while (atomic_load(&b) != 1)
        ;
    atomic_store(&a, 1);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

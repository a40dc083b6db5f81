// expect: violated double-free
// Both threads think they are the last: the test and the free are not one step.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) p;
static void *work(void *arg)
{
    int *mine = atomic_load(&p);
    if (mine) {
        atomic_store(&p, NULL);
        free(mine);
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    atomic_init(&p, malloc(sizeof(int)));
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

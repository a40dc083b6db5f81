// expect: holds
// Peterson's lock with seq_cst accesses.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int want[2], turn;
static int x;
static void *work(void *arg)
{
    int me = (int)(long)arg;
    atomic_store(&want[me], 1);
    atomic_store(&turn, !me);
    while (atomic_load(&want[!me]) && atomic_load(&turn) == !me)
        ;
    x++;
    atomic_store(&want[me], 0);
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, (void *)0);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2);
    return 0;
}

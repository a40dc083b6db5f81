// expect: holds
// Lock-free lazy initialisation: both may build, the loser frees his own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) instance;
static void *use(void *arg)
{
    int *p = atomic_load_explicit(&instance, memory_order_acquire);
    if (!p) {
        int *mine = malloc(sizeof *mine);
        *mine = 7;
        if (atomic_compare_exchange_strong_explicit(&instance, &p, mine, memory_order_acq_rel,
                                                    memory_order_acquire))
            p = mine;
        else
            free(mine);
    }
    assert(*p == 7);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, use, NULL);
    pthread_create(&u, NULL, use, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(atomic_load(&instance));
    return 0;
}

// expect: holds
// executions: 6
// args: --no-reductions
// Three atomic increments of every spelling: 3! orders of the three read-modify-writes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int x;
static void *c11(void *arg) { atomic_fetch_add_explicit((_Atomic int *)&x, 1, memory_order_relaxed); return arg; }
static void *gnu(void *arg) { __atomic_add_fetch(&x, 1, __ATOMIC_RELAXED); return arg; }
static void *old(void *arg) { __sync_fetch_and_add(&x, 1); return arg; }
int main(void)
{
    void *(*body[3])(void *) = {c11, gnu, old};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(x == 3);
    return 0;
}

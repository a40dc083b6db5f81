// expect: holds
// CLH queue lock: each thread spins on its predecessor's node.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct node { atomic_int locked; };
static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2];
static int x;
static void *work(void *arg)
{
    struct node *me = arg, *before;
    atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
    before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    while (atomic_load_explicit(&before->locked, memory_order_acquire))
        ;
    x++;
    atomic_store_explicit(&me->locked, 0, memory_order_release);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &nodes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(x == 2);
    return 0;
}

// expect: holds
// MCS queue lock with nodes on the threads' stacks.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_int wait; };
static _Atomic(struct node *) tail;
static int x;
static void *work(void *arg)
{
    struct node me, *before, *after;
    atomic_init(&me.next, NULL);
    atomic_init(&me.wait, 1);
    before = atomic_exchange_explicit(&tail, &me, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, &me, memory_order_release);
        while (atomic_load_explicit(&me.wait, memory_order_acquire))
            ;
    }
    x++;
    after = atomic_load_explicit(&me.next, memory_order_acquire);
    if (!after) {
        struct node *expected = &me;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return arg;
        while (!(after = atomic_load_explicit(&me.next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&after->wait, 0, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(x == 2);
    return 0;
}

// expect: holds
// args: --model=sc
// executions: 4
// The queue lock of Mellor-Crummey and Scott with plain links in nodes on stacks: two orders of the threads,
// and in each the first one finds its successor or does not (N! 2^(N-1) for N threads).
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
struct node {
    unsigned locked;
    struct node *next;
};
static struct node *tail;
static int counter;
static void *work(void *arg)
{
    struct node mine, *me = &mine, *next;
    me->locked = 1;
    me->next = NULL;
    struct node *before = __atomic_exchange_n(&tail, me, __ATOMIC_SEQ_CST);
    if (before) {
        before->next = me;
        while (me->locked)
            ;
    }
    counter++;
    if (!(next = me->next)) {
        if (__sync_bool_compare_and_swap(&tail, me, NULL))
            return arg;
        while (!(next = me->next))
            ;
    }
    next->locked = 0;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(counter == 2);
    return 0;
}

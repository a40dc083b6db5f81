// A counter under the queue lock of Mellor-Crummey and Scott, with nodes on the stacks of the threads, which others touch:
// what was found out about these stacks in one test is not known in the next ones. BROKEN=1: nobody waits for the lock;
// BROKEN=2: who gives the lock back does not tell the next one.
#include <heddle.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct Node {
    struct Node *next; // initialised plainly
    int waits;
} Node;
static _Atomic(Node *) last;
static int counter;

static void take(Node *node)
{
    node->next = NULL;
    node->waits = 1;
    Node *before = atomic_exchange(&last, node);
    if (!before)
        return;
    __atomic_store_n(&before->next, node, __ATOMIC_RELEASE);
#if BROKEN != 1
    while (__atomic_load_n(&node->waits, __ATOMIC_ACQUIRE))
        ;
#endif
}
static void leave(Node *node)
{
    Node *expected = node;
    if (!__atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) {
        if (atomic_compare_exchange_strong(&last, &expected, NULL))
            return;
        while (!__atomic_load_n(&node->next, __ATOMIC_ACQUIRE))
            ;
    }
#if BROKEN != 2
    __atomic_store_n(&__atomic_load_n(&node->next, __ATOMIC_ACQUIRE)->waits, 0, __ATOMIC_RELEASE);
#endif
}

HD_OP(push, int, v, 1)
{
    Node node;
    take(&node);
    int sum = counter += v;
    leave(&node);
    return HD_INT(sum);
}
HD_OP(pop)
{
    Node node;
    take(&node);
    int sum = counter;
    leave(&node);
    return HD_INT(sum);
}

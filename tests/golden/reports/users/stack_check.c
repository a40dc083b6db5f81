/* Treiber's stack, whose nodes are used again. */
#include <heddle.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    struct node *_Atomic next;
};
static struct node pool[8];
static atomic_int used;
static struct node *_Atomic spare, *_Atomic top;

HD_OP(push, int, v, 1, 2)
{
#ifdef FIXED /* a node is never used again */
    struct node *n = NULL;
#else
    struct node *n = atomic_exchange(&spare, NULL);
#endif
    if (!n)
        n = &pool[atomic_fetch_add(&used, 1)];
    n->value = v;
    struct node *old = atomic_load(&top);
    do
        atomic_store(&n->next, old);
    while (!atomic_compare_exchange_strong(&top, &old, n));
    return HD_VOID;
}

HD_OP(pop)
{
    struct node *old = atomic_load(&top);
    do
        if (!old)
            return HD_NONE;
    while (!atomic_compare_exchange_strong(&top, &old, atomic_load(&old->next)));
    int v = old->value;
    atomic_store(&spare, old);
    return HD_INT(v);
}

HD_SCENARIO("push(2) pop() | push(2) pop() | pop() push(1)")

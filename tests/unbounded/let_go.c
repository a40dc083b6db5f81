// A reader lets go of a node in a step that touches nothing of what the owner's step touches: whether the owner's access
// to the node is remembered, or under tso whether its store waits in a buffer, depends on which of them comes first.
// run: => holds
// run: --model=tso => holds
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    int value;
    atomic_int mark;
} Node;
static _Atomic(Node *) box;
static atomic_int x, y;
HD_INIT
{
    Node *n = malloc(sizeof *n);
    n->value = 1;
    atomic_init(&n->mark, 0);
    atomic_store(&box, n);
}
HD_OP(look)
{
    Node *n = atomic_load(&box);
    int seen = atomic_load(&x);
    return HD_BOOL(seen || n);
}
HD_OP(raise) /* the same where the reader is not late (guest/states/steps/late.h); always true */
{
    Node *n = atomic_load(&box);
    atomic_exchange(&x, 1);
    int seen = atomic_exchange(&x, 1);
    return HD_BOOL(seen >= 0 || n);
}
HD_OP(take)
{
    Node *n = atomic_exchange(&box, NULL);
    if (!n)
        return HD_BOOL(0);
    n->value = 2;
    atomic_store(&y, 1);
    free(n);
    return HD_BOOL(1);
}
HD_OP(mark)
{
    Node *n = atomic_exchange(&box, NULL);
    if (!n)
        return HD_BOOL(0);
    atomic_store_explicit(&n->mark, 1, memory_order_relaxed);
    atomic_store(&y, 1);
    free(n);
    return HD_BOOL(1);
}

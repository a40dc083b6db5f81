// A call lends a local variable that leads to a node: others reach the node through the stack of its owner, whose own
// accesses to it are steps that they may come between. Serially `lend` reads the same twice.
// run: => violated linearizability
// run: --model=tso => violated linearizability
// run: -DM1 => holds
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    atomic_int mark;
} Node;
typedef struct Slot {
    Node *node;
    atomic_int done;
} Slot;
static _Atomic(Slot *) lent;
HD_OP(lend)
{
    Slot mine = {calloc(1, sizeof(Node)), 0}, *none = NULL, *own = &mine;
    int first = 0, second = 0;
    if (atomic_compare_exchange_strong(&lent, &none, &mine)) {
        first = atomic_load(&mine.node->mark);
        second = atomic_load(&mine.node->mark);
        if (!atomic_compare_exchange_strong(&lent, &own, NULL))
            while (!atomic_load(&mine.done))
                ;
    }
    free(mine.node);
    return HD_BOOL(first != second);
}
HD_OP(borrow)
{
    Slot *slot = atomic_exchange(&lent, NULL);
    if (slot) {
#ifndef M1 /* it leaves the node alone */
        atomic_store(&slot->node->mark, 1);
#endif
        atomic_store(&slot->done, 1);
    }
    return HD_BOOL(0);
}

#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node { atomic_int value; _Atomic(struct Node *) next; } Node;
static _Atomic(Node *) box;
static Node *make(int value)
{
    Node *n = malloc(sizeof *n);
    atomic_init(&n->value, value);
    atomic_init(&n->next, NULL);
    return n;
}
HD_MAY_FAIL(renew, HD_BOOL(0))
HD_OP(set1) { atomic_store(&box, make(1)); return HD_VOID; }
HD_OP(set2) { atomic_store(&box, make(2)); return HD_VOID; }
HD_OP(get)
{
    Node *p = atomic_load(&box);
    return HD_INT(p ? atomic_load(&p->value) : 0);
}
HD_OP(renew) /* the node, not only its value, counts */
{
    Node *p = atomic_load(&box);
    return HD_BOOL(atomic_compare_exchange_strong(&box, &p, make(0)));
}

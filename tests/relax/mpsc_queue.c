/* Vyukov's queue of many producers and one consumer: a put takes the tail, then links the node
 * before it. Until it has done so, what was put behind it can't be reached, and a get finds nothing
 * beside it. */
#include <heddle.h>
#include <stdatomic.h>
struct node {
    _Atomic(struct node *) next;
    int value;
};
static struct node nodes[8], stub, *head;
static atomic_int used;
static _Atomic(struct node *) tail;
HD_INIT
{
    head = &stub;
    atomic_store(&tail, &stub);
}
HD_SPEC("fifo")
HD_OP(put, int, v, 1, 2)
{
    struct node *node = &nodes[atomic_fetch_add(&used, 1)];
    node->value = v;
    atomic_store(&atomic_exchange(&tail, node)->next, node);
    return HD_VOID;
}
HD_OP(get)
{
    struct node *next = atomic_load(&head->next);
    if (!next)
        return HD_NONE;
    head = next;
    return HD_INT(next->value);
}

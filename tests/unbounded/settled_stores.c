// Stores in buffers that nobody can notice any more (guest/states/buffers.h): what the clauses of the rule are for. All
// tests of three threads with one call each are decided by states and by executions, with the same answer:
// 37_unbounded.sh. Serially `own` and `touch` return 1 or -1, `hold` and `read` return 0 or -1, `late` returns 0, the others
// return 1. `hold` returns 1 beside `own` or `touch` under tso only, where each of them has missed the store of the other.
// run: --model=sc => violated linearizability
// run: --model=tso => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    atomic_int mark;
    _Atomic(struct Node *) next;
} Node;
static _Atomic(Node *) box, pool;
static atomic_int flag, seen = 1, after, ready;
static Node *new_node(Node *next)
{
    Node *n = malloc(sizeof *n);
    atomic_init(&n->mark, 0);
    atomic_init(&n->next, next);
    return n;
}
HD_INIT
{
    atomic_store(&box, new_node(NULL));
    atomic_store(&pool, new_node(new_node(NULL)));
}
static int mark_and_look(Node *n)
{
    if (!n)
        return -1;
    atomic_store_explicit(&n->mark, 1, memory_order_release);
    int held = atomic_load(&flag);
    atomic_store(&seen, held);
    return 1;
}
// It has the node for itself, but a thread may have found it before: that sees the mark late.
HD_OP(own) { return HD_INT(mark_and_look(atomic_exchange(&box, NULL))); }
// The node stays where others find it.
HD_OP(touch) { return HD_INT(mark_and_look(atomic_load(&box))); }
HD_OP(hold)
{
    Node *n = atomic_load(&box);
    if (!n)
        return HD_INT(-1);
    atomic_store(&flag, 1);
    int mark = atomic_load_explicit(&n->mark, memory_order_acquire);
    return HD_INT(!mark && !atomic_load(&seen));
}
// It has read the mark and let go of the node before the mark is made.
HD_OP(read)
{
    Node *n = atomic_load(&box);
    if (!n)
        return HD_INT(-1);
    int mark = atomic_load_explicit(&n->mark, memory_order_acquire);
    return HD_INT(mark ? 0 : atomic_load(&after));
}
HD_OP(mark)
{
    Node *n = atomic_exchange(&box, NULL);
    if (n)
        atomic_store_explicit(&n->mark, 1, memory_order_release);
    atomic_store(&after, 1);
    return HD_BOOL(1);
}
// The call has ended, and its store waits, when nobody can reach the node any more.
HD_OP(leave)
{
    Node *n = atomic_load(&box);
    atomic_store_explicit(&ready, 1, memory_order_release);
    if (n)
        atomic_store_explicit(&n->mark, 0, memory_order_release);
    return HD_BOOL(1);
}
HD_OP(late)
{
    atomic_store(&box, NULL);
    return HD_BOOL(atomic_load(&ready) && !atomic_load(&ready));
}
// Nodes that are taken from a list and put back, with what they hold: stores to nodes that others have found.
static Node *take(void)
{
    Node *n = atomic_load(&pool);
    while (n && !atomic_compare_exchange_strong(&pool, &n, atomic_load_explicit(&n->next, memory_order_acquire)))
        ;
    return n;
}
static void put(Node *n)
{
    Node *first = atomic_load(&pool);
    do
        atomic_store_explicit(&n->next, first, memory_order_release);
    while (!atomic_compare_exchange_strong(&pool, &first, n));
}
HD_OP(pick)
{
    Node *n = take();
    if (n)
        atomic_store_explicit(&n->next, n, memory_order_release);
    return HD_BOOL(1);
}
HD_OP(give)
{
    Node *n = take();
    if (!n)
        return HD_BOOL(1);
    atomic_store_explicit(&n->mark, 2, memory_order_release);
    put(n);
    return HD_BOOL(1);
}

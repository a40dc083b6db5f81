/* Treiber's stack with nodes from a pool of three: without tags it has the ABA problem, which shows
 * when a node comes back; with tags (modulo 8, enough if during one call at most three others return)
 * it has not, and without that bound it has when a tag comes back. M1: the tags are left out. M2: pop
 * gives the node back before it reads the value. */
// run: -DTAGS --lag=3 --elements=2 => holds
// run: --elements=2 => violated linearizability
// run: -DTAGS -DM1 --elements=2 => violated linearizability
// run: -DTAGS -DM2 --lag=3 --elements=2 => violated linearizability
// run: -DTAGS --elements=2 => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
enum { NODES = 3, NIL = 3 };
static struct { atomic_uint next; int value; } node[NODES];
static atomic_uint top, pool; /* index in the low byte, tag above */
#if defined TAGS && !defined M1
#define WITH(index, old) ((index) | ((((old) >> 8) + 1) % 8) << 8)
#else
#define WITH(index, old) (index)
#endif
HD_INIT
{
    for (unsigned i = 0; i < NODES; i++)
        atomic_store(&node[i].next, i + 1);
    atomic_store(&top, NIL);
}
static unsigned take(atomic_uint *list)
{
    unsigned old = atomic_load(list);
    for (;;) {
        unsigned i = old & 255;
        if (i == NIL)
            return NIL;
        unsigned next = atomic_load(&node[i].next);
        if (atomic_compare_exchange_strong(list, &old, WITH(next, old)))
            return i;
    }
}
static void give(atomic_uint *list, unsigned i)
{
    unsigned old = atomic_load(list);
    do
        atomic_store(&node[i].next, old & 255);
    while (!atomic_compare_exchange_strong(list, &old, WITH(i, old)));
}
HD_SPEC("lifo")
HD_OP(push, int, v, 1, 2)
{
    unsigned i = take(&pool);
    if (i == NIL)
        return HD_BOOL(0);
    node[i].value = v;
    give(&top, i);
    return HD_BOOL(1);
}
HD_OP(pop)
{
    unsigned i = take(&top);
    if (i == NIL)
        return HD_NONE;
#ifdef M2
    give(&pool, i);
    int v = node[i].value;
#else
    int v = node[i].value;
    give(&pool, i);
#endif
    return HD_INT(v);
}

// A stack whose nodes are used again: a tag beside the index of the top makes an outdated compare-exchange fail. The links
// are plain, so that who is too late reads one while it is written: a race, which is explored under sc and tso. Which
// links race depends on the test, and in a round for nothing a thread looks at a link that others write again.
#include <heddle.h>
#include <stdatomic.h>
#include <stdint.h>

enum { NODES = 3 };
static struct Node {
    uint32_t next; // the index of the next node plus 1, or 0
    int value;
} nodes[NODES];
typedef struct List {
    _Atomic uint64_t top; // the index of a node plus 1, or 0; above it, the number of changes
} List;
static List used, unused;

static void put(List *list, uint32_t node)
{
    uint64_t top = atomic_load(&list->top);
    do
        nodes[node - 1].next = (uint32_t)top;
    while (!atomic_compare_exchange_strong(&list->top, &top, ((top >> 32) + 1) << 32 | node));
}
static uint32_t take(List *list)
{
    uint64_t top = atomic_load(&list->top);
    while ((uint32_t)top && !atomic_compare_exchange_strong(&list->top, &top,
                                                            ((top >> 32) + 1) << 32 | nodes[(uint32_t)top - 1].next))
        ;
    return (uint32_t)top;
}

HD_INIT
{
    for (uint32_t i = 1; i <= NODES; i++)
        put(&unused, i);
}
HD_OP(push, int, v, 1)
{
    uint32_t node = take(&unused);
    if (!node)
        return HD_BOOL(0);
    nodes[node - 1].value = v;
    put(&used, node);
    return HD_BOOL(1);
}
HD_OP(pop)
{
    uint32_t node = take(&used);
    if (!node)
        return HD_NONE;
    int value = nodes[node - 1].value;
    put(&unused, node);
    return HD_INT(value);
}

/* Treiber's stack with a slot in front of it, where a push offers its element before it goes to the
 * stack (after Hendler, Shavit and Yerushalmi 2004). Linearizable: what is taken from the slot is
 * taken while its push is there. LEAVES: a push leaves its element in the slot and ends; the next
 * pop takes it, whatever was pushed since. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int slot, top, next[8], value[8], used;
HD_SPEC("lifo")
HD_OP(push, int, v, 1, 2, 3)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&slot, &expected, v)) {
#ifdef LEAVES
        return HD_VOID;
#endif
        expected = v;
        if (!atomic_compare_exchange_strong(&slot, &expected, 0))
            return HD_VOID;
    }
    int node = 1 + atomic_fetch_add(&used, 1), first = atomic_load(&top);
    atomic_store(&value[node], v);
    do
        atomic_store(&next[node], first);
    while (!atomic_compare_exchange_strong(&top, &first, node));
    return HD_VOID;
}
HD_OP(pop)
{
    int offered = atomic_load(&slot), first;
    if (offered && atomic_compare_exchange_strong(&slot, &offered, 0))
        return HD_INT(offered);
    for (first = atomic_load(&top); first;)
        if (atomic_compare_exchange_strong(&top, &first, atomic_load(&next[first])))
            return HD_INT(atomic_load(&value[first]));
    return HD_NONE;
}

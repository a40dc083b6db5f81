/* Work stealing with multiplicity (Castaneda and Pina 2021, WS-MULT): elements stand in an array, and the head is a
 * register that only grows; nobody waits for it, so takes that overlap may take the same element. Set linearizable.
 * STORES: the head may go back, and an element is taken again when nobody else is there any more. */
#include <heddle.h>
#include <stdatomic.h>
enum { ROOM = 8 };
static atomic_int items[ROOM];
static atomic_int head;
HD_INIT
{
    for (int i = 0; i < ROOM; i++)
        atomic_store(&items[i], 0);
    atomic_store(&head, 0);
}
#ifdef SPEC
HD_SPEC("fifo")
#endif
HD_OP(put, int, v, 1, 2, 3)
{
    for (int i = 0, empty = 0; i < ROOM; i++, empty = 0)
        if (atomic_compare_exchange_strong(&items[i], &empty, v))
            return HD_VOID;
    return HD_VOID;
}
HD_OP(get)
{
    int h = atomic_load(&head), v = atomic_load(&items[h]);
    if (!v)
        return HD_NONE;
#ifdef STORES
    atomic_store(&head, h + 1);
#else
    atomic_compare_exchange_strong(&head, &(int){h}, h + 1); /* it fails if the head is further already */
#endif
    return HD_INT(v);
}

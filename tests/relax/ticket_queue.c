/* A queue in an array: head and tail are tickets, and a take spoils the cell of its ticket if
 * nothing is there yet, so that the put of that ticket goes on to another (after Morrison and Afek
 * 2013). HASTY: a take that spoiled a cell finds nothing, though a put of a later ticket may have
 * ended; the one whose cell it was is still there. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int head, tail, cells[8];
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2)
{
    for (int empty = 0;; empty = 0)
        if (atomic_compare_exchange_strong(&cells[atomic_fetch_add(&tail, 1)], &empty, v))
            return HD_VOID;
}
HD_OP(deq)
{
    for (;;) {
#ifndef HASTY
        if (atomic_load(&head) >= atomic_load(&tail))
            return HD_NONE;
#endif
        int v = atomic_exchange(&cells[atomic_fetch_add(&head, 1)], -1);
        if (v > 0)
            return HD_INT(v);
#ifdef HASTY
        return HD_NONE;
#endif
    }
}

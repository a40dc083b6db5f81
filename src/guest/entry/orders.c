#include "guest/entry/orders.h"

OrderTable *orders_table;

#define DEEPEST_LIBRARY 32

/* Is ADDRESS, a return address, in the code of a system header? */
static bool in_system(const OrderTable *table, uint64_t address)
{
    uint64_t low = 0, high = MIN(table->range_count, (uint64_t)ORDERS_RANGES);
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (table->ranges[middle].from < address) /* a return address follows its call */
            low = middle + 1;
        else
            high = middle;
    }
    return low && address <= table->ranges[low - 1].to;
}

/* From the code of a system header up to the user's call that led there, along the frame pointers
 * (`heddle weaken` asks the compiler for them). The walk begins in this file and finds the hook's
 * frame by the address it returns to. */
static uint64_t find_anchor(uint64_t pc, uint64_t *inner)
{
    uint64_t *frame = __builtin_frame_address(0);
    for (int depth = 0; frame[1] != pc; depth++) {
        if (depth == 8)
            return pc; /* no frame pointer: the library's call is all there is to know it by */
        frame = (uint64_t *)frame[0];
    }
    uint64_t at = pc, *outer;
    for (int depth = 0; depth < DEEPEST_LIBRARY && in_system(orders_table, at); depth++) {
        outer = (uint64_t *)frame[0];
        if (outer <= frame) /* the stack grows down: this is no frame */
            return pc;
        *inner = at;
        frame = outer;
        at = frame[1];
    }
    return at;
}

OrderSite *orders_apply(OrderOperation operation, const void *pc, int *order, int *failure)
{
    uint64_t inner = 0, anchor = (uintptr_t)pc;
    if (in_system(orders_table, anchor))
        anchor = find_anchor(anchor, &inner);
    uint64_t key = orders_key(anchor, operation, (unsigned)*order & 0xf,
                              failure ? (unsigned)*failure & 0xf : 0);
    OrderSite *site = orders_enter(orders_table, key);
    if (!site)
        return NULL;
    if (!site->inner)
        site->inner = inner;
    if (site->replaced) {
        *order = site->new_order;
        if (failure)
            *failure = site->new_failure;
    }
    return site;
}

/* order_table.h: the memory orders of a program as the runtime meets them, and other orders in
 * their place: one table in the mapping that tool and program share (link.h), for `heddle weaken`
 * and `heddle repair`. The program enters every atomic operation that it makes
 * (guest/entry/orders.h); the tool may ask that some be made with other orders, or with fences
 * before or after them.
 *
 * An operation is known by its anchor: the return address of the call that made it, or, if that
 * lies in the code of a system header (std::atomic's members when nothing is inlined), the return
 * address of the user's call that led there. Together with the orders as written it is the key. */
#ifndef HEDDLE_RECORD_ORDER_TABLE_H
#define HEDDLE_RECORD_ORDER_TABLE_H
#include "base/hash.h"

#define ORDERS_SITES 8192   /* a power of two; a hash table, never more than half full */
#define ORDERS_RANGES 65536 /* functions of system headers */

/* X(NAME, word) */
#define ORDER_OPERATIONS(X)                                                                        \
    X(LOAD, "load")                                                                                \
    X(STORE, "store")                                                                              \
    X(RMW, "read-modify-write")                                                                    \
    X(CAS, "compare-exchange")                                                                     \
    X(FENCE, "fence")
typedef enum OrderOperation {
#define X(name, word) ORDER_OF_##name,
    ORDER_OPERATIONS(X)
#undef X
        ORDER_OPERATION_COUNT
} OrderOperation;

enum { ORDER_USED_SUCCESS = 1, ORDER_USED_FAILURE = 2 };

typedef struct OrderSite {
    uint64_t key;     /* orders_key; 0: a free place */
    uint64_t inner;   /* return address in the function that the user's call at the anchor entered;
                         0: the anchor made the operation itself */
    uint8_t used;     /* ORDER_USED_*: a compare-exchange has succeeded, failed; others "succeed" */
    uint8_t replaced; /* 1: by these orders */
    uint8_t new_order, new_failure;
    uint8_t fence_before, fence_after; /* a fence of this order beside the operation; 0: none */
    uint8_t spare[2];
} OrderSite;

static inline uint64_t orders_key(uint64_t anchor, OrderOperation operation, unsigned success,
                                  unsigned failure)
{
    return anchor << 16 | (uint64_t)operation << 8 | success << 4 | failure;
}
static inline uint64_t orders_anchor(uint64_t key)
{
    return key >> 16;
}
static inline OrderOperation orders_operation(uint64_t key)
{
    return (OrderOperation)(key >> 8 & 0xff);
}
static inline unsigned orders_success(uint64_t key)
{
    return key >> 4 & 0xf;
}
static inline unsigned orders_failure(uint64_t key)
{
    return key & 0xf;
}

typedef struct OrderRange { /* code of a system header */
    uint64_t from, to;
} OrderRange;

typedef struct OrderTable {
    uint32_t enabled;
    uint32_t full; /* there were too many operations: some are not entered */
    uint64_t range_count;
    OrderRange ranges[ORDERS_RANGES]; /* by address, disjoint */
    OrderSite sites[ORDERS_SITES];
} OrderTable;

/* The place of KEY, entered if need be; NULL if the table is full. Several processes may do so at
 * once. */
static inline OrderSite *orders_enter(OrderTable *table, uint64_t key)
{
    size_t at = hash_mix(key) % ORDERS_SITES;
    for (size_t probes = 0; probes < ORDERS_SITES / 2; probes++, at = (at + 1) % ORDERS_SITES) {
        OrderSite *site = &table->sites[at];
        uint64_t found = __atomic_load_n(&site->key, __ATOMIC_RELAXED);
        if (!found && __atomic_compare_exchange_n(&site->key, &found, key, false, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED))
            return site;
        if (found == key) /* another process may have been faster */
            return site;
    }
    table->full = 1;
    return NULL;
}
#endif

/* Atomic operations without an order get one by their line and -DSEED=N: for `-include'. */
#include <stdatomic.h>
#define MIXED (((SEED) * 2654435761u ^ __LINE__ * 2246822519u) >> 9)
/* of four seeds one has no seq_cst accesses, and one no acquire and release */
#define MIXED_STRONG ((SEED) % 4 != 1)
#define MIXED_RELAXED(other) ((SEED) % 4 == 2 ? memory_order_relaxed : (other))
#define LOAD_ORDER                                                                                 \
    (MIXED % 4 == 0 && MIXED_STRONG ? memory_order_seq_cst                                         \
     : MIXED % 4 == 1               ? MIXED_RELAXED(memory_order_acquire)                          \
                                    : memory_order_relaxed)
#define STORE_ORDER                                                                                \
    (MIXED % 4 == 0 && MIXED_STRONG ? memory_order_seq_cst                                         \
     : MIXED % 4 == 1               ? MIXED_RELAXED(memory_order_release)                          \
                                    : memory_order_relaxed)
#define CHANGE_ORDER                                                                               \
    (MIXED % 4 == 0 && MIXED_STRONG ? memory_order_seq_cst                                         \
     : MIXED % 4 == 1               ? MIXED_RELAXED(memory_order_acq_rel)                          \
     : MIXED % 4 == 2               ? MIXED_RELAXED(memory_order_release)                          \
                                    : memory_order_relaxed)
#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_compare_exchange_strong
#define atomic_load(at) atomic_load_explicit(at, LOAD_ORDER)
#define atomic_store(at, value) atomic_store_explicit(at, value, STORE_ORDER)
#define atomic_exchange(at, value) atomic_exchange_explicit(at, value, CHANGE_ORDER)
#define atomic_fetch_add(at, value) atomic_fetch_add_explicit(at, value, CHANGE_ORDER)
#define atomic_compare_exchange_strong(at, expected, value)                                        \
    atomic_compare_exchange_strong_explicit(at, expected, value, CHANGE_ORDER, LOAD_ORDER)

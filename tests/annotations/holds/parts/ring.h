/* Included by two files: one structure, whatever the number of units that see it. */
#pragma once
#include <stdatomic.h>
#include "ring_types.h"

/** @Method: Put
    @Ordering_Point_Set: Put_Point
    @ID: r
    @SideEffect: if (__RET__) put++;
    @PostCondition: put - got <= RING_SIZE */
int ring_put(struct ring *r, int value);

/** @Method: Get
    @Ordering_Point_Set: Get_Point
    @HB_Condition: Got :: __RET__
    @ID: r
    @SideEffect: if (__RET__) got++;
    @PostCondition: got <= put && (!__RET__ || *value == got) */
static inline int ring_get(struct ring *r, int *value)
{
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (atomic_load_explicit(&r->head, memory_order_acquire) == tail) {
        /** @Ordering_Point_Label_Check: 1
            @Label: Get_Point */
        return 0;
    }
    /** @Ordering_Point_Label_Check: 1
        @Label: Get_Point */
    *value = r->items[tail % RING_SIZE];
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return 1;
}

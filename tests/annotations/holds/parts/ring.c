#include "ring.h"

int ring_put(struct ring *r, int value)
{
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    if (head - tail == RING_SIZE) {
        /** @Ordering_Point_Label_Check: 1
            @Label: Put_Point */
        return 0;
    }
    r->items[head % RING_SIZE] = value;
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    /** @Ordering_Point_Label_Check: 1
        @Label: Put_Point */
    return 1;
}

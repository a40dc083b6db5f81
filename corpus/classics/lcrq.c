#include <heddle.h>
#include "lcrq.h"
HD_INIT
{
    struct ring *ring = ring_new();
    atomic_init(&first, ring);
    atomic_init(&last, ring);
}
HD_OP(put, int, v, 1, 2) { queue_put((uint64_t)v); return HD_VOID; }
HD_OP(get) { uint64_t v; return queue_get(&v) ? HD_INT(v) : HD_NONE; }

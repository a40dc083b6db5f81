#include <heddle.h>
#include "ubk_queue.h"
static struct queue q;
HD_INIT { queue_init(&q); }
#ifdef BOXED /* elements are pointers to what was put */
struct box {
    atomic_int value;
};
/* not from calloc: its zeroes are a write, and reading a box too early would be a race */
static struct box boxes[64];
static atomic_int boxes_used;
HD_OP(enq, int, v, 1, 2, 3)
{
    struct box *box = &boxes[atomic_fetch_add_explicit(&boxes_used, 1, memory_order_relaxed)];
    atomic_store_explicit(&box->value, v, memory_order_relaxed);
    queue_enqueue(&q, (uintptr_t)box);
    return HD_VOID;
}
HD_OP(deq)
{
    uint64_t box;
    if (!queue_dequeue(&q, &box))
        return HD_NONE;
    return HD_INT(atomic_load_explicit(&((struct box *)(uintptr_t)box)->value, memory_order_relaxed));
}
#else
HD_OP(enq, int, v, 1, 2, 3, 4, 5, 6, 7) { queue_enqueue(&q, (uint64_t)v); return HD_VOID; }
HD_OP(deq) { uint64_t v; return queue_dequeue(&q, &v) ? HD_INT(v) : HD_NONE; }
#endif
HD_SPEC("fifo")

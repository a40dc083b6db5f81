#define MS_NODES 16
#include <heddle.h>
#include "ms_queue.h"
static struct ms_queue q;
static _Thread_local struct ms_pool pool;
HD_INIT { ms_init(&q); }
/* A thread's first call takes nodes of its own: 2 to 5, 6 to 9, 10 to 13. */
static struct ms_pool *mine(void)
{
    static atomic_uint given;
    static _Thread_local bool has;
    if (!has) {
        ms_pool_init(&pool, 2 + 4 * atomic_fetch_add_explicit(&given, 1, memory_order_relaxed), 4);
        has = true;
    }
    return &pool;
}
HD_OP(enqueue, int, v, 0, 1) { ms_enqueue(&q, mine(), v); return HD_VOID; }
#ifdef ZERO_IS_EMPTY
HD_SPEC("fifo")
HD_OP(dequeue) { int v = ms_dequeue(&q, mine()); return v ? HD_INT(v) : HD_NONE; }
#else
HD_OP(dequeue) { int v; return ms_dequeue(&q, mine(), &v) ? HD_INT(v) : HD_NONE; }
#endif

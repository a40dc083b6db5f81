#include <heddle.h>
#include "rd_queue.h"
static struct queue q;
HD_INIT { queue_init(&q); }
HD_OP(enq, int, v, 1, 2, 3, 4, 5, 6, 7) { queue_enqueue(&q, v); return HD_VOID; }
HD_OP(deq) { int v; return queue_dequeue(&q, &v) ? HD_INT(v) : HD_NONE; }
HD_SPEC("fifo")

#include <heddle.h>
#include "iqueue.h"
static struct queue q;
HD_OP(enq, int, v, 1, 2) { queue_enqueue(&q, v); return HD_VOID; }
HD_OP(deq) { int v; return queue_dequeue(&q, &v) ? HD_INT(v) : HD_NONE; }
HD_SPEC("fifo")

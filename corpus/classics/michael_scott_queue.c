#include <heddle.h>
#include "michael_scott_queue.h"
static struct queue q;
HD_INIT { queue_init(&q); }
HD_OP(enqueue, int, v, 1, 2) { queue_enqueue(&q, v); return HD_VOID; }
HD_OP(dequeue) { int v; return queue_dequeue(&q, &v) ? HD_INT(v) : HD_NONE; }

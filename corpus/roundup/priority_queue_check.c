#include <heddle.h>
#include "priority_queue.h"
static struct queue q;
HD_OP(enq, int, priority, 1, 2, 3, 4) { queue_enqueue(&q, priority, priority); return HD_VOID; }
HD_OP(deqmin) { int v; return queue_dequeue(&q, heddle_choose(CHOICES), &v) ? HD_INT(v) : HD_NONE; }
HD_SPEC("priority-queue")

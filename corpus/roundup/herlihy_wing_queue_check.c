#include <heddle.h>
#include "../classics/herlihy_wing_queue.h"
static struct queue q;
static int elements[] = {0, 1, 2};
HD_OP(enq, int, v, 1, 2) { queue_enqueue(&q, &elements[v]); return HD_VOID; }
HD_OP(take) { return HD_INT(*queue_dequeue(&q)); }
HD_SPEC("fifo")

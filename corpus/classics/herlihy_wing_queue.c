#include <heddle.h>
#include <stdlib.h>
#include "herlihy_wing_queue.h"
static struct queue q;
HD_OP(enqueue, int, v, 1, 2)
{
    int *element = malloc(sizeof *element);
    *element = v;
    queue_enqueue(&q, element);
    return HD_VOID;
}
HD_OP(dequeue) { return HD_INT(*queue_dequeue(&q)); }

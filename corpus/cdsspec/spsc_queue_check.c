#include <heddle.h>
#include "spsc_queue.h"
static struct spsc_queue q;
HD_INIT { spsc_init(&q); }
HD_SINGLE("enqueue | dequeue")
HD_OP(enqueue, int, v, 1, 2) { spsc_enqueue(&q, v); return HD_VOID; }
HD_OP(dequeue) { int v; return spsc_dequeue(&q, &v, false) ? HD_INT(v) : HD_NONE; }

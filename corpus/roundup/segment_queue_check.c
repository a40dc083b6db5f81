#include <heddle.h>
#include "segment_queue.h"
static struct queue q;
#ifdef REFERENCE /* what is correct is said by the same queue without relaxation */
static bool strict;
HD_REFERENCE { strict = true; }
#else
enum { strict = false };
HD_SPEC("fifo")
#endif
HD_INIT { queue_init(&q); }
HD_OP(enq, int, v, 1, 2, 3, 4, 5) { queue_enqueue(&q, v); return HD_VOID; }
HD_OP(deq) { int v; return queue_dequeue(&q, strict ? 0 : heddle_choose(CELLS), &v) ? HD_INT(v) : HD_NONE; }

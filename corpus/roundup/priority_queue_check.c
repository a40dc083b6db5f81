// -DREFUSES: for any test; the specification is a priority queue that may refuse elements while it has some.
#include <heddle.h>
#include "priority_queue.h"
static struct queue q;
HD_OP(enq, int, priority, 1, 2, 3, 4) { return HD_BOOL(queue_enqueue(&q, priority, priority)); }
HD_OP(deqmin) { int v; return queue_dequeue(&q, (int)heddle_choose(CHOICES), &v) ? HD_INT(v) : HD_NONE; }
#ifdef REFUSES
static int present[5], total;
HD_GOLDEN_INIT
{
    total = 0;
    for (int i = 0; i < 5; i++)
        present[i] = 0;
}
HD_GOLDEN(enq, int, priority)
{
    if (total > 0 && heddle_choose(2))
        return HD_BOOL(false);
    present[priority]++;
    total++;
    return HD_BOOL(true);
}
HD_GOLDEN(deqmin)
{
    int least = 1;
    while (least < 5 && !present[least])
        least++;
    if (least == 5)
        return HD_NONE;
    present[least]--;
    total--;
    return HD_INT(least);
}
#else
HD_SPEC("priority-queue")
#endif

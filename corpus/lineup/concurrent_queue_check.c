/* ConcurrentQueue: Count, IsEmpty, Enqueue, ToArray, TryDequeue, TryPeek. */
#include <heddle.h>
#include "concurrent_queue.h"

static struct queue queue;

HD_INIT { queue_init(&queue); }
HD_OP(Count) { return HD_INT(queue_count(&queue)); }
HD_OP(IsEmpty) { return HD_BOOL(queue_is_empty(&queue)); }
HD_OP(Enqueue, int, value, 10, 20) { queue_enqueue(&queue, value); return HD_VOID; }
HD_OP(ToArray)
{
    int values[16], count = queue_to_array(&queue, values, 16);
    return HD_ARRAY(values, count);
}
HD_OP(TryDequeue)
{
    int value;
    return queue_try_dequeue(&queue, &value) ? HD_INT(value) : HD_NONE;
}
HD_OP(TryPeek)
{
    int value;
    return queue_try_peek(&queue, &value) ? HD_INT(value) : HD_NONE;
}

#include <heddle.h>
#include "chase_lev_deque.h"
static struct deque q;
static HdValue result(int item) { return item == DEQUE_EMPTY ? HD_NONE : HD_INT(item); }
HD_INIT { deque_init(&q); }
HD_SINGLE("push take")
HD_OP(push, int, v, 1, 2) { deque_push(&q, v); return HD_VOID; }
HD_OP(take) { return result(deque_take(&q)); }
HD_OP(steal) /* tries again when another took the item that it wanted */
{
    int item;
    while ((item = deque_steal(&q)) == DEQUE_ABORT)
        ;
    return result(item);
}

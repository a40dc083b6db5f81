#include <heddle.h>
#include "chase_lev_deque.h"
static struct deque q;
static HdValue result(int x) { return x == EMPTY ? HD_NONE : HD_INT(x); }
HD_INIT { deque_init(&q); }
HD_SINGLE("push take")
HD_OP(push, int, v, 1, 2) { deque_push(&q, v); return HD_VOID; }
HD_OP(take) { return result(deque_take(&q)); }
HD_OP(steal) /* tries again when another took the element that it wanted */
{
    int x;
    while ((x = deque_steal(&q)) == ABORT)
        ;
    return result(x);
}

// Threads write the same to a plain variable without order, beside atomic variables of their own: under sc the writes
// are steps like atomic ones, and what a step touches includes them.
// run: => holds
// run: -O2 => holds
#include <heddle.h>
#include <stdatomic.h>
static int p;
static atomic_int x, y;
HD_OP(left)
{
    p = 0;
    int was = atomic_exchange(&x, 1);
    return HD_INT(was);
}
HD_OP(right)
{
    p = 0;
    int was = atomic_exchange(&y, 1);
    return HD_INT(was);
}
HD_OP(look)
{
    return HD_INT(p + atomic_load(&x));
}

/* A counter in two parts, which a read adds up one after the other. Where each part grows by one,
 * the sum passes through every number, and a read is linearizable. Where they grow by 1 and by 2, a
 * read may miss the 1 and see the 2 that was added after it: no moment had that sum, though another
 * order of the adds has; and two reads may see them in two orders. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int part[2];
HD_OP(grow, int, which, 0, 1)
{
    atomic_fetch_add(&part[which], 1);
    return HD_VOID;
}
HD_OP(add, int, number, 1, 2)
{
    atomic_fetch_add(&part[number - 1], number);
    return HD_VOID;
}
HD_OP(read)
{
    int sum = atomic_load(&part[0]);
    return HD_INT(sum + atomic_load(&part[1]));
}

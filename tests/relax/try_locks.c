/* Attempts that undo themselves. A lock of two sides, each with a flag: beside each other both may
 * fail. A semaphore whose attempt subtracts, looks, and adds again: another attempt that comes
 * between fails though a unit is left. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int wish[2], units;
HD_INIT
{
    atomic_store(&units, 1);
}
static HdValue try_side(int mine)
{
    if (atomic_exchange(&wish[mine], 1))
        return HD_BOOL(0); /* this side has it */
    if (!atomic_load(&wish[1 - mine]))
        return HD_BOOL(1);
    atomic_store(&wish[mine], 0);
    return HD_BOOL(0);
}
HD_OP(left)
{
    return try_side(0);
}
HD_OP(right)
{
    return try_side(1);
}
HD_OP(try_down)
{
    if (atomic_fetch_sub(&units, 1) > 0)
        return HD_BOOL(1);
    atomic_fetch_add(&units, 1);
    return HD_BOOL(0);
}
HD_OP(up)
{
    atomic_fetch_add(&units, 1);
    return HD_VOID;
}

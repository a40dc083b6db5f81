/* Money moves in two steps; the sum is looked at when the test is over. */
#include <heddle.h>
#include <stdatomic.h>

static atomic_int here = 10, there;

HD_OP(move)
{
    int amount = atomic_load(&here) / 2;
    atomic_store(&here, atomic_load(&here) - amount);
    atomic_store(&there, atomic_load(&there) + amount);
    return HD_VOID;
}

HD_INVARIANT
{
    return atomic_load(&here) + atomic_load(&there) == 10;
}

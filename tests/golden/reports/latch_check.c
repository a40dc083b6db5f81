/* A latch that opens after two arrivals; an arrival is a load and a store, so that one may be lost. */
#include <heddle.h>
#include <stdatomic.h>

static atomic_int missing = 2;

HD_OP(arrive)
{
    int seen = atomic_load(&missing);
    atomic_store(&missing, seen - 1);
    return HD_VOID;
}

HD_OP(await)
{
    while (atomic_load(&missing) > 0)
        ;
    return HD_VOID;
}

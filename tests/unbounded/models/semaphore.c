#include <heddle.h>
#include <stdatomic.h>
static atomic_int units;
HD_OP(raise)
{
    int had = atomic_load(&units);
    do
        if (had == 2)
            return HD_BOOL(0);
    while (!atomic_compare_exchange_strong(&units, &had, had + 1));
    return HD_BOOL(1);
}
HD_OP(lower)
{
    int had = atomic_load(&units);
    do
        if (had == 0)
            return HD_BOOL(0);
    while (!atomic_compare_exchange_strong(&units, &had, had - 1));
    return HD_BOOL(1);
}

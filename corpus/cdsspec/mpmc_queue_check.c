#define MPMC_SLOTS 2
#include <heddle.h>
#include "mpmc_queue.h"
static struct mpmc_queue q;
HD_INIT { mpmc_init(&q); }
HD_OP(put, int, v, 1, 2)
{
    int *slot = mpmc_write_prepare(&q);
    if (!slot)
        return HD_BOOL(false);
    *slot = v;
    mpmc_write_publish(&q);
    return HD_BOOL(true);
}
HD_OP(get)
{
    int *slot = mpmc_read_fetch(&q);
    if (!slot)
        return HD_NONE;
    int v = *slot;
    mpmc_read_consume(&q);
    return HD_INT(v);
}

// A plain store that races goes to the store buffer, where it is no access to memory yet; whether it is in order with the
// plain accesses of others is asked when it is made. So a step touches what it has put into the buffer. It holds: copy
// changes nothing, and has seen p before or after put.
// run: HEDDLE_DEBUG=states=always,check-steps --model=tso --scenario=put()|copy() => holds
#include <heddle.h>
#include <stdatomic.h>
static int p;
static atomic_int x, y;
HD_OP(put)
{
    int was = atomic_exchange(&x, 1);
    p = 1;
    return HD_INT(was + atomic_load(&x));
}
HD_OP(copy)
{
    int seen = p;
    atomic_store_explicit(&y, 1, memory_order_release);
    p = seen;
    return HD_INT(seen);
}

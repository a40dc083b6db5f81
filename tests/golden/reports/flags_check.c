/* Two flags: each side raises its own, then looks at the other's. Release and acquire are too weak
 * for that: both may see the other's flag down. */
#include <heddle.h>
#include <stdatomic.h>

static atomic_int left, right;

HD_OP(go_left)
{
    atomic_store_explicit(&left, 1, memory_order_release);
    return HD_INT(atomic_load_explicit(&right, memory_order_acquire));
}

HD_OP(go_right)
{
    atomic_store_explicit(&right, 1, memory_order_release);
    return HD_INT(atomic_load_explicit(&left, memory_order_acquire));
}

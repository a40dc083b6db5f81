/* Operations instead of a main: a buffer of one element. Its flag hands the element over, in both directions. */
#include <heddle.h>
#include <stdatomic.h>
static int slot;
static atomic_bool full;
HD_SINGLE("put | get")
HD_OP(put, int, v, 1, 2)
{
    if (atomic_load_explicit(&full, memory_order_acquire)) // weaken: needed load acquire
        return HD_BOOL(0);
    slot = v;
    atomic_store_explicit(&full, true, memory_order_release); // weaken: needed store release
    return HD_BOOL(1);
}
HD_OP(get)
{
    if (!atomic_load_explicit(&full, memory_order_acquire)) // weaken: needed load acquire
        return HD_NONE;
    int v = slot;
    atomic_store_explicit(&full, false, memory_order_release); // weaken: needed store release
    return HD_INT(v);
}

#include <heddle.h>
#include <stdatomic.h>
static atomic_int slot[3], head, tail;
static int put(int v)
{
    int t = atomic_load(&tail), h = atomic_load(&head);
    if ((t + 1) % 3 == h)
        return 0;
    atomic_store(&slot[t], v);
    atomic_store(&tail, (t + 1) % 3);
    return 1;
}
HD_SINGLE("left1 left2 | right")
HD_OP(left1) { return HD_BOOL(put(1)); }
HD_OP(left2) { return HD_BOOL(put(2)); }
HD_OP(right)
{
    int h = atomic_load(&head), t = atomic_load(&tail);
    if (h == t)
        return HD_NONE;
    int v = atomic_load(&slot[h]);
    atomic_store(&head, (h + 1) % 3);
    return HD_INT(v);
}

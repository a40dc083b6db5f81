#include <heddle.h>
#include <stdatomic.h>
static atomic_int flag[2], turn, v;
static int enter(int me)
{
    atomic_store(&flag[me], 1);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&flag[1 - me]) && atomic_load(&turn) != me)
        ;
    int x = atomic_load(&v);
    atomic_store(&v, (x + 1) % 3);
    atomic_store(&flag[me], 0);
    return x;
}
HD_SINGLE("left | right")
HD_OP(left) { return HD_INT(enter(0)); }
HD_OP(right) { return HD_INT(enter(1)); }

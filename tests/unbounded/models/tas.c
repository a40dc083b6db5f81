#include <heddle.h>
#include <stdatomic.h>
static atomic_int taken, v;
HD_OP(add)
{
    while (atomic_exchange(&taken, 1))
        ;
    int x = atomic_load(&v);
    atomic_store(&v, (x + 1) % 3);
    atomic_store(&taken, 0);
    return HD_INT(x);
}

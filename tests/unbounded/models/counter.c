#include <heddle.h>
#include <stdatomic.h>
static atomic_int v;
HD_OP(add)
{
    for (;;) {
        int x = atomic_load(&v), e = x;
        if (atomic_compare_exchange_strong(&v, &e, (x + 1) % 3))
            return HD_INT(x);
    }
}

/* Two threads exchange values, or give up (Scherer, Lea and Scott 2005). Alone nobody gets
 * anything, so no serial run explains an exchange, whatever the order: it needs a specification of
 * pairs of calls. */
#include <heddle.h>
#include <stdatomic.h>
enum { TAKEN = -1 };
static atomic_int slot, reply;
HD_OP(exchange, int, v, 1, 2)
{
    int offered = 0;
    if (atomic_compare_exchange_strong(&slot, &offered, v)) {
        offered = v;
        if (atomic_compare_exchange_strong(&slot, &offered, 0))
            return HD_NONE;
        while (!atomic_load(&reply))
            ;
        return HD_INT(atomic_load(&reply));
    }
    if (offered != TAKEN && atomic_compare_exchange_strong(&slot, &offered, TAKEN)) {
        atomic_store(&reply, v);
        return HD_INT(offered);
    }
    return HD_NONE;
}

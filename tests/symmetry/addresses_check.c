/* addresses_check.c: a test whose equal columns make one call each, which looks at the address of a
 * block or of a local variable: it returns 9 if it begins inside another call and finds a higher
 * address than its own. No serial run gives that. If T1 begins first, it is T2 that begins inside a
 * call, and what it finds is lower. */
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) first;
static atomic_int inside;

HD_INIT
{
    atomic_store(&first, NULL);
    atomic_store(&inside, 0);
}
HD_OP(put)
{
    int local, *none = NULL;
    int *own = ON_STACK ? &local : malloc(sizeof *own);
    int others = atomic_fetch_add(&inside, 1);
    atomic_compare_exchange_strong(&first, &none, own);
    atomic_fetch_sub(&inside, 1);
    return HD_INT(others && none > own ? 9 : 0);
}

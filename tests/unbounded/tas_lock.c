/* A test-and-set lock that says 2 when somebody waits. M1: the test and the set are two steps. M2: it
 * is given back only if nobody waits. */
// run: --unbounded=3 => holds
// run: HEDDLE_DEBUG=symmetry=always --unbounded=3 => holds
// run: --unbounded=2 => holds
// run: -DM1 --unbounded=2 => violated assertion
// run: -DM2 --unbounded=2 => violated stuck
#include "lock.h"
static atomic_int lock;
HD_OP(enter)
{
    int mine = 1;
#ifdef M1
    while (atomic_load(&lock))
        ;
    atomic_store(&lock, 1);
#endif
    while (atomic_exchange(&lock, mine))
#ifdef M1
        break;
#endif
        mine = 2;
    int was = critical();
#ifdef M2
    mine = 1;
    atomic_compare_exchange_strong(&lock, &mine, 0);
#else
    atomic_store(&lock, 0);
#endif
    return HD_INT(was);
}

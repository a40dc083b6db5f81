/* Peterson's lock for two threads, with plain variables: under sc their races are explored. M1: the
 * turn is given before the flag is raised. M2: the turn is not given at all. */
// run: --unbounded=2 => holds
// run: -DM1 --unbounded=2 => violated assertion
// run: -DM2 --unbounded=2 => violated assertion
#include "lock.h"
static int flag[2], turn;
static int enter(int me)
{
#ifdef M1
    turn = 1 - me;
    flag[me] = 1;
#else
    flag[me] = 1;
#ifndef M2
    turn = 1 - me;
#endif
#endif
    while (flag[1 - me] && turn == 1 - me)
        ;
    int was = critical();
    flag[me] = 0;
    return was;
}
HD_SINGLE("left | right")
HD_OP(left) { return HD_INT(enter(0)); }
HD_OP(right) { return HD_INT(enter(1)); }

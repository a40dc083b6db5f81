/* Peterson's lock for two threads, and for three (THREE: two levels, at each of which the last one that
 * came waits), with plain variables: under sc their races are explored. M1: the turn is given before the
 * flag is raised. M2: the turn is not given at all. Under tso both flags may wait in store buffers while
 * each looks at the other's; a fence before the look (FENCE) is enough. */
// run: --unbounded=2 => holds
// run: -DM1 --unbounded=2 => violated assertion
// run: -DM2 --unbounded=2 => violated assertion
// run: --model=tso --unbounded=2 => violated assertion
// run: --model=tso -DFENCE --unbounded=2 => holds
// run: --model=tso -DFENCE -DM2 --unbounded=2 => violated assertion
// run: -DTHREE --unbounded=3 => holds
// run: -DTHREE -DM1 --unbounded=3 => violated assertion
// run: -DTHREE -DM2 --unbounded=3 => violated assertion
#include "lock.h"
#ifdef THREE
static int level[3], last[3];
static int others_at(int me, int l)
{
    return level[(me + 1) % 3] >= l || level[(me + 2) % 3] >= l;
}
static int enter(int me)
{
    for (int l = 1; l < 3; l++) {
#ifdef M1
        last[l] = me;
        level[me] = l;
#else
        level[me] = l;
#ifndef M2
        last[l] = me;
#endif
#endif
        while (others_at(me, l) && last[l] == me)
            ;
    }
    int was = critical();
    level[me] = 0;
    return was;
}
HD_SINGLE("left | middle | right")
HD_OP(left) { return HD_INT(enter(0)); }
HD_OP(middle) { return HD_INT(enter(1)); }
HD_OP(right) { return HD_INT(enter(2)); }
#else
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
#ifdef FENCE
    atomic_thread_fence(memory_order_seq_cst);
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
#endif

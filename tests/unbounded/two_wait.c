// run: HEDDLE_DEBUG=states=always --model=sc --shape=2x1 -DCROWD => violated stuck
// run: HEDDLE_DEBUG=states=always --model=tso --shape=2x1 -DCROWD => violated stuck
// run: HEDDLE_DEBUG=states=always --model=sc --shape=2x1 => holds
// run: HEDDLE_DEBUG=states=always --model=tso --shape=2x1 => holds
// run: --unbounded=2 --model=sc -DCROWD => violated stuck
// run: --unbounded=2 --model=sc => holds
/* Calls that wait for ever beside each other. With one token, take() must come to its end if no other take() has: who
 * waits for ever beside it has done nothing (Burckhardt, Dern, Musuvathi and Tan: Line-Up, PLDI 2010, definition 3).
 *     CROWD   two that come together wait for each other for ever: wrong, whichever of them is asked about
 *     else    the second one waits for ever, behind one that has returned: right */
#include <heddle.h>
#include <stdatomic.h>

static atomic_int tokens, crowd;

HD_INIT
{
    atomic_store(&tokens, 1);
}

HD_OP(take)
{
#ifdef CROWD
    atomic_fetch_add(&crowd, 1);
    while (atomic_load(&crowd) > 1) {
    }
#endif
    for (int one = 1; !atomic_compare_exchange_strong(&tokens, &one, 0); one = 1) {
    }
    atomic_fetch_sub(&crowd, 1);
    return HD_VOID;
}
HD_MAY_BLOCK("take")

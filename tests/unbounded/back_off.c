/* A lock whose threads back off: nothing that matters reads how long they wait, but a delay that counts down needs its
 * counter. It holds because the exchange gives the lock to one thread. However long they wait, and up to MOST rounds, it
 * has as many states as a lock whose threads try again AT_ONCE; without optimisation only where the delay is a loop over a
 * VOLATILE counter, too. An _Atomic counter is no delay: its accesses are steps after the first 256. M1: load and
 * store are two steps, two threads enter. M2: what was read before the lock was taken is believed inside: that value, unlike
 * the delay, tells states apart. */
// run: --unbounded=2 => holds
// run: -O1 --unbounded=2 => holds 15
// run: -O2 --unbounded=2 => holds 15
// run: -DAT_ONCE --unbounded=2 => holds 15
// run: -DAT_ONCE --unbounded=3 => holds 43
// run: -O1 -DMOST=256 --unbounded=3 => holds 43
// run: -O2 -DMOST=256 --unbounded=3 => holds 43
// run: -O2 --model=tso -DMOST=256 --unbounded=2 => holds
// run: -O0 -DVOLATILE=volatile -DFIRST=1024 --unbounded=2 => holds 15
// run: -O2 -DVOLATILE=volatile -DFIRST=1024 -DMOST=4096 --unbounded=2 => holds 15
// run: -O1 -DVOLATILE=_Atomic -DFIRST=1024 --unbounded=2 => holds
// run: -DM1 --unbounded=2 => violated assertion
// run: -O1 -DM1 --unbounded=2 => violated assertion
// run: -O2 -DM1 -DMOST=256 --unbounded=2 => violated assertion
// run: -O1 -DM2 --unbounded=2 => violated assertion
// run: -O2 -DM2 --unbounded=2 => violated assertion
#include <assert.h>
#include <heddle.h>
#include <sched.h>
#include <stdatomic.h>
#ifndef FIRST
#define FIRST 1
#endif
#ifndef MOST
#define MOST 4
#endif
static atomic_int taken, inside, number;
static int try_lock(void)
{
#ifdef M1
    int was = atomic_load(&taken);
    atomic_store(&taken, 1);
    return !was;
#else
    return !atomic_exchange(&taken, 1);
#endif
}
HD_OP(enter)
{
    unsigned wait = FIRST;
#ifdef M2
    int was = atomic_load(&number);
#endif
    while (!try_lock()) {
#ifndef AT_ONCE
#ifdef VOLATILE
        for (VOLATILE unsigned left = wait; left; left--)
            ;
#else
        unsigned left = wait;
        do
            sched_yield();
        while (--left);
#endif
        wait = wait < MOST ? 2 * wait : wait;
#endif
    }
    assert(!atomic_exchange(&inside, 1));
#ifdef M2
    assert(!was || atomic_load(&number));
    atomic_fetch_xor(&number, 1);
#endif
    atomic_store(&inside, 0);
    atomic_store(&taken, 0);
    return HD_VOID;
}

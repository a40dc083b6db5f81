/* A lock whose threads back off: nothing that matters reads how long they wait, but a delay that counts down needs its
 * counter. It holds because the exchange gives the lock to one thread. M1: load and store are two steps, two threads
 * enter. */
// run: --unbounded=2 => holds
// run: -O1 --unbounded=2 => holds
// run: -O2 --unbounded=2 => holds
// run: -DM1 --unbounded=2 => violated assertion
#include <assert.h>
#include <heddle.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int taken, inside;
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
    unsigned wait = 1;
    while (!try_lock()) {
        unsigned left = wait;
        do
            sched_yield();
        while (--left);
        wait = wait < 4 ? 2 * wait : wait;
    }
    assert(!atomic_exchange(&inside, 1));
    atomic_store(&inside, 0);
    atomic_store(&taken, 0);
    return HD_VOID;
}

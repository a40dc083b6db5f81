/* Bugs that no test of three threads with three calls shows. M1: the sixth take gives the lock up in
 * the middle. M2: a counter of eight bits overflows after eight steps of 32. M3: once
 * the queue was full, then empty, then full and empty again, it puts elements where it does not look for
 * them. */
// run: --elements=3 => holds
// run: -DM1 --elements=2 => violated linearizability
// run: -DM2 --elements=1 => violated linearizability
// run: -DM3 --elements=3 => violated linearizability
// run: HEDDLE_DEBUG=calls=3 -DM1 --unbounded=3 --elements=3 => holds
// run: HEDDLE_DEBUG=calls=3 -DM2 --unbounded=3 --elements=3 => holds
// run: HEDDLE_DEBUG=calls=3 -DM3 --unbounded=3 --elements=3 => holds
#include <heddle.h>
#include <stdatomic.h>
static int slot[3], first, count, takes, rounds;
static unsigned char steps;
static atomic_int lock;
static void acquire(void)
{
    while (atomic_exchange(&lock, 1))
        ;
}
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2)
{
    acquire();
    if (count == 3) {
        atomic_store(&lock, 0);
        return HD_BOOL(0);
    }
#ifdef M3 /* odd: it was full since it was empty the last time */
    slot[(first + count++ + (rounds == 4)) % 3] = v;
    rounds += count == 3 && rounds % 2 == 0 && rounds < 4;
#else
    slot[(first + count++) % 3] = v;
#endif
    atomic_store(&lock, 0);
    return HD_BOOL(1);
}
HD_OP(deq)
{
    acquire();
    if (!count) {
        atomic_store(&lock, 0);
        return HD_NONE;
    }
    int v = slot[first];
#ifdef M1
    takes += takes < 6;
    if (takes == 6) {
        atomic_store(&lock, 0);
        acquire();
    }
#endif
#ifdef M2
    steps += 32;
    if (!steps)
        v = 3;
#endif
    slot[first] = 0;
    first = (first + 1) % 3;
    count--;
#ifdef M3
    rounds += !count && rounds % 2;
#endif
    atomic_store(&lock, 0);
    return HD_INT(v);
}

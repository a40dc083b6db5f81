/* Bugs that no test of three threads with three calls shows. M1: the sixth take gives the lock up in
 * the middle. M2: a counter of eight bits overflows after eight steps of 32. M3: full, then
 * empty, then full: the second time round the limit is one too high. */
// run: --elements=2 => holds
// run: -DM1 --elements=2 => violated linearizability
// run: -DM2 --elements=1 => violated linearizability
// run: -DM3 --elements=4 => violated
#include <heddle.h>
#include <stdatomic.h>
static int slot[3], first, count, takes, was_full;
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
    int limit = 3;
#ifdef M3
    if (count == 3)
        was_full = 1;
    else if (was_full == 1 && !count)
        was_full = 2;
    limit += was_full == 2;
#endif
    if (count == limit) {
        atomic_store(&lock, 0);
        return HD_BOOL(0);
    }
    slot[(first + count++) % 3] = v;
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
    atomic_store(&lock, 0);
    return HD_INT(v);
}

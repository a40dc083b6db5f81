/* A queue of at most three elements under a lock whose every other take is out of order by one. */
// run: --quasi=deq:1 --elements=2 => holds
// run: --quasi=deq:2 --elements=2 => holds
// run: --quasi=deq:0 --elements=2 => violated linearizability
// run: --elements=1 => holds
// run: --elements=2 => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
static int slot[4], count, odd;
static atomic_int lock;
static void acquire(void)
{
    while (atomic_exchange(&lock, 1))
        ;
}
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2, 3)
{
    acquire();
    slot[count++] = v;
    atomic_store(&lock, 0);
    return HD_VOID;
}
HD_OP(deq)
{
    int v = 0;
    acquire();
    if (count) {
        int i = count > 1 && odd;
        odd = !odd;
        v = slot[i];
        for (; i + 1 < count; i++)
            slot[i] = slot[i + 1];
        slot[--count] = 0;
    }
    atomic_store(&lock, 0);
    return v ? HD_INT(v) : HD_NONE;
}

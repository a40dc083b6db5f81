// asks: check --unbounded --time=20s
// reason: there is no end
// advice: Let a number of which only differences matter start with HD_TICKET
// then: check --unbounded -DFOLLOWED
// better: holds
#include <heddle.h>
#include <stdatomic.h>
#ifdef FOLLOWED
static atomic_uint next = HD_TICKET(0), serving = HD_TICKET(0);
#else
static atomic_uint next, serving;
#endif
static int held;
HD_OP(enter)
{
    unsigned mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine)
        ;
    int seen = held++;
    held--;
    atomic_store(&serving, mine + 1);
    return HD_INT(seen);
}

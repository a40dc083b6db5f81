// package: libck-dev
// options: --shape=3x1
// expect: tso holds
// Concurrency Kit's queue lock with nodes on the stacks of the threads: an increment under it is atomic. The
// fences that a weaker machine needs are empty on x86, where a locked instruction is one.
#include <heddle.h>
#include <ck_spinlock.h>
static ck_spinlock_mcs_t lock;
static int counter;
HD_INIT { ck_spinlock_mcs_init(&lock); counter = 0; }
HD_OP(increment)
{
    ck_spinlock_mcs_context_t node;
    ck_spinlock_mcs_lock(&lock, &node);
    int v = ++counter;
    ck_spinlock_mcs_unlock(&lock, &node);
    return HD_INT(v);
}

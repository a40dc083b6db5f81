// package: libck-dev
// expect 3x1: sc holds; tso holds
// Concurrency Kit's ticket lock accesses one word in two sizes: a fetch-and-add of 32 bits, loads of 16.
#include <heddle.h>
#include <ck_spinlock.h>
static ck_spinlock_ticket_t lock;
static int counter;
HD_INIT { ck_spinlock_ticket_init(&lock); counter = 0; }
HD_OP(increment)
{
    ck_spinlock_ticket_lock(&lock);
    int v = ++counter;
    ck_spinlock_ticket_unlock(&lock);
    return HD_INT(v);
}

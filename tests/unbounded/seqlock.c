/* A sequence lock with one writer at a time, its counter modulo 8: right while fewer than four writes
 * come to their end during one read, which the lag bounds. M1: the reader does not look at the counter
 * again. M2: the counter is back at once, so that a whole write goes unnoticed. */
// run: --lag=3 => holds
// run: -DM1 => violated
// run: -DM2 => violated
// run: => violated linearizability
// run: -DTICKETS --lag=3 => holds
// run: -DTICKETS -DM1 => violated
#include <heddle.h>
#include <stdatomic.h>
#ifdef M2
enum { WRAP = 2 };
#else
enum { WRAP = 8 };
#endif
#ifdef TICKETS /* counts for ever */
static atomic_uint sequence = HD_TICKET(0);
#define NEXT(s) ((s) + 2)
#else
static atomic_uint sequence;
#define NEXT(s) (((s) + 2) % WRAP)
#endif
static atomic_int x, y;
HD_SPEC("register:0")
HD_OP(write, int, v, 1, 2)
{
    unsigned s = atomic_load(&sequence);
    do
        while (s & 1)
            s = atomic_load(&sequence);
    while (!atomic_compare_exchange_strong(&sequence, &s, s + 1));
    atomic_store(&x, v);
    atomic_store(&y, v);
    atomic_store(&sequence, NEXT(s));
    return HD_VOID;
}
HD_OP(read)
{
    for (;;) {
        unsigned s = atomic_load(&sequence);
        if (s & 1)
            continue;
        int a = atomic_load(&x), b = atomic_load(&y);
#ifndef M1
        if (atomic_load(&sequence) != s)
            continue;
#endif
        return HD_INT(a == b ? a : 9);
    }
}

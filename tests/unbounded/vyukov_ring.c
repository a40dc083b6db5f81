/* Vyukov's ring of two elements, its counters modulo 8, or counting for ever (FOR_EVER; TICKETS says
 * that only their differences and rests matter). With one producer and one consumer it is a
 * queue; with several, a call may fail while others are under way (PROMISE says so). M1: a free cell
 * is not told from one of the next round. M2: the consumer frees the cell before it has read it. M3: a
 * producer takes its place by a store. M4: put fails at every other turn of the ring, beside no other
 * call, which no promise covers. */
// run: -DROLES --elements=2 => holds
// run: --elements=2 => violated linearizability
// run: -DROLES -DM1 --elements=2 => violated linearizability
// run: -DROLES --spec=observed --elements=3 => holds
// run: -DROLES -DM2 --spec=observed --elements=3 => violated linearizability
// run: -DPROMISE --elements=2 --lag=4 => holds
// run: -DPROMISE --elements=1 --lag=3 --unbounded=3 => holds
// run: -DPROMISE --elements=2 => violated linearizability
// run: HEDDLE_DEBUG=calls=3 -DPROMISE --unbounded=3 --elements=2 => holds
// run: -DPROMISE -DM2 --elements=2 => violated linearizability
// run: -DPROMISE -DM3 --elements=2 => violated linearizability
// run: -DPROMISE -DM4 --elements=2 => violated linearizability
// run: -DROLES -DFOR_EVER --elements=1 => inconclusive
// run: -DROLES -DFOR_EVER -DTICKETS --elements=2 => holds 518
// run: -DPROMISE -DFOR_EVER -DTICKETS --elements=2 --lag=3 => holds
// run: -DPROMISE -DFOR_EVER -DTICKETS -DM2 --elements=2 => violated linearizability
// run: -DROLES -DFOR_EVER -DTICKETS -DABSOLUTE --elements=2 => inconclusive
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
enum { CELLS = 2 };
#ifdef FOR_EVER
#define NORM(x) (x)
#define DIFF(a, b) ((int)((a) - (b)))
#else
#ifndef WRAP
#define WRAP 8 /* a multiple of CELLS */
#endif
#define NORM(x) ((x) % WRAP)
#define DIFF(a, b) ((int)(((a) - (b) + WRAP + WRAP / 2) % WRAP) - WRAP / 2)
#endif
static struct { atomic_uint sequence; int value; } cell[CELLS];
#ifdef TICKETS
#define START(i) HD_TICKET(i)
#else
#define START(i) (i)
#endif
static atomic_uint head = START(0), tail = START(0);
HD_INIT
{
    for (unsigned i = 0; i < CELLS; i++)
        atomic_store(&cell[i].sequence, START(i));
}
static bool put(int v)
{
    unsigned p = atomic_load(&tail);
    for (;;) {
        int d = DIFF(atomic_load(&cell[p % CELLS].sequence), p);
        if (d == 0) {
#ifdef ABSOLUTE /* what it does depends on more than differences */
            if (p > START(200))
                return false;
#endif
#ifdef M4
            if (p / CELLS % 2)
                return false;
#endif
#ifdef M3
            atomic_store(&tail, NORM(p + 1));
            break;
#endif
            if (atomic_compare_exchange_strong(&tail, &p, NORM(p + 1)))
                break;
        } else if (d < 0)
            return false;
        else
            p = atomic_load(&tail);
    }
    cell[p % CELLS].value = v;
    atomic_store(&cell[p % CELLS].sequence, NORM(p + 1));
    return true;
}
static bool get(int *v)
{
    unsigned p = atomic_load(&head);
    for (;;) {
        int d = DIFF(atomic_load(&cell[p % CELLS].sequence), NORM(p + 1));
        if (d == 0) {
            if (atomic_compare_exchange_strong(&head, &p, NORM(p + 1)))
                break;
        } else if (d < 0)
            return false;
        else
            p = atomic_load(&head);
    }
#ifdef M2
    atomic_store(&cell[p % CELLS].sequence, NORM(p + CELLS));
    *v = cell[p % CELLS].value;
#else
    *v = cell[p % CELLS].value;
#ifdef M1
    atomic_store(&cell[p % CELLS].sequence, NORM(p + 1));
#else
    atomic_store(&cell[p % CELLS].sequence, NORM(p + CELLS));
#endif
#endif
    return true;
}
HD_SPEC("fifo")
#ifdef ROLES
HD_SINGLE("enq | deq")
#endif
#ifdef PROMISE
HD_MAY_FAIL(enq, HD_BOOL(0))
HD_MAY_FAIL(deq, HD_NONE)
#endif
HD_OP(enq, int, v, 1, 2) { return HD_BOOL(put(v)); }
HD_OP(deq)
{
    int v;
    return get(&v) ? HD_INT(v) : HD_NONE;
}

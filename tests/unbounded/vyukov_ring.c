/* Vyukov's ring of two elements, its counters modulo 8. With one producer and one consumer it is a
 * queue; with several, a call may fail while others are under way. M1: a free cell is not told from
 * one of the next round. M2: the consumer frees the cell before it has read it. */
// run: -DROLES --elements=2 => holds
// run: => violated linearizability
// run: -DROLES -DM1 => violated linearizability
// run: -DROLES -DM2 => violated linearizability
// run: -DROLES -DFOR_EVER --elements=1 => inconclusive
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
enum { CELLS = 2 };
#ifdef FOR_EVER
#define NORM(x) (x)
#define DIFF(a, b) ((int)((a) - (b)))
#else
enum { WRAP = 8 };
#define NORM(x) ((x) % WRAP)
#define DIFF(a, b) ((int)(((a) - (b) + WRAP + WRAP / 2) % WRAP) - WRAP / 2)
#endif
static struct { atomic_uint sequence; int value; } cell[CELLS];
static atomic_uint head, tail;
HD_INIT
{
    for (unsigned i = 0; i < CELLS; i++)
        atomic_store(&cell[i].sequence, i);
}
static bool put(int v)
{
    unsigned p = atomic_load(&tail);
    for (;;) {
        int d = DIFF(atomic_load(&cell[p % CELLS].sequence), p);
        if (d == 0) {
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
HD_OP(enq, int, v, 1, 2) { return HD_BOOL(put(v)); }
HD_OP(deq)
{
    int v;
    return get(&v) ? HD_INT(v) : HD_NONE;
}

/* The bounded k-FIFO queue of Kirsch, Lippautz and Payer (PaCT 2013), a ring of two segments with two cells
 * each: elements are out of order by at most one. Any free cell of a segment may be chosen. Cells and ends
 * have versions modulo 2, enough while at most one call of the other returns during one call. M1: an enqueue does not look
 * whether its segment is still in the queue. M2: dequeues look into the segment at the tail. M3: there are no versions. */
// run: --quasi=deq:1 --lag=1 --elements=2 => holds
// run: --quasi=deq:0 --lag=1 --elements=2 => violated linearizability
// run: --lag=1 --elements=2 => violated linearizability
// run: --quasi=deq:1 -DM1 --elements=3 => violated linearizability
// run: --quasi=deq:1 -DM2 --elements=3 => violated linearizability
// run: --quasi=deq:1 -DM3 --elements=2 => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
#ifdef M3
#define VERSIONS 1
#elif !defined VERSIONS
#define VERSIONS 2
#endif
enum { K = 2, CELLS = 4 };
typedef unsigned Tagged; /* the value in the low byte, its version above */
static _Atomic(Tagged) head, tail; /* the number of a segment's first cell */
static _Atomic(Tagged) cells[CELLS]; /* 0: empty */
static unsigned value_of(Tagged t)
{
    return t & 255;
}
static Tagged next(unsigned value, Tagged old)
{
    return value | ((old >> 8) + 1) % VERSIONS << 8;
}
/* Some cell of the segment that is empty, or not; if there is none, one of the other kind. */
static unsigned find_cell(Tagged segment, bool empty, Tagged *found)
{
    unsigned first = heddle_choose(K), cell = 0;
    for (unsigned i = 0; i < K; i++) {
        cell = value_of(segment) + (first + i) % K;
        *found = atomic_load(&cells[cell]);
        if (!value_of(*found) == empty)
            break;
    }
    return cell;
}
static bool is_empty(Tagged segment)
{
    for (unsigned i = 0; i < K; i++)
        if (value_of(atomic_load(&cells[value_of(segment) + i])))
            return false;
    return true;
}
static void advance(_Atomic(Tagged) *end, Tagged old)
{
    atomic_compare_exchange_strong(end, &old, next((value_of(old) + K) % CELLS, old));
}
/* Is the new element where dequeues will find it? If not it is taken back. */
static bool committed(Tagged segment, unsigned cell, Tagged element)
{
#ifdef M1
    return true;
#endif
    if (atomic_load(&cells[cell]) != element)
        return true; /* it was dequeued */
    Tagged h = atomic_load(&head), t = atomic_load(&tail);
    unsigned s = value_of(segment), from = value_of(h), to = value_of(t);
    if (to < from ? from < s || s <= to : from < s && s <= to)
        return true;
    bool outside = to < from ? to < s && s < from : s < from || to < s;
    /* at the head: a change of its version makes a dequeue fail that found the segment empty */
    if (!outside && atomic_compare_exchange_strong(&head, &h, next(from, h)))
        return true;
    return !atomic_compare_exchange_strong(&cells[cell], &element, next(0, element));
}
static bool put(unsigned value)
{
    for (;;) {
        Tagged t = atomic_load(&tail), h = atomic_load(&head), found;
        unsigned cell = find_cell(t, true, &found);
        if (t != atomic_load(&tail))
            continue;
        if (!value_of(found)) {
            Tagged element = next(value, found);
            if (atomic_compare_exchange_strong(&cells[cell], &found, element) && committed(t, cell, element))
                return true;
            continue;
        }
        if ((value_of(t) + K) % CELLS == value_of(h) && h == atomic_load(&head)) {
            if (!is_empty(h) && h == atomic_load(&head))
                return false;
            advance(&head, h);
        }
        advance(&tail, t);
    }
}
static unsigned get(void)
{
    for (;;) {
#ifdef M2
        Tagged h = atomic_load(&tail), found;
#else
        Tagged h = atomic_load(&head), found;
#endif
        unsigned cell = find_cell(h, false, &found);
        Tagged t = atomic_load(&tail);
#ifndef M2
        if (h != atomic_load(&head))
            continue;
#endif
        if (value_of(found)) {
            if (value_of(h) == value_of(t))
                advance(&tail, t);
            if (atomic_compare_exchange_strong(&cells[cell], &found, next(0, found)))
                return value_of(found);
        } else if (value_of(h) == value_of(t) && t == atomic_load(&tail)) {
            return 0;
        } else {
            advance(&head, h);
        }
    }
}
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2) { return HD_BOOL(put((unsigned)v)); }
HD_OP(deq)
{
    unsigned v = get();
    return v ? HD_INT(v) : HD_NONE;
}

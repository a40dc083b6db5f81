/* Lamport's ring of two elements, for one producer and one consumer. M1: full is taken for empty. M2:
 * the producer writes after it has published. M3: the index wraps one too late, which the third
 * element shows. M4: positions count modulo 8, which is no multiple of three, so that the ring jumps after
 * the eighth element: the ninth, at position 0, is put over the seventh, at position 6; and all three
 * slots are used. */
// run: --elements=2 => holds 204
// run: --spec=observed --elements=3 => holds
// run: --spec=observed => holds
// run: --model=tso --elements=2 => holds
// run: --model=tso -DM2 => violated linearizability
// run: -DM1 --elements=3 => violated linearizability
// run: -DM2 => violated linearizability
// run: -DM3 => violated
// run: -DM4 -DWRAP=9 --elements=3 => holds
// run: -DM4 --elements=3 => violated linearizability
// run: HEDDLE_DEBUG=calls=3 -DM4 --elements=3 => holds
// run: HEDDLE_DEBUG=calls=8 -DM4 --elements=3 => holds
// run: HEDDLE_DEBUG=calls=9 -DM4 --elements=3 => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
enum { SLOTS = 3 };
static int slot[SLOTS];
static atomic_uint head, tail;
#ifdef M3
#define NEXT(i) (((i) + 1) % (SLOTS + 1))
#elif defined M4
#ifndef WRAP
#define WRAP 8
#endif
#define NEXT(i) (((i) + 1) % WRAP)
#define FULL(t, h) (((t) + WRAP - (h)) % WRAP == SLOTS)
#else
#define NEXT(i) (((i) + 1) % SLOTS)
#endif
#ifndef M4
#define FULL(t, h) (NEXT(t) == (h))
#endif
HD_SPEC("fifo")
HD_SINGLE("enq | deq")
HD_OP(enq, int, v, 1, 2)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
#ifndef M1
    if (FULL(t, atomic_load_explicit(&head, memory_order_acquire)))
        return HD_BOOL(0);
#endif
#ifdef M2
    atomic_store_explicit(&tail, NEXT(t), memory_order_release);
    slot[t % SLOTS] = v;
#else
    slot[t % SLOTS] = v;
    atomic_store_explicit(&tail, NEXT(t), memory_order_release);
#endif
    return HD_BOOL(1);
}
HD_OP(deq)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (h == atomic_load_explicit(&tail, memory_order_acquire))
        return HD_NONE;
    int v = slot[h % SLOTS];
    slot[h % SLOTS] = 0;
    atomic_store_explicit(&head, NEXT(h), memory_order_release);
    return HD_INT(v);
}

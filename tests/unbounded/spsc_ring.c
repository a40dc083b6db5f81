/* Lamport's ring of two elements, for one producer and one consumer. M1: full is taken for empty. M2:
 * the producer writes after it has published. M3: the index wraps one too late, which the third
 * element shows. */
// run: --elements=2 => holds 204
// run: --spec=observed --elements=3 => holds
// run: --spec=observed => holds
// run: -DM1 --elements=3 => violated linearizability
// run: -DM2 => violated linearizability
// run: -DM3 => violated
#include <heddle.h>
#include <stdatomic.h>
enum { SLOTS = 3 };
static int slot[SLOTS];
static atomic_uint head, tail;
#ifdef M3
#define NEXT(i) (((i) + 1) % (SLOTS + 1))
#else
#define NEXT(i) (((i) + 1) % SLOTS)
#endif
HD_SPEC("fifo")
HD_SINGLE("enq | deq")
HD_OP(enq, int, v, 1, 2)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
#ifndef M1
    if (NEXT(t) == atomic_load_explicit(&head, memory_order_acquire))
        return HD_BOOL(0);
#endif
#ifdef M2
    atomic_store_explicit(&tail, NEXT(t), memory_order_release);
    slot[t] = v;
#else
    slot[t] = v;
    atomic_store_explicit(&tail, NEXT(t), memory_order_release);
#endif
    return HD_BOOL(1);
}
HD_OP(deq)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (h == atomic_load_explicit(&tail, memory_order_acquire))
        return HD_NONE;
    int v = slot[h];
    slot[h] = 0;
    atomic_store_explicit(&head, NEXT(h), memory_order_release);
    return HD_INT(v);
}

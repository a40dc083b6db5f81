/* shapes.c: operations that are the parts of litmus tests, for tests drawn by --shape or given by --scenario: what a
 * client's edge puts together is often a whole one, e.g. independent reads of independent writes with a fence between
 * the two reads, cut at the fence. They return nothing: every history is allowed, every execution looked at.
 *     -DFENCES    relaxed accesses, seq_cst fences
 *     -DLOCKED    read-modify-writes, compare-exchanges that fail, stores and loads
 *     -DMIXED     all orders */
#include <heddle.h>
#include <stdatomic.h>

static atomic_int x, y, z;
#define STORE(place, order) atomic_store_explicit(&place, 1, memory_order_##order)
#define LOAD(place, order) (void)atomic_load_explicit(&place, memory_order_##order)
#define ADD(place, order) atomic_fetch_add_explicit(&place, 1, memory_order_##order)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#define OP(name, ...)                                                                                                  \
    HD_OP(name)                                                                                                        \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
        return HD_INT(0);                                                                                              \
    }

static void fail_exchange(atomic_int *place, memory_order order)
{
    int never = 100;
    atomic_compare_exchange_strong_explicit(place, &never, 101, order, order);
}

#if defined FENCES
OP(wx, STORE(x, relaxed))
OP(wy, STORE(y, relaxed))
OP(rx, LOAD(x, relaxed))
OP(ry, LOAD(y, relaxed))
OP(frx, FENCE(); LOAD(x, relaxed))
OP(fry, FENCE(); LOAD(y, relaxed))
OP(rxf, LOAD(x, relaxed); FENCE())
OP(ryf, LOAD(y, relaxed); FENCE())
OP(wxf, STORE(x, relaxed); FENCE())
OP(fwy, FENCE(); STORE(y, relaxed))
OP(rxfry, LOAD(x, relaxed); FENCE(); LOAD(y, relaxed))
OP(wyfrx, STORE(y, relaxed); FENCE(); LOAD(x, relaxed))
#elif defined LOCKED
OP(wx, STORE(x, relaxed))
OP(rx, LOAD(x, relaxed))
OP(ry, LOAD(y, relaxed))
OP(ax, ADD(x, relaxed))
OP(ay, ADD(y, relaxed))
OP(wxry, STORE(x, release); LOAD(y, acquire))
OP(wyrx, STORE(y, release); LOAD(x, acquire))
OP(wxay, STORE(x, relaxed); ADD(y, relaxed))
OP(axry, ADD(x, relaxed); LOAD(y, relaxed))
OP(ayrx, ADD(y, relaxed); LOAD(x, relaxed))
OP(wxcy, STORE(x, relaxed); fail_exchange(&y, memory_order_relaxed))
OP(cyrx, fail_exchange(&y, memory_order_seq_cst); LOAD(x, relaxed))
OP(wyrxs, STORE(y, seq_cst); LOAD(x, seq_cst))
OP(wxryh, STORE(x, seq_cst); LOAD(y, relaxed))
OP(wxgry, STORE(x, relaxed); atomic_thread_fence(memory_order_acq_rel); LOAD(y, relaxed))
#else
OP(wx, STORE(x, relaxed))
OP(wy, STORE(y, relaxed))
OP(wxs, STORE(x, seq_cst))
OP(wys, STORE(y, seq_cst))
OP(rxs, LOAD(x, seq_cst))
OP(rys, LOAD(y, seq_cst))
OP(rya, LOAD(y, acquire))
OP(wxr, STORE(x, release))
OP(axs, ADD(x, seq_cst))
OP(ayr, ADD(y, release))
OP(wxswy, STORE(x, seq_cst); STORE(y, relaxed))
OP(wxwys, STORE(x, relaxed); STORE(y, seq_cst))
OP(rxsry, LOAD(x, seq_cst); LOAD(y, relaxed))
OP(ryaf, LOAD(y, relaxed); FENCE())
OP(frxs, FENCE(); LOAD(x, seq_cst))
OP(wxwx, STORE(x, release); STORE(x, relaxed))
OP(wyrxs, STORE(y, seq_cst); LOAD(x, seq_cst))
OP(wxsz, STORE(x, seq_cst); STORE(z, release))
OP(rzys, LOAD(z, acquire); LOAD(y, seq_cst))
#endif

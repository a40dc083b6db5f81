/* Two registers. Under tso a relaxed store may still be in its thread's buffer when the next call reads
 * the other register, so that both threads read 0 (store buffering); seq_cst stores drain the buffer
 * (STRONG). PLAIN: the same with plain variables. FREED: a store waits in the buffer while another thread
 * frees the memory. FLAG: whoever sees the flag sees what was stored before it. OWN: a store may
 * reach memory, and be overwritten, before the next load of its call. */
// run: => holds
// run: --model=tso => violated linearizability
// run: --model=tso -DSTRONG => holds 4
// run: --model=tso -DPLAIN => violated linearizability
// run: --model=tso -DFREED => violated use-after-free
// run: --model=tso -DFLAG => holds
// run: --model=tso -DFLAG -DM1 => violated assertion
// run: --model=tso -DOWN => violated linearizability
#include <assert.h>
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef STRONG
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif
#ifdef FREED
static _Atomic(atomic_int *) box;
HD_INIT { box = calloc(1, sizeof *box); }
HD_SINGLE("set | drop")
HD_OP(set)
{
    atomic_int *x = atomic_load(&box);
    if (x)
        atomic_store_explicit(x, 1, ORDER);
    return HD_VOID;
}
HD_OP(drop)
{
    free((void *)atomic_exchange(&box, NULL));
    return HD_VOID;
}
#elif defined OWN
static atomic_int x;
HD_SINGLE("put | flip")
HD_OP(put)
{
    atomic_store_explicit(&x, 0, ORDER);
    return HD_INT(atomic_load_explicit(&x, ORDER));
}
HD_OP(flip)
{
    atomic_exchange(&x, 1);
    return HD_VOID;
}
#elif defined FLAG
static int data;
static atomic_int flag;
HD_SINGLE("set | look")
HD_OP(set)
{
    if (atomic_load_explicit(&flag, memory_order_acquire))
        return HD_VOID;
#ifdef M1
    atomic_store_explicit(&flag, 1, memory_order_release);
    data = 1;
#else
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
#endif
    return HD_VOID;
}
HD_OP(look)
{
    if (atomic_load_explicit(&flag, memory_order_acquire)) {
        assert(data == 1);
        data = 0;
        atomic_store_explicit(&flag, 0, memory_order_release);
    }
    return HD_VOID;
}
#else
#ifdef PLAIN
static int x, y;
#define SET(v) v = 1
#define GET(v) v
#else
static atomic_int x, y;
#define SET(v) atomic_store_explicit(&v, 1, ORDER)
#define GET(v) atomic_load_explicit(&v, ORDER)
#endif
HD_OP(set_x) { SET(x); return HD_VOID; }
HD_OP(set_y) { SET(y); return HD_VOID; }
HD_OP(get_x) { return HD_INT(GET(x)); }
HD_OP(get_y) { return HD_INT(GET(y)); }
#endif

// package: libdpdk-dev
// options: -include rte_config.h -I/usr/include/x86_64-linux-gnu/dpdk -I/usr/include/dpdk -DRTE_FORCE_INTRINSICS -DALLOW_EXPERIMENTAL_API --shape=2x2
// expect: tso holds; rc11 holds
// DPDK's sequence lock: its fences are C11's and `lock addl $0, -128(%rsp)', which counts as a full one.
#include <heddle.h>
#include <rte_seqlock.h>
static rte_seqlock_t lock;
static int a, b;
#define LOAD(x) __atomic_load_n(&x, __ATOMIC_RELAXED)
#define STORE(x, v) __atomic_store_n(&x, v, __ATOMIC_RELAXED)
HD_INIT { rte_seqlock_init(&lock); STORE(a, 0); STORE(b, 0); }
HD_OP(increment)
{
    rte_seqlock_write_lock(&lock);
    int v = LOAD(a) + 1;
    STORE(a, v);
    STORE(b, v);
    rte_seqlock_write_unlock(&lock);
    return HD_INT(v);
}
HD_OP(read)
{
    uint32_t number;
    int x, y;
    do {
        number = rte_seqlock_read_begin(&lock);
        x = LOAD(a);
        y = LOAD(b);
    } while (rte_seqlock_read_retry(&lock, number));
    return HD_INT(x * 10 + y);
}

// package: libdpdk-dev
// options: -include rte_config.h -I/usr/include/x86_64-linux-gnu/dpdk -I/usr/include/dpdk -DRTE_USE_C11_MEM_MODEL --shape=2x2
// expect: tso holds; rc11 violated race
// DPDK's ring (22.11) for many producers and consumers, the variant with C11 orders. A producer waits for the
// one before it with a relaxed load of the tail, and then stores the tail with release. A consumer that
// acquires this second value is ordered after the second producer only: nothing orders it after the first
// one, whose element it reads. (The load would have to be an acquire. On machines where a release store is
// ordered after all earlier loads, and seen by all others at once, nothing comes of it.)
#include <heddle.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <rte_ring.h>
static struct rte_ring *r;
/* what rte_ring_init of librte_ring does for four slots, of which three are used */
HD_INIT
{
    r = aligned_alloc(128, (sizeof *r + 4 * sizeof(void *) + 127) / 128 * 128);
    memset(r, 0, sizeof *r);
    r->prod.sync_type = r->cons.sync_type = RTE_RING_SYNC_MT;
    r->size = 4;
    r->mask = r->capacity = 3;
}
HD_OP(put, int, v, 1, 2) { return HD_BOOL(rte_ring_enqueue(r, (void *)(intptr_t)v) == 0); }
HD_OP(get) { void *p; return rte_ring_dequeue(r, &p) == 0 ? HD_INT((intptr_t)p) : HD_NONE; }

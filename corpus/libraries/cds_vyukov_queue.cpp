// package: libcds-dev
// expect: tso holds; rc11 violated linearizability
// libcds' VyukovMPMCCycleQueue with room for two. Whoever finds its cell not yet free compares the two
// counters, by relaxed loads: a push that knows of the other thread's push, but not of the pop before it,
// gives up as if the queue were full, with one element in it. Where loads are not reordered (sc, tso),
// who sees the one sees the other.
#include <heddle.h>
#include <cds/container/vyukov_mpmc_cycle_queue.h>
static cds::container::VyukovMPMCCycleQueue<int> *q;
HD_INIT { q = new cds::container::VyukovMPMCCycleQueue<int>(2); }
HD_AFTER { delete q; }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->enqueue(v)); }
HD_OP(pop) { int v; return q->dequeue(v) ? HD_INT(v) : HD_NONE; }
HD_SCENARIO("pop() push(1) | push(1) push(1)")

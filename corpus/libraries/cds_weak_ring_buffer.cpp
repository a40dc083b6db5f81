// package: libcds-dev
// expect: sc holds; tso violated linearizability
// libcds' WeakRingBuffer, one producer and one consumer: as boost_spsc_queue.cpp, each side stores its own
// index and then loads the other's, so "full" and "empty" can both be old.
#include <heddle.h>
#include <cds/container/weak_ringbuffer.h>
static cds::container::WeakRingBuffer<int> *q;
HD_INIT { q = new cds::container::WeakRingBuffer<int>(2); }
HD_AFTER { delete q; }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->enqueue(v)); }
HD_OP(pop) { int v; return q->dequeue(v) ? HD_INT(v) : HD_NONE; }
HD_SINGLE("push | pop")

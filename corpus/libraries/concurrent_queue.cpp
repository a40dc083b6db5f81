// package: libconcurrentqueue-dev
// expect: sc violated linearizability; rc11 violated linearizability
// moodycamel::ConcurrentQueue: documented as not linearizable; only the elements of one producer keep their
// order.
#include <heddle.h>
#include <concurrentqueue/concurrentqueue.h>
static moodycamel::ConcurrentQueue<int> *q;
HD_INIT { q = new moodycamel::ConcurrentQueue<int>(2); }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->enqueue(v)); }
HD_OP(pop) { int v; return q->try_dequeue(v) ? HD_INT(v) : HD_NONE; }

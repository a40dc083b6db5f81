// package: libboost-dev
// expect: sc holds; tso violated linearizability; rc11 violated linearizability
// Boost.Lockfree's queue for one producer and one consumer. Each side stores its own index and then loads
// the other's, with nothing between that keeps the two in order (the pattern of store buffering): the
// producer can find the queue full and the consumer, after taking one element, find it empty, while two
// elements were put. No serial order has both. (Documented as wait-free, not as linearizable.)
#include <heddle.h>
#include <boost/lockfree/spsc_queue.hpp>
static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> *q;
HD_INIT { q = new boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>(); }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->push(v)); }
HD_OP(pop) { int v; return q->pop(v) ? HD_INT(v) : HD_NONE; }
HD_SINGLE("push | pop")

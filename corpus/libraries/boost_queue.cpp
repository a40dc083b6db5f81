// package: libboost-dev
// expect: rc11 violated race
// expect 2x2: sc holds; tso holds
// Boost.Lockfree's queue: the same race in the list of free nodes, which nothing can go wrong by under sc and tso:
// the tag is what counts. (A plain write of 64 bytes is among the accesses, of which 8 race.)
#include <heddle.h>
#include <boost/lockfree/queue.hpp>
static boost::lockfree::queue<int> *q;
HD_INIT { q = new boost::lockfree::queue<int>(4); }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->push(v)); }
HD_OP(pop) { int v; return q->pop(v) ? HD_INT(v) : HD_NONE; }

// package: libboost-dev
// expect: rc11 violated race
// expect 2x2: sc holds; tso holds
// Boost.Lockfree's stack. Its list of free nodes reads the link of a node, without an atomic, that another
// thread may have taken meanwhile and writes to; the tag then makes the compare-exchange fail, but by the
// C++ standard the race is there.
#include <heddle.h>
#include <boost/lockfree/stack.hpp>
static boost::lockfree::stack<int> *q;
HD_INIT { q = new boost::lockfree::stack<int>(4); }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->push(v)); }
HD_OP(pop) { int v; return q->pop(v) ? HD_INT(v) : HD_NONE; }

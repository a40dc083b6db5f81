// package: libatomic-queue-dev
// expect: sc violated linearizability; rc11 violated linearizability
// atomic_queue::AtomicQueue. A push takes its ticket first and then waits for its cell to be empty; two
// pushes whose tickets share a cell do so in any order (with one popper that waits there, too). So the 1 of
// T2, pushed after T2's 2, comes out first. No serial order has that: the 2 of T2, or that of T1, is first.
#include <heddle.h>
#include <atomic_queue/atomic_queue.h>
static atomic_queue::AtomicQueue<int, 2, 0> *q;
HD_INIT { q = new atomic_queue::AtomicQueue<int, 2, 0>(); }
HD_AFTER { delete q; }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->try_push(v)); }
HD_OP(pop) { int v; return q->try_pop(v) ? HD_INT(v) : HD_NONE; }
HD_SCENARIO("push(2) | push(2) push(1) | pop()")

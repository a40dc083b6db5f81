// package: libtbb-dev
// expect: tso holds; rc11 violated linearizability
// oneTBB's concurrent_queue. try_pop() compares the two counters by relaxed loads. A thread that pushed
// first may see that its element was taken, but not that its taker pushed one before: it finds the queue
// empty, with an element in it. The four functions stand for those of libtbb.so, which can't be looked into.
#include <heddle.h>
#include <cstdlib>
#include <tbb/concurrent_queue.h>
namespace tbb { namespace detail { namespace r1 {
void *cache_aligned_allocate(std::size_t bytes) { return std::malloc(bytes); }
void cache_aligned_deallocate(void *block) { std::free(block); }
std::size_t cache_line_size() { return 64; }
void throw_exception(d0::exception_id) { std::abort(); }
}}}
static tbb::concurrent_queue<int> *q;
HD_INIT { q = new tbb::concurrent_queue<int>(); }
HD_AFTER { delete q; }
HD_OP(push, int, v, 1, 2) { q->push(v); return HD_VOID; }
HD_OP(pop) { int v; return q->try_pop(v) ? HD_INT(v) : HD_NONE; }
HD_SCENARIO("push(1) pop() | push(2) pop()")

// package: libreaderwriterqueue-dev
// expect: sc holds; tso holds; rc11 holds
// moodycamel::ReaderWriterQueue, one producer and one consumer; it grows instead of being full.
#include <heddle.h>
#include <readerwriterqueue/readerwriterqueue.h>
static moodycamel::ReaderWriterQueue<int> *q;
HD_INIT { q = new moodycamel::ReaderWriterQueue<int>(2); }
HD_OP(push, int, v, 1, 2) { return HD_BOOL(q->try_enqueue(v)); }
HD_OP(pop) { int v; return q->try_dequeue(v) ? HD_INT(v) : HD_NONE; }
HD_SINGLE("push | pop")

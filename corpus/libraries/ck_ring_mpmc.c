// package: libck-dev
// expect: sc violated linearizability
// Concurrency Kit's ring for many producers and consumers. A producer reserves its place by moving p_head and
// publishes it later by p_tail. Between the two another thread is told that the ring is full by its put and
// that it is empty by its get. (A ring for one element here, so that the test is small.)
#include <heddle.h>
#include <stdint.h>
#include <ck_ring.h>
static ck_ring_t ring;
static ck_ring_buffer_t buffer[2];
HD_INIT { ck_ring_init(&ring, 2); }
HD_OP(put, int, v, 1) { return HD_BOOL(ck_ring_enqueue_mpmc(&ring, buffer, (void *)(intptr_t)v)); }
HD_OP(get) { void *p; return ck_ring_dequeue_mpmc(&ring, buffer, &p) ? HD_INT((intptr_t)p) : HD_NONE; }
HD_SCENARIO("put(1) | put(1) get()")

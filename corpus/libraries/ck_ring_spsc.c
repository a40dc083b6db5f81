// package: libck-dev
// expect: sc holds; tso violated linearizability
// Concurrency Kit's ring for one producer and one consumer, as Boost's: each side stores its own index and
// then loads the other's, without a fence between. The producer fills the ring (its store of p_tail = 3 still
// buffered, c_head read as 0) and is told that it is full; the consumer takes one element (its store of
// c_head = 1 buffered, p_tail read as 1) and then finds the ring empty. If it was ever full, two were left.
#include <heddle.h>
#include <stdint.h>
#include <ck_ring.h>
static ck_ring_t ring;
static ck_ring_buffer_t buffer[4]; /* three elements fit */
HD_INIT { ck_ring_init(&ring, 4); }
HD_OP(put, int, v, 1) { return HD_BOOL(ck_ring_enqueue_spsc(&ring, buffer, (void *)(intptr_t)v)); }
HD_OP(get) { void *p; return ck_ring_dequeue_spsc(&ring, buffer, &p) ? HD_INT((intptr_t)p) : HD_NONE; }
HD_SCENARIO("put(1) put(1) put(1) put(1) | get() get()")

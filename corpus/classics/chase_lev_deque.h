/* The work-stealing deque of D. Chase and Y. Lev (SPAA 2005) in C11, as N. M. Le, A. Pop, A. Cohen and F. Zappa
 * Nardelli publish it (Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013, Figure 1), corrected.
 * Only the owner pushes and takes, at the bottom; anyone may steal, at the top. What is published is wrong in three
 * places, all of them known (B. Norris and B. Demsky, CDSChecker, OOPSLA 2013, found the first two):
 *
 * -DPUBLISHED_RELOAD    push writes to the array that it had before it was made larger
 * -DPUBLISHED_ORDERS    the larger array is published by a relaxed store: a thief may find it empty
 * -DPUBLISHED_UNSIGNED  indices are size_t: take on a deque that was never used counts below zero
 * -DPUBLISHED           all three
 *
 * One more thing remains as published: a thief that has an old top may read a slot that a larger array never got, for
 * resize copies what lies between top and bottom. Its compare-and-swap fails then, so the value is not used; but to read
 * an atomic object that nothing has written is undefined in C11, and is reported from three threads on:
 * -DWRITTEN_SLOTS       the slots of an array are written when it is made
 *
 * Mutants of the corrected one:
 * -DNO_TAKE_FENCE       the owner may look at the top before the thief sees the bottom it has set
 * -DNO_STEAL_FENCE      a thief may look at an old bottom
 * -DNO_PUSH_FENCE       an element is pushed without its value
 * -DNO_LAST_RACE        the owner takes the last element without racing for it */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#ifdef PUBLISHED
#define PUBLISHED_RELOAD
#define PUBLISHED_ORDERS
#define PUBLISHED_UNSIGNED
#endif
#ifdef PUBLISHED_UNSIGNED
typedef size_t Index;
#else
typedef ptrdiff_t Index;
#endif
#ifdef PUBLISHED_ORDERS
#define PUBLISH memory_order_relaxed
#define FOLLOW memory_order_consume
#else
#define PUBLISH memory_order_release
#define FOLLOW memory_order_acquire
#endif
#ifndef INITIAL_SIZE
#define INITIAL_SIZE 2
#endif

enum { EMPTY = -1, ABORT = -2 };
struct array {
    _Atomic(Index) size;
    atomic_int buffer[];
};
struct deque {
    _Atomic(Index) top, bottom;
    _Atomic(struct array *) array;
};

static struct array *array_new(Index size)
{
#ifdef WRITTEN_SLOTS
    struct array *a = calloc(1, sizeof *a + sizeof(atomic_int) * (size_t)size);
#else
    struct array *a = malloc(sizeof *a + sizeof(atomic_int) * (size_t)size);
#endif
    atomic_store_explicit(&a->size, size, memory_order_relaxed);
    return a;
}

static Index array_size(struct array *a)
{
    return atomic_load_explicit(&a->size, memory_order_relaxed);
}

static void deque_init(struct deque *q)
{
    atomic_init(&q->top, 0);
    atomic_init(&q->bottom, 0);
    atomic_init(&q->array, array_new(INITIAL_SIZE));
}

static void deque_resize(struct deque *q)
{
    struct array *a = atomic_load_explicit(&q->array, memory_order_relaxed);
    struct array *larger = array_new(2 * array_size(a));
    Index top = atomic_load_explicit(&q->top, memory_order_relaxed);
    Index bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
    for (Index i = top; i < bottom; i++)
        atomic_store_explicit(&larger->buffer[i % (2 * array_size(a))],
                              atomic_load_explicit(&a->buffer[i % array_size(a)], memory_order_relaxed),
                              memory_order_relaxed);
    atomic_store_explicit(&q->array, larger, PUBLISH);
}

static void deque_push(struct deque *q, int x)
{
    Index b = atomic_load_explicit(&q->bottom, memory_order_relaxed);
    Index t = atomic_load_explicit(&q->top, memory_order_acquire);
    struct array *a = atomic_load_explicit(&q->array, memory_order_relaxed);
    if (b - t > array_size(a) - 1) { /* full */
        deque_resize(q);
#ifndef PUBLISHED_RELOAD
        a = atomic_load_explicit(&q->array, memory_order_relaxed);
#endif
    }
    atomic_store_explicit(&a->buffer[b % array_size(a)], x, memory_order_relaxed);
#ifndef NO_PUSH_FENCE
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&q->bottom, b + 1, memory_order_relaxed);
}

static int deque_take(struct deque *q)
{
    Index b = atomic_load_explicit(&q->bottom, memory_order_relaxed) - 1;
    struct array *a = atomic_load_explicit(&q->array, memory_order_relaxed);
    atomic_store_explicit(&q->bottom, b, memory_order_relaxed);
#ifndef NO_TAKE_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    Index t = atomic_load_explicit(&q->top, memory_order_relaxed);
    int x = EMPTY;
    if (t <= b) {
        x = atomic_load_explicit(&a->buffer[b % array_size(a)], memory_order_relaxed);
#ifndef NO_LAST_RACE
        if (t == b) { /* the last element */
            if (!atomic_compare_exchange_strong_explicit(&q->top, &t, t + 1, memory_order_seq_cst,
                                                         memory_order_relaxed))
                x = EMPTY;
            atomic_store_explicit(&q->bottom, b + 1, memory_order_relaxed);
        }
#endif
    } else {
        atomic_store_explicit(&q->bottom, b + 1, memory_order_relaxed);
    }
    return x;
}

static int deque_steal(struct deque *q)
{
    Index t = atomic_load_explicit(&q->top, memory_order_acquire);
#ifndef NO_STEAL_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    Index b = atomic_load_explicit(&q->bottom, memory_order_acquire);
    int x = EMPTY;
    if (t < b) {
        struct array *a = atomic_load_explicit(&q->array, FOLLOW);
        x = atomic_load_explicit(&a->buffer[t % array_size(a)], memory_order_relaxed);
        if (!atomic_compare_exchange_strong_explicit(&q->top, &t, t + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            return ABORT;
    }
    return x;
}

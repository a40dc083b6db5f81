/* The non-blocking queue of M. M. Michael and M. L. Scott (Simple, Fast, and Practical Non-Blocking and Blocking
 * Concurrent Queue Algorithms, PODC 1996, Figure 1) as published: pointers carry a count, and nodes are used again.
 * Every thread has a pool of free nodes; a dequeued node goes to the pool of who dequeued it. The value of a node may
 * be read while its new owner writes it (the swing of the head then fails), so it is atomic.
 *
 * The test "is this still the head?" must see that the node was taken out when it sees that it was made new, hence the
 * release store that begins an enqueue.
 *
 * -DREUSE_ORDER=memory_order_relaxed  without it, as in CDSSpec's benchmark: a dequeue sees the link of a node that was
 *                  made new, does not see that the head has moved, and follows the link to nowhere
 * -DTAIL_ORDER=memory_order_relaxed   the first orders of that benchmark: the tail may look older than the head, so that
 *                  the queue seems to have an element
 * -DZERO_IS_EMPTY  the interface of the benchmark that CDSSpec's authors began with: dequeue returns the value, and 0
 *                  if there is none. Who enqueues 0 can't tell. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#ifndef MS_NODES
#define MS_NODES 8
#endif
#ifndef REUSE_ORDER
#define REUSE_ORDER memory_order_release
#endif
#ifndef TAIL_ORDER
#define TAIL_ORDER memory_order_acquire
#endif

typedef unsigned ms_pointer; /* the number of a node, 0 is none, and a count */
static inline ms_pointer ms_point(unsigned node, unsigned count)
{
    return count << 8 | node;
}
static inline unsigned ms_node_of(ms_pointer pointer)
{
    return pointer & 0xff;
}
static inline unsigned ms_count_of(ms_pointer pointer)
{
    return pointer >> 8;
}

struct ms_node {
    atomic_int value;
    _Atomic(ms_pointer) next;
};
struct ms_pool { /* free nodes of one thread */
    unsigned count, nodes[MS_NODES];
};

/** @Structure_Define:
    @DeclareVar: int _values[64]; int _first, _last;
    @InitVar: _first = 0; _last = 0;
    @Happens_Before: Enqueue -> Dequeue(Got) */
struct ms_queue {
    _Atomic(ms_pointer) head, tail;
    struct ms_node nodes[MS_NODES];
};

/* Node 1 is the first dummy; the others are handed out by ms_pool_init. */
static inline void ms_init(struct ms_queue *q)
{
    for (unsigned i = 1; i < MS_NODES; i++)
        atomic_init(&q->nodes[i].next, ms_point(0, 0));
    atomic_init(&q->head, ms_point(1, 0));
    atomic_init(&q->tail, ms_point(1, 0));
}

static inline void ms_pool_init(struct ms_pool *pool, unsigned first, unsigned count)
{
    pool->count = count;
    for (unsigned i = 0; i < count; i++)
        pool->nodes[i] = first + count - 1 - i;
}

/** @Method: Enqueue
    @Ordering_Point_Set: Enqueue_Node | Enqueue_Link
    @ID: value
    @SideEffect: _values[_last++] = value; */
static inline void ms_enqueue(struct ms_queue *q, struct ms_pool *pool, int value)
{
    unsigned node = pool->nodes[--pool->count];
    atomic_store_explicit(&q->nodes[node].value, value, memory_order_relaxed);
    ms_pointer own = atomic_load_explicit(&q->nodes[node].next, memory_order_relaxed);
    atomic_store_explicit(&q->nodes[node].next, ms_point(0, ms_count_of(own) + 1), REUSE_ORDER);
    /** @Ordering_Point_Label_Check: true
        @Label: Enqueue_Node */
    ms_pointer tail, next;
    for (bool linked = false; !linked;) {
        tail = atomic_load_explicit(&q->tail, memory_order_acquire);
        next = atomic_load_explicit(&q->nodes[ms_node_of(tail)].next, memory_order_acquire);
        if (tail != atomic_load_explicit(&q->tail, memory_order_relaxed))
            continue;
        if (!ms_node_of(next)) {
            linked = atomic_compare_exchange_strong_explicit(&q->nodes[ms_node_of(tail)].next, &next,
                                                             ms_point(node, ms_count_of(next) + 1),
                                                             memory_order_release, memory_order_relaxed);
            /** @Ordering_Point_Label_Check: linked
                @Label: Enqueue_Link */
        }
        if (!linked) { /* the tail lags behind: help */
            next = atomic_load_explicit(&q->nodes[ms_node_of(tail)].next, memory_order_acquire);
            atomic_compare_exchange_strong_explicit(&q->tail, &tail,
                                                    ms_point(ms_node_of(next), ms_count_of(tail) + 1),
                                                    memory_order_release, memory_order_relaxed);
        }
    }
    atomic_compare_exchange_strong_explicit(&q->tail, &tail, ms_point(node, ms_count_of(tail) + 1),
                                            memory_order_release, memory_order_relaxed);
}

#ifdef ZERO_IS_EMPTY
/** @Method: Dequeue
    @Ordering_Point_Set: Empty_Head | Empty_Next | Take_Next | Take_Head
    @HB_Condition: Got :: __RET__ != 0
    @ID: __RET__
    @PreCondition: __RET__ != 0 ? _first < _last && __RET__ == _values[_first] : _first == _last
    @SideEffect: if (__RET__ != 0) _first++; */
static inline int ms_dequeue(struct ms_queue *q, struct ms_pool *pool)
{
    int got;
    int *value = &got;
#define MS_NONE 0
#define MS_SOME got
#else
/** @Method: Dequeue
    @Ordering_Point_Set: Empty_Head | Empty_Next | Take_Next | Take_Head
    @HB_Condition: Got :: __RET__
    @ID: __RET__ ? *value : -1
    @PreCondition: __RET__ ? _first < _last && *value == _values[_first] : _first == _last
    @SideEffect: if (__RET__) _first++; */
static inline bool ms_dequeue(struct ms_queue *q, struct ms_pool *pool, int *value)
{
#define MS_NONE false
#define MS_SOME true
#endif
    for (;;) {
        ms_pointer head = atomic_load_explicit(&q->head, memory_order_acquire);
        /** @Potential_Ordering_Point: true
            @Label: Head_Read */
        ms_pointer tail = atomic_load_explicit(&q->tail, TAIL_ORDER);
        ms_pointer next = atomic_load_explicit(&q->nodes[ms_node_of(head)].next, memory_order_acquire);
        /** @Potential_Ordering_Point: true
            @Label: Next_Read */
        if (head != atomic_load_explicit(&q->head, memory_order_relaxed))
            continue;
        if (ms_node_of(head) == ms_node_of(tail)) {
            /** @Ordering_Point_Check: ms_node_of(next) == 0
                @Potential_Ordering_Point_Label: Head_Read
                @Label: Empty_Head
                @Ordering_Point_Check: ms_node_of(next) == 0
                @Potential_Ordering_Point_Label: Next_Read
                @Label: Empty_Next */
            if (!ms_node_of(next))
                return MS_NONE;
            atomic_compare_exchange_strong_explicit(&q->tail, &tail,
                                                    ms_point(ms_node_of(next), ms_count_of(tail) + 1),
                                                    memory_order_release, memory_order_relaxed);
            continue;
        }
        *value = atomic_load_explicit(&q->nodes[ms_node_of(next)].value, memory_order_relaxed);
        bool taken = atomic_compare_exchange_strong_explicit(
            &q->head, &head, ms_point(ms_node_of(next), ms_count_of(head) + 1), memory_order_release,
            memory_order_relaxed);
        /** @Ordering_Point_Label_Check: taken
            @Label: Take_Head
            @Ordering_Point_Check: taken
            @Potential_Ordering_Point_Label: Next_Read
            @Label: Take_Next */
        if (taken) {
            pool->nodes[pool->count++] = ms_node_of(head);
            return MS_SOME;
        }
    }
}

/* The unbounded queue of one producer and one consumer by D. Vyukov (Unbounded SPSC Queue, 1024cores.net): a linked
 * list whose first node was consumed already. The producer uses nodes again that the consumer has passed. A dequeue may
 * wait for an element. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct spsc_node {
    _Atomic(struct spsc_node *) next;
    int value;
};

/** @Structure_Define:
    @DeclareVar: int _values[64]; int _first, _last;
    @InitVar: _first = 0; _last = 0;
    @Happens_Before: Enqueue -> Dequeue(Got) */
struct spsc_queue {
    _Atomic(struct spsc_node *) tail;           /* the consumer's: the node that was consumed last */
    struct spsc_node *head, *first, *tail_seen; /* the producer's: newest, oldest, tail when last looked at */
};

static inline void spsc_init(struct spsc_queue *q)
{
    struct spsc_node *node = malloc(sizeof *node);
    atomic_init(&node->next, NULL);
    atomic_init(&q->tail, node);
    q->head = q->first = q->tail_seen = node;
}

static inline struct spsc_node *spsc_node_get(struct spsc_queue *q)
{
    if (q->first == q->tail_seen)
        q->tail_seen = atomic_load_explicit(&q->tail, memory_order_acquire);
    if (q->first == q->tail_seen)
        return malloc(sizeof(struct spsc_node));
    struct spsc_node *node = q->first;
    q->first = atomic_load_explicit(&node->next, memory_order_relaxed);
    return node;
}

/** @Method: Enqueue
    @Ordering_Point_Set: Enqueue_Node | Enqueue_Link
    @ID: value
    @SideEffect: _values[_last++] = value; */
static inline void spsc_enqueue(struct spsc_queue *q, int value)
{
    struct spsc_node *node = spsc_node_get(q);
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Enqueue_Node */
    node->value = value;
    atomic_store_explicit(&q->head->next, node, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Enqueue_Link */
    q->head = node;
}

/** @Method: Dequeue
    @Ordering_Point_Set: Dequeue_Tail | Dequeue_Next | Dequeue_Done
    @HB_Condition: Got :: __RET__
    @ID: __RET__ ? *value : -1
    @PreCondition: __RET__ ? _first < _last && *value == _values[_first] : !waits && _first == _last
    @SideEffect: if (__RET__) _first++; */
static inline bool spsc_dequeue(struct spsc_queue *q, int *value, bool waits)
{
    struct spsc_node *tail = atomic_load_explicit(&q->tail, memory_order_relaxed), *next;
    /** @Ordering_Point_Label_Check: true
        @Label: Dequeue_Tail */
    do {
        next = atomic_load_explicit(&tail->next, memory_order_acquire);
        /** @Ordering_Point_Label_Check: next || !waits
            @Label: Dequeue_Next */
    } while (!next && waits);
    if (!next)
        return false;
    *value = next->value;
    atomic_store_explicit(&q->tail, next, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Dequeue_Done */
    return true;
}

static inline void spsc_destroy(struct spsc_queue *q)
{
    for (struct spsc_node *node = q->first, *next; node; node = next) {
        next = atomic_load_explicit(&node->next, memory_order_relaxed);
        free(node);
    }
}

/* The work-stealing deque of D. Chase and Y. Lev (SPAA 2005) in C11, after N. M. Le, A. Pop, A. Cohen and F. Zappa
 * Nardelli (Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013, Figure 1), with the errors in what
 * they publish corrected (push writes to the new array after a resize; the new array is published by a release store
 * and read by an acquire load; indices are signed). Only the owner pushes and takes, at the bottom; anyone may steal,
 * at the top. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#ifndef DEQUE_SIZE
#define DEQUE_SIZE 2
#endif

enum { DEQUE_EMPTY = -1, DEQUE_ABORT = -2 };

struct deque_array {
    ptrdiff_t size;
    struct deque_array *older; /* thieves may still read it: freed at the end */
    atomic_int buffer[];
};

/** @Structure_Define:
    @DeclareVar: int _items[64]; int _top, _bottom;
    @InitVar: _top = 0; _bottom = 0;
    @Happens_Before: Push -> Steal(Stolen) */
struct deque {
    _Atomic(ptrdiff_t) top, bottom;
    _Atomic(struct deque_array *) array;
};

static inline struct deque_array *deque_array_new(ptrdiff_t size, struct deque_array *older)
{
    struct deque_array *array = malloc(sizeof *array + sizeof(atomic_int) * (size_t)size);
    array->size = size;
    array->older = older;
    return array;
}

static inline void deque_init(struct deque *q)
{
    atomic_init(&q->top, 0);
    atomic_init(&q->bottom, 0);
    atomic_init(&q->array, deque_array_new(DEQUE_SIZE, NULL));
}

static inline void deque_destroy(struct deque *q)
{
    struct deque_array *array = atomic_load_explicit(&q->array, memory_order_relaxed), *older;
    for (; array; array = older) {
        older = array->older;
        free(array);
    }
}

static inline struct deque_array *deque_grow(struct deque *q, struct deque_array *array, ptrdiff_t top,
                                             ptrdiff_t bottom)
{
    struct deque_array *larger = deque_array_new(2 * array->size, array);
    for (ptrdiff_t i = top; i < bottom; i++) {
        int item = atomic_load_explicit(&array->buffer[i % array->size], memory_order_relaxed);
        atomic_store_explicit(&larger->buffer[i % larger->size], item, memory_order_relaxed);
        /** @Ordering_Point_Label_Check: true
            @Label: Push_Slot */
    }
    atomic_store_explicit(&q->array, larger, memory_order_release);
    return larger;
}

/** @Method: Push
    @Ordering_Point_Set: Push_Bottom | Push_Slot
    @ID: item
    @SideEffect: _items[_bottom++] = item; */
static inline void deque_push(struct deque *q, int item)
{
    ptrdiff_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
    ptrdiff_t top = atomic_load_explicit(&q->top, memory_order_acquire);
    struct deque_array *array = atomic_load_explicit(&q->array, memory_order_relaxed);
    if (bottom - top > array->size - 1)
        array = deque_grow(q, array, top, bottom);
    atomic_store_explicit(&array->buffer[bottom % array->size], item, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Push_Slot */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&q->bottom, bottom + 1, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Push_Bottom */
}

/** @Method: Take
    @Ordering_Point_Set: Take_Bottom | Take_Top
    @ID: __RET__
    @PreCondition: __RET__ == DEQUE_EMPTY ? _bottom == _top : _bottom > _top && __RET__ == _items[_bottom - 1]
    @SideEffect: if (__RET__ != DEQUE_EMPTY) _bottom--; */
static inline int deque_take(struct deque *q)
{
    ptrdiff_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed) - 1;
    struct deque_array *array = atomic_load_explicit(&q->array, memory_order_relaxed);
    atomic_store_explicit(&q->bottom, bottom, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Take_Bottom */
    atomic_thread_fence(memory_order_seq_cst);
    ptrdiff_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: top > bottom
        @Label: Take_Top */
    int item = DEQUE_EMPTY;
    if (top <= bottom) {
        item = atomic_load_explicit(&array->buffer[bottom % array->size], memory_order_relaxed);
        if (top == bottom) { /* the last one: thieves may want it, too */
            bool mine = atomic_compare_exchange_strong_explicit(&q->top, &top, top + 1, memory_order_seq_cst,
                                                                memory_order_relaxed);
            /** @Ordering_Point_Label_Check: true
                @Label: Take_Top */
            if (!mine)
                item = DEQUE_EMPTY;
            atomic_store_explicit(&q->bottom, bottom + 1, memory_order_relaxed);
        }
    } else {
        atomic_store_explicit(&q->bottom, bottom + 1, memory_order_relaxed);
    }
    return item;
}

/** @Method: Steal
    @Ordering_Point_Set: Steal_Top | Steal_Slot | Steal_Empty
    @HB_Condition: Stolen :: __RET__ >= 0
    @ID: __RET__
    @PreCondition: __RET__ < 0 || (_bottom > _top && __RET__ == _items[_top])
    @SideEffect: if (__RET__ >= 0) _top++; */
static inline int deque_steal(struct deque *q)
{
    ptrdiff_t top = atomic_load_explicit(&q->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    ptrdiff_t bottom = atomic_load_explicit(&q->bottom, memory_order_acquire);
    /** @Ordering_Point_Label_Check: top >= bottom
        @Label: Steal_Empty */
    if (top >= bottom)
        return DEQUE_EMPTY;
    struct deque_array *array = atomic_load_explicit(&q->array, memory_order_acquire);
    int item = atomic_load_explicit(&array->buffer[top % array->size], memory_order_relaxed);
    /** @Potential_Ordering_Point: true
        @Label: Slot_Read */
    bool mine = atomic_compare_exchange_strong_explicit(&q->top, &top, top + 1, memory_order_seq_cst,
                                                        memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Steal_Top
        @Ordering_Point_Check: mine
        @Potential_Ordering_Point_Label: Slot_Read
        @Label: Steal_Slot */
    return mine ? item : DEQUE_ABORT;
}

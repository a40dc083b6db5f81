// expect: holds
// args: -Wall -Wextra -Werror -Wshadow -Wpedantic
// Michael and Scott's queue: potential points in retry loops, confirmed later.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};
struct queue {
    _Atomic(struct node *) head, tail;
};

/* @Structure_Define
 * @DeclareVar: int items[16]; int first, last;
 * @InitVar: first = last = 0;
 * @DefineFunc: bool is_empty(void) { return first == last; }
 * @Happens_Before: Enqueue -> Dequeue(Success)
 */

static void queue_init(struct queue *q)
{
    struct node *dummy = calloc(1, sizeof *dummy);
    atomic_init(&q->head, dummy);
    atomic_init(&q->tail, dummy);
}

// @Method: Enqueue
// @Ordering_Point_Set: Enqueue_Point | Tail_Point
// @ID: value
// @SideEffect: items[last++] = value;
static void enqueue(struct queue *q, int value)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = value;
    for (;;) {
        struct node *tail = atomic_load_explicit(&q->tail, memory_order_acquire);
        /* @Potential_Ordering_Point: true
         * @Label: Tail_Read */
        struct node *next = atomic_load_explicit(&tail->next, memory_order_acquire);
        if (next) {
            atomic_compare_exchange_strong_explicit(&q->tail, &tail, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        bool done = atomic_compare_exchange_strong_explicit(
            &tail->next, &next, n, memory_order_release, memory_order_relaxed);
        /* @Ordering_Point_Label_Check: done
         * @Label: Enqueue_Point
         * @Ordering_Point_Check: done
         * @Potential_Ordering_Point_Label: Tail_Read
         * @Label: Tail_Point */
        if (done) {
            atomic_compare_exchange_strong_explicit(&q->tail, &tail, n, memory_order_release,
                                                    memory_order_relaxed);
            return;
        }
    }
}

/* @Method: Dequeue
 * @Ordering_Point_Set: Dequeue_Point | Empty_Point
 * @HB_Condition: Success :: __RET__
 * @ID: __RET__ ? *value : -1
 * @SideEffect:
 *    bool had = !is_empty();
 *    int item = had ? items[first] : 0;
 *    if (__RET__)
 *        first++;
 * @PostCondition: __RET__ ? had && item == *value : !had */
static bool dequeue(struct queue *q, int *value)
{
    for (;;) {
        struct node *head = atomic_load_explicit(&q->head, memory_order_acquire);
        struct node *tail = atomic_load_explicit(&q->tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&head->next, memory_order_acquire);
        /* @Potential_Ordering_Point: true
         * @Label: Next_Read */
        if (head == tail) {
            if (!next) {
                /* @Ordering_Point_Check: true
                 * @Potential_Ordering_Point_Label: Next_Read
                 * @Label: Empty_Point */
                return false;
            }
            atomic_compare_exchange_strong_explicit(&q->tail, &tail, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        *value = next->value;
        if (atomic_compare_exchange_strong_explicit(&q->head, &head, next, memory_order_acq_rel,
                                                    memory_order_relaxed)) {
            /* @Ordering_Point_Label_Check: true
             * @Label: Dequeue_Point
             * @Ordering_Point_Check: true
             * @Potential_Ordering_Point_Label: Next_Read
             * @Label: Dequeue_Point */
            return true;
        }
    }
}

static struct queue q;
static void *first(void *unused)
{
    int value;
    enqueue(&q, 1);
    dequeue(&q, &value);
    return unused;
}
static void *second(void *unused)
{
    int value;
    enqueue(&q, 2);
    dequeue(&q, &value);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    queue_init(&q);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

/* A queue whose dequeue returns 0 for "empty", and a client that puts 0 in. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};
struct queue {
    _Atomic(struct node *) head, tail;
};

/** @Structure_Define:
    @DeclareVar: int items[16], first, last;
    @InitVar: first = last = 0; */

/** @Method: Enqueue
    @Ordering_Point_Set: Enqueue_Point
    @SideEffect: items[last++] = value; */
static void enqueue(struct queue *q, int value)
{
    struct node *n = calloc(1, sizeof *n), *tail = atomic_load(&q->tail);
    n->value = value;
    atomic_store(&tail->next, n); /* one producer */
    /** @Ordering_Point_Label_Check: true
        @Label: Enqueue_Point */
    atomic_store(&q->tail, n);
}

/** @Method: Dequeue
    @Ordering_Point_Set: Dequeue_Point
    @PostCondition: __RET__ == 0 ? first == last : first < last && items[first] == __RET__
    @SideEffect: if (__RET__ != 0) first++; */
static int dequeue(struct queue *q)
{
    for (;;) {
        struct node *head = atomic_load(&q->head), *next = atomic_load(&head->next);
        /** @Potential_Ordering_Point: true
            @Label: Next */
        if (!next) {
            /** @Ordering_Point_Check: true
                @Potential_Ordering_Point_Label: Next
                @Label: Dequeue_Point */
            return 0;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong(&q->head, &head, next)) {
            /** @Ordering_Point_Check: true
                @Potential_Ordering_Point_Label: Next
                @Label: Dequeue_Point */
            return value;
        }
    }
}

static struct queue q;
static void *producer(void *unused)
{
    enqueue(&q, 0);
    return unused;
}
static void *consumer(void *unused)
{
    dequeue(&q);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    struct node *dummy = calloc(1, sizeof *dummy);
    atomic_init(&q.head, dummy);
    atomic_init(&q.tail, dummy);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

// expect: holds
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct node {
    _Atomic(struct node *) next;
    int data;
} node;
typedef struct queue {
    node *head, *tail;
} queue;

/** @Structure_Define:
    @DeclareStruct: struct item { int value; struct item *next; };
    @DeclareVar: struct item *first, *last; int count;
    @InitVar: first = last = NULL; count = 0;
    @DefineFunc: void append(int v) {
        struct item *i = malloc(sizeof *i);
        i->value = v; i->next = NULL;
        if (last) last->next = i; else first = i;
        last = i; count++;
    }
    @Happens_Before: Enqueue -> Dequeue(Got)
*/
void queue_init(queue *q)
{
    node *n = malloc(sizeof *n);
    atomic_init(&n->next, NULL);
    q->head = q->tail = n;
}

/** @Interface: Enqueue
    @Ordering_Point_Set: Enqueue_Point
    @ID: q
    @SideEffect: append(data); */
void enqueue(queue *q, int data)
{
    node *n = malloc(sizeof *n);
    atomic_init(&n->next, NULL);
    n->data = data;
    atomic_store_explicit(&q->head->next, n, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Enqueue_Point */
    q->head = n;
}

/** @Interface: Dequeue
    @Ordering_Point_Set: Dequeue_Point
    @HB_Condition: Got :: __RET__
    @ID: q
    @SideEffect: int old = 0, had = first != NULL;
        if (__RET__ && first) { old = first->value; first = first->next; if (!first) last = NULL; count--; }
    @PostCondition: __RET__ ? had && *out == old : !had */
_Bool dequeue(queue *q, int *out)
{
    node *n = atomic_load_explicit(&q->tail->next, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Dequeue_Point */
    if (!n)
        return 0;
    *out = n->data;
    q->tail = n;
    return 1;
}
static queue q;
static void *producer(void *a) { enqueue(&q, 1); enqueue(&q, 2); return a; }
static void *consumer(void *a)
{
    int v;
#ifdef RETRY
    for (int i = 0; i < 2; i++)
        while (!dequeue(&q, &v))
            ;
#else
    for (int i = 0; i < 3; i++)
        dequeue(&q, &v);
#endif
    return a;
}
int main(void)
{
    pthread_t a, b;
    queue_init(&q);
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

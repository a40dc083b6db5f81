/* A singly linked queue for one thread, as Scal has it for comparison: plain pointers, nothing else. */
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
struct queue {
    struct node *head, *tail; /* the head is the node before the first element */
};

static void queue_init(struct queue *q)
{
    q->head = q->tail = calloc(1, sizeof *q->head);
}

static void queue_enqueue(struct queue *q, int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    q->tail->next = node;
    q->tail = node;
}

static bool queue_dequeue(struct queue *q, int *value)
{
    if (q->head == q->tail)
        return false;
    *value = q->head->next->value;
    q->head = q->head->next;
    return true;
}

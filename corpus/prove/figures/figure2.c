/* Figure 2 as printed: Michael and Scott's queue, line by line; a pointer of the figure is an atomic variable here. As
 * printed it has `free(head)' and no counts, so a dequeue may look at a node that another has freed: the paper proves
 * it for memory that is collected (Figure 5 leaves the free out), which -DCOLLECTED means. */
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct Node_t *Node;
struct Node_t {
    int value;
    _Atomic(Node) next;
};
static struct Queue {
    _Atomic(Node) Head, Tail;
} queue, *Q = &queue;

static Node new_node(void)
{
    return malloc(sizeof(struct Node_t));
}
static bool CAS(_Atomic(Node) *place, Node old, Node new)
{
    return atomic_compare_exchange_strong(place, &old, new);
}

static void initialize(struct Queue *Q)
{
    Node node = new_node();
    node->next = NULL;
    Q->Head = Q->Tail = node;
}

static void enqueue(struct Queue *Q, int value)
{
    Node node = new_node(), tail, next;
    node->value = value;
    node->next = NULL;
    for (;;) {
        tail = Q->Tail;
        next = tail->next;
        if (tail == Q->Tail) {
            if (next == NULL) {
                if (CAS(&tail->next, next, node))
                    break;
            } else {
                CAS(&Q->Tail, tail, next);
            }
        }
    }
    CAS(&Q->Tail, tail, node);
}

static bool dequeue(struct Queue *Q, int *pvalue)
{
    Node head, tail, next;
    for (;;) {
        head = Q->Head;
        tail = Q->Tail;
        next = head->next;
        if (head == Q->Head) {
            if (head == tail) {
                if (next == NULL)
                    return false;
                CAS(&Q->Tail, tail, next);
            } else {
                *pvalue = next->value;
                if (CAS(&Q->Head, head, next))
                    break;
            }
        }
    }
#ifndef COLLECTED
    free(head);
#endif
    return true;
}

HD_INIT { initialize(Q); }
HD_OP(enq, int, v, 1, 2) { enqueue(Q, v); return HD_VOID; }
HD_OP(deq) { int v; return dequeue(Q, &v) ? HD_INT(v) : HD_NONE; }
HD_SPEC("fifo")

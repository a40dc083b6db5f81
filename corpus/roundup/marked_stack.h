/* A stack as a linked list whose nodes are marked as taken before they are unlinked. A pop takes the first node from the
 * top that is not marked. It is linearizable: a node is marked only by a pop that began when all nodes above it were
 * marked or not there yet.
 *
 * -DGIVES_UP  a pop that loses the race for a node returns nothing (b1: null although the stack is not empty)
 * -DFAR       a pop takes any node of the first K+2 (b2: removes values more than K away from the top) */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifndef K
#define K 2
#endif

struct node {
    int value;
    struct node *next;
    atomic_bool taken;
};
struct stack {
    _Atomic(struct node *) top;
};

static void stack_push(struct stack *s, int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    node->next = atomic_load(&s->top);
    while (!atomic_compare_exchange_strong(&s->top, &node->next, node))
        ;
}

/* The top without the marked nodes. */
static struct node *stack_top(struct stack *s)
{
    struct node *top = atomic_load(&s->top);
    while (top && atomic_load(&top->taken))
        if (atomic_compare_exchange_strong(&s->top, &top, top->next))
            top = top->next;
    return top;
}

/* DEPTH: how many nodes to leave alone if there are more below. */
static bool stack_pop(struct stack *s, unsigned depth, int *value)
{
    for (struct node *node = stack_top(s); node; node = stack_top(s)) {
        for (struct node *below = node->next; depth && below; below = below->next)
            if (!atomic_load(&below->taken)) {
                node = below;
                depth--;
            }
        bool taken = false;
        if (atomic_compare_exchange_strong(&node->taken, &taken, true)) {
            *value = node->value;
            return true;
        }
#ifdef GIVES_UP
        return false;
#endif
    }
    return false;
}

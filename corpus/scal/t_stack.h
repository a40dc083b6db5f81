/* Treiber's stack (IBM RJ 5118, 1986) with a counted top, as in Scal. */
#include "tagged.h"

struct node {
    int value;
    struct node *next;
};
struct stack {
    _Atomic(Tagged) top;
};

static void stack_push(struct stack *s, int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    Tagged top = atomic_load(&s->top);
    do
        node->next = (struct node *)(uintptr_t)tagged_value(top);
    while (!atomic_compare_exchange_strong(&s->top, &top, tagged_next((uintptr_t)node, top)));
}

static bool stack_pop(struct stack *s, int *value)
{
    Tagged top = atomic_load(&s->top);
    struct node *node;
    do {
        node = (struct node *)(uintptr_t)tagged_value(top);
        if (!node)
            return false;
    } while (!atomic_compare_exchange_strong(&s->top, &top, tagged_next((uintptr_t)node->next, top)));
    *value = node->value;
    return true;
}

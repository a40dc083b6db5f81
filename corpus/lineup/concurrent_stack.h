/* concurrent_stack.h: a stack without locks: a linked list whose head changes by compare-and-swap.
 * Several values are pushed, or popped, in one such step. Nodes are not freed: the original leaves that
 * to the garbage collector. */
#ifndef CONCURRENT_STACK_H
#define CONCURRENT_STACK_H
#include <stdatomic.h>
#include <stdlib.h>

struct stack_node {
    int value;
    struct stack_node *next;
};

struct stack {
    _Atomic(struct stack_node *) head;
};

static inline void stack_init(struct stack *s)
{
    atomic_init(&s->head, NULL);
}

/* The last of them is on top. */
static inline void stack_push_range(struct stack *s, const int *values, int count)
{
    struct stack_node *top = NULL, *bottom = NULL;
    for (int i = 0; i < count; i++) {
        struct stack_node *n = malloc(sizeof *n);
        n->value = values[i];
        n->next = top;
        top = n;
        if (!bottom)
            bottom = n;
    }
    struct stack_node *head = atomic_load(&s->head);
    do
        bottom->next = head;
    while (!atomic_compare_exchange_weak(&s->head, &head, top));
}

/* Pops up to COUNT values; gives their number. */
static inline int stack_try_pop_range(struct stack *s, int *values, int count)
{
    struct stack_node *head = atomic_load(&s->head), *rest;
    int popped;
    do {
        rest = head;
        for (popped = 0; popped < count && rest; popped++)
            rest = rest->next;
        if (!popped)
            return 0;
    } while (!atomic_compare_exchange_weak(&s->head, &head, rest));
    for (int i = 0; i < popped; i++, head = head->next)
        values[i] = head->value;
    return popped;
}

/* A copy of at most MOST values from the top; gives their number. */
static inline int stack_to_array(struct stack *s, int *values, int most)
{
    int count = 0;
    for (struct stack_node *n = atomic_load(&s->head); n && count < most; n = n->next)
        values[count++] = n->value;
    return count;
}

static inline int stack_count(struct stack *s)
{
    int count = 0;
    for (struct stack_node *n = atomic_load(&s->head); n; n = n->next)
        count++;
    return count;
}

static inline void stack_clear(struct stack *s)
{
    atomic_store(&s->head, NULL);
}
#endif

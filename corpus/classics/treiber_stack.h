/* Treiber's stack (R. K. Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986): a linked
 * list whose top is moved by compare-and-swap. Nodes are used again: a popped node is kept in a spare slot and
 * the next push takes it. So the top carries a count (IBM's remedy, in the same report): it is different after
 * every push, even when the node is the same, and a pop that slept meanwhile fails.
 *
 * -DPUSH_ORDER=memory_order_relaxed  the node is published without its contents
 * -DPOP_ORDER=memory_order_relaxed   the node is taken without its contents
 * -DUNCOUNTED                        the top is the node alone: ABA through reuse
 * -DNO_RETRY                         a push that loses the race is taken for done */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#ifndef PUSH_ORDER
#define PUSH_ORDER memory_order_release
#endif
#ifndef POP_ORDER
#define POP_ORDER memory_order_acquire
#endif
#ifdef UNCOUNTED
#define COUNT 0
#else
#define COUNT (1u << 8)
#endif
#define NODES 10

typedef uint32_t Top; /* the number of a node, 0 for none, and the count above it */
struct node {
    atomic_int value; /* atomic: a pop that comes late may read them while a push writes */
    _Atomic(Top) next;
};
struct stack {
    _Atomic(Top) top;
    _Atomic(Top) spare;
    atomic_uint used; /* nodes that were ever taken */
    struct node nodes[NODES];
};

static Top node_of(Top top)
{
    return top & 255;
}

static void stack_push(struct stack *s, int value)
{
    Top n = atomic_exchange_explicit(&s->spare, 0, memory_order_acquire);
    if (!n)
        n = atomic_fetch_add_explicit(&s->used, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&s->nodes[n].value, value, memory_order_relaxed);
    Top top = atomic_load_explicit(&s->top, memory_order_relaxed);
    do {
        atomic_store_explicit(&s->nodes[n].next, top, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&s->top, &top, n | ((top & ~255u) + COUNT), PUSH_ORDER,
                                                      memory_order_relaxed)
#ifdef NO_RETRY
             && false
#endif
    );
}

static bool stack_pop(struct stack *s, int *value)
{
    Top top = atomic_load_explicit(&s->top, POP_ORDER), next;
    do {
        if (!node_of(top))
            return false;
        next = atomic_load_explicit(&s->nodes[node_of(top)].next, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&s->top, &top, node_of(next) | (top & ~255u), POP_ORDER,
                                                      POP_ORDER));
    *value = atomic_load_explicit(&s->nodes[node_of(top)].value, memory_order_relaxed);
    Top none = 0;
    atomic_compare_exchange_strong_explicit(&s->spare, &none, node_of(top), memory_order_release,
                                            memory_order_relaxed);
    return true;
}

/* Treiber's stack with epoch-based reclamation (K. Fraser, Practical Lock-Freedom, Cambridge 2004):
 * whoever is inside announces the epoch that he came in; the epoch goes on when all who are inside have seen it,
 * and what was unlinked in an epoch is freed two epochs later.
 *
 * -DNO_FENCE      an announcement may be seen after the reads that it is to protect
 * -DFREE_AT_ONCE  a popped node is freed without waiting
 * -DLOCAL_EPOCH   a node is kept under the epoch in which its thread came in, not under the current one */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#define THREADS 4
struct node {
    struct node *next, *limbo;
    int value;
};
static _Atomic(struct node *) top;
static atomic_uint epoch = 3, announced[THREADS]; /* announced: the epoch times two, plus one inside */
static atomic_int threads;
static _Thread_local int self = -1;
static struct node *limbo[THREADS][3];
static unsigned collected[THREADS];

static void enter(void)
{
    if (self < 0)
        self = atomic_fetch_add(&threads, 1);
    unsigned now = atomic_load_explicit(&epoch, memory_order_relaxed);
    atomic_store_explicit(&announced[self], now << 1 | 1, memory_order_relaxed);
#ifndef NO_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (collected[self] == now)
        return;
    collected[self] = now;
    struct node **old = &limbo[self][(now + 1) % 3]; /* of two epochs ago */
    while (*old) {
        struct node *node = *old;
        *old = node->limbo;
        free(node);
    }
}

static void leave(void)
{
    atomic_store_explicit(&announced[self], 0, memory_order_release);
}

static void retire(struct node *node)
{
#ifdef FREE_AT_ONCE
    free(node);
    return;
#endif
    atomic_thread_fence(memory_order_seq_cst);
    unsigned now = atomic_load_explicit(&epoch, memory_order_relaxed), kept = now;
#ifdef LOCAL_EPOCH
    kept = atomic_load_explicit(&announced[self], memory_order_relaxed) >> 1;
#endif
    node->limbo = limbo[self][kept % 3];
    limbo[self][kept % 3] = node;
    for (int i = 0; i < THREADS; i++) {
        unsigned other = atomic_load_explicit(&announced[i], memory_order_acquire);
        if ((other & 1) && other >> 1 != now)
            return;
    }
    atomic_compare_exchange_strong(&epoch, &now, now + 1);
}

static void stack_push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    enter();
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_release,
                                                  memory_order_relaxed))
        ;
    leave();
}

static bool stack_pop(int *value)
{
    enter();
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node && !atomic_compare_exchange_weak_explicit(
                       &top, &node, node->next, memory_order_acquire, memory_order_acquire))
        ;
    bool found = node != NULL;
    if (found) {
        *value = node->value;
        retire(node);
    }
    leave();
    return found;
}

/* Treiber's stack with hazard eras (Ramalhete and Correia 2017): a thread announces the
 * era in which it reads, and a node is freed when no announced era lies in its life. Announcement and
 * second look at the era are store buffering against the removal and the look at the announcements, so
 * all of these are seq_cst.
 *
 * -DANNOUNCE_ORDER=...  the announcement is weaker
 * -DSHORT_LIFE          the era of the removal is not part of a life */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifndef ANNOUNCE_ORDER
#define ANNOUNCE_ORDER memory_order_seq_cst
#endif
enum { STACK_THREADS = 5, STACK_RETIRED = 8 };

struct node {
    struct node *next;
    int value;
    unsigned long born, removed;
};
static _Atomic(struct node *) stack_top;
static atomic_ulong era = 1, announced[STACK_THREADS]; /* 0: none */
static atomic_int stack_threads;
static _Thread_local int stack_self; /* its number + 1 */
static _Thread_local struct node *retired[STACK_RETIRED];
static _Thread_local int retired_count;

static void stack_push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->born = atomic_load(&era);
    node->next = atomic_load(&stack_top);
    while (!atomic_compare_exchange_weak(&stack_top, &node->next, node))
        ;
}

static struct node *read_top(atomic_ulong *announcement)
{
    unsigned long before = 0;
    for (;;) {
        struct node *top = atomic_load(&stack_top);
        unsigned long now = atomic_load(&era);
        if (now == before)
            return top;
        atomic_store_explicit(announcement, now, ANNOUNCE_ORDER);
        before = now;
    }
}

static bool is_in_use(const struct node *node)
{
    for (int t = 0; t < STACK_THREADS; t++) {
        unsigned long e = atomic_load(&announced[t]);
#ifdef SHORT_LIFE
        if (e && node->born <= e && e < node->removed)
#else
        if (e && node->born <= e && e <= node->removed)
#endif
            return true;
    }
    return false;
}

static void retire(struct node *node)
{
    node->removed = atomic_fetch_add(&era, 1);
    retired[retired_count++] = node;
    for (int i = retired_count; i-- > 0;)
        if (!is_in_use(retired[i])) {
            free(retired[i]);
            retired[i] = retired[--retired_count];
        }
}

static bool stack_pop(int *value)
{
    if (!stack_self)
        stack_self = 1 + atomic_fetch_add(&stack_threads, 1);
    atomic_ulong *announcement = &announced[stack_self - 1];
    struct node *top;
    do
        top = read_top(announcement);
    while (top && !atomic_compare_exchange_strong(&stack_top, &(struct node *){top}, top->next));
    if (top)
        *value = top->value;
    atomic_store_explicit(announcement, 0, memory_order_release);
    if (top)
        retire(top);
    return top;
}

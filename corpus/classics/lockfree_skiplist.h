/* The lock-free skip list of Herlihy and Shavit (The Art of Multiprocessor Programming, 2008, section 14.4), with two
 * levels: odd keys have one. A link whose lowest bit is set belongs to a node that is removed there; whoever sets it at
 * the lowest level has removed the key. Nodes are not freed. Every access of a link is seq_cst.
 *
 * -DANYBODY    a remove that finds the lowest link marked by another one takes that for its own work
 * -DPUT_ORDER=memory_order_relaxed  a node is linked without what it holds */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef PUT_ORDER
#define PUT_ORDER memory_order_seq_cst
#endif
enum { LEVELS = 2 };
struct node {
    int key, top; /* its highest level */
    _Atomic(uintptr_t) next[LEVELS];
};
static struct node head, tail;

static struct node *node_of(uintptr_t link)
{
    return (struct node *)(link & ~(uintptr_t)1);
}

static void list_init(void)
{
    head.key = INT32_MIN;
    tail.key = INT32_MAX;
    for (int l = 0; l < LEVELS; l++)
        atomic_store(&head.next[l], (uintptr_t)&tail);
}

/* The last node before KEY and the first one from it on, at each level, past nodes that are removed on the way: these are
 * unlinked. */
static bool find(int key, struct node **before, struct node **after)
{
retry:;
    struct node *left = &head, *right = NULL;
    for (int l = LEVELS - 1; l >= 0; l--) {
        right = node_of(atomic_load(&left->next[l]));
        for (;;) {
            uintptr_t link = atomic_load(&right->next[l]);
            while (link & 1) {
                uintptr_t expected = (uintptr_t)right;
                if (!atomic_compare_exchange_strong(&left->next[l], &expected, link & ~(uintptr_t)1))
                    goto retry;
                right = node_of(link);
                link = atomic_load(&right->next[l]);
            }
            if (right->key >= key)
                break;
            left = right;
            right = node_of(link);
        }
        before[l] = left;
        after[l] = right;
    }
    return right->key == key;
}

static struct node *new_node(int key, struct node *const *after)
{
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->top = key % 2 == 0;
    for (int l = 0; l <= node->top; l++)
        atomic_init(&node->next[l], (uintptr_t)after[l]);
    return node;
}

static bool list_add(int key)
{
    struct node *before[LEVELS], *after[LEVELS], *node;
    uintptr_t expected;
    for (;;) {
        if (find(key, before, after))
            return false;
        node = new_node(key, after);
        expected = (uintptr_t)after[0];
        if (atomic_compare_exchange_strong_explicit(&before[0]->next[0], &expected, (uintptr_t)node, PUT_ORDER,
                                                    memory_order_relaxed))
            break;
        free(node);
    }
    for (int l = 1; l <= node->top; l++)
        for (;;) {
            uintptr_t own = atomic_load(&node->next[l]);
            expected = (uintptr_t)after[l];
            if (own & 1 || (own != expected && !atomic_compare_exchange_strong(&node->next[l], &own, expected)))
                return true; /* removed again */
            if (atomic_compare_exchange_strong(&before[l]->next[l], &expected, (uintptr_t)node))
                break;
            find(key, before, after);
            if (after[0] != node)
                return true;
        }
    return true;
}

static bool list_remove(int key)
{
    struct node *before[LEVELS], *after[LEVELS];
    if (!find(key, before, after))
        return false;
    struct node *node = after[0];
    for (int l = node->top; l > 0; l--)
        atomic_fetch_or(&node->next[l], 1);
#ifdef ANYBODY
    atomic_fetch_or(&node->next[0], 1);
#else
    if (atomic_fetch_or(&node->next[0], 1) & 1)
        return false;
#endif
    find(key, before, after);
    return true;
}

static bool list_contains(int key)
{
    struct node *left = &head, *right = NULL;
    for (int l = LEVELS - 1; l >= 0; l--) {
        right = node_of(atomic_load(&left->next[l]));
        for (;;) {
            uintptr_t link = atomic_load(&right->next[l]);
            for (; link & 1; link = atomic_load(&right->next[l]))
                right = node_of(link);
            if (right->key >= key)
                break;
            left = right;
            right = node_of(link);
        }
    }
    return right->key == key;
}

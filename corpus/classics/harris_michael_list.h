/* The set as a sorted list of T. L. Harris (A Pragmatic Implementation of Non-Blocking Linked-Lists, DISC 2001) in the
 * form of M. M. Michael (High Performance Dynamic Lock-Free Hash Tables and List-Based Sets, SPAA 2002): a node is
 * removed by marking its own link (logically), then unlinked by whoever comes by. Nodes are not used again. Release and
 * acquire make it safe, but two threads may each miss the other's insert at another place of the list. With
 * seq_cst links alone a mark may still be seen too late; the set is linearizable if every access is seq_cst.
 *
 * -DSEQ_CST                            every access of a link is seq_cst
 * -DLINK_ORDER=memory_order_relaxed    a node is linked without its key
 * -DFOLLOW_ORDER=memory_order_relaxed  a link is followed without the key behind it
 * -DNO_MARK                            a node is unlinked without having been marked
 * -DNO_MARK_CHECK                      a remove does not look whether the mark was there before
 * -DNO_RETRY                           an insert that loses the race is taken for done */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef SEQ_CST
#define LINK_ORDER memory_order_seq_cst
#define FOLLOW_ORDER memory_order_seq_cst
#define MARK_ORDER memory_order_seq_cst
#define LOOK_ORDER memory_order_seq_cst
#else
#define MARK_ORDER memory_order_release
#define LOOK_ORDER memory_order_relaxed
#endif
#ifndef LINK_ORDER
#define LINK_ORDER memory_order_release
#endif
#ifndef FOLLOW_ORDER
#define FOLLOW_ORDER memory_order_acquire
#endif

typedef uintptr_t Link; /* the address of a node; odd: the node that holds this link is removed */
struct node {
    int key;
    _Atomic(Link) next;
};
struct list {
    _Atomic(Link) first;
};

static struct node *node_at(Link link)
{
    return (struct node *)(link & ~(Link)1);
}

static bool swing(_Atomic(Link) *at, Link from, Link to, memory_order order)
{
    return atomic_compare_exchange_strong_explicit(at, &from, to, order, LOOK_ORDER);
}

/* The first node whose key is not smaller, and the link to it; marked nodes on the way are unlinked. */
static struct node *list_find(struct list *list, int key, _Atomic(Link) **at)
{
    for (;;) {
        *at = &list->first;
        Link link = atomic_load_explicit(*at, FOLLOW_ORDER);
        for (;;) {
            struct node *node = node_at(link);
            if (!node)
                return NULL;
            Link next = atomic_load_explicit(&node->next, FOLLOW_ORDER);
            if (atomic_load_explicit(*at, LOOK_ORDER) != (Link)node)
                break;
            if (next & 1) {
                if (!swing(*at, (Link)node, next & ~(Link)1, MARK_ORDER))
                    break;
                link = next & ~(Link)1;
                continue;
            }
            if (node->key >= key)
                return node;
            *at = &node->next;
            link = next;
        }
    }
}

static bool list_insert(struct list *list, int key)
{
    struct node *node = malloc(sizeof *node);
    node->key = key;
    for (;;) {
        _Atomic(Link) *at;
        struct node *next = list_find(list, key, &at);
        if (next && next->key == key)
            return false;
        atomic_store_explicit(&node->next, (Link)next, memory_order_relaxed);
        if (swing(at, (Link)next, (Link)node, LINK_ORDER))
            return true;
#ifdef NO_RETRY
        return true;
#endif
    }
}

static bool list_remove(struct list *list, int key)
{
    for (;;) {
        _Atomic(Link) *at;
        struct node *node = list_find(list, key, &at);
        if (!node || node->key != key)
            return false;
#ifdef NO_MARK
        if (swing(at, (Link)node, atomic_load_explicit(&node->next, FOLLOW_ORDER), memory_order_release))
            return true;
        continue;
#elif defined NO_MARK_CHECK
        atomic_fetch_or_explicit(&node->next, 1, memory_order_acq_rel);
#else
        Link next = atomic_load_explicit(&node->next, FOLLOW_ORDER);
        if (next & 1 || !swing(&node->next, next, next | 1, MARK_ORDER))
            continue;
#endif
        list_find(list, key, &at);
        return true;
    }
}

static bool list_contains(struct list *list, int key)
{
    _Atomic(Link) *at;
    struct node *node = list_find(list, key, &at);
    return node && node->key == key;
}

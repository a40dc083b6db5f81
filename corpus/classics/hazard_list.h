/* The set as a sorted list of M. M. Michael with hazard pointers (Hazard Pointers: Safe Memory Reclamation for Lock-Free
 * Objects, IEEE TPDS 15(6), 2004, Figure 9): a thread publishes the nodes that it is going to use and looks again
 * whether they are still linked; a node that is unlinked is freed when no thread has published it.
 *
 * -DNO_HAZARD                           nodes are used without having been published
 * -DNO_RECHECK                          it is not looked again whether a published node is still linked
 * -DHAZARD_ORDER=memory_order_release   a node is published, but perhaps seen only after the second look
 * -DFREE_AT_ONCE                        what is unlinked is freed whoever uses it */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef HAZARD_ORDER
#define HAZARD_ORDER memory_order_seq_cst
#endif
enum { THREADS = 8, HAZARDS = 2, RETIRED = 64 };

typedef uintptr_t Link; /* the address of a node; odd: the node that holds this link is removed */
struct node {
    int key;
    _Atomic(Link) next;
};
struct list {
    _Atomic(Link) first;
    atomic_int threads;
    _Atomic(Link) hazard[THREADS][HAZARDS]; /* by thread: the present node, and the one before it */
};
struct place { /* where a key is, or would be */
    _Atomic(Link) *at;
    struct node *node;
    Link next;
};
static _Thread_local int list_self; /* its number, from 1 on */
static _Thread_local int retired_count;
static _Thread_local struct node *retired[RETIRED];

static _Atomic(Link) *list_hazard(struct list *list, int i)
{
    if (!list_self)
        list_self = 1 + atomic_fetch_add_explicit(&list->threads, 1, memory_order_relaxed);
    return &list->hazard[list_self - 1][i];
}

static bool is_published(struct list *list, const struct node *node)
{
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < HAZARDS; i++)
            if (atomic_load(&list->hazard[t][i]) == (Link)node)
                return true;
    return false;
}

static void list_retire(struct list *list, struct node *node)
{
    retired[retired_count++] = node;
    for (int i = 0; i < retired_count;)
#ifdef FREE_AT_ONCE
        if (true) {
#else
        if (!is_published(list, retired[i])) {
#endif
            free(retired[i]);
            retired[i] = retired[--retired_count];
        } else {
            i++;
        }
}

/* Is NODE, to which AT leads, still linked there once it is published? */
static bool list_protect(struct list *list, _Atomic(Link) *at, struct node *node)
{
#ifndef NO_HAZARD
    atomic_store_explicit(list_hazard(list, 0), (Link)node, HAZARD_ORDER);
#endif
#ifdef NO_RECHECK
    (void)at;
    return true;
#else
    return atomic_load(at) == (Link)node;
#endif
}

static bool list_find(struct list *list, int key, struct place *place)
{
again:
    place->at = &list->first;
    place->node = (struct node *)atomic_load(place->at);
    while (place->node) {
        if (!list_protect(list, place->at, place->node))
            goto again;
        place->next = atomic_load(&place->node->next);
        if (place->next & 1) { /* it is removed: unlink it */
            Link expected = (Link)place->node;
            if (!atomic_compare_exchange_strong(place->at, &expected, place->next - 1))
                goto again;
            list_retire(list, place->node);
            place->node = (struct node *)(place->next - 1);
            continue;
        }
        if (atomic_load(place->at) != (Link)place->node)
            goto again;
        if (place->node->key >= key)
            return place->node->key == key;
#ifndef NO_HAZARD
        atomic_store_explicit(list_hazard(list, 1), (Link)place->node, HAZARD_ORDER);
#endif
        place->at = &place->node->next;
        place->node = (struct node *)place->next;
    }
    return false;
}

/* The thread uses no node any more. */
static void list_leave(struct list *list)
{
    for (int i = 0; i < HAZARDS; i++)
        atomic_store_explicit(list_hazard(list, i), 0, memory_order_release);
}

static bool list_insert(struct list *list, int key)
{
    struct place place;
    struct node *node = malloc(sizeof *node);
    bool fresh;
    node->key = key;
    while ((fresh = !list_find(list, key, &place))) {
        Link expected = (Link)place.node;
        atomic_store_explicit(&node->next, expected, memory_order_relaxed);
        if (atomic_compare_exchange_strong(place.at, &expected, (Link)node))
            break;
    }
    list_leave(list);
    if (!fresh)
        free(node);
    return fresh;
}

static bool list_remove(struct list *list, int key)
{
    struct place place;
    bool found;
    while ((found = list_find(list, key, &place))) {
        Link expected = place.next;
        if (!atomic_compare_exchange_strong(&place.node->next, &expected, expected | 1))
            continue;
        expected = (Link)place.node;
        if (atomic_compare_exchange_strong(place.at, &expected, place.next))
            list_retire(list, place.node);
        else
            list_find(list, key, &place);
        break;
    }
    list_leave(list);
    return found;
}

static bool list_contains(struct list *list, int key)
{
    struct place place;
    bool found = list_find(list, key, &place);
    list_leave(list);
    return found;
}

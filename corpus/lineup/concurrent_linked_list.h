/* concurrent_linked_list.h: a doubly linked list with a lock in each node, used at both ends. A thread
 * locks from the front to the back, the nodes on both sides of what it changes; so what lies at the back
 * is found first and checked again once it is locked.
 *
 * -DROOT_C: AddLast does not check again, so of two nodes that are added behind the same one,
 * first is lost. */
#ifndef CONCURRENT_LINKED_LIST_H
#define CONCURRENT_LINKED_LIST_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct list_node {
    int value;
    _Atomic(struct list_node *) next, prev;
    pthread_mutex_t lock;
};

struct list {
    struct list_node front, back; /* hold no values */
    atomic_int count;             /* changes while the nodes concerned are locked */
};

static inline void list_init(struct list *l)
{
    atomic_init(&l->front.next, &l->back);
    atomic_init(&l->front.prev, NULL);
    atomic_init(&l->back.prev, &l->front);
    atomic_init(&l->back.next, NULL);
    pthread_mutex_init(&l->front.lock, NULL);
    pthread_mutex_init(&l->back.lock, NULL);
    atomic_init(&l->count, 0);
}

static inline void list_lock(struct list_node *n)
{
    pthread_mutex_lock(&n->lock);
}

static inline void list_unlock(struct list_node *n)
{
    pthread_mutex_unlock(&n->lock);
}

/* Between two locked neighbours. */
static inline void list_insert(struct list *l, struct list_node *a, struct list_node *b, int value)
{
    struct list_node *n = malloc(sizeof *n);
    n->value = value;
    pthread_mutex_init(&n->lock, NULL);
    atomic_init(&n->prev, a);
    atomic_init(&n->next, b);
    atomic_store(&a->next, n);
    atomic_store(&b->prev, n);
    atomic_fetch_add(&l->count, 1);
}

/* A locked node between two locked neighbours. */
static inline void list_unlink(struct list_node *n)
{
    struct list_node *a = atomic_load(&n->prev), *b = atomic_load(&n->next);
    atomic_store(&a->next, b);
    atomic_store(&b->prev, a);
    atomic_store(&n->next, NULL); /* for those who are about to lock it */
}

static inline void list_add_first(struct list *l, int value)
{
    list_lock(&l->front);
    struct list_node *first = atomic_load(&l->front.next);
    list_lock(first);
    list_insert(l, &l->front, first, value);
    list_unlock(first);
    list_unlock(&l->front);
}

static inline void list_add_last(struct list *l, int value)
{
    for (;;) {
        struct list_node *last = atomic_load(&l->back.prev);
        list_lock(last);
#ifndef ROOT_C
        if (atomic_load(&last->next) != &l->back) {
            list_unlock(last);
            continue;
        }
#endif
        list_lock(&l->back);
        list_insert(l, last, &l->back, value);
        list_unlock(&l->back);
        list_unlock(last);
        return;
    }
}

static inline bool list_remove_first(struct list *l, int *value)
{
    list_lock(&l->front);
    struct list_node *first = atomic_load(&l->front.next);
    bool any = first != &l->back;
    if (any) {
        list_lock(first);
        struct list_node *second = atomic_load(&first->next);
        list_lock(second);
        *value = first->value;
        list_unlink(first);
        atomic_fetch_sub(&l->count, 1);
        list_unlock(second);
        list_unlock(first);
    }
    list_unlock(&l->front);
    return any;
}

static inline bool list_remove_last(struct list *l, int *value)
{
    for (;;) {
        struct list_node *last = atomic_load(&l->back.prev);
        struct list_node *a = last == &l->front ? last : atomic_load(&last->prev);
        list_lock(a);
        if (last == &l->front) {
            bool empty = atomic_load(&a->next) == &l->back;
            list_unlock(a);
            if (empty)
                return false;
            continue;
        }
        bool found = atomic_load(&a->next) == last;
        if (found) {
            list_lock(last);
            found = atomic_load(&last->next) == &l->back;
            if (found) {
                list_lock(&l->back);
                *value = last->value;
                list_unlink(last);
                atomic_fetch_sub(&l->count, 1);
                list_unlock(&l->back);
            }
            list_unlock(last);
        }
        list_unlock(a);
        if (found)
            return true;
    }
}

/* Removes all; gives how many. */
static inline int list_remove_list(struct list *l)
{
    int count = 0;
    list_lock(&l->front);
    struct list_node *n = atomic_load(&l->front.next);
    for (list_lock(n); n != &l->back; count++) {
        struct list_node *next = atomic_load(&n->next);
        list_lock(next);
        list_unlink(n);
        list_unlock(n);
        n = next;
    }
    atomic_fetch_sub(&l->count, count); /* at once */
    list_unlock(&l->back);
    list_unlock(&l->front);
    return count;
}

static inline int list_count(struct list *l)
{
    return atomic_load(&l->count);
}
#endif

/* concurrent_bag.h: a collection without order. Each thread has a list of its own and adds and takes at
 * its tail, without a lock while the list is long; a thread whose list is empty steals from the heads of
 * the others, under their locks. What concerns all lists freezes them first.
 *
 * Which value is taken, and in which order ToArray gives them, is not specified and depends on the
 * lists (J).
 * -DROOT_E: the owner takes without the lock from a list that a thief may be emptying. */
#ifndef CONCURRENT_BAG_H
#define CONCURRENT_BAG_H
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* An owner and a thief do not meet in a list of more than this. */
#ifdef ROOT_E
#define BAG_SHORT 0
#else
#define BAG_SHORT 2
#endif

struct bag_node {
    int value;
    _Atomic(struct bag_node *) next, prev;
};

struct bag_list {
    _Atomic(struct bag_node *) head, tail; /* thieves take at the head */
    atomic_int count;
    atomic_int version; /* how often it became non-empty */
    atomic_bool busy;   /* the owner works without the lock */
    pthread_mutex_t lock;
    _Atomic(struct bag_list *) next;
};

struct bag {
    _Atomic(struct bag_list *) first; /* lists are added at the end */
    atomic_bool frozen;
    pthread_mutex_t lock;
};

static _Thread_local struct bag_list *bag_own;

static inline void bag_init(struct bag *b)
{
    atomic_init(&b->first, NULL);
    atomic_init(&b->frozen, false);
    pthread_mutex_init(&b->lock, NULL);
    bag_own = NULL;
}

static inline struct bag_list *bag_list_of_thread(struct bag *b)
{
    if (!bag_own) {
        struct bag_list *fresh = calloc(1, sizeof *fresh);
        pthread_mutex_init(&fresh->lock, NULL);
        pthread_mutex_lock(&b->lock);
        _Atomic(struct bag_list *) *link = &b->first;
        for (struct bag_list *l; (l = atomic_load(link));)
            link = &l->next;
        atomic_store(link, fresh);
        pthread_mutex_unlock(&b->lock);
        bag_own = fresh;
    }
    return bag_own;
}

/* Begins the owner's work on its list; whether that is under the lock. */
static inline bool bag_enter(struct bag *b, struct bag_list *l)
{
    atomic_store(&l->busy, true);
    if (atomic_load(&l->count) > BAG_SHORT && !atomic_load(&b->frozen))
        return false;
    atomic_store(&l->busy, false);
    pthread_mutex_lock(&l->lock);
    return true;
}

static inline void bag_leave(struct bag_list *l, bool locked)
{
    if (locked)
        pthread_mutex_unlock(&l->lock);
    else
        atomic_store(&l->busy, false);
}

static inline void bag_add(struct bag *b, int value)
{
    struct bag_list *l = bag_list_of_thread(b);
    struct bag_node *n = malloc(sizeof *n);
    n->value = value;
    bool locked = bag_enter(b, l);
    struct bag_node *tail = atomic_load(&l->tail);
    atomic_init(&n->prev, tail);
    atomic_init(&n->next, NULL);
    if (tail) {
        atomic_store(&tail->next, n);
    } else {
        atomic_store(&l->head, n);
        atomic_fetch_add(&l->version, 1);
    }
    atomic_store(&l->tail, n);
    atomic_fetch_add(&l->count, 1);
    bag_leave(l, locked);
}

/* The newest value of the own list. */
static inline bool bag_local(struct bag *b, struct bag_list *l, int *value, bool take)
{
    bool locked = bag_enter(b, l);
    struct bag_node *tail = atomic_load(&l->tail);
    if (tail) {
        *value = tail->value;
        if (take) {
            struct bag_node *before = atomic_load(&tail->prev);
            atomic_store(&l->tail, before);
            if (before)
                atomic_store(&before->next, NULL);
            else
                atomic_store(&l->head, NULL);
            atomic_fetch_sub(&l->count, 1);
        }
    }
    bag_leave(l, locked);
    return tail != NULL;
}

/* The oldest value of another list. */
static inline bool bag_steal_from(struct bag_list *l, int *value, bool take)
{
    pthread_mutex_lock(&l->lock);
    if (atomic_load(&l->count) <= BAG_SHORT)
        while (atomic_load(&l->busy))
            sched_yield();
    struct bag_node *head = atomic_load(&l->head);
    if (head) {
        *value = head->value;
        if (take) {
            struct bag_node *after = atomic_load(&head->next);
            atomic_store(&l->head, after);
            if (after)
                atomic_store(&after->prev, NULL);
            else
                atomic_store(&l->tail, NULL);
            atomic_fetch_sub(&l->count, 1);
        }
    }
    pthread_mutex_unlock(&l->lock);
    return head != NULL;
}

/* All lists are empty at one time if each was when it was visited and none has become non-empty until
 * all were. */
static inline bool bag_steal(struct bag *b, int *value, bool take)
{
    for (;;) {
        int seen = 0, again = 0;
        for (struct bag_list *l = atomic_load(&b->first); l; l = atomic_load(&l->next)) {
            seen += atomic_load(&l->version);
            if (atomic_load(&l->head) && bag_steal_from(l, value, take))
                return true;
        }
        for (struct bag_list *l = atomic_load(&b->first); l; l = atomic_load(&l->next))
            again += atomic_load(&l->version);
        if (seen == again)
            return false;
    }
}

static inline bool bag_try(struct bag *b, int *value, bool take)
{
    return (bag_own && bag_local(b, bag_own, value, take)) || bag_steal(b, value, take);
}

static inline void bag_freeze(struct bag *b)
{
    pthread_mutex_lock(&b->lock);
    atomic_store(&b->frozen, true);
    for (struct bag_list *l = atomic_load(&b->first); l; l = atomic_load(&l->next)) {
        pthread_mutex_lock(&l->lock);
        while (atomic_load(&l->busy))
            sched_yield();
    }
}

static inline void bag_unfreeze(struct bag *b)
{
    for (struct bag_list *l = atomic_load(&b->first); l; l = atomic_load(&l->next))
        pthread_mutex_unlock(&l->lock);
    atomic_store(&b->frozen, false);
    pthread_mutex_unlock(&b->lock);
}

/* A copy of at most MOST values, newest first in each list; gives their number. */
static inline int bag_to_array(struct bag *b, int *values, int most)
{
    int count = 0;
    bag_freeze(b);
    for (struct bag_list *l = atomic_load(&b->first); l; l = atomic_load(&l->next))
        for (struct bag_node *n = atomic_load(&l->tail); n && count < most; n = atomic_load(&n->prev))
            values[count++] = n->value;
    bag_unfreeze(b);
    return count;
}

static inline int bag_count(struct bag *b)
{
    int count = 0;
    bag_freeze(b);
    for (struct bag_list *l = atomic_load(&b->first); l; l = atomic_load(&l->next))
        count += atomic_load(&l->count);
    bag_unfreeze(b);
    return count;
}
#endif

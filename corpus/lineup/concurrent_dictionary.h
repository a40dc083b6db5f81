/* concurrent_dictionary.h: a hash table with a lock for each stripe of buckets. Reading takes no lock;
 * what concerns all keys takes all locks, in their order. A table begins with one bucket, which all keys
 * share, and is replaced by a larger one when a stripe holds more than its budget: the locks that a key
 * needs are those of the table that is in place once they are held.
 *
 * -DNO_RECHECK   the lock is taken for the table that was in place before: a fault of ours, not of the paper */
#ifndef CONCURRENT_DICTIONARY_H
#define CONCURRENT_DICTIONARY_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define DICTIONARY_STRIPES 2
#define DICTIONARY_BUDGET 1 /* elements of a stripe, before the table grows */

struct dictionary_node { /* constant but for next */
    int key, value;
    _Atomic(struct dictionary_node *) next;
};

struct dictionary_table {
    unsigned buckets;              /* how many it has */
    int count[DICTIONARY_STRIPES]; /* under the lock of the stripe */
    _Atomic(struct dictionary_node *) bucket[];
};

struct dictionary {
    _Atomic(struct dictionary_table *) table;
    pthread_mutex_t lock[DICTIONARY_STRIPES];
};

static inline struct dictionary_table *dictionary_new_table(unsigned buckets)
{
    struct dictionary_table *t = calloc(1, sizeof *t + buckets * sizeof t->bucket[0]);
    t->buckets = buckets;
    return t;
}

static inline void dictionary_init(struct dictionary *d)
{
    atomic_init(&d->table, dictionary_new_table(1));
    for (int i = 0; i < DICTIONARY_STRIPES; i++)
        pthread_mutex_init(&d->lock[i], NULL);
}

static inline unsigned dictionary_bucket(const struct dictionary_table *t, int key)
{
    return (unsigned)key / 10 % t->buckets;
}

static inline unsigned dictionary_stripe(const struct dictionary_table *t, int key)
{
    return dictionary_bucket(t, key) % DICTIONARY_STRIPES;
}

static inline bool dictionary_try_get(struct dictionary *d, int key, int *value)
{
    struct dictionary_table *t = atomic_load(&d->table);
    struct dictionary_node *n = atomic_load(&t->bucket[dictionary_bucket(t, key)]);
    while (n && n->key != key)
        n = atomic_load(&n->next);
    if (n)
        *value = n->value;
    return n != NULL;
}

/* Locks the stripe of a key and gives the table, which does not change from then on. */
static inline struct dictionary_table *dictionary_lock(struct dictionary *d, int key)
{
    for (;;) {
        struct dictionary_table *t = atomic_load(&d->table);
        pthread_mutex_lock(&d->lock[dictionary_stripe(t, key)]);
#ifdef NO_RECHECK
        return t;
#endif
        if (atomic_load(&d->table) == t)
            return t;
        pthread_mutex_unlock(&d->lock[dictionary_stripe(t, key)]);
    }
}

static inline void dictionary_unlock(struct dictionary *d, struct dictionary_table *t, int key)
{
    pthread_mutex_unlock(&d->lock[dictionary_stripe(t, key)]);
}

static inline void dictionary_lock_all(struct dictionary *d)
{
    for (int i = 0; i < DICTIONARY_STRIPES; i++)
        pthread_mutex_lock(&d->lock[i]);
}

static inline void dictionary_unlock_all(struct dictionary *d)
{
    for (int i = 0; i < DICTIONARY_STRIPES; i++)
        pthread_mutex_unlock(&d->lock[i]);
}

/* Puts a table with more buckets, and copies of all nodes, in place of T, unless somebody else has. */
static inline void dictionary_grow(struct dictionary *d, struct dictionary_table *t)
{
    dictionary_lock_all(d);
    if (atomic_load(&d->table) == t) {
        struct dictionary_table *larger = dictionary_new_table(2 * t->buckets + 1);
        for (unsigned b = 0; b < t->buckets; b++)
            for (struct dictionary_node *n = atomic_load(&t->bucket[b]); n; n = atomic_load(&n->next)) {
                struct dictionary_node *copy = malloc(sizeof *copy);
                _Atomic(struct dictionary_node *) *first = &larger->bucket[dictionary_bucket(larger, n->key)];
                copy->key = n->key;
                copy->value = n->value;
                atomic_init(&copy->next, atomic_load(first));
                atomic_store(first, copy);
                larger->count[dictionary_stripe(larger, n->key)]++;
            }
        atomic_store(&d->table, larger);
    }
    dictionary_unlock_all(d);
}

/* The link to the node of a key, or the last link. */
static inline _Atomic(struct dictionary_node *) *dictionary_find(struct dictionary_table *t, int key)
{
    _Atomic(struct dictionary_node *) *link = &t->bucket[dictionary_bucket(t, key)];
    struct dictionary_node *n;
    while ((n = atomic_load(link)) && n->key != key)
        link = &n->next;
    return link;
}

/* A node of a key in place of AT, or at the end. */
static inline void dictionary_put(_Atomic(struct dictionary_node *) *link, int key, int value)
{
    struct dictionary_node *old = atomic_load(link), *fresh = malloc(sizeof *fresh);
    fresh->key = key;
    fresh->value = value;
    atomic_init(&fresh->next, old ? atomic_load(&old->next) : NULL);
    atomic_store(link, fresh);
}

/* Puts a value under a key that is not there, or, if REPLACE, under any; was the key absent? */
static inline bool dictionary_add(struct dictionary *d, int key, int value, bool replace)
{
    struct dictionary_table *t = dictionary_lock(d, key);
    _Atomic(struct dictionary_node *) *link = dictionary_find(t, key);
    bool absent = !atomic_load(link), full = false;
    if (absent)
        full = ++t->count[dictionary_stripe(t, key)] > DICTIONARY_BUDGET;
    if (absent || replace)
        dictionary_put(link, key, value);
    dictionary_unlock(d, t, key);
    if (full)
        dictionary_grow(d, t);
    return absent;
}

static inline bool dictionary_try_add(struct dictionary *d, int key, int value)
{
    return dictionary_add(d, key, value, false);
}

static inline void dictionary_set(struct dictionary *d, int key, int value)
{
    dictionary_add(d, key, value, true);
}

static inline bool dictionary_try_update(struct dictionary *d, int key, int value, int expected)
{
    struct dictionary_table *t = dictionary_lock(d, key);
    _Atomic(struct dictionary_node *) *link = dictionary_find(t, key);
    struct dictionary_node *n = atomic_load(link);
    bool fits = n && n->value == expected;
    if (fits)
        dictionary_put(link, key, value);
    dictionary_unlock(d, t, key);
    return fits;
}

static inline bool dictionary_try_remove(struct dictionary *d, int key, int *value)
{
    struct dictionary_table *t = dictionary_lock(d, key);
    _Atomic(struct dictionary_node *) *link = dictionary_find(t, key);
    struct dictionary_node *n = atomic_load(link);
    if (n) {
        *value = n->value;
        atomic_store(link, atomic_load(&n->next));
        t->count[dictionary_stripe(t, key)]--;
    }
    dictionary_unlock(d, t, key);
    return n != NULL;
}

static inline int dictionary_count(struct dictionary *d)
{
    int count = 0;
    dictionary_lock_all(d);
    struct dictionary_table *t = atomic_load(&d->table);
    for (int i = 0; i < DICTIONARY_STRIPES; i++)
        count += t->count[i];
    dictionary_unlock_all(d);
    return count;
}

static inline void dictionary_clear(struct dictionary *d)
{
    dictionary_lock_all(d);
    atomic_store(&d->table, dictionary_new_table(1));
    dictionary_unlock_all(d);
}
#endif

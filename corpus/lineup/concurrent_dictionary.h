/* concurrent_dictionary.h: a hash table with a lock for each stripe of buckets. Reading takes no lock;
 * what concerns all keys takes all locks, in their order. */
#ifndef CONCURRENT_DICTIONARY_H
#define CONCURRENT_DICTIONARY_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define DICTIONARY_STRIPES 2
#define DICTIONARY_BUCKETS 4

struct dictionary_node { /* constant but for next */
    int key, value;
    _Atomic(struct dictionary_node *) next;
};

struct dictionary_table {
    _Atomic(struct dictionary_node *) bucket[DICTIONARY_BUCKETS];
    int count[DICTIONARY_STRIPES]; /* under the lock of the stripe */
};

struct dictionary {
    _Atomic(struct dictionary_table *) table;
    pthread_mutex_t lock[DICTIONARY_STRIPES];
};

static inline struct dictionary_table *dictionary_new_table(void)
{
    return calloc(1, sizeof(struct dictionary_table));
}

static inline void dictionary_init(struct dictionary *d)
{
    atomic_init(&d->table, dictionary_new_table());
    for (int i = 0; i < DICTIONARY_STRIPES; i++)
        pthread_mutex_init(&d->lock[i], NULL);
}

static inline unsigned dictionary_bucket(int key)
{
    return (unsigned)key / 10 % DICTIONARY_BUCKETS;
}

static inline bool dictionary_try_get(struct dictionary *d, int key, int *value)
{
    struct dictionary_table *t = atomic_load(&d->table);
    struct dictionary_node *n = atomic_load(&t->bucket[dictionary_bucket(key)]);
    while (n && n->key != key)
        n = atomic_load(&n->next);
    if (n)
        *value = n->value;
    return n != NULL;
}

/* Locks the stripe of a key and gives the table, which does not change from then on. */
static inline struct dictionary_table *dictionary_lock(struct dictionary *d, int key)
{
    pthread_mutex_lock(&d->lock[dictionary_bucket(key) % DICTIONARY_STRIPES]);
    return atomic_load(&d->table);
}

static inline void dictionary_unlock(struct dictionary *d, int key)
{
    pthread_mutex_unlock(&d->lock[dictionary_bucket(key) % DICTIONARY_STRIPES]);
}

/* The link to the node of a key, or the last link. */
static inline _Atomic(struct dictionary_node *) *dictionary_find(struct dictionary_table *t, int key)
{
    _Atomic(struct dictionary_node *) *link = &t->bucket[dictionary_bucket(key)];
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

static inline bool dictionary_try_add(struct dictionary *d, int key, int value)
{
    struct dictionary_table *t = dictionary_lock(d, key);
    _Atomic(struct dictionary_node *) *link = dictionary_find(t, key);
    bool absent = !atomic_load(link);
    if (absent) {
        dictionary_put(link, key, value);
        t->count[dictionary_bucket(key) % DICTIONARY_STRIPES]++;
    }
    dictionary_unlock(d, key);
    return absent;
}

static inline void dictionary_set(struct dictionary *d, int key, int value)
{
    struct dictionary_table *t = dictionary_lock(d, key);
    _Atomic(struct dictionary_node *) *link = dictionary_find(t, key);
    if (!atomic_load(link))
        t->count[dictionary_bucket(key) % DICTIONARY_STRIPES]++;
    dictionary_put(link, key, value);
    dictionary_unlock(d, key);
}

static inline bool dictionary_try_update(struct dictionary *d, int key, int value, int expected)
{
    struct dictionary_table *t = dictionary_lock(d, key);
    _Atomic(struct dictionary_node *) *link = dictionary_find(t, key);
    struct dictionary_node *n = atomic_load(link);
    bool fits = n && n->value == expected;
    if (fits)
        dictionary_put(link, key, value);
    dictionary_unlock(d, key);
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
        t->count[dictionary_bucket(key) % DICTIONARY_STRIPES]--;
    }
    dictionary_unlock(d, key);
    return n != NULL;
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
    atomic_store(&d->table, dictionary_new_table());
    dictionary_unlock_all(d);
}
#endif

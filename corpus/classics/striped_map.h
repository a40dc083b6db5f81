/* A hash map whose buckets share a few locks (Herlihy and Shavit, The Art of Multiprocessor Programming, 2008, section
 * 13.2.2, without resizing): bucket b is guarded by lock b % STRIPES.
 *
 * -DNO_LOCK         a get takes no lock
 * -DWRONG_STRIPE    a put takes the lock of another stripe
 * -DLOOK_THEN_PUT   a put looks for the key, gives the lock back and takes it again to insert */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
enum { BUCKETS = 4, STRIPES = 2 };

struct entry {
    int key, value;
    struct entry *next;
};
struct map {
    struct entry *bucket[BUCKETS];
    pthread_mutex_t lock[STRIPES];
};

static void map_init(struct map *map)
{
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&map->lock[i], NULL);
}

static pthread_mutex_t *map_lock(struct map *map, int key)
{
    return &map->lock[key % BUCKETS % STRIPES];
}

/* The link to the entry of KEY, or to the end of its bucket. */
static struct entry **map_find(struct map *map, int key)
{
    struct entry **at = &map->bucket[key % BUCKETS];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

/* True if KEY was not there. */
static bool map_put(struct map *map, int key, int value)
{
#ifdef WRONG_STRIPE
    pthread_mutex_t *lock = map_lock(map, key + 1);
#else
    pthread_mutex_t *lock = map_lock(map, key);
#endif
    pthread_mutex_lock(lock);
    struct entry **at = map_find(map, key);
    bool fresh = !*at;
#ifdef LOOK_THEN_PUT
    pthread_mutex_unlock(lock);
    pthread_mutex_lock(lock);
    at = &map->bucket[key % BUCKETS];
#endif
    if (fresh) {
        struct entry *entry = malloc(sizeof *entry);
        *entry = (struct entry){key, value, *at};
        *at = entry;
    } else {
        (*map_find(map, key))->value = value;
    }
    pthread_mutex_unlock(lock);
    return fresh;
}

static bool map_get(struct map *map, int key, int *value)
{
#ifndef NO_LOCK
    pthread_mutex_lock(map_lock(map, key));
#endif
    const struct entry *entry = *map_find(map, key);
    if (entry)
        *value = entry->value;
#ifndef NO_LOCK
    pthread_mutex_unlock(map_lock(map, key));
#endif
    return entry;
}

static bool map_remove(struct map *map, int key)
{
    pthread_mutex_lock(map_lock(map, key));
    struct entry **at = map_find(map, key), *entry = *at;
    if (entry)
        *at = entry->next;
    pthread_mutex_unlock(map_lock(map, key));
    free(entry);
    return entry;
}

#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t hash = seed ^ (count * 0x9E3779B97F4A7C15u);
    for (; count >= 8; at += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = hash_mix(hash ^ word);
    }
    uint64_t tail = 0;
    if (count)
        memcpy(&tail, at, count);
    return hash_mix(hash ^ tail);
}

static size_t hashmap_slot(const HashMap *map, uint64_t key)
{
    size_t slot = (size_t)hash_mix(key) & (map->capacity - 1);
    while (map->used[slot] && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

uint64_t *hashmap_find(const HashMap *map, uint64_t key)
{
    if (!map->count)
        return NULL;
    size_t slot = hashmap_slot(map, key);
    return map->used[slot] ? &map->values[slot] : NULL;
}

static void hashmap_resize(HashMap *map, size_t capacity)
{
    HashMap old = *map;
    map->keys = malloc(capacity * sizeof *map->keys);
    map->values = malloc(capacity * sizeof *map->values);
    map->used = calloc(capacity, 1);
    if (!map->keys || !map->values || !map->used)
        die("out of memory");
    map->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.used[i]) {
            size_t slot = hashmap_slot(map, old.keys[i]);
            map->used[slot] = 1;
            map->keys[slot] = old.keys[i];
            map->values[slot] = old.values[i];
        }
    free(old.keys);
    free(old.values);
    free(old.used);
}

uint64_t *hashmap_put(HashMap *map, uint64_t key, bool *was_absent)
{
    if (map->count * 4 >= map->capacity * 3)
        hashmap_resize(map, map->capacity ? map->capacity * 2 : 16);
    size_t slot = hashmap_slot(map, key);
    bool absent = !map->used[slot];
    if (absent) {
        map->used[slot] = 1;
        map->keys[slot] = key;
        map->values[slot] = 0;
        map->count++;
    }
    if (was_absent)
        *was_absent = absent;
    return &map->values[slot];
}

void hashmap_clear(HashMap *map)
{
    if (map->capacity)
        memset(map->used, 0, map->capacity);
    map->count = 0;
}

void hashmap_free(HashMap *map)
{
    free(map->keys);
    free(map->values);
    free(map->used);
    *map = (HashMap){0};
}

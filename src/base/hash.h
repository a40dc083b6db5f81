/* hash.h: mixing functions and an open-addressing map from 64-bit keys to 64-bit values. */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H
#include "base/common.h"

static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
    return hash_mix(a * 0x9E3779B97F4A7C15u + b);
}
/* Two hashes of one thing that nothing but chance makes equal together: for tables that take equal
 * hashes for equal things. Of 10^9 different things two are equal with probability 10^-20. */
typedef struct Hash128 {
    uint64_t low, high;
} Hash128;
/* Takes in two words; each half of the hash does so in another way. End with hash128_mix. */
static inline Hash128 hash128_add(Hash128 h, uint64_t a, uint64_t b)
{
    h.low = (h.low ^ a) * 0x9E3779B97F4A7C15u + b;
    h.high = (h.high ^ b) * 0xC2B2AE3D27D4EB4Fu + (a << 17 | a >> 47);
    return (Hash128){h.low ^ h.low >> 29, h.high ^ h.high >> 31};
}
static inline Hash128 hash128_mix(Hash128 h)
{
    return (Hash128){hash_mix(h.low), hash_mix(h.high)};
}
uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed);

typedef struct HashMap { /* zero-initialised is empty */
    uint64_t *keys, *values;
    unsigned char *used;
    size_t capacity, count;
} HashMap;
uint64_t *hashmap_find(const HashMap *map, uint64_t key);            /* NULL if absent */
uint64_t *hashmap_put(HashMap *map, uint64_t key, bool *was_absent); /* value 0 if it was absent */
void hashmap_clear(HashMap *map);
void hashmap_free(HashMap *map);

/* A small, fast, seedable generator (splitmix64); the same seed gives the same sequence. */
typedef struct Random {
    uint64_t state;
} Random;
static inline uint64_t random_next(Random *random)
{
    return hash_mix(random->state += 0x9E3779B97F4A7C15u);
}
/* Uniform in [0, bound); bound > 0. */
static inline uint64_t random_below(Random *random, uint64_t bound)
{
    return (uint64_t)((__extension__(unsigned __int128) random_next(random) * bound) >> 64);
}
#endif

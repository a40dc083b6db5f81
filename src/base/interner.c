#include "base/interner.h"
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

static void grow(Interner *interner)
{
    size_t size = interner->index_size ? interner->index_size * 2 : 64;
    free(interner->index);
    interner->index = calloc(size, sizeof *interner->index);
    if (!interner->index)
        die("out of memory");
    interner->index_size = size;
    for (size_t i = 0; i < interner->entries.count; i++) {
        size_t slot = (size_t)interner->entries.at[i].hash & (size - 1);
        while (interner->index[slot])
            slot = (slot + 1) & (size - 1);
        interner->index[slot] = (uint32_t)i + 1;
    }
}

/* (Two words at a time: sequences may have hundreds.) */
static uint64_t hash_words(const uint64_t *words, size_t count)
{
    Hash128 hash = {count, 0};
    size_t i = 0;
    for (; i + 2 <= count; i += 2)
        hash = hash128_add(hash, words[i], words[i + 1]);
    if (i < count)
        hash = hash128_add(hash, words[i], 0);
    return hash_mix(hash.low ^ hash.high);
}

uint32_t interner_number(Interner *interner, const uint64_t *words, size_t count)
{
    if ((interner->entries.count + 1) * 2 > interner->index_size)
        grow(interner);
    uint64_t hash = hash_words(words, count);
    size_t mask = interner->index_size - 1, slot = (size_t)hash & mask;
    for (; interner->index[slot]; slot = (slot + 1) & mask) {
        const InternerEntry *old = &interner->entries.at[interner->index[slot] - 1];
        if (old->hash == hash && old->count == count &&
            (!count || !memcmp(interner->words.at + old->offset, words, count * sizeof *words)))
            return interner->index[slot] - 1;
    }
    if (interner->entries.count >= INTERNER_MOST || interner->words.count + count > UINT32_MAX)
        die("a specification has more states than can be numbered");
    InternerEntry new = {hash, (uint32_t)interner->words.count, (uint32_t)count};
    vec_reserve(&interner->words, interner->words.count + count);
    if (count)
        memcpy(interner->words.at + interner->words.count, words, count * sizeof *words);
    interner->words.count += count;
    vec_push(&interner->entries, new);
    interner->index[slot] = (uint32_t)interner->entries.count;
    return (uint32_t)interner->entries.count - 1;
}

void interner_clear(Interner *interner)
{
    vec_clear(&interner->words);
    vec_clear(&interner->entries);
    if (interner->index)
        memset(interner->index, 0, interner->index_size * sizeof *interner->index);
}

void interner_free(Interner *interner)
{
    vec_free(&interner->words);
    vec_free(&interner->entries);
    free(interner->index);
    *interner = (Interner){0};
}

size_t interner_memory(const Interner *interner)
{
    return interner->words.capacity * sizeof(uint64_t) +
           interner->entries.capacity * sizeof(InternerEntry) +
           interner->index_size * sizeof(uint32_t);
}

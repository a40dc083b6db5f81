#include "judge/linear/memo.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 256u
#define KEPT_SIZE ((size_t)1 << 16) /* a larger index is given back when the next search starts */

void memo_start(Memo *memo, size_t words)
{
    memo->words = words;
    memo->entries.count = 0;
    if (memo->index_size > KEPT_SIZE) {
        free(memo->index);
        memo->index = NULL;
        memo->index_size = 0;
        vec_free(&memo->entries);
    }
    if (memo->index && memo->count) {
        /* a small search in a large index must not pay for all of it */
        if (memo->index_size > FIRST_SIZE && memo->count * 16 < memo->index_size)
            memo->index_size /= 4;
        memset(memo->index, 0, memo->index_size * sizeof *memo->index);
    }
    memo->count = 0;
}

void memo_free(Memo *memo)
{
    free(memo->index);
    vec_free(&memo->entries);
    *memo = (Memo){0};
}

size_t memo_memory(const Memo *memo)
{
    return (memo->entries.capacity + memo->index_size) * sizeof(uint64_t);
}

static uint64_t hash_of(const Memo *memo, const uint64_t *entry, const uint64_t *optional)
{
    uint64_t hash = hash_mix(entry[0]);
    for (size_t i = 0; i < memo->words; i++)
        hash = hash_combine(hash, entry[i + 1] & ~optional[i]);
    return hash;
}

static void grow(Memo *memo, const uint64_t *optional)
{
    size_t size = memo->index_size ? memo->index_size * 2 : FIRST_SIZE;
    free(memo->index);
    memo->index = calloc(size, sizeof *memo->index);
    if (!memo->index)
        die("out of memory");
    memo->index_size = size;
    for (size_t i = 0; i < memo->count; i++) {
        uint64_t hash = hash_of(memo, memo->entries.at + i * (memo->words + 1), optional);
        size_t slot = (size_t)hash & (size - 1);
        while (memo->index[slot])
            slot = (slot + 1) & (size - 1);
        memo->index[slot] = (hash & 0xFFFFFFFF00000000u) | (i + 1);
    }
}

/* Does the visited entry answer for the new one? */
static inline bool answers(const uint64_t *old, const uint64_t *new, const uint64_t *optional,
                           size_t words)
{
    if (old[0] != new[0])
        return false;
    for (size_t i = 0; i < words; i++) {
        uint64_t differ = old[i + 1] ^ new[i + 1];
        if ((differ & ~optional[i]) | (differ & old[i + 1]))
            return false;
    }
    return true;
}

void memo_validate(const Memo *memo, const uint64_t *optional)
{
    size_t stride = memo->words + 1, used = 0;
    for (size_t slot = 0; slot < memo->index_size; slot++)
        used += memo->index[slot] != 0;
    ASSERT(used == memo->count && memo->count * 2 <= memo->index_size);
    for (size_t i = 0; i < memo->count; i++) {
        const uint64_t *entry = memo->entries.at + i * stride;
        uint64_t hash = hash_of(memo, entry, optional);
        size_t slot = (size_t)hash & (memo->index_size - 1);
        for (; (memo->index[slot] & 0xFFFFFFFFu) != i + 1;
             slot = (slot + 1) & (memo->index_size - 1)) {
            ASSERT(memo->index[slot]);
            size_t other = (memo->index[slot] & 0xFFFFFFFFu) - 1;
            ASSERT(other > i ||
                   !answers(memo->entries.at + other * stride, entry, optional, memo->words));
        }
        ASSERT((memo->index[slot] ^ hash) >> 32 == 0);
    }
}

bool memo_visit(Memo *memo, uint32_t place, uint32_t state, const uint64_t *mask,
                const uint64_t *optional)
{
    if (UNLIKELY((memo->count + 1) * 2 > memo->index_size))
        grow(memo, optional);
    size_t stride = memo->words + 1;
    vec_reserve(&memo->entries, MAX((memo->count + 1) * stride, memo->entries.capacity));
    if (memo->entries.capacity < (memo->count + 1) * stride)
        die("out of memory");
    uint64_t *new = memo->entries.at + memo->count *stride;
    new[0] = (uint64_t)place << 32 | state;
    memcpy(new + 1, mask, memo->words * sizeof *mask);
    uint64_t hash = hash_of(memo, new, optional);
    size_t slot = (size_t)hash & (memo->index_size - 1);
    for (; memo->index[slot]; slot = (slot + 1) & (memo->index_size - 1))
        if ((memo->index[slot] ^ hash) >> 32 == 0 &&
            answers(memo->entries.at + ((memo->index[slot] & 0xFFFFFFFFu) - 1) * stride, new,
                    optional, memo->words))
            return true;
    if (memo->count >= UINT32_MAX - 1)
        die("out of memory");
    memo->index[slot] = (hash & 0xFFFFFFFF00000000u) | ++memo->count;
    memo->entries.count = memo->count * stride;
#ifdef HEDDLE_DEBUG
    if (memo->count <= 64 || (memo->count & (memo->count - 1)) == 0)
        memo_validate(memo, optional);
#endif
    return false;
}

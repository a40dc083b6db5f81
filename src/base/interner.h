/* interner.h: arrays of 64-bit words numbered when first seen, exactly (by content, not by hash):
 * equal arrays get equal numbers, from 0 on. */
#ifndef HEDDLE_BASE_INTERNER_H
#define HEDDLE_BASE_INTERNER_H
#include "base/vec.h"

typedef struct InternerEntry {
    uint64_t hash;
    uint32_t offset, count;
} InternerEntry;
/* Zero-initialised is empty. */
typedef struct Interner {
    Vec(uint64_t) words; /* of all arrays */
    Vec(InternerEntry) entries;
    uint32_t *index; /* number + 1; 0 is free */
    size_t index_size;
} Interner;

/* Numbers stay below this. */
#define INTERNER_MOST 0x7FFFFFFFu

uint32_t interner_number(Interner *interner, const uint64_t *words, size_t count);
/* Array NUMBER; valid until the next one is added. */
static inline const uint64_t *interner_words(const Interner *interner, uint32_t number,
                                             size_t *count)
{
    *count = interner->entries.at[number].count;
    return vec_from(&interner->words, interner->entries.at[number].offset);
}
void interner_clear(Interner *interner); /* keeps its memory */
void interner_free(Interner *interner);
size_t interner_memory(const Interner *interner);
#endif

/* memo.h: the configurations of a linearizability search that were visited: a place, a state of the
 * specification and the set of operations already linearized. Bits under `optional` are operations
 * that need not happen (pending ones): a visited configuration answers for every other that differs
 * only by having used up more of them, since whatever the other can still do, it can do too.
 * Comparison is exact. Memory is kept between searches. */
#ifndef HEDDLE_LINEAR_MEMO_H
#define HEDDLE_LINEAR_MEMO_H
#include "base/hash.h"
#include "base/vec.h"

typedef struct Memo {
    size_t words;          /* of a mask */
    Vec(uint64_t) entries; /* stride words + 1: place and state, then the mask */
    uint64_t *index;       /* hash tag << 32 | entry + 1; 0 is free */
    size_t index_size, count;
} Memo;

/* Empty, for masks of WORDS words. */
void memo_start(Memo *memo, size_t words);
void memo_free(Memo *memo);
size_t memo_memory(const Memo *memo);
/* True if the configuration, or one that answers for it, was visited; else it is now. OPTIONAL has
 * as many words as the mask. */
bool memo_visit(Memo *memo, uint32_t place, uint32_t state, const uint64_t *mask,
                const uint64_t *optional);
/* Asserts that the index holds every entry once, where a search for it ends, and that no entry
 * answers for a later one. Debug builds call it in memo_visit while the memo is small, and whenever
 * its size is a power of two. */
void memo_validate(const Memo *memo, const uint64_t *optional);
#endif

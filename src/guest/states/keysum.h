/* keysum.h: two hashes of a list of words, for keys. Each is a sum of products of two words, to
 * which fixed random numbers were added (NH of UMAC; Black and others, CRYPTO 1999): two lists of
 * equal length have equal sums for one in 2^64 choices of these numbers, and the two hashes have
 * different ones. No product waits for another, so that it is fast. */
#ifndef HEDDLE_STATES_KEYSUM_H
#define HEDDLE_STATES_KEYSUM_H
#include "base/hash.h"

/* WORDS has room for one word more than COUNT. */
Hash128 keysum(uint64_t *words, uint32_t count);
#endif

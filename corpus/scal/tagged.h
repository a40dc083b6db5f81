/* A pointer or a small number with a version in one word, as in Scal: the version grows with every change, so that a
 * compare-and-swap by a thread that slept fails although the pointer is the same again. */
#ifndef TAGGED_H
#define TAGGED_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef K
#define K 3 /* cells of a segment: out of order by at most K-1 */
#endif

typedef uint64_t Tagged;
static inline uint64_t tagged_value(Tagged t)
{
    return t & (((uint64_t)1 << 48) - 1);
}
/* VALUE with the version after that of OLD. */
static inline Tagged tagged_next(uint64_t value, Tagged old)
{
    return value | ((old >> 48) + 1) << 48;
}

/* Where to begin looking in a segment. */
static inline unsigned random_place(unsigned places)
{
    return (unsigned)rand() % places;
}
#endif

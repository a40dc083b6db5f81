/* relation.h: binary relations over the numbers 0..n-1 as boolean matrices, one bit a pair: the
 * vocabulary in which memory models are written (union, composition, closure, acyclic). Meant for
 * small graphs judged by definition, not for the hot path: composition and closure take
 * n*n*n/64. */
#ifndef HEDDLE_GRAPH_RELATION_H
#define HEDDLE_GRAPH_RELATION_H
#include "base/arena.h"

typedef struct Relation {
    size_t size, words; /* elements; 64-bit words a row */
    uint64_t *bits;     /* row I, column J: is (I, J) in the relation? */
} Relation;

Relation relation_new(Arena *arena, size_t size); /* empty; lives as long as ARENA */
Relation relation_copy(Arena *arena, Relation of);

static inline bool relation_has(Relation r, size_t from, size_t to)
{
    return r.bits[from * r.words + to / 64] >> (to % 64) & 1;
}
static inline void relation_add(Relation r, size_t from, size_t to)
{
    r.bits[from * r.words + to / 64] |= (uint64_t)1 << (to % 64);
}
void relation_add_identity(Relation r); /* r becomes r? */
Relation relation_union(Arena *arena, Relation a, Relation b);
Relation relation_compose(Arena *arena, Relation a, Relation b); /* a ; b */
Relation relation_inverse(Arena *arena, Relation r);
void relation_close(Relation r); /* transitive closure, in place */
/* Elements related to themselves: the first one, or SIZE if r is irreflexive. */
size_t relation_reflexive_at(Relation r);
/* An element on a cycle, or SIZE if r is acyclic. */
size_t relation_cycle_at(Arena *arena, Relation r);
#endif

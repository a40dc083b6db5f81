#include "judge/graph/relation.h"
#include <string.h>

Relation relation_new(Arena *arena, size_t size)
{
    Relation r = {.size = size, .words = (size + 63) / 64};
    r.bits = arena_array_of(arena, uint64_t, size * r.words + 1);
    return r;
}

Relation relation_copy(Arena *arena, Relation of)
{
    Relation r = relation_new(arena, of.size);
    memcpy(r.bits, of.bits, of.size * of.words * sizeof *r.bits);
    return r;
}

void relation_add_identity(Relation r)
{
    for (size_t i = 0; i < r.size; i++)
        relation_add(r, i, i);
}

/* Union, in place. */
static void relation_add_all(Relation to, Relation from)
{
    ASSERT(to.size == from.size);
    for (size_t i = 0; i < to.size * to.words; i++)
        to.bits[i] |= from.bits[i];
}

Relation relation_union(Arena *arena, Relation a, Relation b)
{
    Relation r = relation_copy(arena, a);
    relation_add_all(r, b);
    return r;
}

Relation relation_compose(Arena *arena, Relation a, Relation b)
{
    ASSERT(a.size == b.size);
    Relation r = relation_new(arena, a.size);
    for (size_t i = 0; i < a.size; i++)
        for (size_t v = 0; v < a.words; v++)
            for (uint64_t left = a.bits[i * a.words + v]; left; left &= left - 1) {
                size_t j = v * 64 + (size_t)__builtin_ctzll(left);
                for (size_t w = 0; w < a.words; w++)
                    r.bits[i * r.words + w] |= b.bits[j * b.words + w];
            }
    return r;
}

Relation relation_inverse(Arena *arena, Relation r)
{
    Relation inverse = relation_new(arena, r.size);
    for (size_t i = 0; i < r.size; i++)
        for (size_t j = 0; j < r.size; j++)
            if (relation_has(r, i, j))
                relation_add(inverse, j, i);
    return inverse;
}

/* Warshall: after round k, (i, j) is in r iff a path goes from i to j over inner nodes 0..k. */
void relation_close(Relation r)
{
    for (size_t k = 0; k < r.size; k++)
        for (size_t i = 0; i < r.size; i++)
            if (relation_has(r, i, k))
                for (size_t w = 0; w < r.words; w++)
                    r.bits[i * r.words + w] |= r.bits[k * r.words + w];
}

size_t relation_reflexive_at(Relation r)
{
    for (size_t i = 0; i < r.size; i++)
        if (relation_has(r, i, i))
            return i;
    return r.size;
}

size_t relation_cycle_at(Arena *arena, Relation r)
{
    Relation closed = relation_copy(arena, r);
    relation_close(closed);
    return relation_reflexive_at(closed);
}

#include "prove/logic/term.h"

void term_pool_init(TermPool *pool, Arena *arena)
{
    *pool = (TermPool){.arena = arena};
    vec_push(&pool->nodes, (TermNode){.kind = TERM_TRUE});
    vec_push(&pool->nodes, (TermNode){.kind = TERM_FALSE});
}

void term_pool_free(TermPool *pool)
{
    vec_free(&pool->nodes);
    vec_free(&pool->symbols);
    vec_free(&pool->maps);
    vec_free(&pool->index);
    vec_free(&pool->meanings);
}

static bool term_same(const TermNode *x, const TermNode *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->number == y->number;
}

static uint64_t term_hash(const TermNode *node)
{
    uint64_t hash = ((uint64_t)node->kind << 32 | node->a) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 29 ^ ((uint64_t)node->b << 32 | node->c)) * 0xC2B2AE3D27D4EB4Fu;
    return hash_mix(hash ^ (uint64_t)node->number);
}

static size_t term_slot(const TermPool *pool, const TermNode *node)
{
    size_t mask = pool->index.count - 1, slot = (size_t)term_hash(node) & mask;
    while (pool->index.at[slot] && !term_same(&pool->nodes.at[pool->index.at[slot]], node))
        slot = (slot + 1) & mask;
    return slot;
}

static void term_grow_index(TermPool *pool)
{
    size_t wanted = MAX(1024, 2 * pool->index.count);
    vec_clear(&pool->index);
    while (pool->index.count < wanted)
        vec_push(&pool->index, 0);
    for (size_t i = 2; i < pool->nodes.count; i++)
        pool->index.at[term_slot(pool, &pool->nodes.at[i])] = (Term)i;
}

static Term term_intern(TermPool *pool, TermNode node)
{
    if (2 * pool->nodes.count >= pool->index.count)
        term_grow_index(pool);
    Term *slot = &pool->index.at[term_slot(pool, &node)];
    if (!*slot) {
        *slot = (Term)pool->nodes.count;
        vec_push(&pool->nodes, node);
    }
    return *slot;
}

uint32_t term_new_symbol(TermPool *pool, const char *name)
{
    vec_push(&pool->symbols, name);
    return (uint32_t)(pool->symbols.count - 1);
}

uint32_t term_new_map(TermPool *pool, const char *name)
{
    vec_push(&pool->maps, name);
    return (uint32_t)(pool->maps.count - 1);
}

Term term_number(TermPool *pool, int64_t number)
{
    return term_intern(pool, (TermNode){.kind = TERM_NUMBER, .number = number});
}

Term term_symbol(TermPool *pool, uint32_t symbol)
{
    return term_intern(pool, (TermNode){.kind = TERM_SYMBOL, .a = symbol});
}

Term term_read(TermPool *pool, uint32_t map, Term index)
{
    return term_intern(pool, (TermNode){.kind = TERM_READ, .a = map, .b = index});
}

static bool term_is_number(const TermPool *pool, Term term, int64_t *number)
{
    *number = pool->nodes.at[term].number;
    return pool->nodes.at[term].kind == TERM_NUMBER;
}

Term term_add(TermPool *pool, Term a, Term b)
{
    int64_t x, y;
    bool left = term_is_number(pool, a, &x), right = term_is_number(pool, b, &y);
    if (left && right)
        return term_number(pool, x + y);
    if (left && x == 0)
        return b;
    if (right && y == 0)
        return a;
    return term_intern(pool, (TermNode){.kind = TERM_ADD, .a = a, .b = b});
}

Term term_sub(TermPool *pool, Term a, Term b)
{
    int64_t x, y;
    bool left = term_is_number(pool, a, &x), right = term_is_number(pool, b, &y);
    if (left && right)
        return term_number(pool, x - y);
    if (right && y == 0)
        return a;
    if (a == b)
        return term_number(pool, 0);
    return term_intern(pool, (TermNode){.kind = TERM_SUB, .a = a, .b = b});
}

Term term_ite(TermPool *pool, Term condition, Term yes, Term no)
{
    if (condition == term_true(pool) || yes == no)
        return yes;
    if (condition == term_false(pool))
        return no;
    return term_intern(pool, (TermNode){.kind = TERM_ITE, .a = condition, .b = yes, .c = no});
}

Term term_eq(TermPool *pool, Term a, Term b)
{
    int64_t x, y;
    if (a == b)
        return term_true(pool);
    if (term_is_number(pool, a, &x) && term_is_number(pool, b, &y))
        return term_false(pool);
    if (a > b) {
        Term swap = a;
        a = b;
        b = swap;
    }
    return term_intern(pool, (TermNode){.kind = TERM_EQ, .a = a, .b = b});
}

Term term_le(TermPool *pool, Term a, Term b)
{
    int64_t x, y;
    if (a == b)
        return term_true(pool);
    if (term_is_number(pool, a, &x) && term_is_number(pool, b, &y))
        return x <= y ? term_true(pool) : term_false(pool);
    return term_intern(pool, (TermNode){.kind = TERM_LE, .a = a, .b = b});
}

Term term_lt(TermPool *pool, Term a, Term b)
{
    return term_not(pool, term_le(pool, b, a));
}

Term term_not(TermPool *pool, Term a)
{
    TermKind kind = pool->nodes.at[a].kind;
    if (kind == TERM_TRUE)
        return term_false(pool);
    if (kind == TERM_FALSE)
        return term_true(pool);
    if (kind == TERM_NOT)
        return pool->nodes.at[a].a;
    return term_intern(pool, (TermNode){.kind = TERM_NOT, .a = a});
}

static Term term_connect(TermPool *pool, TermKind kind, Term a, Term b)
{
    Term unit = kind == TERM_AND ? term_true(pool) : term_false(pool);
    Term zero = kind == TERM_AND ? term_false(pool) : term_true(pool);
    if (a == unit || a == b)
        return b;
    if (b == unit)
        return a;
    if (a == zero || b == zero || a == term_not(pool, b))
        return zero;
    if (a > b) {
        Term swap = a;
        a = b;
        b = swap;
    }
    return term_intern(pool, (TermNode){.kind = kind, .a = a, .b = b});
}

Term term_and(TermPool *pool, Term a, Term b)
{
    return term_connect(pool, TERM_AND, a, b);
}

Term term_or(TermPool *pool, Term a, Term b)
{
    return term_connect(pool, TERM_OR, a, b);
}

void term_define(TermPool *pool, Term quotient, Term rest, Term formula)
{
    for (size_t i = 0; i < pool->meanings.count; i++)
        if (pool->meanings.at[i].rest == rest)
            return;
    vec_push(&pool->meanings, (TermMeaning){quotient, rest, formula});
}

Term term_all(TermPool *pool, const Terms *terms)
{
    Term all = term_true(pool);
    for (size_t i = 0; i < terms->count; i++)
        all = term_and(pool, all, terms->at[i]);
    return all;
}

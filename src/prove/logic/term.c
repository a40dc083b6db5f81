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
    hashmap_free(&pool->index);
}

static bool term_same(const TermNode *x, const TermNode *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->number == y->number;
}

/* The index maps a hash to the newest term with it; on a collision the next hash is tried. */
static Term term_intern(TermPool *pool, TermNode node)
{
    uint64_t key =
        hash_combine((uint64_t)node.kind * 0x9E37 + node.a,
                     hash_combine(((uint64_t)node.b << 32) | node.c, (uint64_t)node.number));
    for (;; key = hash_mix(key + 1)) {
        bool was_absent;
        uint64_t *slot = hashmap_put(&pool->index, key, &was_absent);
        if (was_absent) {
            *slot = pool->nodes.count;
            vec_push(&pool->nodes, node);
            return (Term)(pool->nodes.count - 1);
        }
        if (term_same(&pool->nodes.at[*slot], &node))
            return (Term)*slot;
    }
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

Term term_all(TermPool *pool, const Terms *terms)
{
    Term all = term_true(pool);
    for (size_t i = 0; i < terms->count; i++)
        all = term_and(pool, all, terms->at[i]);
    return all;
}

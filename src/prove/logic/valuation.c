#include "prove/logic/valuation.h"

void valuation_free(Valuation *valuation)
{
    vec_free(&valuation->values);
    vec_free(&valuation->stamps);
    hashmap_free(&valuation->reads);
}

void valuation_forget(Valuation *valuation)
{
    valuation->stamp++;
    hashmap_clear(&valuation->reads);
}

static uint64_t valuation_key(uint32_t map, int64_t index)
{
    return hash_combine(map, (uint64_t)index);
}

void valuation_set_read(Valuation *valuation, uint32_t map, int64_t index, int64_t value)
{
    *hashmap_put(&valuation->reads, valuation_key(map, index), NULL) = (uint64_t)value;
}

static int64_t valuation_read(Valuation *valuation, uint32_t map, int64_t index)
{
    const uint64_t *known = hashmap_find(&valuation->reads, valuation_key(map, index));
    if (known)
        return (int64_t)*known;
    int64_t value = valuation->read(valuation->context, map, index);
    valuation_set_read(valuation, map, index, value);
    return value;
}

static int64_t valuation_compute(Valuation *valuation, Term term)
{
    TermNode node = *term_node(valuation->pool, term);
    switch (node.kind) {
    case TERM_NUMBER:
        return node.number;
    case TERM_SYMBOL:
        return valuation->symbol(valuation->context, term);
    case TERM_READ:
        return valuation_read(valuation, node.a, valuation_of(valuation, node.b));
    case TERM_ADD:
        return valuation_of(valuation, node.a) + valuation_of(valuation, node.b);
    case TERM_SUB:
        return valuation_of(valuation, node.a) - valuation_of(valuation, node.b);
    case TERM_ITE:
        return valuation_of(valuation, valuation_of(valuation, node.a) ? node.b : node.c);
    case TERM_TRUE:
    case TERM_FALSE:
        return node.kind == TERM_TRUE;
    case TERM_EQ:
        return valuation_of(valuation, node.a) == valuation_of(valuation, node.b);
    case TERM_LE:
        return valuation_of(valuation, node.a) <= valuation_of(valuation, node.b);
    case TERM_NOT:
        return !valuation_of(valuation, node.a);
    case TERM_AND:
        return valuation_of(valuation, node.a) && valuation_of(valuation, node.b);
    case TERM_OR:
        return valuation_of(valuation, node.a) || valuation_of(valuation, node.b);
    }
    return 0;
}

int64_t valuation_of(Valuation *valuation, Term term)
{
    while (valuation->stamps.count <= term) {
        vec_push(&valuation->stamps, 0);
        vec_push(&valuation->values, 0);
    }
    if (valuation->stamps.at[term] == valuation->stamp)
        return valuation->values.at[term];
    int64_t value = valuation_compute(valuation, term);
    valuation->stamps.at[term] = valuation->stamp;
    valuation->values.at[term] = value;
    return value;
}

/* term.h: terms and formulas over one unknown state, hash-consed: equal terms have equal numbers.
 * Reads of written maps are expanded into case distinctions while they are built, so what remains
 * is free of stores: integers, uninterpreted functions of one argument (the maps of the unknown
 * state), +, =, <=, if-then-else and the boolean connectives. */
#ifndef HEDDLE_PROVE_LOGIC_TERM_H
#define HEDDLE_PROVE_LOGIC_TERM_H
#include "base/hash.h"
#include "base/str.h"

typedef uint32_t Term;
typedef Vec(Term) Terms;

typedef enum TermKind {
    TERM_NUMBER,
    TERM_SYMBOL, /* a: number of the symbol */
    TERM_READ,   /* a: number of the map, b: index */
    TERM_ADD,    /* a + b */
    TERM_SUB,
    TERM_ITE, /* a ? b : c */
    TERM_TRUE,
    TERM_FALSE,
    TERM_EQ,
    TERM_LE,
    TERM_NOT,
    TERM_AND, /* two at a time */
    TERM_OR
} TermKind;

typedef struct TermNode {
    TermKind kind;
    Term a, b, c;
    int64_t number;
} TermNode;

/* Says what two terms mean that stand for the quotient and the remainder of another: `formula` is
 * true wherever one of them is named. */
typedef struct TermMeaning {
    Term quotient, rest, formula;
} TermMeaning;

typedef struct TermPool {
    Vec(TermNode) nodes;
    Vec(const char *) symbols; /* names, for certificates and counterexamples */
    Vec(const char *) maps;
    Vec(Term) index; /* open addressing, a power of two; 0, which is never looked for: empty */
    Vec(TermMeaning) meanings;
    Arena *arena;
} TermPool;

void term_pool_init(TermPool *pool, Arena *arena);
void term_pool_free(TermPool *pool);
static inline const TermNode *term_node(const TermPool *pool, Term term)
{
    return &pool->nodes.at[term];
}

uint32_t term_new_symbol(TermPool *pool, const char *name);
uint32_t term_new_map(TermPool *pool, const char *name);
Term term_number(TermPool *pool, int64_t number);
Term term_symbol(TermPool *pool, uint32_t symbol);
Term term_read(TermPool *pool, uint32_t map, Term index);
Term term_add(TermPool *pool, Term a, Term b);
Term term_sub(TermPool *pool, Term a, Term b);
Term term_ite(TermPool *pool, Term condition, Term yes, Term no);
/* The first two terms of a pool. */
static inline Term term_true(const TermPool *pool)
{
    (void)pool;
    return 0;
}
static inline Term term_false(const TermPool *pool)
{
    (void)pool;
    return 1;
}
Term term_eq(TermPool *pool, Term a, Term b);
Term term_le(TermPool *pool, Term a, Term b);
Term term_lt(TermPool *pool, Term a, Term b);
Term term_not(TermPool *pool, Term a);
Term term_and(TermPool *pool, Term a, Term b);
Term term_or(TermPool *pool, Term a, Term b);
void term_define(TermPool *pool, Term quotient, Term rest, Term formula); /* once */
Term term_all(TermPool *pool, const Terms *terms);                        /* conjunction */
#endif

/* A part of a formula gets a variable, and clauses for the direction in which it is used only
 * (Plaisted and Greenbaum): what makes the clauses true makes the formula true. A choice between
 * two values is a node of its own, equal to the one or the other. */
#include "prove/decide/private.h"

static Lit decide_literal(Decide *decide, Term term, bool positive);

static void decide_make_room(Decide *decide, Term term)
{
    while (decide->literal_of.count <= term) {
        vec_push(&decide->literal_of, 0);
        vec_push(&decide->literal_stamp, 0);
        vec_push(&decide->node_of, 0);
        vec_push(&decide->node_stamp, 0);
    }
}

static void decide_mark_arithmetic(Decide *decide, uint32_t node)
{
    decide->nodes.at[node].arithmetic = true;
}

/* Sums of as many numbers as there are nodes must not overflow. */
static void decide_bound(Decide *decide, int64_t number)
{
    decide->beyond |= number > (INT64_C(1) << 40) || number < -(INT64_C(1) << 40);
}

/* The term that TERM is an offset apart from, if that is all it is. */
static Term decide_base(const TermPool *pool, Term term, int64_t *offset)
{
    *offset = 0;
    for (;;) {
        const TermNode *node = term_node(pool, term);
        bool left = node->kind == TERM_ADD && term_node(pool, node->a)->kind == TERM_NUMBER;
        bool right = (node->kind == TERM_ADD || node->kind == TERM_SUB) &&
                     term_node(pool, node->b)->kind == TERM_NUMBER;
        if (!left && !right)
            return term;
        int64_t number = term_node(pool, left ? node->a : node->b)->number;
        if (number > INT32_MAX || number < INT32_MIN) /* its sums could overflow */
            return term;
        *offset += node->kind == TERM_SUB ? -number : number;
        term = left ? node->b : node->a;
    }
}

static void decide_add_choice(Decide *decide, uint32_t node, const TermNode *choice)
{
    Lit condition = decide_literal(decide, choice->a, true);
    (void)decide_literal(decide, choice->a, false);
    uint32_t yes = decide_node(decide, choice->b), no = decide_node(decide, choice->c);
    Lit if_true[] = {condition ^ 1, decide_equal(decide, node, yes)};
    Lit if_false[] = {condition, decide_equal(decide, node, no)};
    decide_add_clause(decide, if_true, 2);
    decide_add_clause(decide, if_false, 2);
}

/* A sum, or difference, of two unknowns is one more unknown. */
static void decide_add_sum(Decide *decide, Term term)
{
    TermNode made = *term_node(decide->pool, term);
    uint32_t a = decide_node(decide, made.a), b = decide_node(decide, made.b);
    decide_mark_arithmetic(decide, a);
    decide_mark_arithmetic(decide, b);
    uint32_t node =
        decide_new_node(decide, (DecideNode){.term = term, .base = NOTHING, .arithmetic = true});
    vec_push(&decide->sums, (DecideSum){node, a, b, made.kind == TERM_SUB});
}

static uint32_t decide_make_node(Decide *decide, Term term)
{
    TermNode made = *term_node(decide->pool, term);
    DecideNode node = {.kind = NODE_LEAF, .term = term, .base = NOTHING};
    int64_t offset;
    switch (made.kind) {
    case TERM_NUMBER:
        node.kind = NODE_NUMBER;
        node.base = decide->nodes.count > 0 ? 0 : NOTHING;
        node.offset = made.number;
        decide_bound(decide, made.number);
        break;
    case TERM_READ:
        node.kind = NODE_READ;
        node.map = made.a;
        node.argument = decide_node(decide, made.b);
        break;
    case TERM_ADD:
    case TERM_SUB: {
        Term base = decide_base(decide->pool, term, &offset);
        if (base == term) {
            decide_add_sum(decide, term);
            return (uint32_t)decide->nodes.count - 1;
        }
        node.base = decide_node(decide, base);
        node.offset = offset;
        decide_bound(decide, offset);
        node.arithmetic = true;
        decide_mark_arithmetic(decide, node.base);
        break;
    }
    default:
        break;
    }
    return decide_new_node(decide, node);
}

uint32_t decide_node(Decide *decide, Term term)
{
    decide_make_room(decide, term);
    if (decide->node_stamp.at[term] == decide->stamp)
        return decide->node_of.at[term];
    uint32_t node = decide_make_node(decide, term);
    decide_make_room(decide, term);
    decide->node_stamp.at[term] = decide->stamp;
    decide->node_of.at[term] = node;
    TermNode made = *term_node(decide->pool, term);
    if (made.kind == TERM_ITE)
        decide_add_choice(decide, node, &made);
    return node;
}

static uint32_t decide_new_atom(Decide *decide, AtomKind kind, uint32_t a, uint32_t b)
{
    uint32_t number = decide_new_variable(decide);
    DecideVariable *variable = &decide->variables.at[number];
    variable->kind = kind;
    variable->a = a;
    variable->b = b;
    return number;
}

Lit decide_equal(Decide *decide, uint32_t a, uint32_t b)
{
    if (a == b)
        return LIT_TRUE;
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (decide->nodes.at[a].kind == NODE_NUMBER && decide->nodes.at[b].kind == NODE_NUMBER)
        return LIT_FALSE;
    bool absent;
    uint64_t *slot = hashmap_put(&decide->equal_of, ((uint64_t)a << 32) | b, &absent);
    if (!absent)
        return (Lit)(2 * *slot);
    uint32_t number = decide_new_atom(decide, ATOM_EQUAL, a, b);
    *slot = number;
    DecideVariable *variable = &decide->variables.at[number];
    variable->next[0] = decide->nodes.at[a].atoms;
    decide->nodes.at[a].atoms = 2 * number;
    variable->next[1] = decide->nodes.at[b].atoms;
    decide->nodes.at[b].atoms = 2 * number + 1;
    return 2 * number;
}

Lit decide_at_most(Decide *decide, uint32_t a, uint32_t b, int64_t offset)
{
    if (a == b)
        return offset >= 0 ? LIT_TRUE : LIT_FALSE;
    uint32_t number = decide_new_atom(decide, ATOM_AT_MOST, a, b);
    decide->variables.at[number].offset = offset;
    decide_bound(decide, offset);
    decide_mark_arithmetic(decide, a);
    decide_mark_arithmetic(decide, b);
    vec_push(&decide->comparisons, number);
    return 2 * number;
}

/* A node and a number whose sum the term is. */
static uint32_t decide_node_and_offset(Decide *decide, Term term, int64_t *offset)
{
    Term base = decide_base(decide->pool, term, offset);
    if (term_node(decide->pool, base)->kind == TERM_NUMBER) {
        int64_t number = term_node(decide->pool, base)->number;
        decide_bound(decide, number);
        decide_bound(decide, *offset);
        *offset = decide->beyond ? 0 : *offset + number;
        return 0;
    }
    return decide_node(decide, base);
}

static Lit decide_atom(Decide *decide, const TermNode *node)
{
    if (node->kind == TERM_EQ) {
        uint32_t a = decide_node(decide, node->a), b = decide_node(decide, node->b);
        return decide_equal(decide, a, b);
    }
    int64_t x, y;
    uint32_t a = decide_node_and_offset(decide, node->a, &x);
    uint32_t b = decide_node_and_offset(decide, node->b, &y);
    decide_bound(decide, x);
    decide_bound(decide, y);
    return decide->beyond ? LIT_TRUE : decide_at_most(decide, a, b, y - x);
}

/* The parts of nested conjunctions, or disjunctions, in the order in which they stand. */
static void decide_parts(const TermPool *pool, TermKind kind, Term term, Terms *out)
{
    Terms open = {0};
    vec_push(&open, term);
    while (open.count > 0) {
        Term next = vec_pop(&open);
        const TermNode *node = term_node(pool, next);
        if (node->kind == kind) {
            vec_push(&open, node->b);
            vec_push(&open, node->a);
        } else {
            vec_push(out, next);
        }
    }
    vec_free(&open);
}

/* NAMED is the literal of TERM, a conjunction or disjunction. */
static void decide_connect(Decide *decide, Term term, TermKind kind, Lit named, bool positive)
{
    Terms parts = {0};
    Lits all = {0};
    bool each = (kind == TERM_AND) == positive; /* every part follows, or one of them does */
    Lit not_this = positive ? named ^ 1 : named;
    decide_parts(decide->pool, kind, term, &parts);
    vec_push(&all, not_this);
    for (size_t i = 0; i < parts.count; i++) {
        Lit part = decide_literal(decide, parts.at[i], positive);
        part = positive ? part : part ^ 1;
        if (each) {
            Lit both[] = {not_this, part};
            decide_add_clause(decide, both, 2);
        } else {
            vec_push(&all, part);
        }
    }
    if (!each)
        decide_add_clause(decide, all.at, all.count);
    vec_free(&parts);
    vec_free(&all);
}

/* The literal of a formula. It, if POSITIVE, or else its negation, implies the formula or its
 * negation. */
static Lit decide_literal(Decide *decide, Term term, bool positive)
{
    TermNode node = *term_node(decide->pool, term);
    if (node.kind == TERM_NOT)
        return decide_literal(decide, node.a, !positive) ^ 1;
    if (node.kind == TERM_TRUE || node.kind == TERM_FALSE)
        return node.kind == TERM_TRUE ? LIT_TRUE : LIT_FALSE;
    decide_make_room(decide, term);
    bool connects = node.kind == TERM_AND || node.kind == TERM_OR;
    Lit named;
    if (decide->literal_stamp.at[term] == decide->stamp) {
        named = decide->literal_of.at[term];
    } else {
        named = connects ? 2 * decide_new_variable(decide) : decide_atom(decide, &node);
        decide_make_room(decide, term);
        decide->literal_stamp.at[term] = decide->stamp;
        decide->literal_of.at[term] = named;
    }
    unsigned char bit = positive ? 1 : 2;
    if (connects && !(decide->variables.at[named >> 1].encoded & bit)) {
        decide->variables.at[named >> 1].encoded |= bit;
        decide_connect(decide, term, node.kind, named, positive);
    }
    return named;
}

/* A term that holds: a clause, or several. */
void decide_add(Decide *decide, Term term)
{
    vec_push(&decide->added, term);
    Terms parts = {0}, choices = {0};
    Lits clause = {0};
    decide_parts(decide->pool, TERM_AND, term, &parts);
    for (size_t i = 0; i < parts.count && !decide->refuted; i++) {
        vec_clear(&choices);
        vec_clear(&clause);
        decide_parts(decide->pool, TERM_OR, parts.at[i], &choices);
        for (size_t k = 0; k < choices.count; k++)
            vec_push(&clause, decide_literal(decide, choices.at[k], true));
        decide_add_clause(decide, clause.at, clause.count);
    }
    vec_free(&parts);
    vec_free(&choices);
    vec_free(&clause);
}

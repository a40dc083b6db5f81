/* private.h: what the parts of the decision procedure share.
 *
 * A node stands for a term of the question; nodes known to be equal form a class, named by one of
 * them (`find`). An atom is an equality of two nodes, or a comparison of two nodes that are an
 * offset apart; other variables name parts of formulas. A literal is twice its variable, plus 1 if
 * it is negated. Variable 0 is true, node 0 is the number 0. */
#ifndef HEDDLE_PROVE_DECIDE_PRIVATE_H
#define HEDDLE_PROVE_DECIDE_PRIVATE_H
#include "prove/decide/decide.h"
#include "prove/logic/valuation.h"

typedef uint32_t Lit;
typedef Vec(Lit) Lits;
enum { NOTHING = UINT32_MAX, LIT_TRUE = 0, LIT_FALSE = 1 };

typedef enum AtomKind { ATOM_NONE, ATOM_EQUAL, ATOM_AT_MOST } AtomKind;
typedef struct DecideVariable {
    AtomKind kind;
    uint32_t a, b;    /* nodes: a == b, or a <= b + offset */
    uint32_t next[2]; /* the next atom of node a, of node b: 2 * variable + side */
    int64_t offset;
    signed char value;     /* 1: true, -1: false, 0: open */
    signed char phase;     /* what it was last */
    unsigned char encoded; /* bit 0: what follows if it is true has clauses; bit 1: if false */
    bool seen;             /* of the conflict that is analysed */
    uint32_t level, reason;
    float activity;
} DecideVariable;

/* Why a literal is true: the offset of its clause, or one of these. */
enum { REASON_DECISION = UINT32_MAX, REASON_CLASSES = UINT32_MAX - 1 };

typedef enum NodeKind { NODE_LEAF, NODE_NUMBER, NODE_READ } NodeKind;
typedef struct DecideNode {
    NodeKind kind;
    Term term;
    uint32_t map, argument; /* of a read */
    uint32_t base;          /* its value is that of BASE plus offset; NOTHING: of no other */
    int64_t offset;
    bool arithmetic; /* it is compared, or is the base of a node or has one */
    /* Its class: the name, the next member in a circle; of the name: how many, the number in it
     * (a node, or NOTHING). */
    uint32_t find, next, size, constant;
    uint32_t atoms; /* the first atom on it: 2 * variable + side */
    /* The forest of reasons: why it equals PARENT. PAIR: two reads of equal arguments. */
    uint32_t parent;
    Lit because;
    uint32_t pair[2];
    unsigned walk, edge_mark;
    int64_t value;   /* of the class, while the witness is made */
    int64_t witness; /* its own, in the last witness */
} DecideNode;
enum { BECAUSE_READS = UINT32_MAX }; /* in DecideNode.because: the pair's arguments are equal */

typedef struct DecideMerge { /* of two classes, to be undone */
    uint32_t from, into;
    uint32_t ends[2]; /* of the new edge of the forest, which may have been turned since */
    bool gave_constant;
    size_t reads; /* entries of read_trail before */
} DecideMerge;
typedef struct DecidePending {
    uint32_t a, b;
    Lit because;
    uint32_t pair[2];
} DecidePending;
typedef struct DecideWatch {
    uint32_t clause;
    Lit other; /* if it is true, so is the clause */
} DecideWatch;
typedef struct DecideLevel { /* what was there when it began */
    size_t trail, merges;
} DecideLevel;
typedef struct DecideEdge { /* the value of TO is at most that of FROM plus WEIGHT */
    uint32_t from, to;
    int64_t weight;
    Lit because; /* NOTHING: always */
} DecideEdge;

typedef struct DecideSum { /* a node whose value should be a + b, or a - b: witnesses see to it */
    uint32_t node, a, b;
    bool minus;
} DecideSum;

struct Decide {
    TermPool *pool;
    unsigned long steps, limit;
    bool refuted; /* without any decision */
    bool beyond;  /* a number is too large for sums of them */
    /* From terms to literals and nodes: valid where the stamp is the current one. */
    Vec(uint32_t) literal_of, node_of;
    Vec(unsigned) literal_stamp, node_stamp;
    unsigned stamp;
    HashMap equal_of; /* pair of nodes to variable */
    Terms added;
    /* Clauses: length, then literals. The first `original` words are the question's, the others
     * were learnt. CLAUSES lists where each begins. */
    Vec(DecideVariable) variables;
    Vec(uint32_t) words;
    Vec(uint32_t) clauses;
    Vec(DecideWatch) * watches; /* by literal */
    size_t watch_capacity;
    Lits trail;
    size_t propagated;
    Vec(DecideLevel) levels;
    uint32_t next_clause; /* those before it (counted from the end) are satisfied */
    float bump;
    Lits conflict; /* true literals that contradict each other */
    Lits learnt;
    /* Classes. */
    Vec(DecideNode) nodes;
    Vec(uint32_t) reads; /* by class and map: a read of a member, or NOTHING */
    size_t map_count;
    Vec(size_t) read_trail;
    Vec(DecideMerge) merges;
    Vec(DecidePending) pending;
    Vec(DecidePending) to_explain;
    unsigned mark, walk; /* of explanations, of walks to the root */
    /* Differences. */
    Vec(uint32_t) comparisons; /* variables */
    Vec(uint32_t) linked;      /* nodes with a base */
    Vec(DecideSum) sums;
    Vec(DecideEdge) edges;
    Vec(int64_t) distance;     /* by class */
    Vec(uint32_t) predecessor; /* by class: edge */
    Vec(uint32_t) component;   /* by class */
    Vec(uint32_t) arithmetic;  /* classes */
    Vec(bool) placed;          /* by component: its classes have values */
    bool compared;             /* a comparison was assigned since the differences were checked */
    /* The witness. */
    Valuation witness;
};

static inline uint32_t lit_variable(Lit lit)
{
    return lit >> 1;
}
static inline int decide_lit_value(const Decide *decide, Lit lit)
{
    int value = decide->variables.at[lit >> 1].value;
    return lit & 1 ? -value : value;
}

/* formulas.c: from terms to clauses and nodes. Only without decisions. */
uint32_t decide_node(Decide *decide, Term term);
Lit decide_equal(Decide *decide, uint32_t a, uint32_t b);
Lit decide_at_most(Decide *decide, uint32_t a, uint32_t b, int64_t offset);

/* search.c */
uint32_t decide_new_variable(Decide *decide);
void decide_add_clause(Decide *decide, const Lit *lits, size_t count);
void decide_assign(Decide *decide, Lit lit, uint32_t reason);
void decide_go_back(Decide *decide, size_t level); /* to where LEVEL decisions were made */
SolverAnswer decide_search(Decide *decide);

/* congruence.c: false if there is a conflict, which is then in decide->conflict. */
uint32_t decide_new_node(Decide *decide, DecideNode node);
bool decide_merge_equal(Decide *decide, Lit because);
bool decide_merge_pending(Decide *decide);
void decide_undo_merges(Decide *decide, size_t count);
/* Appends true literals that make A and B equal. */
void decide_explain_equal(Decide *decide, uint32_t a, uint32_t b, Lits *out);
/* Appends true literals that make the literal true, which was assigned REASON_CLASSES. */
void decide_explain(Decide *decide, Lit lit, Lits *out);

/* differences.c */
bool decide_has_differences(const Decide *decide);
bool decide_differences(Decide *decide);
/* Gives each class of arithmetic nodes a value. False if clauses were added instead, which tell
 * apart, or make equal, what has to be. */
bool decide_arrange(Decide *decide);

/* witness.c: values for all classes. Says whether every term that was added is true then. */
bool decide_make_witness(Decide *decide);
#endif

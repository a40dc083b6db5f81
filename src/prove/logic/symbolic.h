/* symbolic.h: runs sub-operations on an unknown state and says, as terms, when they can run and
 * what state they leave. */
#ifndef HEDDLE_PROVE_LOGIC_SYMBOLIC_H
#define HEDDLE_PROVE_LOGIC_SYMBOLIC_H
#include "prove/ir.h"
#include "prove/logic/term.h"

typedef struct Division { /* by a number: its quotients and remainders, maps nothing changes */
    int64_t by;
    uint32_t quotient, rest;
} Division;

/* The maps of a program: its fields, its arrays, which instance allocated a node (a ghost: it only
 * serves to know that two instances' new nodes differ), and last which nodes are allocated (0 or
 * 1). */
typedef struct Symbolic {
    const IrProgram *program;
    TermPool *pool;
    Arena *arena;
    int map_count;
    uint32_t *base_globals; /* symbols of the unknown state */
    uint32_t *base_maps;
    Vec(Division) divisions;
    uint32_t wrap;  /* the remainder by the size of a ring, a map that nothing changes */
    HashMap locals; /* (instance, operation, local) to symbol */
    /* How `none n: f(n)` is read. As something that is known it stands for its instances at the
     * terms that the question names (query, below); as something to be shown, for an arbitrary
     * value. The latter must only occur negated in what is asserted. */
    bool to_show;
    struct Instance *query;
    int query_count;
    Term arbitrary[3]; /* one an instance */
} Symbolic;

typedef struct Write Write;
struct Write {
    Term index, value;
    const Write *before;
};
/* A state: a value to be copied. */
typedef struct SymState {
    bool empty; /* the maps were 0 everywhere before the writes, instead of unknown */
    Term *globals;
    const Write **maps;
} SymState;

/* An operation instance: which one (0 to 2), and of which operation (-1: init). */
typedef struct Instance {
    int number, operation;
} Instance;

void symbolic_init(Symbolic *symbolic, const IrProgram *program, TermPool *pool, Arena *arena);
void symbolic_free(Symbolic *symbolic);
/* The instances that the next question is about. */
void symbolic_set_query(Symbolic *symbolic, const Instance *instances, int count);
const IrOperation *symbolic_operation(const Symbolic *symbolic, Instance instance);

SymState symbolic_unknown(Symbolic *symbolic); /* always the same unknown state */
SymState symbolic_empty(Symbolic *symbolic);   /* before init */
Term symbolic_local(Symbolic *symbolic, Instance instance, int local);
Term symbolic_id(Symbolic *symbolic, Instance instance);
Term symbolic_read(Symbolic *symbolic, const SymState *state, int map, Term index);
int symbolic_allocated_map(const Symbolic *symbolic);

/* BOUND gives the values of quantified variables, NULL if there are none. */
Term symbolic_formula(Symbolic *symbolic, const SymState *state, Instance instance,
                      const Term *bound, const IrFormula *formula);

/* Appends the conditions under which SUBOP can run in *STATE and moves *STATE to the state
 * after. */
void symbolic_run(Symbolic *symbolic, const SubOp *subop, Instance instance, SymState *state,
                  Terms *conditions);
/* That two states made from the same one agree everywhere. */
Term symbolic_same(Symbolic *symbolic, const SymState *a, const SymState *b);
#endif

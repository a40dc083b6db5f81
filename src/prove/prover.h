/* prover.h: what the parts of a proof share: the program on unknown states, the solver, the facts
 * found so far, and which reads are weakened. */
#ifndef HEDDLE_PROVE_PROVER_H
#define HEDDLE_PROVE_PROVER_H
#include "prove/facts/facts.h"
#include "prove/logic/solver.h"
#include "prove/logic/symbolic.h"

/* Facts that are assumed of one state, remembered until a global fact falls. */
typedef struct Assumptions {
    Terms key, terms;
} Assumptions;

typedef struct Prover {
    const IrProgram *program;
    Arena *arena;
    TermPool pool;
    Symbolic symbolic;
    Solver *solver;
    Facts facts;
    /* Bit i of weak[operation]: its sub-operation i, which only reads, is replaced by the guard
     * "the facts of the point after it hold" (reduce.h says why that is sound). */
    uint64_t *weak;
    bool exact;               /* reasons are wanted in full: which prefixes block which */
    Term skolem[2];           /* arbitrary values, for facts to be proved */
    HashMap assumption_index; /* hash of a key to its place in assumptions */
    Vec(Assumptions) assumptions;
    int rounds;
    bool incomplete; /* some question was not answered in time */
    Buffer refuted;  /* the user's facts that do not hold, each with a state that breaks it */
} Prover;

void prover_init(Prover *prover, Arena *arena, const IrProgram *program, unsigned effort);
void prover_free(Prover *prover);

/* Asserts what holds in STATE because it is reachable, for the nodes that STATE, the instances and
 * (if asked) the arbitrary values name. Instantiating a fact too seldom only makes a proof fail. */
void prover_assume(Prover *prover, const SymState *state, const Instance *instances, int count,
                   bool skolems, Terms *out);
/* Must be called when the global facts change. */
void prover_forget_assumptions(Prover *prover);
/* Asserts what holds in STATE because INSTANCE stands at POINT. */
void prover_assume_point(Prover *prover, const SymState *state, Instance instance, int point,
                         Terms *out);
/* Runs sub-operation NUMBER of the instance, weakened if it is. */
void prover_run(Prover *prover, Instance instance, int number, SymState *state, Terms *conditions);
/* Runs sub-operations FROM up to, but not including, TO. */
void prover_run_range(Prover *prover, Instance instance, int from, int to, SymState *state,
                      Terms *conditions);
bool prover_is_weak(const Prover *prover, int operation, int number);
Term prover_fact(Prover *prover, const SymState *state, Instance instance, const Fact *fact,
                 const Term *bound);
int prover_points(const Prover *prover, int operation); /* number of sub-operations */

/* Marks as dead the facts of LIST whose goal may fail under what is asserted in the solver. GOALS
 * are in the order of LIST; a goal that is TERM_TRUE is proved. Returns whether any died. */
bool prover_drop(Prover *prover, FactList *list, const Terms *goals, const SymState *before,
                 const Instance *instances, int count, const char *step);
/* The witness of the last ANSWER_YES in the words of the program. */
void prover_print_state(Prover *prover, const SymState *state, const Instance *instances, int count,
                        Buffer *out);
#endif

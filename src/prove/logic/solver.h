/* solver.h: is there a state and are there locals that satisfy these terms? Decided by
 * decide/decide.h, and what that leaves open by Z3, which is loaded then. An answer that does not
 * come in time is ANSWER_UNKNOWN and must never count as a proof. */
#ifndef HEDDLE_PROVE_LOGIC_SOLVER_H
#define HEDDLE_PROVE_LOGIC_SOLVER_H
#include "base/error.h"
#include "prove/decide/decide.h"

typedef struct Solver Solver;

/* EFFORT: thousands of steps for one question, and of Z3's own steps where it is asked; not a time,
 * which would make answers depend on the load. */
Solver *solver_new(TermPool *pool, unsigned effort);
void solver_free(Solver *solver); /* NULL is allowed */

void solver_push(Solver *solver);
void solver_pop(Solver *solver);
void solver_assert(Solver *solver, Term term);
void solver_assert_all(Solver *solver, const Terms *terms);
/* Has the effect of asserting them, but each is only asserted when a witness contradicts it: of
 * the many instances of facts that hold, few are needed for an answer. */
void solver_assume_all(Solver *solver, const Terms *terms);
SolverAnswer solver_check(Solver *solver);
/* After ANSWER_YES and before anything else: the witness. */
bool solver_holds(Solver *solver, Term formula);
int64_t solver_value(Solver *solver, Term term);

/* A question was not asked because an end was wanted (base/stop.h): its answer is
 * ANSWER_UNKNOWN. */
bool solver_out_of_time(const Solver *solver);
/* How many questions went to Z3, and why it could not be asked (NULL if it could). */
unsigned long solver_left_open(const Solver *solver);
const char *solver_lacks(const Solver *solver);
unsigned long solver_queries(const Solver *solver);
double solver_seconds(const Solver *solver);
#endif

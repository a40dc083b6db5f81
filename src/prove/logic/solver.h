/* solver.h: is there a state and are there locals that satisfy these terms? Decided by Z3, which is
 * loaded when the first solver is made, so that no other subcommand pays for it. An answer that
 * does not come in time is ANSWER_UNKNOWN and must never count as a proof.
 *
 * Every question that was answered "no" while certificates are wanted is written as an SMT-LIB file
 * (QF_UFLIA) that another solver can confirm. */
#ifndef HEDDLE_PROVE_LOGIC_SOLVER_H
#define HEDDLE_PROVE_LOGIC_SOLVER_H
#include "base/error.h"
#include "prove/logic/term.h"

typedef struct Solver Solver;
typedef enum SolverAnswer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } SolverAnswer;

/* EFFORT: thousands of Z3's own steps for one question; not a time, which would need a timer thread
 * a question and make answers depend on the load. Fails when libz3 can't be loaded. */
MUST_USE bool solver_new(TermPool *pool, unsigned effort, Solver **out, Error *error);
void solver_free(Solver *solver); /* NULL is allowed */

void solver_push(Solver *solver);
void solver_pop(Solver *solver);
void solver_assert(Solver *solver, Term term);
void solver_assert_all(Solver *solver, const Terms *terms);
/* Has the effect of asserting them, but each is only handed to Z3 when a witness contradicts it: of
 * the many instances of facts that hold, few are needed for an answer. */
void solver_assume_all(Solver *solver, const Terms *terms);
SolverAnswer solver_check(Solver *solver);
/* After ANSWER_YES and before anything else: the witness. */
bool solver_holds(Solver *solver, Term formula);
int64_t solver_value(Solver *solver, Term term);

/* A question was not asked because an end was wanted (base/stop.h): its answer is
 * ANSWER_UNKNOWN. */
bool solver_out_of_time(const Solver *solver);
unsigned long solver_queries(const Solver *solver);
double solver_seconds(const Solver *solver);

/* From now on writes DIRECTORY/NNNN-NAME.smt2 for each question answered "no" (NULL: stop); the
 * first is number FIRST. */
MUST_USE bool solver_certify(Solver *solver, const char *directory, unsigned long first,
                             Error *error);
void solver_name_question(Solver *solver, const char *format, ...) PRINTF_LIKE(2, 3);
unsigned long solver_certificates(const Solver *solver); /* the number of the next */
/* False if a certificate could not be written, with the reason. */
MUST_USE bool solver_certified(const Solver *solver, Error *error);
#endif

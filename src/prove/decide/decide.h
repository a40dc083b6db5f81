/* decide.h: a decision procedure for the prover's questions: is there a state that satisfies these
 * terms (logic/term.h)? Clauses are searched by conflict-driven backtracking; equalities of terms
 * and of reads are decided by congruence closure; comparisons, and terms that are a number apart,
 * as differences. A sum or difference of two unknowns is taken for one more unknown.
 *
 * ANSWER_NO is exact: it rests on the three above alone. ANSWER_YES comes with a witness in which
 * every term that was added was evaluated and found true. Whatever else, and what takes longer than
 * the limit, is ANSWER_UNKNOWN: another solver has to be asked (logic/solver.h).
 * tests/unit/prove_decide.c compares it with Z3. */
#ifndef HEDDLE_PROVE_DECIDE_DECIDE_H
#define HEDDLE_PROVE_DECIDE_DECIDE_H
#include "prove/logic/term.h"

typedef struct Decide Decide;
typedef enum SolverAnswer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } SolverAnswer;

/* STEPS: what one question may cost, in visits to clauses, merged classes and the like. */
Decide *decide_new(TermPool *pool, unsigned long steps);
void decide_free(Decide *decide); /* NULL is allowed */

/* Forgets every term. */
void decide_reset(Decide *decide);
void decide_add(Decide *decide, Term term);
/* Whether the terms that were added since decide_reset have a common witness. More may be added
 * afterwards. */
SolverAnswer decide_check(Decide *decide);

/* After ANSWER_YES and before anything else: the value of a term in the witness. A formula is 0
 * or 1. Symbols and reads that the question does not name are 0. */
int64_t decide_value(Decide *decide, Term term);
#endif

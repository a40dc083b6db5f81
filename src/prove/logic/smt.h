/* smt.h: Z3, for the questions that decide/decide.h leaves open. The library is loaded when the
 * first is asked. */
#ifndef HEDDLE_PROVE_LOGIC_SMT_H
#define HEDDLE_PROVE_LOGIC_SMT_H
#include "base/error.h"
#include "prove/decide/decide.h"

typedef struct Smt Smt;

/* EFFORT: thousands of Z3's own steps for one question; not a time, which would need a timer thread
 * a question and make answers depend on the load. Fails when libz3 can't be loaded. */
MUST_USE bool smt_new(TermPool *pool, unsigned effort, Smt **out, Error *error);
void smt_free(Smt *smt); /* NULL is allowed */
/* Whether TERMS have a common witness. An end that is wanted (base/stop.h) interrupts it; the
 * answer is ANSWER_UNKNOWN then, and whatever is asked later, too. */
SolverAnswer smt_check(Smt *smt, const Terms *terms);
/* After ANSWER_YES and before anything else: the value of a term in the witness. */
int64_t smt_value(Smt *smt, Term term);
#endif

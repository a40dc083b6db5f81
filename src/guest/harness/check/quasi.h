/* quasi.h: --quasi and HD_QUASI inside the program under test: the factors as text, and the
 * serial runs that a relaxed specification needs more than the test has. */
#ifndef HEDDLE_HARNESS_CHECK_QUASI_H
#define HEDDLE_HARNESS_CHECK_QUASI_H
#include "base/error.h"
#include "guest/explore/graph/finding.h"
#include "judge/quasi/relax.h"

typedef struct ChildQuasi {
    const char *factors; /* "deq:2,enq:1", without "takes"; NULL: nothing is relaxed */
    RelaxSemantics semantics;
} ChildQuasi;
extern ChildQuasi child_quasi;
bool child_quasi_by_def4(void); /* is it relaxed by Round-Up's Definition 4? */

/* Sets the factors up as options.check and child_test.declared say. Fails with a message for the
 * user; whether the factors are understood is for spec_relax to say. */
MUST_USE bool child_quasi_setup(Error *error);
/* The factors of operations that INNER, the serial runs of a test, knows; the others have no
 * effect. */
Str child_quasi_known(const Spec *inner, Buffer *out);
/* The factors of TEXT, those of groups that take (of all, if none takes) larger by MORE; base gets
 * each as it was. */
void child_quasi_widen(Str text, uint32_t more, Buffer *out, uint32_t *base);

/* Chooses what the serial runs of child_test.test call: child_test.serial_test. key_of_serial gets
 * the names of its calls in the tree of serial runs, key_of those of the calls of the test; equal
 * calls that may be displaced have the same. EXTENDED: with the calls more that kooo lets complete
 * a run. False if that would be too many runs. */
MUST_USE bool child_quasi_choose_runs(bool extended, uint32_t *key_of_serial, uint32_t *key_of);
/* Says so: WHAT would take too many. */
FindingKind child_quasi_too_many_runs(const char *what);
#endif

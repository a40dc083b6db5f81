/* composition.h: which calls generated tests are made of, inside the program under test, and what
 * main calls before and after the threads (balance.h): with --shape=TxN+M, M calls that make the
 * test well-formed, and puts that have different values; under --quasi with semantics that compare
 * whole runs, as many takes as are missing; else those of HD_FIRST and HD_LAST. A sequence
 * (HD_SEQUENCE) counts as one call of a shape. */
#ifndef HEDDLE_HARNESS_CHECK_COMPOSITION_H
#define HEDDLE_HARNESS_CHECK_COMPOSITION_H
#include "base/error.h"
#include "guest/harness/check/balance.h"
#include "guest/harness/check/declared.h"

/* After child_test.declared and the specification are known. WHOLE: whole runs are compared. */
MUST_USE bool child_composition_setup(bool whole, Error *error);
TestShape child_composition_shape(uint32_t columns, uint32_t length);
/* Makes a test of the shape a complete one. False: it can't be well-formed, and is left out. */
MUST_USE bool child_composition_complete(TestCase *test);
/* May a test be made smaller to this one? Where whole runs are compared it must stay well-formed,
 * or it would fail for another reason. */
bool child_composition_allows(const TestCase *test);
/* Adds the calls of HD_FIRST and HD_LAST, unless main has calls already; false if that makes it too
 * long. */
MUST_USE bool child_composition_add_lists(TestCase *test);
/* Tests so far that have more calls than can be made: sequences are long. */
uint64_t child_composition_left_out(void);
const char *child_composition_text(void); /* "", or "+4" */
/* Returns what a call does to a container, by the name of its operation. */
BalanceRole child_composition_role(const DeclaredCall *call);
#endif

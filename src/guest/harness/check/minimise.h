/* minimise.h: a failing test made smaller, and its execution simpler, inside the program
 * under test: fewer calls, then fewer threads, then earlier argument values, as long as the same
 * kind of violation stays; at last the execution with the fewest preemptions that shows it. */
#ifndef HEDDLE_HARNESS_CHECK_MINIMISE_H
#define HEDDLE_HARNESS_CHECK_MINIMISE_H
#include "guest/harness/check/declared.h"
#include "guest/explore/search/explore.h"

/* RUN checks a test. FAILING has just failed with `finding`; afterwards SMALLEST has, and its graph
 * is in place. Calls are removed one by one and in pairs, so that no call, and no two, can be left
 * out; unless time is over: candidates that hold are explored to their end, so that is limited. */
void child_minimise(const Declared *declared, const TestCase *failing,
                    FindingKind (*run)(const TestCase *test), TestCase *smallest);
/* The test only: whatever execution shows the violation. */
void child_shrink(const Declared *declared, const TestCase *failing,
                  FindingKind (*run)(const TestCase *test), TestCase *smallest);
/* Finds the violation of FAILING once more. It was found before, within the limits of the search;
 * so it is found even if the budget of its round is spent, or the tool wants an end by now, of
 * which the search only hears afterwards. */
void child_find_again(FindingKind (*run)(const TestCase *test), const TestCase *failing);
/* Only the execution, of a program that is no test: RUN, which ignores its argument, has just
 * failed with `finding`. */
void child_minimise_execution(FindingKind (*run)(const TestCase *unused));
#endif

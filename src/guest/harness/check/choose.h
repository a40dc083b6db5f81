/* choose.h: which tests of the larger shapes a default check makes. It has half a minute: a test
 * that takes minutes gives no answer, and nothing is gained by beginning a hundred of them.
 *
 * Some random tests of each shape are tried first, whatever their size, each with a small budget.
 * Those that do not end are left for later and compete with further random tests: they are made in
 * the order of their forecast size, round after round with growing budgets, until as many as are
 * wanted have ended or time is over. A shape of which some tests were over the budget gets no
 * further ones in that round: they are taken to be larger still. So the small tests of every shape
 * come before the large ones of any; once only one is short of tests, they get large budgets. If
 * time is left, those that were begun are given some more. What the answer counts has ended; tests
 * that were begun and have not are said to be left out (rounds.h). So the choice favours small
 * tests only as far as large ones do not fit.
 *
 * FORECAST. All tests of two threads with two calls each have been made before. The logarithm of
 * the size of a larger test is taken to be the sum of those of all tests of this kind that it
 * contains: two calls in a row of one thread beside two calls in a row of another; less that of the
 * number of orders of its threads that make no difference, since equal threads are interchangeable.
 * It is wrong by a constant for each shape, which does not matter: only tests of one shape are
 * compared.
 *
 * Processes that share out the tests (workers_split) go through the same list in the same order.
 * They wait for each other before a list is made, since sizes and ends are known to all then. Which
 * tests are left to the next round depends on how far the others are, so the tests that are made
 * after the first ones do, too, as they depend on the time that there is. */
#ifndef HEDDLE_HARNESS_CHECK_CHOOSE_H
#define HEDDLE_HARNESS_CHECK_CHOOSE_H
#include "guest/harness/check/rounds.h"

#define CHOOSE_SHAPES LINK_SHAPES
#define CHOOSE_WANTED 100 /* tests of a shape, at most */

/* A shape of which CHOOSE_WANTED tests are wanted, FIRST > 0 of them as soon as possible. */
typedef struct ChooseShape {
    TestShape shape;
    uint32_t first;
} ChooseShape;

/* How tests are shared out: */
typedef struct ChooseWork {
    bool (*take)(void); /* counts tests; true if this process is to make the next one */
    void (*meet)(void); /* waits until all processes have come here */
    RoundsRun *run;
} ChooseWork;

void choose_setup(void); /* once, before processes are forked */
/* TEST, as it was before it was completed, has ended after so many executions and blocked graphs,
 * or was given up then. */
void choose_note_size(const TestShape *shape, const TestCase *test, uint64_t leaves);
/* Makes the first tests of COUNT shapes, with a small budget. */
FindingKind choose_try(const ChooseShape *shapes, uint32_t count, Random *random,
                       const ChooseWork *work);
/* Makes those that fit. */
FindingKind choose_finish(const ChooseWork *work);
#endif

/* twin.h: what the tests that compare a notion with its brute-force twin share (tests/notions.sh
 * runs them all). */
#ifndef HEDDLE_TESTS_UNIT_TWIN_H
#define HEDDLE_TESTS_UNIT_TWIN_H
#include <stdlib.h>

/* How many cases are compared: HEDDLE_COUNT if it is set, else NIGHTLY with HEDDLE_NIGHTLY=1, else
 * DAY. */
static inline long twin_count(long day, long nightly)
{
    const char *wanted = getenv("HEDDLE_COUNT");
    return wanted && *wanted ? atol(wanted) : getenv("HEDDLE_NIGHTLY") ? nightly : day;
}

/* Runs the tests whose name matches the first argument; all without one. */
#define TWIN_RUN(argc, argv, tests)                                                                \
    (cmocka_set_test_filter((argc) > 1 ? (argv)[1] : NULL),                                        \
     cmocka_run_group_tests(tests, NULL, NULL))
#endif

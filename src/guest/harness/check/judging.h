/* judging.h: judges the history of every complete concurrent execution of child_test.test, object
 * by object, by the specification of check/spec.h. */
#ifndef HEDDLE_HARNESS_CHECK_JUDGING_H
#define HEDDLE_HARNESS_CHECK_JUDGING_H
#include "guest/harness/check/declared.h"
#include "guest/harness/verify.h"
#include "record/outcome.h"
#include "record/units_shared.h"

typedef struct Judging {
    Verifier *verifiers[DECLARED_OBJECTS]; /* one for each object */
    uint64_t histories;                    /* that were judged, of all tests */
    /* An exploration that has begun again counts its histories from the beginning. */
    uint64_t histories_before;
    unsigned restarts_seen;
    /* Undecided histories: when the test began; of that test, in an earlier session; of the tests
     * before it, in earlier sessions. */
    uint64_t undecided_before, undecided_resumed, undecided_earlier;
    OutcomeMessage explained; /* why the last violation is one, until that is the outcome */
    bool counts_on; /* --all: histories that are not allowed are counted, and no violation */
    uint32_t takes; /* --consistency=set: the operations of the test that take */
    OutcomeMessage *replayed; /* of a replay, which is explained at once; else NULL */
} Judging;
extern Judging judging;

/* Begins with the test that child_test_set has set and child_spec_learn knows. */
void judging_begin(void);
/* Some histories of the test were judged in an earlier session. */
void judging_resume(const UnitCounts *before);
/* Adds what was judged since judging_begin, also in earlier sessions. */
void judging_count(UnitCounts *all);
/* Visitors of an exploration (ExploreVisitor) of child_test_concurrent: op_violation if no serial
 * order explains the history of the present graph. */
void judging_complete(void);
void judging_stuck(void); /* some thread waits for ever */
/* Histories with too many real-time orders to look at them all. */
uint64_t judging_undecided(void);
#endif

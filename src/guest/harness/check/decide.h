/* decide.h: one test of `heddle check`: its serial runs are learnt, then its concurrent executions
 * are judged, one by one or by its states; the test is made smaller when it fails. */
#ifndef HEDDLE_HARNESS_CHECK_DECIDE_H
#define HEDDLE_HARNESS_CHECK_DECIDE_H
#include "guest/harness/check/test.h"
#include "guest/harness/check/unbounded.h"
#include "record/link.h"

/* A test that was decided is decided once more, the other way (check/second.h). */
typedef struct DecideAgain {
    bool holds;      /* the first time */
    bool by_states;  /* else by its executions */
    uint64_t budget; /* states with their explanations; requests of threads */
    bool decided;    /* within the budget */
    bool ever;       /* false: no budget would do */
} DecideAgain;

typedef struct Deciding {
    Link *link;
    uint32_t model;               /* of the concurrent executions: serial runs have another one */
    uint64_t tests;               /* that were made */
    uint64_t by_states, pairs;    /* of these, decided by states; states with their explanations */
    uint64_t by_views;            /* of these, by the states of rc11 itself (states/views) */
    uint64_t both, both_violated; /* decided by states and by executions, for tests of that */
    /* Serial runs are made once more, elsewhere (child_test_moved): those of small tests, which
     * tell about every operation, of the first one, and, if this is set, of those that fail. */
    bool moved;
    bool together; /* several processes explore the test, not only its states */
    bool extended; /* the specification was extended (child_spec_extend), and it is tried again */
    uint64_t serial_runs, serial_ns; /* of the present test, without those */
    /* A test that is explored for a moment, before its states are tried: */
    bool (*outer_poll)(void);
    uint64_t patience_end; /* in requests */
    bool out_of_patience;
    /* Told of tests that hold, and which way they were decided; or NULL. */
    void (*on_held)(const TestCase *test, bool by_states);
    bool was_by_states; /* the present test */
    DecideAgain *again; /* NULL: it is decided for the first time */
} Deciding;
extern Deciding deciding;

/* Makes a test: FINDING_NONE if it holds, or exploration.stopped. */
FindingKind decide_test(const TestCase *test);
/* Makes it, as *AGAIN says. FINDING_NONE if it holds that way, or if it is not decided. */
FindingKind decide_test_again(const TestCase *test, DecideAgain *again);
/* Explores all concurrent executions of child_test.test, whose specification is known. */
FindingKind decide_executions(void);
/* Is the violation that was found about results, or about waiting? */
bool decide_is_about_histories(void);
/* FAILING has just failed: finds a smaller test that does, which the answer is then about. */
void decide_smallest(const TestCase *failing);
/* Makes one execution of TEST, as its states have shown it, or all (UnboundedConfirm). */
FindingKind decide_execution(const TestCase *test, const SampleStep *steps, size_t count);
/* Are all tests decided both ways, and all made (HEDDLE_DEBUG=states=both)? */
bool decide_both_ways(void);
/* Says in the outcome which test the answer is about. */
void decide_publish(const TestCase *test);
#endif

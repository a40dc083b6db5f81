/* test.h: the test that is made now, inside the program under test: its calls, and the
 * programs that make them, one after the other or each thread for itself. */
#ifndef HEDDLE_HARNESS_CHECK_TEST_H
#define HEDDLE_HARNESS_CHECK_TEST_H
#include "guest/harness/check/declared.h"
#include "guest/explore/search/explore.h"

/* Who makes the calls of a serial run. */
typedef enum SerialSource {
    SERIAL_IMPLEMENTATION, /* the operations themselves */
    SERIAL_REFERENCE, /* the same after HD_REFERENCE: the implementation in another configuration */
    SERIAL_GOLDEN     /* HD_GOLDEN: other code for the same operations */
} SerialSource;

typedef struct ChildTest {
    Declared declared;
    Values *values;
    TestCase test;
    uint32_t operations;  /* of the test */
    SerialSource source;  /* of the serial runs */
    TestCase serial_test; /* what these call: the test, unless harness/check/spec.c wants others */
    bool moved;           /* in a serial run: child_test_moved */
    bool golden_waits;    /* in a serial run: it ends because golden code returned HD_WAIT */
    bool serially;        /* a serial run is explored or replayed: marks are about serial_test */
} ChildTest;
extern ChildTest child_test;

/* Makes TEST the one that is made. */
void child_test_set(const TestCase *test);
/* Call K of a test. */
const DeclaredCall *child_test_call_of(const TestCase *test, uint32_t k);
static inline const DeclaredCall *child_test_call(uint32_t k)
{
    return child_test_call_of(&child_test.test, k);
}
static inline const DeclaredCall *child_test_serial_call(uint32_t k)
{
    return child_test_call_of(&child_test.serial_test, k);
}

/* HD_MAY_BLOCK was given, and does not name this operation. */
bool child_test_must_not_wait(const DeclaredCall *call);
/* Makes CALL in the present thread: its result as a word. Serially: by the code that is the
 * specification (child_test.source), after its own set-up; golden code that has to wait never
 * returns. */
uint64_t child_test_perform(const DeclaredCall *call);
void child_test_begin_serially(void);
uint64_t child_test_perform_serially(const DeclaredCall *call);
/* The programs, for child_test_explore and child_test_set_program. */
void *child_test_concurrent(void *unused);
/* All calls one after the other, in every order that keeps those of each column: which column goes
 * on is a choice. */
void *child_test_serial(void *unused);
/* Runs serially in other threads, so that stacks, heaps, clocks and random numbers are others. A
 * result that differs from that of child_test_serial is not a function of the calls; no serial run
 * can explain it, and to call that a violation of linearizability would put the blame on
 * concurrency. */
void *child_test_moved(void *unused);

/* Makes PROGRAM the one that is explored or replayed. */
void child_test_set_program(void *(*program)(void *));
/* Explores PROGRAM under MODEL, with these visitors. */
FindingKind child_test_explore(void *(*program)(void *), ExploreVisitor *complete,
                               ExploreVisitor *stuck, uint32_t model);
/* The counts of earlier explorations: add them to `counts`, which is of the present one. */
extern ExploreCounts child_test_done;
void child_test_add_counts(void);     /* an exploration is over: adds its counts */
extern double child_test_schedules;   /* see in_bound.counts */
extern uint64_t child_test_serial_ns; /* processor time of serial runs */

/* Words: "2", or "waits"; " = 2", or nothing for a call that gives nothing; as
 * EvidenceMarkWords. */
void child_test_print_value(uint64_t word, Buffer *out);
void child_test_print_observed(Value value, Buffer *out); /* as in an observation file */
void child_test_print_result(uint64_t word, Buffer *out);
void child_test_mark_words(unsigned number, bool returns, uint64_t word, char *text, size_t bytes);
#endif

/* unbounded.h: the declared operations decided by their states (guest/states): of threads that call
 * them for ever (`heddle check --unbounded`), or of one test. */
#ifndef HEDDLE_HARNESS_CHECK_UNBOUNDED_H
#define HEDDLE_HARNESS_CHECK_UNBOUNDED_H
#include "guest/explore/schedules/sample.h"
#include "guest/harness/check/test.h"
#include "record/link.h"

/* Runs one execution of TEST as the ordinary engine does, and judges it; all of them if STEPS is
 * NULL. */
typedef FindingKind UnboundedConfirm(const TestCase *test, const SampleStep *steps, size_t count);

/* After child_test.declared and the specification are known; fills what the outcome says of states.
 * A violation was CONFIRMed, and its graph is in place. */
FindingKind child_unbounded(Link *link, UnboundedConfirm *confirm);

/* Can child_test.test, under the present options, be decided by its states? Then equal states of
 * executions that differ in the order of independent steps meet, and there may be far fewer of them
 * than executions. */
bool child_states_fit(void);
typedef struct UnboundedDecision {
    bool decided; /* false: there are too many states, or the program does something that can't be
                     followed, or the execution that shows a violation ends as another one */
    FindingKind shown; /* what the states alone show, as far as they were explored */
    uint64_t pairs;    /* of states and explanations that were explored */
    bool by_views;     /* they were those of rc11 itself (states/views) */
    bool weak;         /* the states of sc do not decide under this model (strong.h) */
    bool full;         /* nothing was shown, and they are more than were asked for */
} UnboundedDecision;
/* Decides it, BY_VIEWS by the states of rc11 itself, if there are at most MOST pairs. A violation
 * was CONFIRMed. KEEPS: if there are more, the next call GOES_ON from there, of the same test;
 * executions may be explored in between. */
typedef struct UnboundedTurn {
    uint64_t most;
    bool by_views;
    bool keeps, goes_on;
} UnboundedTurn;
FindingKind child_states_decide(UnboundedTurn turn, UnboundedConfirm *confirm,
                                UnboundedDecision *decision);
#endif

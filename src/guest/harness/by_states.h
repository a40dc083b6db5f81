/* by_states.h: a whole program, main and the threads that it creates, decided by its states
 * (guest/states) instead of its executions: `heddle run --unbounded`, for programs whose threads
 * loop for ever; and, for tests of that, programs that end (HEDDLE_DEBUG=states=...). */
#ifndef HEDDLE_HARNESS_BY_STATES_H
#define HEDDLE_HARNESS_BY_STATES_H
#include "guest/explore/graph/finding.h"
#include "record/link.h"

/* Is the present program to be decided by its states? */
bool by_states_asked(void);
/* Decides it; EXPLORE explores its executions, where states can't tell. A violation was run again
 * by the ordinary engine, and its graph is in place. */
FindingKind by_states_run(Link *link, FindingKind (*explore)(void));
/* Decides it by its states when its executions have shown that it HOLDS, or that it is violated
 * (--second-opinion), and says in the outcome whether these agree. FINDING_VIOLATION: the states
 * show one, with the execution in place. */
FindingKind by_states_again(OutcomeMessage *outcome, bool holds);
/* Decides the program by the states of rc11 itself (states/views), as --second-opinion does where
 * those of sc do not: true if they do. *KIND is what they show, without an execution. Calls
 * ON_END, if it is not NULL, wherever the program has ended: memory holds the last values. */
bool by_states_views(FindingKind *kind, void (*on_end)(void));
#endif

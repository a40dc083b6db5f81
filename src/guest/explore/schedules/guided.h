/* guided.h: one given execution again, without exploring: threads are run in a given order from the
 * start, each request must be the expected one, and gets the expected answer. The graph grows as in
 * an exploration, so findings come up by the same checks. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_GUIDED_H
#define HEDDLE_EXPLORE_SCHEDULES_GUIDED_H
#include "guest/explore/graph/graph.h"

typedef struct GuidedStep {
    int thread;
    EventKind kind;
    uint64_t address; /* accesses */
    uint64_t pc;
    EventId read_from; /* reads: the graph event that an earlier step returned; 0: initial */
    int32_t co;        /* writes: final place in coherence order, to sort by */
    uint64_t value;    /* CHOOSE */
    uint64_t expected; /* AWAIT_TURN: when the thread may go on (waiting/arrivals.h) */
    uint32_t child;    /* CREATE: its number, which depends on who created threads before */
    bool fails;        /* a compare-exchange that fails, spuriously if need be */
} GuidedStep;

/* Puts everything to the start. */
void guided_begin(void);
/* Performs the step; the new event, or NULL with a reason in guided_problem if the program does
 * something else. A finding on the way jumps to findings.jump. */
Event *guided_step(const GuidedStep *step);
extern char guided_problem[256];
/* Runs thread T to its next request, which it keeps. */
void guided_run_on(int thread);
/* Runs thread T to its next request and makes the checks of an exploration on it: the place where a
 * violation is expected. */
void guided_finish(int thread);
/* Every thread that has not ended waits for ever: joins another such thread, waits in a call of the
 * runtime for a value that is not there, or comes back to the same state without any effect when it
 * is given the last value of everything it reads. */
bool guided_is_stuck(void);
/* Runs all threads in turn, each request with the last value, for so many requests that who has not
 * ended by then is taken to loop for ever, if none of them has. For a livelock that the graph of
 * states has shown (guest/states/progress.h). */
bool guided_loops_on(void);
#endif

/* offers.h: which steps the threads of a search can take in the present state, within its bounds.
 */
#ifndef HEDDLE_STATES_STEPS_OFFERS_H
#define HEDDLE_STATES_STEPS_OFFERS_H
#include "guest/states/search.h"

/* DEPTH: calls of a thread that are under way at most (sets.h). What does not begin because of a
 * bound is counted in RESULT. All of them live as long as the search. */
void offers_begin(const StatesClient *client, const StatesLimits *limits, uint32_t depth,
                  StatesResult *result);
/* In how many ways can THREAD go on, but for flushes? An idle one of a client: by call. */
uint32_t offers_ways(uint32_t thread);
/* May THREAD, which is idle, begin CALL? */
bool offers_call(uint32_t thread, uint32_t call);
/* Threads (bits) inside a call, and PROGRESS_OVER (progress.h). */
uint32_t offers_inside(void);
/* Threads that wait; but who waits for the end of a thread may do so for ever. */
uint32_t offers_blocked(void);
#endif

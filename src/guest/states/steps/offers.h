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
/* Is THREAD at an atomic store that views follow, and may it make it? */
bool offers_store(uint32_t thread);
/* Tells progress.h of the present state: threads (bits) inside a call, and PROGRESS_OVER;
 * those that wait, but for who waits for the end of a thread; and, of a program, those that do not
 * come to an end as far as their code tells, with who waits for the end of such a thread. */
void offers_describe(uint8_t *inside, uint8_t *blocked, uint8_t *perpetual);
#endif

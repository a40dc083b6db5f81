/* told.h: in a process of the crew (crew.h): the states that the search has not met, so far as is
 * known, and the pairs that it was told of. The crew does not add to the tables of the search. */
#ifndef HEDDLE_STATES_CREW_TOLD_H
#define HEDDLE_STATES_CREW_TOLD_H
#include "guest/states/visited.h"

#define TOLD_LOCAL (UINT32_C(1) << 31) /* numbers from here on are those of one process */

void told_begin(void);
/* Forgets old ones, which the search knows by now. Returns whether local numbers begin at
 * TOLD_LOCAL again. */
bool told_forget(void);
/* The number of the state with KEY, as this process knows it; *fresh: it is new. */
uint32_t told_state(StatesKey key, bool *fresh);
/* Is the pair of STATE and SET new? *LOOK is what the search needs to know of that (visited.h). */
bool told_is_new(uint32_t state, uint32_t set, VisitedLook *look);
#endif

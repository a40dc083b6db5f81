/* growth.h: what grows. A word that keeps reaching values which it never had makes a space of
 * states infinite, and so does a heap that gets ever longer: malloc takes the lowest gap, so that
 * its end moves only if more is in use than ever before. The signs are only used to name it when a
 * search does not end. A word is looked at in halves, since an int may be either of them. */
#ifndef HEDDLE_STATES_ANSWER_GROWTH_H
#define HEDDLE_STATES_ANSWER_GROWTH_H
#include "guest/states/search.h"

void growth_begin(void);
/* Is something of the present state to be noted? Of others it need not be told. The crew (crew.h)
 * may ask: if it is not, it will not be later. (It looks at the state itself: a copy that was just
 * written, to memory that is far away, can't be read for a while.) */
bool growth_passes(void);
/* A new state was met, of which this is a COPY (state.h); so many nodes are known. */
void growth_note(const char *copy, uint32_t nodes);
/* The address of a word that seems to grow for ever, and in *value what it has come to; 0: there is
 * none. */
uint64_t growth_find(uint32_t nodes, uint64_t *value);
/* The search was ended: fills in what seems to have no bound, a word or else the heap, or else a
 * number in an object of it. */
void growth_explain(uint32_t nodes, StatesResult *result);
#endif

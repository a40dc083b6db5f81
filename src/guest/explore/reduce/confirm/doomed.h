/* doomed.h: a compare-exchange without which its thread only waits, whatever it sees instead. The
 * statement, and why no outcome is lost: doc/proofs/doomed.md. */
#ifndef HEDDLE_EXPLORE_CONFIRM_DOOMED_H
#define HEDDLE_EXPLORE_CONFIRM_DOOMED_H
#include "guest/explore/search/rules.h"

extern const Rule doomed_rule;
/* T was found waiting, with its events from FROM on droppable: perhaps there is a compare-exchange
 * among them to ask doomed_from about, and the exploration begins again. */
void doomed_learn(int thread, int from);
#endif

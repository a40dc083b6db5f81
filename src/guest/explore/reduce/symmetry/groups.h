/* groups.h: which threads are known to be like which (alike.h), in any graph of the exploration:
 * FACT_alike, one group a leader. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_GROUPS_H
#define HEDDLE_EXPLORE_SYMMETRY_GROUPS_H
#include "base/common.h"

/* T and LAST, which was created directly before, are alike. Begins again, with that known from the
 * start, if it is news. */
void groups_note(int last, int t);
bool groups_are_known(void); /* are any threads known to be alike? */
#endif

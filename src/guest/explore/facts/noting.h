/* noting.h: whether the explorer tells the facts of this folder what happens in graphs. */
#ifndef HEDDLE_EXPLORE_FACTS_NOTING_H
#define HEDDLE_EXPLORE_FACTS_NOTING_H
#include "base/common.h"

/* From now on values, effects and contents are noted, or (ON is false) not. */
void facts_note(bool on);
#endif

/* noting.h: whether the explorer tells the facts of this folder what happens in graphs. */
#ifndef HEDDLE_EXPLORE_FACTS_NOTING_H
#define HEDDLE_EXPLORE_FACTS_NOTING_H
#include "guest/explore/search/rules.h"

/* From now on values, effects and contents are noted, or (ON is false) not. */
void facts_listen(bool on);
/* Rows of the table: the search tells facts; a pass that they have outdated ends (values.h). */
extern const Rule facts_rule, contents_rule, passes_rule, outdated_rule;
#endif

/* table.h: the rules, in the order in which the search asks them (search/rules.h). */
#ifndef HEDDLE_EXPLORE_REDUCE_TABLE_H
#define HEDDLE_EXPLORE_REDUCE_TABLE_H
#include "guest/explore/search/rules.h"

void table_setup(void);
#endif

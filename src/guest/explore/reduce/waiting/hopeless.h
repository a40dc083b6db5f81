/* hopeless.h: a thread waits, and nothing explored from here can free it: the writes that it has
 * yet to see are all in what the others know already (doc/proofs/hopeless.md). */
#ifndef HEDDLE_EXPLORE_HOPELESS_H
#define HEDDLE_EXPLORE_HOPELESS_H
#include "guest/explore/search/rules.h"

extern const Rule hopeless_rule;
#endif

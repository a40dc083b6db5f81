/* lost.h: threads that wait and that nobody will free, because of what is written, and by whom.
 * The statement, and why no outcome is lost: doc/proofs/lost.md. */
#ifndef HEDDLE_EXPLORE_LOST_H
#define HEDDLE_EXPLORE_LOST_H
#include "guest/explore/search/rules.h"

extern const Rule lost_rule;
#endif

/* placements.h: does what threads do depend on where the memory of equal threads lies? The
 * statement, and why no outcome is lost: doc/proofs/symmetry.md. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_PLACEMENTS_H
#define HEDDLE_EXPLORE_SYMMETRY_PLACEMENTS_H
#include "guest/explore/search/rules.h"

/* Makes the runs that were not made yet. May not return (alike_refuse). False if MAY_STOP and the
 * end of the search was asked for meanwhile: what was explored is not known to be all then. */
bool placements_check(bool may_stop);
extern const Rule placements_rule; /* makes them at the end of a search */
#endif

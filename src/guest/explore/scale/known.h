/* known.h: what explorations have discovered about the program as it is explored (racing bytes,
 * shared stacks, blocks, memory that is used again, threads that are alike), as bytes, so that a
 * unit can carry it (units.h). */
#ifndef HEDDLE_EXPLORE_SCALE_KNOWN_H
#define HEDDLE_EXPLORE_SCALE_KNOWN_H
#include "base/common.h"

/* Lists what was discovered, as record/units_shared.h has it: its bytes, 0 if there are more than
 * ROOM; and back again, in a process that knows less. False if it is damaged. */
size_t known_get(unsigned char *to, size_t room);
MUST_USE bool known_put(const unsigned char *from, size_t bytes);
/* Is anything known here that shapes the search tree and that FROM does not know? */
bool known_more(const unsigned char *from, size_t bytes);
#endif

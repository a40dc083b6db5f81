/* pauses.h: the processor's hint that a thread spins. It has no effect on registers or memory, but
 * takes some 140 cycles on current processors, and loops that back off make thousands of them a
 * round: an exploration would do little else. Nobody can wait for another core here, so the hint is
 * removed. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_PAUSES_H
#define HEDDLE_INSTRUMENT_MACHINE_PAUSES_H
#include "base/error.h"

/* Overwrites with spaces, in x86 assembly text, each line's instruction that is `pause` (also
 * written `rep; nop`, as gcc does). Other instructions and the numbers of lines stay as they are.
 */
void pauses_blank(char *text, size_t bytes);
/* Does the same in a file. */
MUST_USE bool pauses_remove(const char *path, Error *error);
#endif

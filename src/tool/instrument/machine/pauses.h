/* pauses.h: the processor's hint that a thread spins. It has no effect on registers or memory, but
 * takes some 140 cycles on current processors, and loops that back off make thousands of them a
 * round: an exploration would do little else. Nobody can wait for another core here, so the hint is
 * removed.
 *
 * Without optimisation gcc announces nothing of std::thread::joinable(), which every std::thread
 * runs when it ends: the runtime performs it instead.
 *
 * clang announces an atomic load by a hook that also makes it, and leaves the load itself behind
 * the hook, unused. For 16 bytes without -mcx16 that is a call of libatomic (from version 19 on),
 * which would be one more access: it is removed. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_PAUSES_H
#define HEDDLE_INSTRUMENT_MACHINE_PAUSES_H
#include "base/error.h"

/* Overwrites with spaces, in x86 assembly text, each line's instruction that is `pause` (also
 * written `rep; nop`, as gcc does). Other instructions and the numbers of lines stay as they are.
 */
void pauses_blank(char *text, size_t bytes);
/* Puts the name of the runtime's function in place of std::thread::joinable(), wherever that is
 * called or its address is taken. */
void pauses_perform_joinable(char *text, size_t bytes);
/* Overwrites with spaces each call of libatomic's 16-byte load that is the first call behind the
 * hook of such a load, unless a 16-byte instruction stands between, which then is what was left. */
void pauses_blank_left_behind(char *text, size_t bytes);
/* Does all three in a file. */
MUST_USE bool pauses_remove(const char *path, Error *error);
#endif

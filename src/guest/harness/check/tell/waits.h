/* waits.h: operations that wait for ever in serial runs of their own code. Without HD_MAY_BLOCK
 * such an operation may wait in a test as well, so that a lock which is never given back goes
 * unnoticed: the serial runs get stuck as the threads do. An answer that nothing is wrong therefore
 * names these operations. */
#ifndef HEDDLE_HARNESS_CHECK_TELL_WAITS_H
#define HEDDLE_HARNESS_CHECK_TELL_WAITS_H
#include "guest/harness/check/declared.h"
#include "record/link.h"

void child_waits_setup(Link *link); /* what is known lies in LINK */
/* CALL waits for ever in a serial run of the implementation; all processes share what is known. */
void child_waits_note(const DeclaredCall *call);
/* Nothing is wrong: the warning, if there is anything to warn of. */
void child_waits_tell(void);
#endif

/* written.h: has the present step left something else in memory than was there? Writing the value
 * that is there is no progress (progress.h). */
#ifndef HEDDLE_STATES_STEPS_WRITTEN_H
#define HEDDLE_STATES_STEPS_WRITTEN_H
#include "base/common.h"

void written_begin(void); /* of a step */
/* BYTES at ADDRESS are about to be written. */
void written_note(uintptr_t address, size_t bytes);
void written_note_change(void); /* something that is not memory has changed */
bool written_changed(void);
extern bool written_in_vain; /* an exchange has found what it wrote, or a compare-exchange failed */
#endif

/* edits.h: a stronger order, or a fence, as a change of the source: the word of the order is looked
 * for in the call at the place that the debug information names, and must be the present order. An
 * order that is written elsewhere (in a macro, as a variable) has no edit. */
#ifndef HEDDLE_CLI_REPAIR_EDITS_H
#define HEDDLE_CLI_REPAIR_EDITS_H
#include "base/arena.h"
#include "tool/answer/repair.h"

/* Fills change->edit and has_edit. */
void edits_find(Arena *arena, RepairChange *change);
/* The changes of WAY as a unified diff, for `patch -p0' from the current folder; NULL if one has no
 * edit. */
const char *edits_patch(Arena *arena, const RepairWay *way);
#endif

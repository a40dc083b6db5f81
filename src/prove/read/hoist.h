/* hoist.h: conditions on locals, tested as soon as possible. */
#ifndef HEDDLE_PROVE_READ_HOIST_H
#define HEDDLE_PROVE_READ_HOIST_H
#include "prove/ir.h"

/* A condition on locals alone is true at all times or never, so it may be tested as soon as they
 * are known: then facts about what was read hold from the read on. */
void hoist_conditions(Arena *arena, IrOperation *operation);
#endif

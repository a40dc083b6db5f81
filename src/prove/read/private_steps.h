/* private_steps.h: steps on a node that its operation has made and not yet stored become part of
 * the next step. Whether that changes no result is shown of the whole program: memory.h. */
#ifndef HEDDLE_PROVE_READ_PRIVATE_STEPS_H
#define HEDDLE_PROVE_READ_PRIVATE_STEPS_H
#include "prove/ir.h"

/* Joins the private steps at the beginning, unless the conditions of the next step name the node;
 * true if there were any. */
bool private_steps_join(Arena *arena, IrOperation *operation);
#endif

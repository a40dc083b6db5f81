/* model_roles.h: operations that only one thread of a model calls (`threads 1: enq;`). */
#ifndef HEDDLE_PROVE_READ_MODEL_ROLES_H
#define HEDDLE_PROVE_READ_MODEL_ROLES_H
#include "model/model.h"
#include "prove/ir.h"

/* The prover's operations are called by any number of threads. Where the model says that a single
 * thread calls some and nobody else does, these exclude each other, so a lock around them changes
 * nothing: it is taken in the first step, which finds it free since the thread has returned from
 * its last call, and given back in the last one. A call that never returns keeps it, and its thread
 * makes no other. */
void model_roles_apply(Arena *arena, const Model *model, IrProgram *program);
#endif

/* model_reader.h: a model in the language of `heddle refine` as operations made of guarded atomic
 * steps.
 *
 * Each way through an operation becomes an operation of its own, as the paper does by hand (paths
 * of one method). A loop stands for its last round: what earlier rounds left in locals that are
 * still needed is unknown; a round that writes shared memory becomes an internal operation of its
 * own, since it may as well be made by another thread. (The call then counts from its last round
 * on, which only makes more operations come one after the other: what is proved is stronger.)
 * Writes to a node that was allocated here and is not yet stored anywhere else belong to the step
 * that publishes it. A violation of these operations may be none of the model's, so it is looked
 * for in the ways that go through each loop at most twice (IrProgram.exact). Bounds of integers and
 * of pools are left out: what is proved holds for any. */
#ifndef HEDDLE_PROVE_READ_MODEL_READER_H
#define HEDDLE_PROVE_READ_MODEL_READER_H
#include "base/error.h"
#include "model/flow.h"
#include "prove/ir.h"

/* SPECIFICATION may be NULL: none. */
MUST_USE bool model_reader_run(Arena *arena, const Model *model, const Module *specification,
                               IrProgram **out, Error *error);
#endif

/* ghost.h: a program with ghosts: arrays that only record what has happened, which no step reads,
 * so every execution has its counterpart with them and the other way round; with observers: copies
 * of operations that fix one more thing (an element that was there when they began) and otherwise
 * do the same; and with obligations: what must hold whenever a step runs.
 *
 * An observer's facts are facts of every instance of the operation that it copies, for each choice
 * of the witness that satisfies its conditions. Its steps are steps of the original too, so only
 * the original's have to be looked at when facts about others are checked (houdini.c). */
#ifndef HEDDLE_PROVE_GHOST_H
#define HEDDLE_PROVE_GHOST_H
#include "prove/prover.h"

typedef struct Obligation {
    int operation, step; /* whenever this step runs, before it: */
    int bound_count;     /* for all values of bound variable 0, if 1, */
    const IrFormula *formula;
    const char *words; /* if not: why there is no proof */
} Obligation;

typedef struct Ghosted {
    Arena *arena;
    IrProgram *program;
    Vec(Obligation) obligations;
} Ghosted;

/* A copy of PROGRAM whose operations can be changed. `each' conditions are left out of them, which
 * only adds executions. */
Ghosted ghost_begin(Arena *arena, const IrProgram *program, IrType element);
void ghost_free(Ghosted *ghosted);
/* Arrays that are not indexed by elements (drawn numbers) must be added before those that are. */
int ghost_array(Ghosted *ghosted, const char *name, IrType type, bool by_element);
/* After step STEP of OPERATION: array[index] = value. */
void ghost_write(Ghosted *ghosted, int operation, int step, int array, const IrExpr *index,
                 const IrExpr *value);
void ghost_set(Ghosted *ghosted, int operation, int step, const IrExpr *target,
               const IrExpr *value);
/* A copy of OPERATION (of ORIGINAL, where its `each' conditions are); with WITNESS it has one more
 * local, an element, and a step that looks at `each' is the moment at which it looks at that one.
 * Returns its number. */
int ghost_observer(Ghosted *ghosted, const IrProgram *original, int operation, bool witness);
/* One more condition for the first step. */
void ghost_require(Ghosted *ghosted, int operation, const IrFormula *condition);
void ghost_oblige(Ghosted *ghosted, int operation, int step, bool quantified,
                  const IrFormula *formula, const char *words);

/* Local LOCAL of operation; array[index]; array[index] == number. */
const IrExpr *ghost_local(const Ghosted *ghosted, int operation, int local);
const IrExpr *ghost_cell(const Ghosted *ghosted, int array, const IrExpr *index);
const IrFormula *ghost_is(const Ghosted *ghosted, int array, const IrExpr *index, int64_t number);
const IrFormula *ghost_and(const Ghosted *ghosted, const IrFormula *a, const IrFormula *b);
const IrFormula *ghost_implies(const Ghosted *ghosted, const IrFormula *a, const IrFormula *b);

/* PROVER has the program with its facts. NULL if all obligations hold, else why not (the first). */
const char *ghost_discharge(const Ghosted *ghosted, Prover *prover);
#endif

/* linearize_internal.h: what linearize.c and linearize_partial.c share. */
#ifndef HEDDLE_LINEAR_LINEARIZE_INTERNAL_H
#define HEDDLE_LINEAR_LINEARIZE_INTERNAL_H
#include "judge/linear/linearize.h"
#include "judge/linear/memo.h"
#include "judge/quasi/quasi.h"

typedef struct LinearizeFrame {
    uint32_t event, state;
    uint32_t order;             /* length of the order here */
    uint32_t op;                /* being tried, or LINEARIZE_NONE */
    uint32_t successor;         /* the next of its steps to try */
    uint32_t steps, step_count; /* relaxed: where its steps are */
    uint32_t cell, last; /* the cell that was changed to get from here to the next frame, and which
                            operation had changed it before; cell is LINEARIZE_NONE if none was */
    bool first, skipped;
} LinearizeFrame;
typedef struct LinearizeKept {
    uint32_t state, order, count; /* order: index into kept */
} LinearizeKept;

struct Linearizer {
    Memo memo;
    Vec(uint32_t) events; /* operation * 2, + 1 for a return */
    Vec(uint64_t) sort;
    Vec(uint32_t) slots;    /* by operation */
    Vec(uint32_t) slot_ops; /* by slot: the operation that has it now */
    Vec(uint32_t) twins;    /* by pending operation: slot of the one before it with its label */
    Vec(unsigned char) siblings; /* by operation: does another that returns have its label? */
    Vec(uint64_t) by_label;      /* the round it was written in << 32 | an operation or a slot */
    uint32_t round;
    Vec(LinearizeFrame) frames;
    Vec(uint64_t) masks; /* by frame: linearized, candidates left */
    Vec(uint64_t) fixed;
    uint64_t *open, *optional; /* in fixed */
    Vec(uint32_t) order;
    Vec(uint32_t) last; /* by cell: the operation that changed it last, or LINEARIZE_START */
    Quasi *quasi;       /* NULL: the specification is not relaxed */
    QuasiStates steps;  /* of the frames, in the manner of a stack */
    bool at_the_latest;
    uint32_t slot_count, at, deepest;
    size_t words;
    uint64_t configurations;
    const char *reason;
    /* dead ends, when asked for */
    size_t ends_wanted;
    Vec(LinearizeKept) ends;
    Vec(uint32_t) kept;
};

bool linearize_over_limit(Linearizer *z, const LinearizeProblem *problem,
                          const LinearizeLimits *limits);
bool linearize_ends_well(const LinearizeProblem *problem, uint32_t state);
/* The search can go no further in STATE: keeps the order that leads there, if such ends are wanted
 * and it is the first one in that state. */
void linearize_keep_dead_end(Linearizer *z, uint32_t state);
LinearizeResult linearize_partial(Linearizer *z, const LinearizeProblem *problem,
                                  const LinearizeLimits *limits);
/* Fills `events`: operation * 2, + 1 for returns, in the order of positions. */
void linearize_sort_events(Linearizer *linearizer, const LinearizeProblem *problem);
/* Gives slots to operations: pending ones have the first for ever, others the lowest that is free.
 */
void linearize_assign_slots(Linearizer *linearizer, const LinearizeProblem *problem);
#endif

/* explore.h: runs a text on concrete states against its specification.
 *
 * Serial runs discharge the paper's Assumption 1 within bounds: every sequence of up to so many
 * operations, each run without interruption, must be a run of the specification. Operations that
 * never finish are part of it: such an operation runs some of its steps (its weakened reads weakly)
 * and stops for ever, and may then count as having taken effect at any later time, or not at all.
 *
 * Concurrent runs look for a real violation: an execution of two or three threads whose results no
 * order of the specification explains that keeps the order of operations which did not overlap. */
#ifndef HEDDLE_PROVE_EXPLORE_H
#define HEDDLE_PROVE_EXPLORE_H
#include "prove/concrete.h"

enum {
    EXPLORE_SLOTS = 6,
    EXPLORE_UNFINISHED = 2 /* operations in a serial run that never finish */
};

typedef struct ExploreLimits {
    int threads;      /* 0: serial */
    int operations;   /* in all, internal ones included */
    int values, keys; /* domains of free ints and keys */
    long steps;       /* give up after so many, those of the specification included */
    bool complete;    /* serial runs only: every operation finishes */
    bool in_turn;     /* `each' looks at one value after the other, not at all in one moment */
    /* Serial runs only, may be NULL: the weakened reads and the facts that replace them. */
    const uint64_t *weak;
    const Facts *facts;
} ExploreLimits;

typedef struct ExploreResult {
    bool violated;
    bool freed;            /* by touching a freed node */
    bool exhaustive;       /* everything within the limits was tried */
    bool unfinished;       /* the violation has an operation that never finishes */
    bool text_is_vacuous;  /* some operation never ran to its end: serial runs say nothing of it */
    const char *vacuous;   /* its name */
    bool leaves_id;        /* a finished operation left an ID in shared memory (serial runs) */
    long steps, work;      /* of the program; with those of the specification */
    const char *execution; /* of a violation, a line a step */
} ExploreResult;

/* Needs program->specification. Fails if the program is too large to be run. */
MUST_USE bool explore_run(Arena *arena, const IrProgram *program, ExploreLimits limits,
                          ExploreResult *result, Error *error);
#endif

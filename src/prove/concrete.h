/* concrete.h: runs sub-operations on concrete states within bounds: so many nodes, array cells,
 * values and keys. Used to run a text serially, to search for violations, to sift candidate facts,
 * and as the slow and obvious side of tests. Shares nothing with symbolic.h but the text. */
#ifndef HEDDLE_PROVE_CONCRETE_H
#define HEDDLE_PROVE_CONCRETE_H
#include "base/error.h"
#include "prove/facts/facts.h"
#include <string.h>

enum {
    CONCRETE_LOCALS = 24,
    CONCRETE_WORDS = 480,
    CONCRETE_SIZE = 2,  /* of a ring */
    CONCRETE_OTHER = 6, /* values that the text names, and their neighbours */
    CONCRETE_FAR = 24,  /* positions of arrays beyond the first cells */
    CONCRETE_MOST = 1 << 30
};

typedef struct ConcreteBounds {
    int nodes, cells; /* nodes 1..nodes exist; arrays have cells 0..cells-1 ... */
    int far_count;    /* ... and those at these positions, which may be negative or large */
    int32_t far[CONCRETE_FAR];
    int values; /* a free int is 0..values, or one of these */
    int other_count;
    int32_t other[CONCRETE_OTHER];
    int keys; /* a free key is 2..keys+1: a text may use 1 and large numbers as sentinels */
} ConcreteBounds;

typedef struct ConcreteState { /* a value; only the first machine->words words are used */
    int32_t word[CONCRETE_WORDS];
} ConcreteState;
typedef struct Locals {
    int32_t value[CONCRETE_LOCALS];
    uint32_t bound; /* bit i: local i has its value */
} Locals;

typedef struct ConcreteMachine {
    const IrProgram *program;
    ConcreteBounds bounds;
    int words;
    int at_allocated, at_fields, at_arrays; /* where the parts of a state begin */
    bool beyond;       /* something was cut off because a bound was too small */
    bool freed;        /* a step touched a freed node, where that is an error */
    int missing_count; /* positions of arrays that were wanted and are not there */
    int32_t missing[CONCRETE_FAR];
} ConcreteMachine;

/* Fails if the program is too large for a concrete state. */
MUST_USE bool concrete_init(ConcreteMachine *machine, const IrProgram *program,
                            ConcreteBounds bounds, Error *error);
/* Adds to BOUNDS the positions that the text names and those that MACHINE (may be NULL) found
 * missing; false if there is nothing to add, or no room. */
bool concrete_add_positions(ConcreteBounds *bounds, const IrProgram *program,
                            const ConcreteMachine *machine);
/* Adds to BOUNDS the numbers with which the text compares ints, and those next to them. */
void concrete_add_values(ConcreteBounds *bounds, const IrProgram *program);
/* Copies the words that the machine uses; the others stay as they are. */
static inline void concrete_copy(const ConcreteMachine *machine, ConcreteState *to,
                                 const ConcreteState *from)
{
    memcpy(to->word, from->word, sizeof(int32_t) * (size_t)machine->words);
}
/* Returning false stops the enumeration. */
typedef bool (*ConcreteVisit)(void *context, const ConcreteState *state, const Locals *locals);

/* The states after init. */
bool concrete_initial(ConcreteMachine *machine, ConcreteVisit visit, void *context);
/* All ways in which sub-operation NUMBER of OPERATION can run in STATE, the free locals ranging
 * over their bounds. With WEAK (may be NULL) its guard is these facts and it changes nothing. */
bool concrete_step(ConcreteMachine *machine, const IrOperation *operation, int number, int32_t id,
                   const ConcreteState *state, const Locals *locals, const FactList *weak,
                   ConcreteVisit visit, void *context);
/* The values that a free local of TYPE may take, by number; false when NUMBER is past the last.
 * With *skip this one is none (a node that is not allocated). */
bool concrete_choice(const ConcreteMachine *machine, const ConcreteState *state, IrType type,
                     int number, int32_t *value, bool *skip);
void concrete_bind(Locals *locals, int local, int32_t value);

typedef enum Truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNBOUND, TRUTH_UNDEFINED } Truth;
/* Evaluates a fact: reading beyond the bounds or from NULL gives 0 there, as in the unknown states.
 */
bool concrete_fact_holds(const ConcreteMachine *machine, const ConcreteState *state,
                         const Locals *locals, int32_t id, const Fact *fact);
#endif

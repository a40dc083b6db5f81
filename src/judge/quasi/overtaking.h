/* overtaking.h: who was overtaken, by whom, and how often? Of a serial order p of operations, one
 * class of which is relaxed (relax.h), and the run p' that the specification makes in the same
 * places: where does each operation of the class stand, and where would it in its turn? */
#ifndef HEDDLE_QUASI_OVERTAKING_H
#define HEDDLE_QUASI_OVERTAKING_H
#include "judge/spec/automaton.h"

#define OVERTAKING_MOST 64u
#define OVERTAKING_NOBODY UINT32_MAX

typedef struct OvertakingOther {
    Value result; /* of its turn */
    uint32_t op;  /* or OVERTAKING_NOBODY: no operation of p has it yet */
} OvertakingOther;
typedef struct Overtaking {
    uint32_t op;  /* or OVERTAKING_NOBODY: what p' gives in this turn is not given in p yet */
    Value result; /* of the operation, or of the turn */
    /* among the operations of the class, from 1: in p (the earliest one still possible, if it is
     * not there), in p' */
    uint32_t place, turn;
    /* if it is late: what went before it in p and comes after it in p'; if it is early: what it
     * went before in p and comes before it in p'. In the order of p', or of p if all are there. */
    OvertakingOther others[OVERTAKING_MOST];
    uint32_t count;
} Overtaking;

typedef struct OvertakingInput {
    Automaton *inner;      /* of the specification that is not relaxed */
    const SpecCall *calls; /* by operation, with results */
    const uint8_t *class;  /* by operation: RELAX_NO_CLASS or a class */
    const uint32_t *order; /* p */
    uint32_t count;
} OvertakingInput;
/* The operation of CLASS that is displaced most. False if none is, or it can't be told: the
 * operations of the class differ in more than their results, or the specification has several ways
 * to go on. */
MUST_USE bool overtaking_find(const OvertakingInput *input, uint8_t class, Overtaking *worst);
#endif

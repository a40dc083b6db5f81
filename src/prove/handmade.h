/* handmade.h: relations between pairs of sub-operations that a person wrote, as in the right half
 * of the paper's Figure 5, as the input of Algorithm 1. Each claim that Algorithm 1 rests on (this
 * can't follow that; these can be exchanged) is checked against the text, never trusted.
 *
 *     file  := { claim }
 *     claim := [not] STEP then STEP [ "[" note "]" ]        STEP := LABEL | OPERATION.LABEL
 *            | [not] STEP <-> STEP
 *     note  := boundary case | if formula
 * or with the paper's signs for not, then and <->; comments as in C. What is not listed is taken to
 * be possible and not to be exchangeable. */
#ifndef HEDDLE_PROVE_HANDMADE_H
#define HEDDLE_PROVE_HANDMADE_H
#include "prove/tables.h"

typedef struct HandClaim {
    int a, b; /* sub-operations, numbered through all operations */
    bool reversible, negated, boundary;
    const IrFormula *condition; /* NULL: none */
    int line, column;
} HandClaim;
typedef struct Handmade {
    const char *path;
    Vec(HandClaim) claims;
} Handmade;

/* Lives as long as the arena. */
MUST_USE bool handmade_read_file(Arena *arena, const IrProgram *program, const char *path,
                                 Handmade *out, Error *error);
/* Makes relations of the claims; fails at the first that is not true of the text. Needs the facts,
 * and uses prover->weak. */
MUST_USE bool handmade_check(Prover *prover, const Handmade *handmade, Relations *out,
                             Error *error);
#endif

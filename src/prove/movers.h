/* movers.h: the quick way through Algorithm 1 on states (reduce.h): steps of others are looked at
 * one by one, not in prefixes. What it shows holds; what it does not show is left to reduce.c. */
#ifndef HEDDLE_PROVE_MOVERS_H
#define HEDDLE_PROVE_MOVERS_H
#include "prove/prover.h"

typedef struct StepPair { /* two things in a row from a state: the states between, and whether they
                           * swap */
    SymState middle, end;
    Terms run;  /* can run in this order */
    Term swaps; /* the other order can run and ends the same */
} StepPair;
/* First steps [a0, a1) of A, then [b0, b1) of B, from START. The caller frees pair->run. */
void movers_pair(Prover *prover, const SymState *start, Instance a, int a0, int a1, Instance b,
                 int b0, int b1, StepPair *pair);

/* Can the first PREFIX steps of OPERATION, run without interruption, go after every step of every
 * other instance that follows them? */
bool movers_right(Prover *prover, int operation, int prefix);
/* Can the step after them go before every step of every other instance that precedes it? */
bool movers_left(Prover *prover, int operation, int prefix);
#endif

/* algorithm1.h: the paper's Algorithm 1: given which pairs of sub-operations can follow each other
 * and which of these can be exchanged, can every history be turned into a serial one? */
#ifndef HEDDLE_PROVE_ALGORITHM1_H
#define HEDDLE_PROVE_ALGORITHM1_H
#include "base/arena.h"

typedef struct Relations {
    int operations;
    const int *lengths; /* sub-operations of each operation; they are numbered through: */
    const int *firsts;  /* number of the first one of each operation */
    int count;          /* of all */
    /* [a * count + b], a and b of different instances. reversible includes the rule that a last
     * sub-operation is never exchanged with a first one after it (relations_finish). */
    bool *orderable, *reversible;
} Relations;

typedef struct Algorithm1Failure {
    int operation, prefix;       /* x: steps 1..prefix */
    int blocker, blocker_prefix; /* y in the closure of x: not before the next step of x */
    int via, via_prefix;         /* the member of the closure that brought y in; -1: x itself */
} Algorithm1Failure;

typedef enum ClosureRule {
    CLOSURE_CORRECT,
    CLOSURE_PRINTED /* line 31 as printed, which lost a negation: unsound, kept for the test of
                     * it */
} ClosureRule;

/* All relations false; arrays live in the arena. */
Relations relations_new(Arena *arena, int operations, const int *lengths);
/* Boundary pairs are not reversible. */
void relations_finish(Relations *relations);
bool algorithm1_check(const Relations *relations, ClosureRule rule, Algorithm1Failure *failure);

/* For prefixes given as ranges of numbers [a, a + m) and [b, b + k) of different instances: is the
 * sequence of the two a valid history (Definition 5)? Is it equivalent to the other order? */
bool algorithm1_orderable(const Relations *relations, int a, int m, int b, int k);
bool algorithm1_reversible(const Relations *relations, int a, int m, int b, int k);
#endif

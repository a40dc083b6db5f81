/* reduce.h: Algorithm 1 on states: can every execution be reordered into one where each operation's
 * steps stand together? Decides per state what may be swapped, so the versions of Section VI (which
 * locals of the two instances are the same) come out as case distinctions of the solver. */
#ifndef HEDDLE_PROVE_REDUCE_H
#define HEDDLE_PROVE_REDUCE_H
#include "prove/prover.h"

typedef struct ReduceFailure {
    int operation, prefix;       /* steps 1..prefix of this operation ... */
    int blocker, blocker_prefix; /* ... a prefix that can neither go before them ... */
    bool chain;                  /* (not directly: after others that can't either) */
    /* ... nor after the next step of the operation. */
    const char *state; /* a state of which this is true, in the words of the program */
} ReduceFailure;

/* How a beginning and the step after it come to stand together (reduce.c, movers.c). */
typedef enum ReduceManner {
    MANNER_WEAK,  /* it is weakened reads only */
    MANNER_RIGHT, /* it goes after every step of others */
    MANNER_LEFT,  /* the next step goes before every step of others */
    MANNER_WHOLE, /* it goes after every beginning of others */
    MANNER_CHAIN  /* it does, or the next step goes before those after the first that it can't */
} ReduceManner;

typedef struct ReduceNote { /* a reason in the proof */
    int operation, prefix;
    const char *text;
    ReduceManner manner;
    FactList chain; /* K of reduce.c, for MANNER_CHAIN; lives as long as the prover's arena */
} ReduceNote;

typedef struct ReduceResult {
    bool proved;
    ReduceFailure failure; /* of the first attempt, which weakened the most */
    Vec(ReduceNote) notes;
} ReduceResult;

/* The sets of reads of OPERATION that may be weakened, largest first; the empty set is the last. */
typedef Vec(uint64_t) WeakSets;
void reduce_weakenings(Prover *prover, int operation, WeakSets *out);

/* Tries the sets of reads (none but the empty set unless WEAKEN) until a proof is found; leaves the
 * sets used in prover->weak. */
void reduce_run(Prover *prover, bool weaken, ReduceResult *result);
/* The obligations of the found proof once more. */
bool reduce_verify(Prover *prover);
void reduce_result_free(ReduceResult *result);

/* `ensure` clauses of OPERATION: NULL, or why one of them does not hold. */
const char *reduce_check_ensures(Prover *prover, int operation);
#endif

/* quasi.h: the steps of a relaxed specification (judge/quasi/relax.h: slot and kooo) along one
 * history. The relaxed automaton must guess what p' writes ahead of its turn among all that could
 * ever be called; a search that knows the history need only guess what can still be read in time. A
 * state is what the automaton's is (relax.h), without the values inside the container: which
 * operations are in the order tells. Used by linearize.c; the automaton remains the judge of
 * partial orders, and the twin of this. Depends on libc only. */
#ifndef HEDDLE_QUASI_QUASI_H
#define HEDDLE_QUASI_QUASI_H
#include "judge/linear/linearize_problem.h"
#include "judge/quasi/relax.h"

typedef struct Quasi Quasi;
Quasi *quasi_new(void);
void quasi_free(Quasi *quasi); /* NULL is allowed */
size_t quasi_memory(const Quasi *quasi);

/* Is this a problem for quasi_start? An interval order, a relaxed automaton, nothing stuck. */
bool quasi_applies(const LinearizeProblem *problem);
/* EVENTS: operation * 2, + 1 for a return, in the order of positions. Both must stay. */
void quasi_start(Quasi *quasi, const LinearizeProblem *problem, const LinearizeLimits *limits,
                 const uint32_t *events, size_t event_count);

/* Where the search stands: operations that have returned before event AT are in the order, or need
 * not be; of those that are open, those in MASK are. */
typedef struct QuasiPlace {
    uint32_t at;
    const uint64_t *open, *mask; /* by slot */
    size_t words;
    const uint32_t *slots, *slot_ops; /* by operation; by slot */
} QuasiPlace;

/* Operations that contradict each other whatever comes between: the one of them that returns last,
 * or LINEARIZE_NONE if none were seen. There may be no order left before its return. */
uint32_t quasi_contradiction(const Quasi *quasi);
/* Is an order known without a search (ranks.h)? It is valid until the next quasi_start. */
bool quasi_order(const Quasi *quasi, const uint32_t **order, uint32_t *count);
/* How many states it took to know an order or a contradiction. */
uint64_t quasi_ranked(const Quasi *quasi);

uint32_t quasi_initial(Quasi *quasi);
/* All states after OP, which is open and not in the order, is put into it. */
typedef Vec(uint32_t) QuasiStates;
void quasi_steps(Quasi *quasi, const QuasiPlace *place, uint32_t state, uint32_t op,
                 QuasiStates *states);
/* Does OP keep its place, and never change the state? Then it may be put into the order as soon as
 * the state allows it. */
bool quasi_reads_only(const Quasi *quasi, uint32_t op);
bool quasi_allows_read(Quasi *quasi, uint32_t state, uint32_t op);
/* May the history end here? */
bool quasi_accepts(Quasi *quasi, const QuasiPlace *place, uint32_t state);
/* The state of the relaxed automaton that this is. */
uint32_t quasi_automaton_state(Quasi *quasi, const QuasiPlace *place, uint32_t state);
#endif

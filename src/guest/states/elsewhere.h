/* elsewhere.h: the same state with its heap blocks at other addresses, in the opposite order, and
 * all pointers to them changed. A program that does not look at addresses takes the same step from
 * there. Keys (key.h) rely on that; so each step is made twice, and a program for which the two
 * differ is not decided. Where threads are interchangeable (symmetry.h), another thread takes the
 * step in place of the first. */
#ifndef HEDDLE_STATES_ELSEWHERE_H
#define HEDDLE_STATES_ELSEWHERE_H
#include "guest/states/key.h"
#include "guest/states/step.h"

typedef struct ElsewhereStep {
    StatesKey key;
    StatesDone done;
    bool made; /* there are blocks, and nothing went wrong */
    bool failed;
} ElsewhereStep;

/* Takes the step of thread T that states_step would take in the present state, in the moved one.
 * SEED says how far tickets are moved. The present state is lost. */
void elsewhere_step(int thread, uint32_t way, uint64_t seed, ElsewhereStep *step);
/* The step was made here, too, with KEY and DONE: ends in op_unsupported if they differ. */
void elsewhere_compare(int thread, const ElsewhereStep *step, StatesKey key,
                       const StatesDone *done);
extern uint64_t elsewhere_pc; /* where a step went another way, or 0 */
#endif

/* turns.h: in a queue, which of two elements may go first? If all values put are different,
 * everything has returned, and element a is put and taken no later than element b (its calls and
 * returns come before those of b, one by one), then it is enough to look for serial orders that put
 * and take a before b. That holds for plain and relaxed queues (judge/quasi/relax.h: kooo and
 * slot), and leaves out most orders of a history in which many operations overlap. */
#ifndef HEDDLE_LINEAR_TURNS_H
#define HEDDLE_LINEAR_TURNS_H
#include "judge/linear/linearize.h"
#include "judge/linear/plan.h"

typedef struct Turns {
    /* by member x of the group: earlier.at[first.at[x] .. first.at[x + 1]) come before it; those
     * that precede it in real time are not among them */
    Vec(uint32_t) first, earlier;
    /* private */
    HashMap elements;
    Vec(uint32_t) put, take, element_of;
} Turns;
/* False if nothing can be known: other operations, values that repeat, pending operations,
 * puts (or takes) of several classes. OPS are the members of the group. Memory is reused. */
bool turns_find(Turns *turns, const Plan *plan, const PlanGroup *group, const LinearizeOp *ops);
void turns_free(Turns *turns);
#endif

/* outcomes.h: sets of outcomes: what every step of a program found, and memory in the end; and the
 * three ways to get one. */
#ifndef HEDDLE_TWIN_PARTS_OUTCOMES_H
#define HEDDLE_TWIN_PARTS_OUTCOMES_H
#include "base/common.h"
#include "base/vec.h"
#include "text.h"

typedef struct Outcome {
    uint64_t word[PARTS_RESULTS][2];
} Outcome;
typedef Vec(Outcome) Outcomes;

static inline Outcome outcome_none(void)
{
    Outcome o;
    for (int i = 0; i < PARTS_RESULTS; i++)
        o.word[i][0] = o.word[i][1] = PARTS_UNTOUCHED;
    return o;
}
static inline void outcome_put(Outcome *o, int slot, Wide value)
{
    o->word[slot][0] = (uint64_t)value;
    o->word[slot][1] = (uint64_t)(value >> 64);
}
void outcomes_sort(Outcomes *set); /* and drops what is there twice */

/* By a machine whose memory is bytes, and each access one step: sc, tso or pso. Under tso and pso a
 * load that overlaps an older store in its thread's buffer waits for it, unless the newest such
 * store covers it. */
typedef enum MachineKind { MACHINE_SC, MACHINE_TSO, MACHINE_PSO } MachineKind;
void machine_run(const Program *program, MachineKind kind, Outcomes *to);
/* By the axioms of rc11, one candidate after the other. */
void candidates_run(const Program *program, Outcomes *to);
#endif

/* causal.h: PRAM (Lipton and Sandberg, 1988), causal memory (Ahamad and others, 1995) and causal
 * convergence (Bouajjani, Enea, Guerraoui and Hamza, POPL 2017) of registers and of stores of keys
 * in which no value is written twice to a key, so that a read tells the write it read from.
 *
 *   PRAM          for each process there is a serial order of all writes and its own reads that
 *                 keeps the order of every process;
 *   causal        for each process there is one that keeps causality: the order of every process,
 *                 writes before those who read from them, and what follows from both;
 *   convergence   there is one order of all writes that keeps causality, and a read gives the last
 *                 of the writes that are causally before it.
 *
 * Polynomial: near-linear in the operations for a fixed number of processes. They are not local:
 * the group must have all keys of the object. Depends on libc only. */
#ifndef HEDDLE_LINEAR_CAUSAL_H
#define HEDDLE_LINEAR_CAUSAL_H
#include "judge/linear/linearize.h"
#include "judge/linear/monitor.h"

typedef enum CausalModel { CAUSAL_PRAM, CAUSAL_MEMORY, CAUSAL_CONVERGENCE } CausalModel;

/* Decides MODEL. NULL, or why it could not: "values", "memory", "time", "interrupted". A violation
 * is a circle of operations of which each must come before the next, with those that say so. */
const char *causal_check(const Plan *plan, const PlanGroup *group, CausalModel model,
                         const LinearizeLimits *limits, MonitorResult *result);
#endif

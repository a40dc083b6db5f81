/* pram.h: PRAM of any object (pipelined consistency: Perrin, Mostefaoui and Jard, PPoPP 2016), by a
 * search: for each process there is a serial order of all operations that keeps the order of every
 * process and gives this process its results; those of others may be any. Depends on libc only. */
#ifndef HEDDLE_LINEAR_PRAM_H
#define HEDDLE_LINEAR_PRAM_H
#include "judge/linear/checker_internal.h"

/* Fills checker->monitor; NULL, or why it could not decide: "memory", "time", "configurations", ...
 * The core of a violation are operations of one process whose results no such order gives. */
const char *pram_search(Checker *checker, const Plan *plan, const PlanGroup *group,
                        const LinearizeLimits *limits);
#endif

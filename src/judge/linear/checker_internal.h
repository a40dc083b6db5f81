/* checker_internal.h: what checker.c and explain.c share. */
#ifndef HEDDLE_LINEAR_CHECKER_INTERNAL_H
#define HEDDLE_LINEAR_CHECKER_INTERNAL_H
#include "judge/linear/chain.h"
#include "judge/linear/checker.h"
#include "judge/linear/deque.h"
#include "judge/linear/sums.h"
#include "judge/linear/turns.h"

typedef Vec(LinearizeOp) LinearizeOps;

struct Checker {
    const Spec *spec;
    bool monitors;
    unsigned session;
    Automaton *automaton;
    Linearizer *linearizer;
    MonitorResult monitor;
    Chain chain;
    Turns turns;
    Deque deque;
    Sums *sums;
    LinearizeOps ops;
    Vec(uint64_t) before; /* of the group, cut out of the history's */
};

/* Fills checker->ops from operations of the history. */
void checker_load(Checker *checker, const Plan *plan, const uint32_t *members, size_t count);
/* The problem of those, in the order of the history. */
LinearizeProblem checker_problem(Checker *checker, const Plan *plan, const uint32_t *members);
#endif

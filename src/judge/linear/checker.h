/* checker.h: one group of a history (plan.h) against a specification: by a near-linear monitor
 * where one applies, else by the general search; and, after a violation, the evidence a person
 * needs. */
#ifndef HEDDLE_LINEAR_CHECKER_H
#define HEDDLE_LINEAR_CHECKER_H
#include "judge/linear/linearize.h"
#include "judge/linear/monitor.h"

typedef Vec(uint32_t) Indexes; /* of operations */
typedef struct Checker Checker;
/* MONITORS: may near-linear monitors be used? SPEC must outlive it. */
Checker *checker_new(const Spec *spec, bool monitors);
void checker_free(Checker *checker); /* NULL is allowed */
/* From now on, groups are judged by session guarantees (session.h) instead of linearizability; 0:
 * no longer. */
void checker_set_session(Checker *checker, unsigned guarantees);

typedef struct GroupVerdict {
    Verdict verdict;
    const char *reason;      /* inconclusive: "time", "memory", "configurations", "interrupted",
                           "values" (session.h can't tell versions) */
    bool by_monitor;         /* without a search */
    bool by_bounds;          /* namely by bounds.h */
    bool by_session;         /* by session.h */
    bool by_isolation;       /* by judge/isolation */
    uint64_t configurations; /* visited by the search */
    uint32_t ended;     /* operation of the history at whose return no order was left, or NONE */
    uint32_t settled;   /* operations of the group that had returned by then */
    bool at_the_latest; /* there may have been none left before that */
    uint32_t stuck; /* stuck histories: the pending operation that need not have waited, or NONE */
} GroupVerdict;
GroupVerdict checker_group(Checker *checker, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits);

/* A serial order of the group's operations that the specification allows, by a search; pending ones
 * that need not happen are left out. False if there is none or the limits are reached. The order is
 * checked step by step before it is given. */
bool checker_witness(Checker *checker, const Plan *plan, const PlanGroup *group,
                     const LinearizeLimits *limits, Indexes *order);

/* Why a group is not linearizable. */
typedef struct DeadEndText {
    Vec(uint32_t) order; /* operations of the history */
    uint32_t next;       /* the operation that does not fit, or LINEARIZE_NONE */
    Buffer state;        /* the specification's state there */
    Buffer allowed;      /* "read must return 3" */
} DeadEndText;
typedef struct Explanation {
    uint32_t ended; /* as in GroupVerdict, also where a monitor decided */
    uint32_t settled;
    bool at_the_latest;    /* it ends there or before: where exactly, could not be found out */
    Vec(uint32_t) core;    /* operations that contradict each other, in the order of their calls */
    Vec(uint32_t) context; /* others that name the same values, whatever they gave; those that are
                              pending need not have happened */
    bool minimal; /* the core contradicts itself whatever all others gave, and whether or not they
                     happened; with any one of the core as free, the rest fits */
    bool judged_again;     /* the slow check (slow.h) finished on what was left, and agrees */
    const char *why;       /* in a few words, if a monitor knows */
    Vec(DeadEndText) ends; /* the last orders, and why the next operation does not fit */
} Explanation;
void checker_explain(Checker *checker, const Plan *plan, const PlanGroup *group,
                     const GroupVerdict *verdict, const LinearizeLimits *limits,
                     Explanation *explanation);
void explanation_free(Explanation *explanation);
#endif

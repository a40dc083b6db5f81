/* linearize_problem.h: what those are asked who look for a serial order: operations with their
 * calls and returns, or the order among them, a specification, and when to give up. linearize.h
 * searches for any specification; judge/quasi has searches of its own for relaxed ones. Depends on
 * libc only. */
#ifndef HEDDLE_LINEAR_LINEARIZE_PROBLEM_H
#define HEDDLE_LINEAR_LINEARIZE_PROBLEM_H
#include "judge/spec/automaton.h"

#define LINEARIZE_PENDING UINT32_MAX
#define LINEARIZE_NONE UINT32_MAX
/* In `follows`: it is the first that changes the cell. */
#define LINEARIZE_START (UINT32_MAX - 1)

typedef struct LinearizeOp {
    uint32_t label;            /* of the automaton */
    uint32_t called, returned; /* positions; returned is LINEARIZE_PENDING if it never did */
    bool optional;             /* it may have happened, between call and return, or not at all */
} LinearizeOp;

typedef struct LinearizeProblem {
    Automaton *automaton;
    const LinearizeOp *ops;
    uint32_t count;
    /* NULL: the order is that of the intervals. Else row x (of (count + 63) / 64 words) has bit y
     * if y must come before x; transitively closed; `called` is then not looked at, and `optional`
     * must be false. */
    const uint64_t *before;
    /* LINEARIZE_NONE, or the label of an operation that waits for ever at the end: the serial order
     * must then end in a state where it has to wait (Line-Up's stuck histories). */
    uint32_t stuck;
    /* NULL, or facts that hold in every serial order (chain.h), for interval orders: the state
     * consists of cells, op changes (or reads) cells[op]; of those that change that cell it comes
     * directly after follows[op] and directly before leads[op]; each is LINEARIZE_NONE if nothing
     * is known. The state must tell which operation changed each cell last. */
    const uint32_t *follows, *leads, *cells;
    uint32_t cell_count;
    /* NULL, or operations that may be put into the order before op without loss (turns.h), for
     * interval orders: earlier[earlier_first[op] .. earlier_first[op + 1]). None is pending. */
    const uint32_t *earlier_first, *earlier;
    bool earlier_certain; /* and must be: also where one of them is not even called yet */
} LinearizeProblem;

/* When to give up; 0 is never. The clock is looked at every few thousand steps. */
typedef struct LinearizeLimits {
    double deadline; /* in seconds of CLOCK_MONOTONIC */
    size_t memory;   /* bytes that search, automaton and values may take */
    uint64_t configurations;
    const volatile int *stop; /* NULL, or not 0 once somebody wants an end */
} LinearizeLimits;
/* "time" or "interrupted", if the deadline is over or somebody wants an end; else NULL. */
const char *linearize_end_wanted(const LinearizeLimits *limits);
/* A pending operation that only reads is left out: it may not have happened, and nobody sees it. */
bool linearize_ignored(const LinearizeProblem *problem, uint32_t op);
#endif

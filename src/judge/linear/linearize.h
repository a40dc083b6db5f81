/* linearize.h: is there a serial order of the operations that respects their real-time order and
 * that the specification allows? Just-in-time linearization (Wing and Gong; Lowe) with a memo of
 * visited configurations, on any automaton: plain, observed, relaxed. Interval orders (recorded
 * histories) of any length and width, and general partial orders (execution graphs). Pending
 * operations may happen or not, with any result. A Linearizer keeps its memory between searches: in
 * steady state nothing is allocated. Depends on libc only. */
#ifndef HEDDLE_LINEAR_LINEARIZE_H
#define HEDDLE_LINEAR_LINEARIZE_H
#include "judge/spec/automaton.h"
#include "record/kinds.h"

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

typedef struct LinearizeResult {
    Verdict verdict;         /* holds, violated or inconclusive */
    const char *reason;      /* of inconclusive: "time", "memory", "configurations" */
    uint64_t configurations; /* visited */
    /* holds: the serial order found. Valid until the next search. */
    const uint32_t *order;
    uint32_t order_count;
    /* otherwise, for interval orders: the operation at whose return no order was left; everything
     * that returned before it is linearizable. For partial orders: LINEARIZE_NONE. */
    uint32_t blocked;
    uint32_t settled; /* operations that had returned by then, or the most that were put in order */
    bool at_the_latest; /* there may have been none left before that */
} LinearizeResult;

typedef struct Linearizer Linearizer;
Linearizer *linearizer_new(void);
void linearizer_free(Linearizer *linearizer); /* NULL is allowed */
size_t linearizer_memory(const Linearizer *linearizer);
LinearizeResult linearize(Linearizer *linearizer, const LinearizeProblem *problem,
                          const LinearizeLimits *limits);

/* One of the orders that got as far as any: why the search ended there. */
typedef struct LinearizeDeadEnd {
    const uint32_t *order; /* valid until the next search */
    uint32_t count;
    uint32_t state; /* of the automaton, after the order */
} LinearizeDeadEnd;
/* After a violation: up to MOST orders that reach the furthest point, in different states, found by
 * searching again; *result then says where that is, if it did not. Returns how many there are in
 * dead_ends. */
size_t linearize_dead_ends(Linearizer *linearizer, const LinearizeProblem *problem,
                           const LinearizeLimits *limits, LinearizeResult *result,
                           LinearizeDeadEnd *dead_ends, size_t most);
#endif

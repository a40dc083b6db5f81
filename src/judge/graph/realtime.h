/* realtime.h: does every history that one execution admits have a witness? An execution fixes a
 * partial order P on the calls and returns of its operations; which operations overlap in real time
 * is up to the scheduler, so it stands for many histories. Algorithm B3: find one serial order S
 * for the weakest of them, and branch only on real-time edges that could be added and that S does
 * not satisfy. Depends on libc only. */
#ifndef HEDDLE_GRAPH_REALTIME_H
#define HEDDLE_GRAPH_REALTIME_H
#include "judge/quasi/def4.h"

#define REALTIME_MOST 32u /* operations: call and return of each are bits of one word */

#define REALTIME_SWEEP_AFTER 16u /* searches */

/* The order P: successors[e] has bit f if e comes before f; transitively closed. Event 2k is the
 * call of operation k, 2k + 1 its return. All have returned: one that waits for ever is `stuck`,
 * the others that wait with it are left out (Definition 3 of Line-Up asks about one at a time). */
typedef struct RealtimeOrder {
    uint64_t successors[2 * REALTIME_MOST];
} RealtimeOrder;

/* May the edge "A returns before B is called" be added to P? NULL: whenever P stays acyclic (sc).
 * Under weak models the execution graph must stay consistent with it. Must be monotone: what can't
 * be added to P can't be added to more than P. */
typedef bool RealtimeAddable(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b);

/* How much of a history a serial order has to keep. */
typedef enum RealtimeNotion {
    REALTIME_LINEARIZABLE, /* every operation that returned before another was called comes first */
    /* only where at some moment between the two no operation was in progress: quiescent consistency
     * (Shavit and others) */
    REALTIME_QUIESCENT,
    REALTIME_SEQUENTIAL, /* nothing but the given order, which is that of each thread */
    /* Set linearizability (Neiger) with multiplicity (Castaneda, Rajsbaum and Raynal): operations
     * of `together` with equal labels that overlap pairwise may take effect at once, as one. */
    REALTIME_SET
} RealtimeNotion;

typedef struct Sweep Sweep; /* sweep.h */

typedef struct RealtimeProblem {
    RealtimeNotion notion;
    /* Operations that failed, which means that they did nothing: each of them counts as not made in
     * histories in which it overlaps another operation. Linearizability only, without def4. */
    uint32_t failed;
    /* Operations whose effect may come after they have returned (Line-Up's asynchronous methods):
     * each is in progress until the history ends, so that it comes before no other. */
    uint32_t late;
    uint32_t together; /* REALTIME_SET: operations that may take effect with others as one */
    Automaton *automaton;
    /* NULL, or decides by Definition 4 (def4.h) instead: its automaton, classes and class are used.
     * Only edges inside a class count then. Without `addable` only: the lemma needs intervals. */
    const Def4Problem *def4;
    uint32_t count;
    const uint32_t *labels; /* by operation */
    uint32_t stuck;         /* as in LinearizeProblem */
    /* NULL, or a guess at the order in which the operations take effect: serial orders near it are
     * tried first. The nearer it is, the fewer edges are left to add. */
    const uint32_t *rank;
    uint64_t most_searches;   /* 0: no limit; beyond it the answer is inconclusive */
    RealtimeAddable *addable; /* may be NULL */
    void *context;
    /* NULL, or takes over linearizability without `failed`, `late`, def4 and `addable` where there
     * are many histories: after REALTIME_SWEEP_AFTER searches, again after 16 times as many if it
     * gives up
     */
    Sweep *sweep;
} RealtimeProblem;

typedef struct RealtimeResult {
    Verdict verdict;
    const char *reason;  /* of inconclusive */
    uint64_t searches;   /* for a serial order */
    RealtimeOrder order; /* violated: no history of P with these edges added has a serial order (of
                            quiescent consistency: only the edges that it has to keep) */
    uint32_t left_out;   /* operations that count as not made there */
} RealtimeResult;

/* Checks all histories of ORDER. */
RealtimeResult realtime_check(Linearizer *linearizer, const RealtimeProblem *problem,
                              const RealtimeOrder *order, const LinearizeLimits *limits);
/* Adds the edge from event A to event B and what follows; false if that makes a cycle. */
bool realtime_add(RealtimeOrder *order, uint32_t events, uint32_t a, uint32_t b);
#endif

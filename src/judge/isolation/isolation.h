/* isolation.h: which isolation levels a history of transactions has, and the anomalies that rule
 * the others out (levels.h). Exact: where the history does not tell the order of the versions, all
 * orders are searched, and the answer says so. Inconclusive with "values" where versions can't be
 * told apart at all. Depends on libc only. */
#ifndef HEDDLE_ISOLATION_ISOLATION_H
#define HEDDLE_ISOLATION_ISOLATION_H
#include "judge/isolation/orders.h"

/* An anomaly that was found, as an example. */
typedef struct IsolationAnomaly {
    Anomaly anomaly, also; /* also: a more special name, or ANOMALY_COUNT */
    unsigned through;      /* DEPENDS_PROCESS or DEPENDS_TIME, if the cycle needs them */
    size_t count;          /* how many there are; 0: not counted */
    Cycle cycle;           /* or none, and: */
    uint32_t reader, step, other, key; /* as in VersionFound */
    bool supposed; /* part of a proof: one of these is there, whichever order the writes have */
} IsolationAnomaly;

typedef enum IsolationHow {
    ISOLATION_TOLD,     /* the history tells all orders that matter */
    ISOLATION_GUESSED,  /* a serial schedule gave an order of the versions in which all is well */
    ISOLATION_SEARCHED, /* all orders of the versions were searched */
} IsolationHow;

typedef struct Isolation {
    Transactions txns;
    Versions versions;
    Dependencies graph;
    bool has_graph;
    Components cyclic; /* of that graph, as far as it is certain: all of its cycles */
    Verdict verdicts[LEVEL_COUNT];
    bool judged[LEVEL_COUNT];
    IsolationHow how;
    const char *reason; /* of inconclusive: "values", "orders", "time", "interrupted", "memory" */
    Vec(IsolationAnomaly) anomalies;
} Isolation;

/* Judges LEVEL, or all of them (LEVEL_AUTO). EXPLAIN: anomalies are collected. Free it. */
void isolation_judge(Isolation *isolation, const Plan *plan, const PlanGroup *group, Level level,
                     bool explain, const LinearizeLimits *limits);
/* The answer for LEVEL; for LEVEL_AUTO it holds if any level does. */
Verdict isolation_verdict(const Isolation *isolation, Level level);
/* The levels that hold such that no stronger one does, as bits. */
unsigned isolation_strongest(const Isolation *isolation);
/* Does the anomaly rule LEVEL out? */
bool isolation_rules_out(const IsolationAnomaly *anomaly, Level level);
void isolation_free(Isolation *isolation);

/* G-single-realtime */
void isolation_print_name(const IsolationAnomaly *anomaly, Buffer *out);
/* Why the edge is there: `T2 appended 3 to "x" after T1 appended 2` */
void isolation_print_edge(const Isolation *isolation, const CycleEdge *edge, Buffer *out);
const char *isolation_kind_word(unsigned kind); /* ww, wr, rw, process, real time */
/* The value that was read, for an anomaly that is no cycle. */
void isolation_print_found(const Isolation *isolation, const IsolationAnomaly *anomaly,
                           Buffer *out);
/* All of it, as text for people. */
void isolation_print(const Isolation *isolation, Level level, Buffer *out);
#endif

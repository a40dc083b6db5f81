/* report.h: the answer of `heddle history` for people and for programs. */
#ifndef HEDDLE_CLI_HISTORY_REPORT_H
#define HEDDLE_CLI_HISTORY_REPORT_H
#include "judge/isolation/isolation.h"
#include "judge/linear/checker.h"
#include "judge/history/log.h"
#include <stdio.h>

typedef struct HistoryRun {
    const History *history;
    LogFormat format;
    Plan plan;
    Verdict verdict;
    const char *reason;      /* inconclusive; "nil-reads": with the evidence of a violation */
    uint32_t group;          /* of the violation, or of what was not finished */
    GroupVerdict answer;     /* of that group */
    Explanation explanation; /* violated */
    uint64_t configurations;
    uint32_t groups_done, monitored; /* parts that were decided; those without a search */
    Verdict without_nil; /* violated if nil is a value: the answer if nobody knows what it was */
    bool has_witness;    /* a serial order was asked for and found */
    Vec(uint32_t) witness;
    Isolation *isolation; /* of transactions: the evidence; else NULL */
    Level level;          /* which was judged then */
    double seconds;       /* checking, all logs together */
} HistoryRun;

/* A log, or a history in it, that could not be read or makes no sense to the specification. */
typedef struct HistoryProblem {
    const char *file;
    const char *message;
} HistoryProblem;

typedef struct HistorySummary {
    const char *spec;
    const HistoryProblem *problems;
    size_t problem_count;
    HistoryRun *runs;
    size_t count;
    bool relaxed;            /* by --quasi */
    NilReads nil_reads;      /* --nil-reads */
    const char *consistency; /* as --consistency names it; NULL: linearizable */
    double seconds;          /* reading and checking */
} HistorySummary;

/* violated if any is, else inconclusive if any is, or could not be read. */
Verdict history_summary_verdict(const HistorySummary *summary);
/* The kind of the first violation. */
ViolationKind history_summary_violation(const HistorySummary *summary);
/* `object m, key "x"`: the part that the verdict is about; nothing if there is only one. */
void history_report_part(const HistoryRun *run, Buffer *out);
void history_report_text(const HistorySummary *summary, FILE *out);
/* Prints one object, as the command line's contract says; false if it can't be written. */
MUST_USE bool history_report_json(const HistorySummary *summary, FILE *out);
#endif

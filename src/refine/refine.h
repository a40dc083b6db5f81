/* refine.h: does every behaviour of a model's implementation, of any length, with clients that call
 * for ever, refine its specification? Decided by search of all pairs (state of the implementation,
 * set of states of the specification that explain what clients saw); see search.c. */
#ifndef HEDDLE_REFINE_REFINE_H
#define HEDDLE_REFINE_REFINE_H
#include "model/program.h"
#include "record/kinds.h"

typedef struct RefineFigures {
    uint64_t states;                /* pairs visited */
    uint64_t implementation_states; /* different states of the implementation among them */
    uint64_t specification_states;
    uint64_t transitions;
    uint64_t depth; /* transitions from the start */
    uint64_t frontier;
    uint64_t memory_bytes;
    double seconds;
} RefineFigures;

typedef struct RefineJournal RefineJournal; /* journal.h */

typedef struct RefineOptions {
    const Model *model;
    const Module *specification; /* NULL: visit all states, nothing to refine */
    const int *factors;          /* quasi factor by operation of the implementation; NULL: all 0 */
    const int *classes;          /* operations of one class are permuted together */
    /* reductions, each can be switched off */
    bool no_fusion, no_thread_symmetry, no_value_symmetry, no_node_symmetry, no_antichain,
        no_pruning;
    int jobs;
    double time_limit;     /* seconds; 0: none */
    uint64_t memory_limit; /* bytes; 0: none */
    uint64_t state_limit;  /* 0: none */
    double seconds_used;   /* by searches before, which count towards the limits */
    uint64_t states_used;
    bool traces;           /* compares traces only: that no thread can go on is no violation */
    bool collect_outcomes; /* of the observations, when all threads have finished */
    void (*progress)(void *data, const RefineFigures *figures); /* about once a second */
    void *progress_data;
    RefineJournal *journal; /* goes on from it, and writes it; NULL: none */
} RefineOptions;

/* One transition of a counterexample. */
typedef struct RefineStep {
    int thread; /* 0-based */
    const ModelOperation *operation;
    bool invokes, responds;
    int64_t arguments[MODEL_MAX_PARAMETERS]; /* when it invokes; data values are numbered by call */
    int64_t result;                          /* when it responds */
    const Edge **edges;                      /* the atomic steps made */
    int edge_count;
    const char **values; /* what each global of the implementation holds then; NULL: nobody knows */
} RefineStep;

typedef struct RefineResult {
    Verdict verdict;
    ViolationKind violation;
    bool is_model_error; /* the model itself is at fault (its bounds, its specification): no
                          * verdict */
    bool is_exhaustive;
    const char *message;  /* what is wrong, or why the answer is inconclusive; NULL: nothing */
    Place place;          /* of a fault */
    const char **allowed; /* results that the specification allows instead of the last one */
    int allowed_count;
    const char *specification_state; /* in words, where it matters; NULL otherwise */
    RefineStep *steps;               /* the counterexample, a shortest one */
    int step_count;
    const char **initial_values; /* of the globals, before the first step; NULL if there is none */
    RefineFigures figures;
    const char **outcomes; /* sorted, each "r1=0 r2=1" */
    int outcome_count;
} RefineResult;

/* Fails on options that do not fit the model, and on a damaged journal; everything else is a
 * result. */
MUST_USE bool refine_run(Arena *arena, const RefineOptions *options, RefineResult *result,
                         Error *error);
#endif

/* judge.h: is one history quasi linearizable? The definition, tried out by brute force: slow,
 * obvious, and sharing nothing with the search but the steps of the specification itself. It judges
 * every counterexample again before it is shown, and it is the twin in the tests.
 *
 * A history is explained if there is a sequence pi of its completed calls, any of its pending ones
 * (with any results), and some calls more after all these (any calls: what a client might do next),
 * that keeps the order of calls of which one ended before the other began; and a legal sequence
 * pi', which is pi with each class of operations permuted within its own slots, none moved by more
 * than the factor of its class. */
#ifndef HEDDLE_REFINE_JUDGE_H
#define HEDDLE_REFINE_JUDGE_H
#include "refine/automaton.h"

enum { JUDGE_MAX_CALLS = 16 };

typedef struct JudgedCall {
    int operation;  /* of the implementation */
    int thread;     /* 1-based */
    int begin, end; /* positions in the history; end is INT_MAX for a pending call */
    int result;     /* of a completed call */
    unsigned char arguments[64];
} JudgedCall;

typedef struct JudgedHistory {
    JudgedCall calls[JUDGE_MAX_CALLS];
    int count;
} JudgedHistory;

typedef enum Judgement { JUDGE_EXPLAINED, JUDGE_UNEXPLAINED, JUDGE_GAVE_UP } Judgement;

/* The automaton must be one without factors (a plain specification). extension: how many more calls
 * are tried after the history. Gives up after so many steps of the specification. */
Judgement judge_history(Automaton *plain, const AutomatonOptions *options,
                        const JudgedHistory *history, int extension, long steps);
#endif

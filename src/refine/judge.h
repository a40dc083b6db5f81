/* judge.h: is one history quasi linearizable? The definition, slot by slot: slow, obvious, and
 * sharing nothing with the search but the steps of the specification and the renaming of its data
 * values. It judges every counterexample again before it is shown, and it is the twin in the tests.
 *
 * A history is explained if there is a sequence pi of its completed calls, any of its pending ones
 * (with any results), and any number of calls more (any calls: what a client might do next), that
 * keeps the order of calls of which one ended before the other began, so that the calls more come
 * after the completed ones; and a legal sequence pi', which is pi with each class of operations
 * permuted within its own slots, none moved by more than the factor of its class.
 *
 * No bound on the calls more is assumed. pi and pi' are written side by side, one slot after the
 * other: a slot reads the next call of pi and executes the next call of pi'. What the rest of the
 * two can be depends on the past only through a configuration: the specification's state, the calls
 * of the history that were read and those that were executed, the other calls of which one of the
 * two has happened, and for each call of which only one has happened the number of slots of its
 * class since. That number is at most the factor, at most as many calls as twice the factors are
 * between the two, and the specification has finitely many states up to the names of data values
 * that the calls more bring, which are renumbered in each configuration (values are only copied, so
 * a name that occurs nowhere any more is as good as a new one). So there are finitely many
 * configurations, and the history is explained exactly if one is reachable in which all completed
 * calls were read and nothing was only read or only executed. All of them are visited. */
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

/* The automaton must be one without factors (a plain specification). Gives up after so many steps
 * of the specification. */
Judgement judge_history(RefAutomaton *plain, const AutomatonOptions *options,
                        const JudgedHistory *history, long steps);
#endif

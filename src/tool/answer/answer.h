/* answer.h: what a command found out about a program, with its bounds and its evidence: all that
 * reports need. Values; the strings and the record belong to whoever filled it in (an arena). */
#ifndef HEDDLE_ANSWER_ANSWER_H
#define HEDDLE_ANSWER_ANSWER_H
#include "base/vec.h"
#include "record/link.h"
#include "record/kinds.h"

typedef struct Answer Answer;
struct Answer {
    const char *command; /* "run" */
    const char *subject; /* "queue.c", or "queue.c and 2 more" */
    Verdict verdict;
    ViolationKind violation;
    bool exhaustive;     /* everything within the model was explored */
    bool doubted;        /* inconclusive: a violation was replayed, but in code that nobody sees */
    bool internal;       /* the tool itself failed: exit status 4 */
    const char *message; /* violated: what is wrong, in one sentence; or NULL */
    const char *reason;  /* inconclusive: why, in one sentence; or NULL */
    const char *model;   /* "rc11" */
    const char *bounds;  /* what limited the search, e.g. "at most 2 preemptions"; or NULL */

    uint64_t executions, blocked, stuck, cut, histories, events, revisits;
    uint64_t restarts, promoted;
    double estimate, estimate_error; /* complete executions that there are, by Knuth's estimate, and
                                        its standard error; 0: there is none */
    double seconds;                  /* of the exploration, by the wall clock */
    double cpu_seconds;              /* of the exploration, by CPU time */
    double build_seconds;            /* compiler and linker */
    long peak_rss_kb;                /* of the program under test */

    /* check */
    uint64_t tests, serial_runs;
    double serial_seconds;   /* CPU time of the serial runs */
    const char *coverage;    /* which tests were made, or NULL */
    const char *scenario;    /* the failing test: "put(1) get() | put(2)", or NULL */
    const char *shape;       /* its shape, "2x2": the smallest that was seen to fail */
    const char *explanation; /* lines: serial orders and where each fails, or NULL */
    const char *overtaking;  /* what is wrong with which element, in a sentence, or NULL */
    const char
        *closest; /* the allowed outcome nearest to what was seen: "get() = 1 | ...", or NULL */
    const LinkOrder *orders; /* the same as data, with order_text; NULL if there are none */
    uint32_t order_count;
    const char *order_text;

    uint64_t tests_by_states; /* of the tests: decided by `test_states` states, not by executions */
    uint64_t test_states;
    /* check --unbounded */
    uint64_t states, transitions, states_bytes; /* states: 0 if it was not asked for */
    const char *progress; /* which promise of progress the states prove, or NULL */

    /* annotated programs */
    uint64_t judged;         /* executions */
    uint64_t several;        /* of these: with several sequential histories of one object */
    uint64_t most_histories; /* of one object in one execution */

    const char *record_path;   /* a file that `heddle replay` takes, or NULL */
    const char *replay_words;  /* options that it needs for that: "--allow-outside ", or NULL */
    const Record *record;      /* the execution that shows the violation, as replayed; or NULL */
    const Record *found;       /* the same as first found: what is saved */
    const char *program;       /* the executable that it ran in, for names; or NULL */
    Vec(const char *) remarks; /* warnings that go with the answer */

    const char *quasi; /* the quasi factors, or NULL */
    /* --quasi=auto: for each factor that was found, the answer with one less */
    const Answer *rejected;
    uint32_t rejected_count;
};

/* Is there an execution that goes wrong, to be shown and saved, whatever the verdict? */
static inline bool answer_shows_violation(const Answer *answer)
{
    return answer->verdict == VERDICT_VIOLATED || answer->doubted;
}
/* The status that the command ends with: 0 holds, 1 violated, 3 inconclusive, 4 internal error. */
int answer_exit_status(const Answer *answer);
#endif

/* answer.h: what a command found out about a program, with its bounds and its evidence: all that
 * reports need. Values; the strings and the record belong to whoever filled it in (an arena). */
#ifndef HEDDLE_ANSWER_ANSWER_H
#define HEDDLE_ANSWER_ANSWER_H
#include "base/vec.h"
#include "record/estimate.h"
#include "record/link.h"
#include "record/kinds.h"
#include "tool/answer/repair.h"

/* --keep-going: why tests fail. */
typedef struct AnswerCause {
    ViolationKind violation;
    const char *operations; /* the calls that are to blame: "TryTake = none"; or "" */
    const char *place;      /* the last access of the first of them; or "" */
    const char *test, *shape;
    uint64_t tests;                    /* that fail for it */
    bool confirmed;                    /* its small test was explored and replayed by itself */
    const char *message, *record_path; /* what that showed; or NULL */
} AnswerCause;

/* Holds what was asked for, so that advice does not name what was tried. */
typedef struct AnswerAsked {
    ExploreOptions explore;
    uint64_t hang_ms;
    bool journal, optimised;
    const char *unseen; /* what --trust would name: the first code that ran and nobody sees; or NULL
                         */
} AnswerAsked;

typedef struct Answer Answer;
struct Answer {
    const char *command; /* "run" */
    const char *subject; /* "queue.c", or "queue.c and 2 more" */
    Verdict verdict;
    ViolationKind violation;
    bool exhaustive;      /* everything within the model was explored */
    bool doubted;         /* inconclusive: a violation was replayed, but in code that nobody sees */
    bool baseline, known; /* --baseline was given, and lists this violation: it is no news */
    bool internal;        /* the tool itself failed: exit status 4 */
    const char *message;  /* violated: what is wrong, in one sentence; or NULL */
    const char *reason;   /* inconclusive: why, in one sentence; or NULL */
    const char *model;    /* "rc11" */
    const char *bounds;   /* what limited the search, e.g. "at most 2 preemptions"; or NULL */

    uint64_t executions, blocked, stuck, cut, events, revisits;
    Estimate estimate;    /* of the number of complete executions that there are */
    double seconds;       /* of the exploration, by the wall clock */
    double build_seconds; /* compiler and linker */
    long peak_rss_kb;     /* of the program under test */

    /* The outcome as the program told it, with tests, coverage, explanation and so on. Its verdict,
     * violation and reason are not yet the answer's. */
    Outcome outcome;

    const char *record_path;   /* a file that `heddle replay` takes, or NULL */
    const char *replay_words;  /* options that it needs for that: "--allow-outside ", or NULL */
    const Record *record;      /* the execution that shows the violation, as replayed; or NULL */
    const Record *found;       /* the same as first found: what is saved */
    const char *program;       /* the executable that it ran in, for names; or NULL */
    Vec(const char *) remarks; /* warnings that go with the answer */

    const char *promise; /* --relax=auto: the strongest promise that holds, in a word; or NULL */
    /* tests of a framework, each explored by itself (cli/cases.h) */
    const char *name; /* of one that is in the list of another answer, or NULL */
    const Answer *cases;
    uint32_t case_count;

    /* --keep-going: as the program counted them, and as they are told; or NULL */
    const CausesShared *shared_causes;
    const AnswerCause *causes;
    uint32_t cause_count;

    const AnswerAsked *asked; /* NULL: not known */
    const char *shorter; /* inconclusive: what the tool found out about smaller tests; or NULL */

    const Repair *repair; /* violated: the memory orders that would mend it; NULL: nobody looked */

    /* --quasi=auto: for each factor that was found, the answer with one less */
    const Answer *rejected;
    uint32_t rejected_count;
};

/* Is there an execution that goes wrong, to be shown and saved, whatever the verdict? */
static inline bool answer_shows_violation(const Answer *answer)
{
    return answer->verdict == VERDICT_VIOLATED || answer->doubted;
}
/* Returns what the test file may have meant, where memory orders have nothing to do with it; or
 * NULL. */
static inline const char *answer_hint(const Answer *answer)
{
    bool by_orders = answer->repair && answer->repair->end != REPAIR_STRONGER_MODEL;
    return answer_shows_violation(answer) && !by_orders ? answer->outcome.hint : NULL;
}
/* Returns what an answer of rc11 says of load buffering: "impossible" (it holds under IMM, too),
 * "possible", "unknown"; NULL: nothing, since it is another model's or does not hold. */
const char *answer_load_buffering(const Answer *answer);
/* Returns that for read-modify-writes as single instructions (LSE, AMO): "impossible", "unknown" or
 * NULL. */
const char *answer_load_buffering_lse(const Answer *answer);
/* The status that the command ends with: 0 holds, 1 violated, 3 inconclusive, 4 internal error. */
int answer_exit_status(const Answer *answer);
#endif

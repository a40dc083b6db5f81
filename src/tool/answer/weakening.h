/* weakening.h: what `heddle weaken` finds out: the memory orders of a program, the weaker ones that
 * were tried in their place and what came of it. Plain data: the processes that try fill it in
 * shared memory; the strings belong to whoever made the list. */
#ifndef HEDDLE_ANSWER_WEAKENING_H
#define HEDDLE_ANSWER_WEAKENING_H
#include "record/order_table.h"
#include "record/kinds.h"

#define WEAKEN_TRIES 4 /* seq_cst of a read-modify-write: relaxed, acq_rel, acquire, release */

/* X(NAME, word, heading) */
#define WEAKEN_ANSWERS(X)                                                                          \
    X(NEEDED, "needed", "Needed as they are")                                                      \
    X(WEAKER, "weaker", "Needed, but weaker ones are enough for these tests")                      \
    X(UNNEEDED, "unneeded", "Not seen to be needed by these tests")                                \
    X(UNKNOWN, "unknown", "Not decided")                                                           \
    X(UNREACHED, "unreached", "Not reached by these tests")
typedef enum WeakenAnswer {
#define X(name, word, heading) WEAKEN_##name,
    WEAKEN_ANSWERS(X)
#undef X
        WEAKEN_ANSWER_COUNT
} WeakenAnswer;
const char *weaken_operation_word(OrderOperation operation);
const char *weaken_answer_word(WeakenAnswer answer);
const char *weaken_answer_heading(WeakenAnswer answer);

typedef struct WeakenTry { /* the program with one order weakened */
    uint8_t to;            /* the order in its place: ORDER_* of the runtime */
    bool done, exhaustive;
    Verdict verdict;
    ViolationKind violation;
    uint64_t executions, blocked;
    double seconds;
    char text[320]; /* what goes wrong, or why that is not known */
    char test[128]; /* check: the smallest test that fails, or "" */
} WeakenTry;

typedef struct WeakenOrder {
    const char *file, *function;
    int line, column;
    unsigned ordinal; /* 1, 2... where the compiler gives several the same place; else 0 */
    OrderOperation operation;
    bool failure;  /* of a compare-exchange that fails */
    uint8_t order; /* as written */
    bool is_known; /* `order` is known: a test reached it */
    WeakenAnswer answer;
    const char *note; /* why it was not tried, or NULL */
    unsigned try_count;
    WeakenTry tries[WEAKEN_TRIES];
} WeakenOrder;

typedef struct Weakening {
    const char *subject, *model, *mode; /* "run" or "check" */
    Verdict verdict;                    /* holds: all orders are decided */
    const char *reason;           /* inconclusive: why; strict: what is stronger than needed */
    uint64_t executions, blocked; /* of the program as it is */
    bool exhaustive;
    const char *coverage; /* check: which tests, or NULL */
    double seconds;
    unsigned library_orders;   /* inside the C++ library: not the user's to weaken */
    unsigned placeless_orders; /* in code without debug information: nobody knows where */
    WeakenOrder *at;
    unsigned count;
} Weakening;

unsigned weaken_count(const Weakening *weakening, WeakenAnswer answer);
/* Is it needed lest threads wait for ever? As the first try that goes wrong says. */
bool weaken_hangs(const WeakenOrder *order);
/* The next order to try in place of ORDER's, given what came of the tries so far; false if nothing
 * more can be learnt. Relaxed comes first, since most orders are needed, or not needed at all. A
 * weaker order only adds executions, so what holds with one order holds with all that are stronger,
 * and if the next weaker ones fail, nothing below can hold. */
bool weaken_next(const WeakenOrder *order, unsigned *to);
/* The answer that the tries give. */
WeakenAnswer weaken_judge(const WeakenOrder *order);
/* A try that holds and below which none does. */
bool weaken_is_weakest(const WeakenOrder *order, const WeakenTry *candidate);
#endif

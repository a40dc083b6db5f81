/* repair.h: what `heddle repair` finds out, and what `run` and `check` add to a violation: does the
 * program hold under stronger memory models, and with which stronger memory orders? Values; the
 * strings belong to whoever filled it in (an arena). */
#ifndef HEDDLE_ANSWER_REPAIR_H
#define HEDDLE_ANSWER_REPAIR_H
#include "record/kinds.h"
#include "record/memory_model.h"
#include "tool/answer/weakening.h"

typedef enum RepairKind {
    REPAIR_ORDER, /* another order in the place of the present one */
    REPAIR_FENCE_BEFORE,
    REPAIR_FENCE_AFTER
} RepairKind;

/* A change of one line of a file: LENGTH bytes from COLUMN (both count bytes, columns from 1)
 * become TEXT. Length 0 inserts; a whole new line ends with a newline, at column 1. */
typedef struct RepairEdit {
    const char *file;
    int line, column, length;
    const char *text;
} RepairEdit;

typedef struct RepairChange {
    const WeakenOrder *order; /* place, operation and present order */
    RepairKind kind;
    uint8_t to; /* ORDER_* */
    bool has_edit;
    RepairEdit edit;
} RepairChange;

typedef struct RepairWay { /* changes with which it holds; with no weaker ones does it */
    RepairChange *at;
    unsigned count;
    const char *patch; /* unified diff, or NULL: some change is not written out at its place */
} RepairWay;

/* X(NAME, word for scripts) */
#define REPAIR_ENDS(X)                                                                             \
    X(FOUND, "repaired")                                                                           \
    X(HOLDS, "holds")          /* there is nothing to repair */                                    \
    X(STRONGER_MODEL, "model") /* it is violated under sc, too */                                  \
    X(STRONGEST, "strongest")  /* it is violated with all orders at their strongest */             \
    X(NO_ORDERS, "no-orders")  /* it has no order that could be stronger */                        \
    X(NOT_FOUND, "not-found")  /* all sets up to a size were tried */                              \
    X(UNDECIDED, "undecided")
typedef enum RepairEnd {
#define X(name, word) REPAIR_##name,
    REPAIR_ENDS(X)
#undef X
        REPAIR_END_COUNT
} RepairEnd;
const char *repair_end_word(RepairEnd end);

typedef struct RepairModel { /* what a stronger memory model says */
    const char *model;
    Verdict verdict;
    bool known;
} RepairModel;

typedef struct Repair {
    RepairEnd end;
    const char *reason;    /* what remains with the strongest orders, or why it is undecided */
    RepairModel models[2]; /* sc, tso */
    unsigned model_count;
    RepairWay *ways; /* smaller ones first */
    unsigned count;
    unsigned places;  /* memory orders that could be stronger */
    unsigned decided; /* all sets of up to so many accesses were decided */
    bool minimal;     /* of each way, everything weaker is known to be violated */
    bool larger;      /* no set of up to three accesses is enough */
    bool with_fences; /* and fences were tried: alone, and with one more change */
    bool one_test;    /* only the failing test was explored, not all that the command makes */
    bool race;        /* what remains is a data race */
    uint64_t tried;   /* programs */
    double seconds, limit;
} Repair;
#endif

/* history_quasi.h: `heddle history --quasi=auto`: the smallest factors for which recorded histories
 * are quasi linearizable. */
#ifndef HEDDLE_CLI_HISTORY_QUASI_H
#define HEDDLE_CLI_HISTORY_QUASI_H
#include "judge/history/log.h"
#include "judge/linear/linearize.h"
#include "judge/quasi/relax.h"

typedef struct HistoryQuasi {
    Spec *inner;
    RelaxSemantics semantics;
    const Histories *histories;
    bool partition, monitors;
    LinearizeLimits limits; /* of all searches together */
    /* found: */
    Buffer factors; /* as --quasi takes them */
    Buffer remark;  /* a sentence */
} HistoryQuasi;
/* Replaces each `auto` of WANTED ("auto" alone: all operations that take something, as one group)
 * by one factor, the smallest that serves them all, or the largest that was tried if none does.
 * False and a message if the text is not understood or the limits are reached. */
MUST_USE bool history_quasi_find(HistoryQuasi *search, const char *wanted, Error *error);
void history_quasi_free(HistoryQuasi *search);
#endif

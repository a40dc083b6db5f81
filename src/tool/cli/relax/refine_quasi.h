/* refine_quasi.h: the quasi factors of `heddle refine --quasi`, and the search for the smallest
 * ones ("deq:auto", "deq:auto,enq:auto", "auto": all operations that are known to take). */
#ifndef HEDDLE_CLI_RELAX_REFINE_QUASI_H
#define HEDDLE_CLI_RELAX_REFINE_QUASI_H
#include "refine/journal.h"
#include "refine/refine.h"

#define REFINE_QUASI_MOST 10 /* the largest factor that is tried */

typedef struct RefineQuasi {
    int factors[64], classes[64]; /* by operation of the implementation */
    int class_count;
    uint64_t wanted; /* bits of classes: their factors are to be found */
} RefineQuasi;

/* Reads TEXT, or takes what MODEL itself says if TEXT is NULL. */
MUST_USE bool refine_quasi_read(RefineQuasi *quasi, const Model *model, const char *text,
                                Error *error);
/* Searches with the factors, whose smallest values QUASI then has. REFINE's limits are for all
 * searches together. With several factors to be found: first one that serves for all of them, then
 * each in turn is lowered as far as it goes; there can't be a journal then. */
MUST_USE bool refine_quasi_run(Arena *arena, RefineQuasi *quasi, RefineOptions *refine,
                               RefineResult *result, Error *error);
#endif

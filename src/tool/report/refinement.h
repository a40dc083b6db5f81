/* refinement.h: the answer of `heddle refine` as text and JSON (refinement_page.h: as a page). */
#ifndef HEDDLE_REPORT_REFINEMENT_H
#define HEDDLE_REPORT_REFINEMENT_H
#include <jansson.h>
#include "refine/refine.h"

typedef struct RefinementReport {
    const RefineOptions *options;
    const RefineResult *result;
    const char *bounds; /* what was checked, in words: threads, factors, parameters */
    bool ascii;         /* no line-drawing characters */
    bool all_steps;     /* local steps too */
    bool show_outcomes;
} RefinementReport;

void refinement_text(const RefinementReport *report, Buffer *out);
json_t *refinement_json(const RefinementReport *report); /* a new object, for json_write */
/* A counterexample as lines: what one thread did, in order. */
typedef enum RefinementRowKind { ROW_CALL, ROW_STEP, ROW_RETURN } RefinementRowKind;
typedef struct RefinementRow {
    int thread, step; /* from 0; from 1 */
    RefinementRowKind kind;
    char *text;  /* "deq()", "t = tail", "deq = b" */
    Place place; /* without a file: of none */
} RefinementRow;
typedef Vec(RefinementRow) RefinementRows;
/* Texts live in ARENA; vec_free the rows. */
RefinementRows refinement_rows(const RefinementReport *report, Arena *arena);
/* "deq by t1 returned b; the specification allows a.", if that is what is wrong. */
void refinement_allowed(const RefineResult *result, Buffer *out);
#endif

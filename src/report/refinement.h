/* refinement.h: the answer of `heddle refine` as text, JSON and HTML. */
#ifndef HEDDLE_REPORT_REFINEMENT_H
#define HEDDLE_REPORT_REFINEMENT_H
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
void refinement_json(const RefinementReport *report, Buffer *out);
void refinement_html(const RefinementReport *report, Buffer *out);
/* "holds", "violated (refinement)", "inconclusive" or "error". */
const char *refinement_headline(const RefineResult *result);
#endif

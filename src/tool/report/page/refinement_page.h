/* refinement_page.h: the answer of `heddle refine` as a page (page.h): the counterexample as an
 * execution, with the globals of the model for its memory and the model for its source. */
#ifndef HEDDLE_REPORT_PAGE_REFINEMENT_PAGE_H
#define HEDDLE_REPORT_PAGE_REFINEMENT_PAGE_H
#include "tool/report/refinement.h"

MUST_USE bool refinement_page_write(const char *path, const RefinementReport *report, Error *error);
#endif

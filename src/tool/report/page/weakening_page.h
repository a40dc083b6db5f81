/* weakening_page.h: what `heddle weaken` found out as one HTML file without a script: a table for
 * each answer, with the orders that were tried and what came of it. */
#ifndef HEDDLE_REPORT_PAGE_WEAKENING_PAGE_H
#define HEDDLE_REPORT_PAGE_WEAKENING_PAGE_H
#include "base/error.h"
#include "tool/answer/weakening.h"

MUST_USE bool weakening_page_write(const char *path, const Weakening *weakening, Error *error);
#endif

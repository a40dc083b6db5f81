/* page.h: one self-contained HTML file: the page of tool/report/page/ with a document inside it as
 * data. Nothing of the document becomes markup here, nor in the page's script, which puts text into
 * the page as text only; a hostile name is a name.
 *
 * A document is an object with the members of page_document, and per `kind`:
 *   "execution"  threads, steps, arrows, cells, operations, orders, sources
 * (tool/report/page/execution.h; a counterexample of a model has the same shape,
 * tool/report/page/refinement_page.h) "history"    processes, operations, orders
 * (tool/cli/history/page.h) */
#ifndef HEDDLE_REPORT_PAGE_PAGE_H
#define HEDDLE_REPORT_PAGE_PAGE_H
#include <jansson.h>
#include "base/error.h"

/* A document with what every page begins with. VERDICT is a word of record/kinds.h; VIOLATION,
 * MESSAGE may be NULL. The caller adds to it. */
json_t *page_document(const char *kind, const char *command, const char *subject,
                      const char *verdict, const char *violation, const char *message);
/* Adds one of the small facts under the headline: "264 executions". */
void page_add_fact(json_t *document, const char *name, const char *value);
/* Writes the page to PATH. DOCUMENT stays the caller's. */
MUST_USE bool page_write(const char *path, const json_t *document, Error *error);
#endif

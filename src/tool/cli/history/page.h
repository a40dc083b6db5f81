/* page.h: the answer of `heddle history` as a page (tool/report/page/page.h). Its document
 * has, beside what every page has, histories [{name, verdict, part, processes [name], operations
 * [{process, text, called, returned or null, line, here}], core, context [operation], minimal,
 * focus (operation or null), orders [{calls, state, refused [{operation, why}]}], notes [{from, to,
 * line, failed, text}], witness [operation]}]. `here`: of the
 * part that goes wrong. */
#ifndef HEDDLE_CLI_HISTORY_PAGE_H
#define HEDDLE_CLI_HISTORY_PAGE_H
#include "tool/cli/history/report.h"

MUST_USE bool history_page_write(const char *path, const HistorySummary *summary, Error *error);
#endif

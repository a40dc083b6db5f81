/* execution.h: an answer with its execution as a document for the page (page.h): lanes, steps,
 * arrows, what memory holds, operations, the serial orders tried, the source.
 *
 * Members beyond those of page_document:
 *   model, explanations [text], remarks [text], test, closest [text a thread], replay (a command)
 * or null threads     [{name, function}]                            a lane each steps [{number,
 * thread, kind, action, order, note, source, line, operation, bad, partner, stale, blocked, reads:
 * [{cell, value}], writes: [{cell, value, current}]}] arrows      [{kind, from, to, orders}]
 * between steps, by index cells       [{name, initial, lock}] operations  [{thread, call, result,
 * from, to}]             to null: never returns orders      [{calls: [operation], refused:
 * [{operation, why}]}] sources     [{name, first, lines}] focus       index of the step to look at
 * first, or null states      a graph of states (states.h), or null */
#ifndef HEDDLE_REPORT_PAGE_EXECUTION_H
#define HEDDLE_REPORT_PAGE_EXECUTION_H
#include <jansson.h>
#include "tool/report/dwarf/names.h"
#include "tool/answer/answer.h"

/* NAMES may be NULL: then there is no execution to show. ALL: also steps that can't matter. */
json_t *execution_document(const Answer *answer, Names *names, bool all);
#endif

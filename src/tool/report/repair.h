/* repair.h: what `heddle repair' found out, as text and for scripts; also as a part of the answers
 * of `run' and `check'. */
#ifndef HEDDLE_REPORT_REPAIR_H
#define HEDDLE_REPORT_REPAIR_H
#include <jansson.h>
#include "base/str.h"
#include "tool/answer/answer.h"
#include "tool/answer/repair.h"
#include "tool/report/text.h"

/* "it holds under sc and tso", or what is known of these; appends nothing if nothing is. */
void repair_tell_models(Buffer *line, const Repair *repair);
/* The result, in a sentence or two, without the ways. */
void repair_tell_end(Buffer *line, const Repair *repair);
/* Says what was tried, and how much of it. */
void repair_tell_bounds(Buffer *line, const Repair *repair);
/* "store relaxed -> release", "fence seq_cst before this store". */
void repair_tell_change(Buffer *line, const RepairChange *change);
/* The part of an answer to a violation. */
void repair_write_beside(FILE *to, const Repair *repair, const TextStyle *style);
/* `heddle repair': the answer, with the violation as it is. */
void repair_write_text(FILE *to, const Answer *answer, const TextStyle *style);
Verdict repair_verdict(const Repair *repair);
json_t *repair_value(const Repair *repair);
MUST_USE bool repair_write_json(FILE *to, const Answer *answer);
#endif

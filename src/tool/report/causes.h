/* causes.h: the answer of `heddle check --keep-going` and `--all` as text: how many tests fail,
 * why, and their histories in numbers. */
#ifndef HEDDLE_REPORT_CAUSES_H
#define HEDDLE_REPORT_CAUSES_H
#include "tool/answer/answer.h"
#include "tool/report/sheet.h"

/* Writes nothing for an answer without them. */
void causes_write(Sheet *sheet, const Answer *answer);
#endif

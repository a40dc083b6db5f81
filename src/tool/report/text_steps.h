/* text_steps.h: an execution as a table: number, one lane a thread (lanes.h), source line, what is
 * done, memory order, what a read reads from and what it missed. */
#ifndef HEDDLE_REPORT_TEXT_STEPS_H
#define HEDDLE_REPORT_TEXT_STEPS_H
#include "tool/report/sheet.h"
#include "tool/report/steps.h"

void text_write_steps(const Sheet *sheet, const Record *record, const Steps *steps, Names *names);
#endif

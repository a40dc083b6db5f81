/* lines.h: an answer as the lines that editors jump by: "queue.c:29: error: ...", and a note for
 * each step of the execution. */
#ifndef HEDDLE_REPORT_LINES_H
#define HEDDLE_REPORT_LINES_H
#include <stdio.h>
#include "tool/answer/answer.h"
#include "tool/report/dwarf/names.h"

/* NAMES may be NULL: then only the file is known. */
void lines_write(FILE *to, const Answer *answer, Names *names);
/* Where the violation shows: its step; else where a thread waits for ever; else the file. */
SourcePlace lines_place(const Answer *answer, Names *names);
#endif

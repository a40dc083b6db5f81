/* weakening.h: what `heddle weaken` found out, for a person and for scripts. */
#ifndef HEDDLE_REPORT_WEAKENING_H
#define HEDDLE_REPORT_WEAKENING_H
#include "tool/report/text.h"
#include "tool/answer/weakening.h"

void weakening_write_text(FILE *to, const Weakening *weakening, const TextStyle *style);
/* One JSON object on one line; false if it could not be written. */
MUST_USE bool weakening_write_json(FILE *to, const Weakening *weakening);
/* "queue.c:12:5", "queue.c:12:5#2" */
void weakening_place(const WeakenOrder *order, char *text, size_t bytes);
#endif

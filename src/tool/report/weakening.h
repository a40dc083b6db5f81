/* weakening.h: what `heddle weaken` found out, for a person and for scripts. */
#ifndef HEDDLE_REPORT_WEAKENING_H
#define HEDDLE_REPORT_WEAKENING_H
#include "tool/report/text.h"
#include "tool/answer/weakening.h"

void weakening_write_text(FILE *to, const Weakening *weakening, const TextStyle *style);
/* One JSON object on one line; false if it could not be written. */
MUST_USE bool weakening_write_json(FILE *to, const Weakening *weakening);

/* --- parts of both, for the page ----------------------------------------------------------------
 */

/* "queue.c:12:5", "queue.c:12:5#2" */
void weakening_place(const WeakenOrder *order, char *text, size_t bytes);
/* "load acquire", "compare-exchange, on failure, acquire" */
void weakening_describe(const WeakenOrder *order, char *text, size_t bytes);
/* The following append to LINE: what came of one try, as a clause; the orders that are enough,
 * "acquire or release"; how many orders (OF a file, unless it is NULL) are needed; how much was
 * tried. */
void weakening_tell_try(Buffer *line, const Weakening *weakening, const WeakenTry *attempt);
void weakening_tell_enough(Buffer *line, const WeakenOrder *order);
void weakening_tell_counts(Buffer *line, const Weakening *weakening, const char *of);
void weakening_tell_figures(Buffer *line, const Weakening *weakening);
/* "decided", "violated" or "inconclusive" */
const char *weakening_word(const Weakening *weakening);
#endif

/* advice.h: what to do when an answer is inconclusive, by its reason: the table of doc/answers.md.
 */
#ifndef HEDDLE_REPORT_ADVICE_H
#define HEDDLE_REPORT_ADVICE_H

/* Returns a sentence, or NULL if the reason is none that is known. */
const char *advice_for(const char *reason);
#endif

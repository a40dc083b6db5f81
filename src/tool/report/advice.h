/* advice.h: what to do when an answer is inconclusive, by its reason: the table of doc/answers.md.
 */
#ifndef HEDDLE_REPORT_ADVICE_H
#define HEDDLE_REPORT_ADVICE_H

#include <stdbool.h>

/* Returns a sentence, or NULL if the reason is none that is known. COMMAND is that of the answer;
 * BY_STATES: threads that call for ever were explored. */
const char *advice_for(const char *command, bool by_states, const char *reason);
#endif

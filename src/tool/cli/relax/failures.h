/* failures.h: the text of `heddle history --may-fail`: which results of which operations may mean
 * that a call failed beside another. */
#ifndef HEDDLE_CLI_RELAX_FAILURES_H
#define HEDDLE_CLI_RELAX_FAILURES_H
#include "judge/history/history.h"

typedef Vec(HistoryFailure) Failures;
/* Adds the rules of "deq:none,enq:false" to RULES; "deq" alone is none or false, "auto" every
 * operation. False and a message if the text is not understood. */
MUST_USE bool failures_read(const char *text, Values *values, Failures *rules, Error *error);
#endif

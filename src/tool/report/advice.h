/* advice.h: what to do when an answer is inconclusive: by its reason, and without what was asked
 * for already. tests/advice has a program for each reason, with which the advice is followed. */
#ifndef HEDDLE_REPORT_ADVICE_H
#define HEDDLE_REPORT_ADVICE_H
#include "tool/answer/answer.h"

/* Returns a sentence or some, in ARENA; NULL if there is nothing to advise. */
const char *advice_for(Arena *arena, const Answer *answer);
/* Returns the advice for COMMAND, "refine" or "prove", by its reason alone. */
const char *advice_for_model(Arena *arena, const char *command, const char *reason);
#endif

/* tell.h: what a search that decided nothing says: the finding is UNSUPPORTED, with the reason as
 * its message. */
#ifndef HEDDLE_STATES_ANSWER_TELL_H
#define HEDDLE_STATES_ANSWER_TELL_H
#include "guest/states/search.h"
#include "record/outcome.h"

/* The search can't do something with this program, which is no fault of the command line. */
PRINTF_LIKE(1, 2) FindingKind tell_give_up(const char *format, ...);
/* Fills in what seems to have no bound, if the search was not completed. */
void tell_growth(OutcomeMessage *outcome, const StatesResult *result);
/* Not all states were explored; WHAT says of which threads, under which bounds and model. */
FindingKind tell_incomplete(OutcomeMessage *outcome, const StatesResult *result, const char *what);
#endif

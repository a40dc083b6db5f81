/* conclude.h: from what the program under test has left (supervise.h) to the answer: why it ended,
 * what it said, and how certain that is. Never more certain than it was. */
#ifndef HEDDLE_CLI_SESSION_CONCLUDE_H
#define HEDDLE_CLI_SESSION_CONCLUDE_H
#include "tool/cli/session.h"

/* Says why a program that never gave its outcome ended. */
const char *conclude_end_reason(const Session *session, const SuperviseResult *result);
/* Fills verdict, counts and reason of the answer. */
void conclude_fill(const Session *session, const SuperviseResult *result, Answer *answer);
/* Adds remarks on places in the source, and on annotations. */
void conclude_remarks(const Session *session, const Outcome *outcome, Answer *answer);
/* Makes the answer less certain where unseen code or no complete execution stands behind it. */
void conclude_qualify(const Session *session, Answer *answer);
#endif

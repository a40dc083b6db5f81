/* shorter.h: when the time limit ends a `check`: which part of the test takes so long, and which
 * smaller test could be explored? Calls are left out of the test in which the time was over, one
 * after the other, each time with a little time for what is left. */
#ifndef HEDDLE_CLI_SESSION_SHORTER_H
#define HEDDLE_CLI_SESSION_SHORTER_H
#include "tool/cli/session.h"

/* Adds what it finds to ANSWER, which was just given for SESSION: a remark, and answer->shorter. A
 * smaller test that is violated takes the answer's place. */
MUST_USE bool shorter_find(Session *session, Answer *answer, Error *error);
#endif

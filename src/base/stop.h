/* stop.h: when a computation in this process should end with what it has: a time limit of the
 * command is over, or a person has asked. Long loops ask stop_wanted now and then and then give an
 * answer that says so; it costs a look at the clock. One state for the process, as signals are. */
#ifndef HEDDLE_BASE_STOP_H
#define HEDDLE_BASE_STOP_H
#include "base/common.h"

/* The limit: so many seconds from now; 0: none. */
void stop_after(double seconds);
/* A person wants an end. May be called by a signal handler. */
void stop_request(void);
bool stop_wanted(void);
/* Why, as a reason for an answer: "interrupted" or "the time limit was reached". */
const char *stop_reason(void);
#endif

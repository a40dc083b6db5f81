// expect: holds
// executions: 4
// The client calls until it succeeds: failed calls are part of the history, rounds that repeat one are not. Each of two
// successes comes at once, or after one failed call.
#define RETRY
#include "spsc.c"

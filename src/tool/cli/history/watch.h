/* watch.h: time, progress and interruption of `heddle history`. The checks watch the clock
 * and the stop flag themselves; golden code may not, so a timer enforces the limits a little later.
 */
#ifndef HEDDLE_CLI_HISTORY_WATCH_H
#define HEDDLE_CLI_HISTORY_WATCH_H
#include "base/common.h"
#include <stdatomic.h>

double history_now(void); /* seconds of CLOCK_MONOTONIC */
/* SECONDS: the time limit, 0 for none. From now on SIGINT and SIGTERM end the command with status 3
 * and what was decided. */
void history_watch_start(bool json, bool quiet, double seconds);
/* The log is followed: it is normal that reading takes long, and an interruption ends only that. */
void history_watch_follows(bool follows);
void history_watch_stop(void);
/* This process is one of several that were forked to share the work: golden code in it ends at the
 * limit, too, with status 3, and the parent then calls history_watch_give_up. */
void history_watch_worker(void);
/* Says that the time is up, or that it was interrupted, and ends the process with status 3. */
NORETURN void history_watch_give_up(void);
/* Not 0 once the user wants an end; shared with processes that are forked later. */
const volatile int *history_watch_interrupted(void);
/* Says what there is to decide, for the line of progress; NULL: nothing yet. */
void history_watch_units(const atomic_size_t *decided, size_t units);
#endif

/* beginning.h: how executions that are sampled begin: main runs alone until it has created a
 * thread.
 *
 * Nothing is drawn there that matters: a read has one write to read, a store one place, and nobody
 * else can go. So all executions begin alike, and when one has ended, what came after its beginning
 * is taken back: events, plain writes by their log, as in a search; and the threads that there are
 * get the stacks and requests that they had. Whoever draws must still draw what is drawn there, so
 * that the same seed gives the same executions (sample.c).
 *
 * Only in executions that are put back by the log (options.checkpoints), from which nothing has
 * made us begin again, and without memory that the log alone does not tell of (locals.h, blocks.h).
 * HEDDLE_DEBUG=validate begins each execution at its start. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_BEGINNING_H
#define HEDDLE_EXPLORE_SCHEDULES_BEGINNING_H
#include "base/common.h"

void beginning_forget(void);
/* Main, alone so far, has created a thread, and all have run to their next requests: notes that, if
 * it may be used. REQUESTS: how many were made. */
void beginning_note(uint64_t requests);
/* Puts everything back to there; false if nothing is noted. */
bool beginning_restore(void);
#endif

/* sample_buffers.h: store buffers of a given execution (sample.h). Under tso stores of threads
 * other than main are put last in coherence order at first, in the order in which they are made.
 * When one reaches memory, it is put behind those that have: so these come first. A read sees the
 * newest store of its own thread that waits, else the last one in memory. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_SAMPLE_BUFFERS_H
#define HEDDLE_EXPLORE_SCHEDULES_SAMPLE_BUFFERS_H
#include "guest/explore/graph/graph.h"

void sample_buffers_begin(void); /* nothing waits */
/* Tells how many writes to X are in memory. */
int sample_buffers_in_memory(const Location *x);
/* Returns the place in coherence order of what thread T reads from X. */
int sample_buffers_seen(const Location *x, int t);
void sample_buffers_wait(Event *e); /* store E, the last one in coherence order, waits */
void sample_buffers_note_write(const Event *e); /* the write E is in memory at once */
/* Stores of thread T reach memory, up to the first one at PC. */
void sample_buffers_flush_to(int t, const void *pc);
/* All stores of thread T, or of all threads if T is negative, reach memory. */
void sample_buffers_flush(int t);
#endif

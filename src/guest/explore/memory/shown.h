/* shown.h: what memory holds at the locations of events, where code runs that nobody announces (a
 * test framework as a distribution packs it, an object that --trust names).
 *
 * Otherwise memory does not follow events: it holds what it held before the first of them, and a
 * plain access that comes is given the last value in coherence order (memory.c). Code that nobody
 * announces would read that old value; and when the object of the events is gone and such code
 * writes to the next one in its place, the plain access that follows would find the value of the
 * events again: a string on the stack had the length that a queue's index had had there before.
 *
 * So, while `shown_on`, memory is made to hold the last value in coherence order after every event,
 * and that is noted. If memory holds something else later, somebody wrote there without a word: the
 * bytes are another object's by now, memory counts, and an atomic access to the new object begins
 * with a plain write of what is there. Only for re-execution: what is noted is not undone. */
#ifndef HEDDLE_EXPLORE_MEMORY_SHOWN_H
#define HEDDLE_EXPLORE_MEMORY_SHOWN_H
#include <stdbool.h>

struct Location; /* graph.h */

extern bool shown_on;
/* The program begins again from its start, with nothing noted; decides about `shown_on`. */
void shown_forget(void);
/* Memory holds the last value of X. */
void shown_note(const struct Location *x);
/* Has anything been noted of X? Then shown_is_stale tells whether memory holds something else. */
bool shown_is_known(const struct Location *x);
bool shown_is_stale(const struct Location *x);
/* Makes memory hold the last value of X. */
void shown_put(struct Location *x);
#endif

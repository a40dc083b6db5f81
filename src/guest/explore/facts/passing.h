/* passing.h: which writes pass on the writes to another location that are before them.
 *
 * A write a to y withholds a write z to x if z is in a's porf prefix, but an acquiring read of a
 * would not learn of z. Under models that synchronise by order confirm.h decides by what is
 * withheld in any graph of the exploration, and by whether x is written by read-modify-writes
 * alone; under the others nothing is ever withheld. As in values.h, a
 * fact that a decision did not know begins the exploration again, and processes share what they
 * know. Nothing is noted about x before the first decision asks for it: that one, too, begins the
 * exploration again. */
#ifndef HEDDLE_EXPLORE_CONFIRM_PASSING_H
#define HEDDLE_EXPLORE_CONFIRM_PASSING_H
#include "guest/explore/graph/graph.h"

void passing_begin_pass(void); /* as in values.h */
extern bool passing_noted;     /* is anything to be noted? */
/* Write W has been put into a coherence order, and values.h knows its value. */
void passing_note(const Event *write);
/* The values of Y that a write brings, in any graph, which withholds a write to X: bit i for value
 * number i of values.h. All bits if nothing is known. May begin the exploration again. */
uint32_t passing_use(const Location *x, Location *y);
/* READ reads X: is, in every graph, each write to X that comes later in coherence order than the
 * one that READ sees a read-modify-write? May begin the exploration again. */
bool passing_use_taken(const Location *x, const Event *read);
#endif

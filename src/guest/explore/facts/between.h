/* between.h: which values of a location came between two writes of one value, in some graph
 * (reduce/confirm/returning.h decides by that). */
#ifndef HEDDLE_EXPLORE_FACTS_BETWEEN_H
#define HEDDLE_EXPLORE_FACTS_BETWEEN_H
#include "guest/explore/graph/graph.h"

/* WRITE was put into the coherence order of X, which has values that come twice in some graph. May
 * begin the exploration again. */
void between_note(const Location *x, const Event *write);
#endif

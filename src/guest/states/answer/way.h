/* way.h: the nodes on the way from the start of a search to one of them. */
#ifndef HEDDLE_STATES_ANSWER_WAY_H
#define HEDDLE_STATES_ANSWER_WAY_H
#include "guest/states/step.h"

typedef Vec(uint32_t) Way; /* nodes (visited.h), from the start on */
Way way_to(uint32_t node); /* the caller frees it */
/* Puts the way to NODE, where a violation was found, into the picture (picture.h); THREAD's step
 * shows it, in which call BEGUN began (-1: none); 0: it shows there. If the picture has not all
 * states, the steps are taken again, for a picture of their states alone: the present state is
 * lost. */
void way_draw(const StatesClient *client, uint32_t node, uint32_t thread, int begun);
#endif

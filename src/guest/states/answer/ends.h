/* ends.h: what the graph of all states shows when a search has ended. */
#ifndef HEDDLE_STATES_ANSWER_ENDS_H
#define HEDDLE_STATES_ANSWER_ENDS_H
#include "guest/states/search.h"

/* Looks for calls that are stuck, or threads of a program that wait for ever: that is a violation
 * in a node, which BLAME is told before it. Fills in what the graph proves about progress. USED:
 * bytes of memory in use. */
void ends_look(const StatesClient *client, const StatesLimits *limits, uint64_t used,
               StatesResult *result, void (*blame)(uint32_t node));
#endif

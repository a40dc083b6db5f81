/* script.h: the path to a node as the script of an execution, for the ordinary engine
 * (explore/schedules/sample.h). */
#ifndef HEDDLE_STATES_ANSWER_SCRIPT_H
#define HEDDLE_STATES_ANSWER_SCRIPT_H
#include "guest/states/search.h"
#include "guest/states/visited.h"

/* The number of a place in the code whose store is flushed: VisitedStep.site of that step. */
uint16_t script_flush_number(const void *pc);
/* Writes the script and the calls of *result: the path to NODE, then step LAST unless it is NULL.
 */
void script_write(StatesResult *result, uint32_t node, const VisitedStep *last);
/* The call that THREAD, which is inside one, makes in NODE. */
uint32_t script_call_in(uint32_t node, uint32_t thread);
/* Describes the step of THREAD from node PARENT in which DONE was done. */
VisitedStep script_step(uint32_t parent, uint32_t thread, uint32_t way, const StatesDone *done);
#endif

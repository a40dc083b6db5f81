/* tally.h: `heddle check --all` inside the program under test: what the histories of a test have in
 * numbers. An execution is a complete (or stuck) graph, and stands for every interleaving of its
 * independent steps; it is rejected if some real-time order that it admits is not allowed. Two
 * executions are distinct if they differ in what calls returned, their results, or the order that
 * they impose on calls and returns. A sequence of a history is a serial order of its calls that
 * keeps that order. An execution is conflict serializable if the relation between calls that
 * conflicting accesses (to the same bytes, one of them a write) and the threads impose has no cycle
 * (Papadimitriou 1979; compared by Line-Up, section 5.6). */
#ifndef HEDDLE_HARNESS_CHECK_TALLY_H
#define HEDDLE_HARNESS_CHECK_TALLY_H
#include "guest/harness/graph_history.h"
#include "record/outcome.h"

/* The executions of a test begin, perhaps once more: forgets those since the last tally_keep. */
void tally_begin(void);
/* Counts the present graph. */
void tally_add(const GraphHistory *history, bool rejected);
/* The test was explored completely: its numbers count. */
void tally_keep(void);
/* It was not, and the time is over: what was counted of it is told apart. */
void tally_keep_partial(void);
/* Adds the numbers of this process to the outcome. */
void tally_publish(OutcomeMessage *outcome);
#endif

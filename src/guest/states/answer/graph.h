/* graph.h: what the graph of all states shows at the end of a search (progress.h), as nodes
 * (visited.h). */
#ifndef HEDDLE_STATES_ANSWER_GRAPH_H
#define HEDDLE_STATES_ANSWER_GRAPH_H
#include "guest/states/progress.h"
#include "guest/states/search.h"

/* Returns the first node in which the call of a thread, *thread, can never return though the
 * specification does not let it wait, or VISITED_NONE. */
uint32_t graph_find_stuck(bool calls_end, uint32_t *thread);
/* Is there a state that COUNTS from which a call never returns, whether it may wait or not? */
bool graph_may_be_stuck(bool calls_end, bool (*counts)(uint32_t state));
/* Returns the first node in which a thread of a program waits or loops for ever, *why and which
 * one, or VISITED_NONE; *endless: there are states from which the program does not end. */
uint32_t graph_find_dead(bool *endless, ProgressDead *why, uint32_t *thread);
/* The promise of progress, where USED bytes of memory are in use. */
StatesProgress graph_class(uint32_t thread_count, uint64_t used);
/* Has another process work it out, if the graph is large and there is memory for that beside
 * graph_find_stuck; graph_asked_class waits for it. */
bool graph_ask_class(uint32_t thread_count, uint64_t used);
StatesProgress graph_asked_class(void);
#endif

/* graph_axioms.h: the explorer's present graph before the slow judge of axioms.h. */
#ifndef HEDDLE_CHECK_GRAPH_AXIOMS_H
#define HEDDLE_CHECK_GRAPH_AXIOMS_H
/* NULL if the graph is consistent under the model that is explored; else the axiom that it breaks. */
const char *graph_axioms_broken(void);
#endif

/* graph_axioms.h: the explorer's present graph before the slow judge of axioms.h. */
#ifndef HEDDLE_HARNESS_GRAPH_AXIOMS_H
#define HEDDLE_HARNESS_GRAPH_AXIOMS_H
#include "guest/explore/graph/models/model.h"
#include "judge/graph/axioms.h"
/* The present graph; loads that got promises (promises.h) are reads of initial writes. */
AxiomGraph graph_axioms_of(const ModelEdge *edges, int edge_count, Arena *arena);
AxiomOptions graph_axioms_options(void);
/* NULL if the graph, with EDGES added by a client, is consistent under the model that is explored;
 * else the axiom that it breaks. */
const char *graph_axioms_broken(const ModelEdge *edges, int edge_count);
#endif

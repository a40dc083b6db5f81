/* graph_axioms.h: the explorer's present graph before the slow judge of axioms.h. */
#ifndef HEDDLE_HARNESS_GRAPH_AXIOMS_H
#define HEDDLE_HARNESS_GRAPH_AXIOMS_H
#include "guest/explore/graph/models/model.h"
/* NULL if the graph, with EDGES added by a client, is consistent under the model that is explored;
 * else the axiom that it breaks. */
const char *graph_axioms_broken(const ModelEdge *edges, int edge_count);
#endif

/* sparse.h: the axioms of axioms.h on long executions, in time that grows like the number of events
 * times that of threads, where matrices take its cube. The same definitions, with each relation
 * given by edges whose transitive closure it is, happens-before by vector clocks, and the cycle of
 * psc searched in a graph whose paths are those that its definition spells out. Executions with
 * accesses to parts of locations are not for it. axioms.c judges short executions, this file long
 * ones; tests/unit/graph_sparse.c compares the two on random graphs. */
#ifndef HEDDLE_GRAPH_SPARSE_H
#define HEDDLE_GRAPH_SPARSE_H
#include "judge/graph/axioms.h"

/* Has GRAPH accesses to parts of locations? */
bool sparse_has_parts(const AxiomGraph *graph);
/* Says what axioms_consistent does, of a GRAPH without parts. The event in FINDING is one that a
 * cycle leads to. */
bool sparse_consistent(const AxiomGraph *graph, MemoryModel model, AxiomOptions options,
                       Arena *arena, AxiomFinding *finding);
#endif

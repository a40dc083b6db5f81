/* graph_history.h: the operations of the explorer's present graph and the order on their calls and
 * returns: under sc the order po U rf U co U fr induces; otherwise happens-before, to which a
 * client could add edges as long as the graph stays consistent. */
#ifndef HEDDLE_HARNESS_GRAPH_HISTORY_H
#define HEDDLE_HARNESS_GRAPH_HISTORY_H
#include "judge/graph/realtime.h"

typedef struct GraphHistory {
    uint32_t count;                                   /* operations of the test, called or not */
    uint32_t called, returned;                        /* sets of operations */
    uint32_t call[REALTIME_MOST], ret[REALTIME_MOST]; /* events of the graph */
    uint64_t word[REALTIME_MOST];                     /* what its return carries */
    /* what operation K is, where that differs between executions (marked programs); 0 in generated
     * tests */
    uint32_t identity[REALTIME_MOST];
    const int8_t *numbers; /* number of a mark -> operation, or -1; NULL: they are the same */
    RealtimeOrder order;
} GraphHistory;

void graph_history_collect(GraphHistory *history, uint32_t count);
/* Fills `order` of a history that has everything else. */
void graph_history_order(GraphHistory *history);
/* A guess at the order in which the operations took effect: by the place of the last write (of a
 * read-only one: the last read) of each in an interleaving of the graph. */
void graph_history_rank(const GraphHistory *history, uint32_t *rank);
/* Gets ready for questions about the edges of a history whose operations have all returned; before
 * graph_history_addable and graph_history_plausible. True if models/client.h can answer them:
 * model_client_summary then tells which graphs give the same answers. */
bool graph_history_ask(const GraphHistory *history);
/* A RealtimeAddable whose context is the GraphHistory: may a client add the edge? */
bool graph_history_addable(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b);
/* Under sc, where executions have a bound on preemptions: is there an interleaving within the bound
 * that has the edge, too? (Where interleavings are explored one by one, one stands for those that
 * differ in the order of independent steps.) */
bool graph_history_within(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b);
/* Gets ready for graph_history_own; false if the model can't tell. *BAD: COUNT words of the
 * history, on which the answers depend besides its order. */
bool graph_history_ask_own(const GraphHistory *history, const uint32_t **bad);
/* Allows more: every edge that makes no cycle and that no accesses of its two operations forbid. */
bool graph_history_own(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b);
/* Allows more edges than graph_history_addable and fewer than graph_history_own
 * (model_client_plausible). Call it only if graph_history_ask was true. */
bool graph_history_plausible(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b);
/* Answers are computed in the slow, obvious way, too, and compared (HEDDLE_DEBUG=check-edges). */
extern bool graph_history_check_edges;
/* Asks for random sets of edges, to have the answers compared; after graph_history_ask. */
void graph_history_compare(const GraphHistory *history);
/* Are the marks of a serial run in time order: the operations in the order of their calls. */
uint32_t graph_history_serial(uint32_t *operations, uint64_t *words, uint32_t *pending);
/* Is THREAD inside a call, by its marks? Then *OPERATION is its number. */
bool graph_history_in_call(unsigned thread, uint32_t *operation);
#endif

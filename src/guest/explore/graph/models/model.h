/* model.h: the memory models as predicates on the graph. Coherence and atomicity hold by
 * construction (graph.h); what is left is one global condition a model. Each is asked only about a
 * new event, so a violation is a cycle through that event: an event that is last in coherence
 * order, or reads the last write, has no outgoing edge and needs no check. */
#ifndef HEDDLE_EXPLORE_MODELS_MODEL_H
#define HEDDLE_EXPLORE_MODELS_MODEL_H
#include "guest/explore/graph/graph.h"

/* Is the graph still consistent with E just added or given a new place, and R (or NULL) just made
 * to read from E? Neither has successors in its thread. */
bool model_consistent(Event *e, Event *r);

/* For histories (guest/harness/graph_history.c): would the finished graph stay consistent if, for
 * each edge, a client outside had made its first event happen before its second? Both are marks.
 * Under sc this is the same as adding no cycle to model_sc_reach. */
typedef struct ModelEdge {
    EventId from, to;
} ModelEdge;
bool model_allows_edges(const ModelEdge *edges, int count);
/* Is the finished graph sequentially consistent, whatever the model? */
bool model_graph_is_sc(void);
/* From which index on the events of each thread come after a mark in po U rf U co U fr. */
void model_sc_reach(const Event *mark, int from[MAX_THREADS]);
/* Answers the same, but after event INDEX of THREAD or that event itself. */
void model_sc_reach_from(int thread, int index, int from[MAX_THREADS]);

static inline bool model_is_sc(const Event *e)
{
    return e->kind <= EVENT_FENCE && e->order == ORDER_SEQ_CST && !e->plain;
}
/* The two predicates of each model, chosen by options.model (model.c). */
#define X(NAME, word, ...)                                                                         \
    bool model_##word##_consistent(Event *e, Event *r);                                            \
    bool model_##word##_allows_edges(const ModelEdge *edges, int count);
MEMORY_MODELS(X)
#undef X
bool model_psc_cycle(const Event *e); /* a cycle of psc through E, which nothing comes after */
bool model_psc_is_cyclic(void);       /* any cycle of psc, by matrices */
extern bool model_checks_psc; /* for tests: every answer against psc as it stands, by matrices */
#endif

/* client.h: model_allows_edges under weak models, made fast for many questions about one
 * finished graph: would it stay consistent if a client made returns of operations happen before
 * calls of others?
 *
 * rc11. All added edges go from returns to calls, so with P, the transitive closure of
 * happens-before and the added edges on these marks, x hb' y  iff  x hb y, or for some (a, b) in P:
 * x hb? return a and call b hb? y. Each condition of the model mentions hb' a bounded number of
 * times, and is thus decided from sets that belong to single operations and are computed once a
 * graph. Coherence is even decided by pairs (client_pairs.c): an event after the call of b is
 * overwritten before, or read from before, an event before the return of a. No-thin-air needs to
 * know which calls come before which returns in program order and reads-from: a client's
 * synchronisation is made of both, so its edges may not close a cycle with them. What seq_cst
 * events add is looked at only for edges that pass these (client_rc11.c). Models with store
 * buffers: client_buffers.c. */
#ifndef HEDDLE_EXPLORE_MODELS_CLIENT_H
#define HEDDLE_EXPLORE_MODELS_CLIENT_H
#include "guest/explore/graph/models/model.h"

#define MODEL_CLIENT_MOST 32u /* operations */

/* Looks at the present graph: operation K is called and returns with the marks CALLS[K] and
 * RETURNS[K]. False if that is not possible here (sc, too many events). */
MUST_USE bool model_client_begin(const EventId *calls, const EventId *returns, uint32_t count);
/* AFTER[a] has bit b if the return of a is to come before the call of b: what happens-before says
 * already, with edges added, transitively closed and acyclic. ADDED has only the edges that a
 * client is asked to add. */
bool model_client_allows(const uint32_t *after, const uint32_t *added);
/* rc11: a part of that: false if the edges break coherence or no-thin-air. */
bool model_client_plausible(const uint32_t *after);

/* A cheap part of that again, which needs no model_client_begin: sets BAD[a] to operations b such
 * that no client may make the return of a come before the call of b, since an access of b is
 * eco-before one of a. False if the model does not say so (all but rc11). */
MUST_USE bool model_client_own_pairs(const EventId *calls, const EventId *returns, uint32_t count,
                                     uint32_t *bad);

/* The answers depend on these bytes besides AFTER and ADDED and happens-before between the marks:
 * graphs with equal bytes have equal answers. If it is not exact (rc11, there are seq_cst events)
 * that is so of model_client_plausible only. Overwritten by the next model_client_begin. */
typedef struct ModelClientSummary {
    const void *bytes;
    size_t count;
    bool exact;
} ModelClientSummary;
ModelClientSummary model_client_summary(void);

/* How a model answers these questions; all NULL: it does not (sc). `begin` finds the events in
 * `client` (client_internal.h). */
typedef struct ModelClient {
    void (*begin)(const EventId *calls, const EventId *returns, uint32_t count);
    bool (*allows)(const uint32_t *after, const uint32_t *added);
    ModelClientSummary (*summary)(void);
    /* or NULL */
    void (*own_pairs)(const EventId *calls, const EventId *returns, uint32_t count, uint32_t *bad);
} ModelClient;
#define X(NAME, word, ...) extern const ModelClient model_##word##_client;
MEMORY_MODELS(X)
#undef X
const ModelClient *model_client(void); /* of options.model */
#endif

/* buffers.h: what the models with store buffers share. Memory sees the events in one global order,
 * no cycle in ppo U rfe U co U fr; the models differ in ppo, the part of program order that memory
 * sees. Reading one's own store early (rfi) is no edge.
 *
 * An event is a load, a store, an instruction that drains the buffer (a locked one, a seq_cst
 * fence, creation, join and end of a thread), or, for tso, nothing: fences weaker than seq_cst,
 * choices, and marks, since the stores of an operation may still be in the buffer when it
 * returns. */
#ifndef HEDDLE_EXPLORE_MODELS_BUFFERS_H
#define HEDDLE_EXPLORE_MODELS_BUFFERS_H
#include "guest/explore/graph/models/client.h"

/* Do more instructions drain the buffer than the axioms ask for (record/memory_model.h)? */
static inline bool buffers_drain_as_x86(void)
{
    return model_drains_as_x86(options.model) && !options.tso_axioms;
}
static inline bool buffers_is_load(const Event *e)
{
    return e->kind == EVENT_READ && !e->rmw && !e->merge && e->request != REQUEST_RMW &&
           !(e->request == REQUEST_CAS && buffers_drain_as_x86());
}
static inline bool buffers_is_store(const Event *e)
{
    if (e->kind == EVENT_WRITE ? e->rmw && !e->merge : !is_merge_read(e))
        return false;
    int written = e->merge ? e->success_order : e->order;
    return !((e->locked || (written == ORDER_SEQ_CST && !e->plain)) && buffers_drain_as_x86());
}
static inline bool buffers_drains(const Event *e)
{
    if (IS_ACCESS(e->kind))
        return !buffers_is_load(e) && !buffers_is_store(e);
    if (e->kind == EVENT_FENCE)
        return e->order == ORDER_SEQ_CST;
    return e->kind != EVENT_MARK && e->kind != EVENT_CHOOSE;
}

/* pso: is E a store that all earlier stores of its thread reach memory before, or a fence that they
 * reach memory before the later ones at? */
static inline bool buffers_is_store_barrier(const Event *e)
{
    return (buffers_is_store(e) || e->kind == EVENT_FENCE) && is_release(e->order) && !e->plain;
}

/* Does the request Q drain the buffer, as x86 performs it? */
static inline bool buffers_request_drains(const Request *q)
{
    switch (q->kind) {
    case REQUEST_LOAD:
    case REQUEST_CHOOSE:
    case REQUEST_MARK:
        return false;
    case REQUEST_AWAIT:
        return q->op != RMW_NONE;
    case REQUEST_STORE:
        return q->locked || (q->order == ORDER_SEQ_CST && !q->plain);
    case REQUEST_FENCE:
        return q->order == ORDER_SEQ_CST;
    default:
        return true;
    }
}

/* R reads from E, a store of its own thread, and bytes that E did not write: it waits until E is in
 * memory. */
static inline bool buffers_waits(const Event *r, const Event *e)
{
    return UNLIKELY(e->part != 0) && !r->merge && event_bytes(r) & ~event_bytes(e);
}

/* Does memory see A before B, two events of a thread, because of ppo or coherence? Only the direct
 * edges need be told, those that others imply need not. */
typedef bool BuffersKeep(const Event *a, const Event *b);

/* The finished graph with EDGES added, by matrices (matrices.c). */
bool buffers_allow_edges(BuffersKeep *keep, const ModelEdge *edges, int count);
/* These answer many such questions about one graph (client_buffers.c). */
void buffers_client_begin(BuffersKeep *keep, const EventId *calls, const EventId *returns,
                          uint32_t count);
bool buffers_client_allows(const uint32_t *after, const uint32_t *added);
ModelClientSummary buffers_client_summary(void);
#endif

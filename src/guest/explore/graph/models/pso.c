/* pso.c: partial store order (SPARC V8, chapter 6; Alglave, Maranget, Tautschnig 2014): as tso, but
 * a thread's stores to different locations reach memory in any order, as if each location had a
 * buffer of its own. No cycle in ppo U rfe U co U fr, where ppo is program order without the pairs
 * store -> later load and store -> later store, except that
 *   - a store is before a later release store, and before any store after a release fence:
 * compilers put a store barrier there (membar #StoreStore), and without it no lock would work;
 *   - a seq_cst fence and a read-modify-write drain the buffers, and a seq_cst store is before a
 *     later seq_cst load, as under tso.
 * Stores to one location are ordered by coherence, which graph.h keeps. Happens-before by release
 * and acquire is part of this order, so graph.h may use it for its bounds: PSO lies between TSO and
 * RC11.
 *
 * What follows an event in its thread has five levels. After a store: what drains, release stores
 * and release fences; to this a seq_cst store adds seq_cst loads, a release fence all stores, or
 * both; after anything else: all. */
#include "guest/explore/graph/models/buffers.h"

enum { AFTER_STORE = 0, SC_LOADS = 1, STORES = 2, AFTER_ANY = 4 };
#define SEARCH_LEVELS 5
#define SEARCH_ALONE /* a store is not after the other stores of its thread */

static inline int search_level_after(const Event *e)
{
    if (buffers_is_store(e))
        return model_is_sc(e) ? SC_LOADS : AFTER_STORE;
    if (buffers_is_load(e) || buffers_drains(e))
        return AFTER_ANY;
    return buffers_is_store_barrier(e) ? STORES : AFTER_STORE;
}

static inline bool search_follows(int level, const Event *e)
{
    if (level == AFTER_ANY || buffers_drains(e) || buffers_is_store_barrier(e))
        return true;
    return (level & STORES && buffers_is_store(e)) ||
           (level & SC_LOADS && buffers_is_load(e) && model_is_sc(e));
}

static inline int search_join(int l, int m)
{
    return MIN(l | m, AFTER_ANY);
}
#define search_passes(e) true
#define search_waits(r, e) buffers_waits(r, e)
#include "guest/explore/graph/models/search.h"

bool model_pso_consistent(Event *e, Event *r)
{
    return !search_cycle(e, r);
}

/* The search follows coherence by itself, so its levels leave out stores to one location. */
static bool keeps(const Event *a, const Event *b)
{
    return search_follows(search_level_after(a), b) ||
           (b->kind == EVENT_READ && b->rf == event_id(a) && buffers_waits(b, a)) ||
           (buffers_is_store(a) && buffers_is_store(b) && a->location == b->location &&
            event_bytes(a) & event_bytes(b));
}

bool model_pso_allows_edges(const ModelEdge *edges, int count)
{
    return buffers_allow_edges(keeps, edges, count);
}

static void client_begin(const EventId *calls, const EventId *returns, uint32_t count)
{
    buffers_client_begin(keeps, calls, returns, count);
}

const ModelClient model_pso_client = {client_begin, buffers_client_allows, buffers_client_summary,
                                      NULL};

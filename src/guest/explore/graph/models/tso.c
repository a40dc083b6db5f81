/* tso.c: x86-TSO, axiomatically (Owens, Sarkar, Sewell 2009; Alglave, Maranget, Tautschnig 2014):
 * no cycle in ppo U rfe U co U fr, where ppo is program order without the pairs store -> later
 * load, except that a store is before a later load when a seq_cst fence or a read-modify-write (a
 * locked instruction) stands between them. Locked are also compare-exchanges that fail, seq_cst
 * stores (gcc and clang emit xchg) and the stores that give locks back (so does the C library).
 * With options.tso_axioms these are not, and a seq_cst store is before a later seq_cst load only,
 * which holds wherever compilers put the fence. Coherence per location stands in graph.h: TSO is
 * stronger than release/acquire.
 *
 * What follows an event in its thread has three levels: all later events; all but loads that are
 * not seq_cst (after a seq_cst store); all but loads (after another store). */
#include "guest/explore/graph/models/buffers.h"

enum { AFTER_STORE, AFTER_SC_STORE, AFTER_ANY };
#define SEARCH_LEVELS 3

static inline int search_level_after(const Event *e)
{
    if (buffers_is_store(e))
        return model_is_sc(e) ? AFTER_SC_STORE : AFTER_STORE;
    return buffers_is_load(e) || buffers_drains(e) ? AFTER_ANY : AFTER_STORE;
}

static inline bool search_follows(int level, const Event *e)
{
    return level == AFTER_ANY || !buffers_is_load(e) || (level == AFTER_SC_STORE && model_is_sc(e));
}
#define search_join(l, m) MAX(l, m)
#define search_passes(e) true
#define search_waits(r, e) buffers_waits(r, e)
#include "guest/explore/graph/models/search.h"

bool model_tso_consistent(Event *e, Event *r)
{
    return !search_cycle(e, r);
}

static bool keeps(const Event *a, const Event *b)
{
    if (buffers_is_store(a) && buffers_is_load(b))
        return (model_is_sc(a) && model_is_sc(b)) || (b->rf == event_id(a) && buffers_waits(b, a));
    return (IS_ACCESS(a->kind) || buffers_drains(a)) && (IS_ACCESS(b->kind) || buffers_drains(b));
}

bool model_tso_allows_edges(const ModelEdge *edges, int count)
{
    return buffers_allow_edges(keeps, edges, count);
}

static void client_begin(const EventId *calls, const EventId *returns, uint32_t count)
{
    buffers_client_begin(keeps, calls, returns, count);
}

const ModelClient model_tso_client = {client_begin, buffers_client_allows, buffers_client_summary,
                                      NULL};

/* sc.c: sequential consistency: no cycle in po U rf U co U fr. There is one level: everything later
 * in a thread is ordered after an event. */
#include "guest/explore/graph/models/client.h"

#define SEARCH_LEVELS 1
#define search_passes(e) true
#define search_waits(r, e) false
#define SEARCH_PREFIX
#include "guest/explore/graph/models/search.h"

void model_sc_reach_from(int thread, int index, int from[MAX_THREADS])
{
    static const Event nowhere = {.thread = MAX_THREADS};
    search_begin(&nowhere, NULL);
    search_visit(0, thread, index);
    for (int t = 0; t < graph_thread_room(); t++)
        from[t] = search_seen[0][t];
}

/* A mark has no edges but to what follows in its thread. */
void model_sc_reach(const Event *mark, int from[MAX_THREADS])
{
    model_sc_reach_from(mark->thread, mark->index + 1, from);
}

/* Had the graph no cycle before its last event was added? */
static inline bool was_acyclic(void)
{
    return !model_synchronises_by_order(options.model) || !graphs.any_not_sc;
}

/* Returns the company that E has for its predecessor, or for the event that created its thread. */
static inline uint8_t company_of_thread(const Event *e)
{
    if (e->index)
        return company_after(thread_event(e->thread, e->index - 1));
    return e->thread ? company_after(&pool[threads[e->thread].create]) : COMPANY_NONE;
}

/* A way from outside into an event's porf prefix enters it by coherence or from-reads, at a write,
 * since the prefix is closed under the other edges. It does not enter at a write that main made
 * before it created any thread: whatever is not before that write happens after it, and by
 * coherence reads it or what comes later, or stands behind it (not so if an access shares no byte
 * with it, as to parts of blocks). So a read with no other write in its prefix ends no cycle.
 * A cycle through read E leads from a write that stands after the one that E reads to that one, or
 * to what is before E in its thread. The first would be a cycle without E: if there was none, it is
 * enough that there is no way into the prefix of E's predecessor. */
static bool has_no_way_in(const Event *e)
{
    if (e->kind != EVENT_READ || facts_met[FACT_blocks])
        return false;
    return e->company != COMPANY_WRITES ||
           (was_acyclic() && company_of_thread(e) != COMPANY_WRITES);
}

bool model_sc_consistent(Event *e, Event *r)
{
    return (!r && has_no_way_in(e)) || !search_cycle(e, r);
}

const ModelClient model_sc_client; /* graph_history.c itself knows which edges are addable */

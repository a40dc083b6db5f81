/* sc.c: sequential consistency: no cycle in po U rf U co U fr. There is one level: everything later
 * in a thread is ordered after an event. */
#include "guest/explore/models/client.h"

#define SEARCH_LEVELS 1
#define search_passes(e) true
#define search_waits(r, e) false
#define SEARCH_PREFIX
#include "guest/explore/models/search.h"

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

bool model_sc_consistent(Event *e, Event *r)
{
    return !search_cycle(e, r);
}

const ModelClient model_sc_client; /* graph_history.c itself knows which edges are addable */

/* With store buffers a mark with an added edge stands for a client's synchronisation, which drains
 * the buffer: it is ordered with everything in its thread. Other marks are no instructions. The
 * global order of the graph without them is acyclic; with the edges added, a cycle goes through
 * such marks, and between two of them through events that are ordered anyhow. So it is enough to
 * know, once a graph, from which mark such a way leads to which. */
#include "guest/explore/graph/models/buffers.h"
#include "guest/explore/graph/models/client_internal.h"
#include "guest/runtime/pages.h"

#define MARKS (2 * MODEL_CLIENT_MOST) /* call of operation k: 2k, return: 2k + 1 */

static const Event *marks[MARKS];
static uint64_t leads_to[MARKS]; /* sets of marks */
static uint32_t operation_count;
static ClientSet *rows; /* by event: those that come after it, without marks */

static int place_of(const Event *e)
{
    return client.base[e->thread] + e->index;
}

/* The event that joins thread T, or NULL. */
static const Event *join_of(int t)
{
    if (!(threads_ended >> t & 1) || !threads[t].count)
        return NULL;
    uint32_t join = last_event(t)->other;
    return join && pool[join].kind == EVENT_JOIN && (int)pool[join].other == t ? &pool[join] : NULL;
}

/* Does E read from its own thread? It may do so before the write is in memory, so nothing that
 * comes before the write in memory comes therefore before the read. */
static bool reads_own(const Event *e)
{
    return e->kind == EVENT_READ && e->rf && pool[e->rf].thread == e->thread;
}

static void fill_row(BuffersKeep *keep, int i)
{
    const Event *e = client.at[i];
    uint64_t *row = rows[i];
    int t = e->thread;
    client_clear(row);
    for (int k = e->index + 1; k < threads[t].count; k++)
        if (keep(e, thread_event(t, k)))
            client_add(row, client.base[t] + k);
    const Event *join = join_of(t);
    if (join)
        client_add(row, place_of(join));
    if (e->kind == EVENT_CREATE)
        for (int k = 0; k < threads[e->other].count; k++)
            client_add(row, client.base[e->other] + k);
    if (!IS_ACCESS(e->kind))
        return;
    const uint64_t *same = client_location(e->location);
    for (int w = 0; w < client.words; w++)
        for (uint64_t left = same[w]; left; left &= left - 1) {
            int k = 64 * w + __builtin_ctzll(left);
            if (client.at[k]->thread != t && client_key(e) < client_key(client.at[k]) &&
                !reads_own(client.at[k]))
                client_add(row, k);
        }
}

/* Everything that comes after a mark which is ordered with its thread. */
static void reach(const Event *mark, uint64_t *reached)
{
    ClientSet open;
    int t = mark->thread;
    client_clear(open);
    client_clear(reached);
    for (int k = mark->index + 1; k < threads[t].count; k++)
        client_add(open, client.base[t] + k);
    if (join_of(t))
        client_add(open, place_of(join_of(t)));
    for (bool any = true; any;) {
        any = false;
        for (int w = 0; w < client.words; w++)
            while (open[w] & ~reached[w]) {
                int i = 64 * w + __builtin_ctzll(open[w] & ~reached[w]);
                client_add(reached, i);
                client_unite(open, rows[i]);
                any = true;
            }
    }
}

static bool comes_before(const uint64_t *reached, const Event *from, const Event *to)
{
    int t = to->thread;
    if (from->thread == t && from->index < to->index)
        return true;
    if (t && client_has(reached, place_of(&pool[threads[t].create])))
        return true;
    for (int k = 0; k < to->index; k++)
        if (client_has(reached, client.base[t] + k))
            return true;
    return false;
}

void buffers_client_begin(BuffersKeep *keep, const EventId *calls, const EventId *returns,
                          uint32_t count)
{
    ClientSet reached;
    if (!rows)
        rows = pages_reserve(sizeof(ClientSet) * CLIENT_EVENTS);
    operation_count = count;
    client_find_locations();
    for (int i = 0; i < client.n; i++)
        fill_row(keep, i);
    for (uint32_t k = 0; k < count; k++) {
        marks[2 * k] = &pool[calls[k]];
        marks[2 * k + 1] = &pool[returns[k]];
    }
    for (uint32_t u = 0; u < 2 * count; u++) {
        reach(marks[u], reached);
        leads_to[u] = 0;
        for (uint32_t v = 0; v < 2 * count; v++)
            if (comes_before(reached, marks[u], marks[v]))
                leads_to[u] |= UINT64_C(1) << v;
    }
}

bool buffers_client_allows(const uint32_t *after, const uint32_t *added)
{
    (void)after;
    uint64_t edges[MARKS] = {0}, used = 0;
    for (uint32_t a = 0; a < operation_count; a++)
        for (uint32_t left = added[a]; left; left &= left - 1) {
            uint32_t call = 2 * (uint32_t)__builtin_ctz(left);
            edges[2 * a + 1] |= UINT64_C(1) << call;
            used |= UINT64_C(1) << call | UINT64_C(1) << (2 * a + 1);
        }
    /* takes away marks that lead to no other one */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t left = used; left; left &= left - 1) {
            int u = __builtin_ctzll(left);
            if ((leads_to[u] | edges[u]) & used)
                continue;
            used &= ~(UINT64_C(1) << u);
            changed = true;
        }
    }
    return !used;
}

ModelClientSummary buffers_client_summary(void)
{
    return (ModelClientSummary){
        .bytes = leads_to, .count = 2 * operation_count * sizeof *leads_to, .exact = true};
}

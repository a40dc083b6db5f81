#include "check/graph_history.h"
#include <string.h>
#include "explore/graph.h"
#include "explore/model.h"

static void collect_marks(GraphHistory *history)
{
    history->called = history->returned = 0;
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->kind != EVENT_MARK)
            continue;
        uint32_t k = e->other;
        ASSERT(k < history->count);
        if (e->test) {
            history->returned |= 1u << k;
            history->ret[k] = order[i];
            history->word[k] = e->value;
        } else {
            history->called |= 1u << k;
            history->call[k] = order[i];
        }
    }
}

/* The event of the graph for event number E of a RealtimeOrder, or NULL. */
static const Event *event_of(const GraphHistory *history, uint32_t e)
{
    uint32_t k = e / 2;
    if (e % 2 == 0)
        return history->called >> k & 1 ? &pool[history->call[k]] : NULL;
    return history->returned >> k & 1 ? &pool[history->ret[k]] : NULL;
}

void graph_history_collect(GraphHistory *history, uint32_t count)
{
    history->count = count;
    collect_marks(history);
    memset(&history->order, 0, sizeof history->order);
    for (uint32_t e = 0; e < 2 * count; e++) {
        const Event *from = event_of(history, e);
        if (!from)
            continue;
        int reach[MAX_THREADS];
        if (options.model == MODEL_SC)
            model_sc_reach(from, reach);
        for (uint32_t f = 0; f < 2 * count; f++) {
            const Event *to = event_of(history, f);
            if (!to || e == f)
                continue;
            bool after = options.model == MODEL_SC ? to->index >= reach[to->thread]
                                                   : before(from, &to->hb);
            if (after)
                history->order.successors[e] |= (uint64_t)1 << f;
        }
    }
}

bool graph_history_addable(void *context, const RealtimeOrder *order_now, uint32_t a, uint32_t b)
{
    const GraphHistory *history = context;
    ModelEdge edges[REALTIME_MOST * REALTIME_MOST + 1];
    int count = 0;
    for (uint32_t x = 0; x < history->count; x++)
        for (uint32_t y = 0; y < history->count; y++) {
            uint64_t bit = (uint64_t)1 << (2 * y);
            bool added = (order_now->successors[2 * x + 1] & ~history->order.successors[2 * x + 1] &
                          bit) != 0;
            if ((added || (x == a && y == b)) && (history->returned >> x & 1) &&
                (history->called >> y & 1))
                edges[count++] = (ModelEdge){history->ret[x], history->call[y]};
        }
    return model_allows_edges(edges, count);
}

uint32_t graph_history_serial(uint32_t *operations, uint64_t *words, uint32_t *pending)
{
    uint32_t count = 0;
    *pending = UINT32_MAX;
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->kind != EVENT_MARK)
            continue;
        if (!e->test) {
            *pending = e->other;
        } else {
            operations[count] = e->other;
            words[count++] = e->value;
            *pending = UINT32_MAX;
        }
    }
    return count;
}

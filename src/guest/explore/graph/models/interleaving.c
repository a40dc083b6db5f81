/* interleaving.c: is the present graph sequentially consistent? It is if po, rf, co and fr together
 * have no cycle, which a topological sort decides in time that grows like the number of events:
 * executions of many thousands of events are asked about, too. Of co the step to the next write is
 * enough, of fr that to the write after the one that is read. */
#include <string.h>
#include "guest/explore/graph/models/model.h"
#include "guest/runtime/pages.h"

static uint32_t *waits;       /* by event: predecessors that were not seen yet */
static EventId *first, *more; /* by write: a read of it; by read: another one of the same write */
static EventId *ready;
static uint32_t ready_count;

static void prepare(void)
{
    if (!waits) {
        waits = pages_reserve(sizeof *waits * MAX_EVENTS);
        first = pages_reserve(sizeof *first * MAX_EVENTS);
        more = pages_reserve(sizeof *more * MAX_EVENTS);
        ready = pages_reserve(sizeof *ready * MAX_EVENTS);
    }
    memset(waits, 0, sizeof *waits * pool_top);
    memset(first, 0, sizeof *first * pool_top);
    ready_count = 0;
}

/* The write that comes next after E in the coherence order, or after what it reads. */
static EventId next_write(const Event *e)
{
    if (!IS_ACCESS(e->kind) || (e->kind == EVENT_WRITE && e->co < 0))
        return 0;
    const Location *x = &locations[e->location];
    int place = e->kind == EVENT_WRITE ? e->co : rf_position(e);
    return place >= 0 && place + 1 < x->writes ? x->co[place + 1] : 0;
}

/* The join of the thread that E ends, or 0: what E names may have left the graph. */
static EventId join_of(const Event *e)
{
    if (!e->other || e->other >= pool_top)
        return 0;
    const Event *join = &pool[e->other];
    bool is_there = join->kind == EVENT_JOIN && join->other == e->thread &&
                    join->index < threads[join->thread].count &&
                    threads[join->thread].po[join->index] == e->other;
    return is_there ? e->other : 0;
}

typedef void Visit(EventId successor);

static void visit_successors(EventId id, Visit *visit)
{
    const Event *e = &pool[id];
    EventId write = next_write(e);
    if (e->index + 1 < threads[e->thread].count)
        visit(threads[e->thread].po[e->index + 1]);
    if (e->kind == EVENT_CREATE && threads[e->other].count)
        visit(threads[e->other].po[0]);
    if (e->kind == EVENT_END && join_of(e))
        visit(join_of(e));
    if (write)
        visit(write);
    for (EventId read = e->kind == EVENT_WRITE ? first[id] : 0; read; read = more[read])
        visit(read);
}

static void count_wait(EventId id)
{
    waits[id]++;
}
static void end_wait(EventId id)
{
    if (!--waits[id])
        ready[ready_count++] = id;
}

bool model_graph_is_sc(void)
{
    prepare();
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->part) /* an order of bytes */
            return model_sc_allows_edges(NULL, 0);
        if (e->kind == EVENT_READ && e->rf) {
            more[order[i]] = first[e->rf];
            first[e->rf] = order[i];
        }
    }
    for (int i = 0; i < order_count; i++)
        visit_successors(order[i], count_wait);
    for (int i = 0; i < order_count; i++)
        if (!waits[order[i]])
            ready[ready_count++] = order[i];
    for (uint32_t i = 0; i < ready_count; i++)
        visit_successors(ready[i], end_wait);
    return ready_count == (uint32_t)order_count;
}

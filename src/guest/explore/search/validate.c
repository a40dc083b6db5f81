#include "guest/explore/search/validate.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/graph/models/model.h"

void validate_step(void)
{
    graph_validate();
    undo_validate();
    frames_validate();
}

/* ---- the graph ---- */

static bool is_in_graph(EventId id)
{
    const Event *e = &pool[id];
    return id > 0 && id < pool_top && (threads_created >> e->thread & 1) &&
           e->index < threads[e->thread].count && threads[e->thread].po[e->index] == id;
}

static void validate_threads(void)
{
    int total = 0;
    for (int t = 0; t < MAX_THREADS; t++) {
        const Thread *thread = &threads[t];
        if (!(threads_created >> t & 1))
            continue;
        total += thread->count;
        if (t) {
            ASSERT(is_in_graph(thread->create));
            ASSERT(pool[thread->create].kind == EVENT_CREATE);
            ASSERT((int)pool[thread->create].other == t);
        }
        for (int i = 0; i < thread->count; i++) {
            const Event *e = thread_event(t, i);
            ASSERT(thread->po[i] < pool_top && e->thread == t && e->index == i);
            ASSERT(i == 0 || thread_event(t, i - 1)->stamp < e->stamp);
            ASSERT(e->kind != EVENT_END || i == thread->count - 1);
        }
        bool ended = thread->count && last_event(t)->kind == EVENT_END;
        ASSERT((threads_ended >> t & 1) == ended);
        ASSERT(!thread->count || !last_event(t)->waits || (threads_waiting >> t & 1));
    }
    ASSERT(total == order_count);
    for (int i = 0; i < order_count; i++) {
        ASSERT(is_in_graph(order[i]));
        ASSERT(i == 0 || pool[order[i - 1]].stamp < pool[order[i]].stamp);
    }
}

static bool contains(const Clock *outer, const Clock *inner)
{
    for (int t = 0; t < MAX_THREADS; t++)
        if (inner->at[t] > outer->at[t])
            return false;
    return true;
}

static void validate_clocks(const Event *e)
{
    ASSERT(e->porf.at[e->thread] == e->index + 1 && e->hb.at[e->thread] == e->index + 1);
    ASSERT(contains(&e->porf, &e->hb));
    for (int t = 0; t < MAX_THREADS; t++) /* a prefix is closed: it lies within the graph */
        ASSERT(e->porf.at[t] <= ((threads_created >> t & 1) ? threads[t].count : 0));
    const Event *before_it = e->index    ? thread_event(e->thread, e->index - 1)
                             : e->thread ? &pool[threads[e->thread].create]
                                         : NULL;
    ASSERT(!before_it || contains(&e->porf, &before_it->porf));
    ASSERT(!before_it || contains(&e->hb, &before_it->hb));
    if (e->kind == EVENT_READ && e->rf)
        ASSERT(contains(&e->porf, &pool[e->rf].porf));
    if (e->kind == EVENT_WRITE && e->has_release)
        ASSERT(contains(&e->porf, &e->release));
}

static void validate_company(const Event *e)
{
    bool created = false, written = false;
    for (int i = 0; i < order_count; i++) {
        const Event *f = &pool[order[i]];
        if (f == e || !in_prefix(f, e))
            continue;
        created |= f->kind == EVENT_CREATE;
        written |= f->kind == EVENT_WRITE && f->company != COMPANY_NONE;
    }
    ASSERT(e->company == (!created ? COMPANY_NONE : written ? COMPANY_WRITES : COMPANY_SILENT));
}

/* The place of an access among those of its location: a read stands behind what it reads. */
static int place_of(const Event *e)
{
    return e->kind == EVENT_WRITE ? 2 * e->co : 2 * rf_position(e) + 1;
}

/* Does W happen before E, another access that shares a byte with it? */
static bool is_ordered(const Event *w, const Event *e)
{
    return w != e && before(w, &e->hb) && event_bytes(w) & event_bytes(e) && !is_merge_read(w) &&
           !is_merge_read(e);
}

/* Asserts hb;eco? irreflexive at E: no access that happens before E stands behind it in the order
 * of the location. */
static void validate_coherence(const Location *x, const Event *e)
{
    for (int p = 1; p < x->writes; p++) {
        const Event *w = &pool[x->co[p]];
        ASSERT(!is_ordered(w, e) || place_of(w) < place_of(e));
    }
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        ASSERT(!is_ordered(r, e) || place_of(r) <= place_of(e));
    }
}

/* Asserts that an RMW, or a store to a part, has left the other bytes of its location alone. */
static void validate_part(const Location *x, const Event *w)
{
    uint64_t below[2] = {write_value(w->rf, x), graph_value_high(w->rf, x)};
    uint64_t words[2] = {w->value, w->size == 16 ? pool_extra[event_id(w)].value_high : 0};
    for (unsigned b = 0; b < x->size; b++)
        ASSERT(event_bytes(w) >> b & 1 || ((char *)below)[b] == ((char *)words)[b]);
}

static void validate_write(const Location *x, int position)
{
    EventId id = x->co[position];
    const Event *w = &pool[id];
    ASSERT(is_in_graph(id) && w->kind == EVENT_WRITE && &locations[w->location] == x);
    ASSERT(w->co == position);
    if (w->rmw) {
        ASSERT(w->index > 0);
        const Event *r = thread_event(w->thread, w->index - 1);
        ASSERT(r->kind == EVENT_READ && r->rmw && r->location == w->location);
        ASSERT(r->rf == w->rf && x->co[position - 1] == r->rf);
        ASSERT(r->part == w->part && r->merge == w->merge);
        validate_part(x, w);
    }
    validate_coherence(x, w);
}

static void validate_read(const Location *x, EventId id)
{
    const Event *r = &pool[id];
    ASSERT(is_in_graph(id) && r->kind == EVENT_READ && &locations[r->location] == x);
    if (r->rf) {
        const Event *w = &pool[r->rf];
        ASSERT(is_in_graph(r->rf) && w->kind == EVENT_WRITE && w->location == r->location);
        ASSERT(w->co > 0 && w->co < x->writes && x->co[w->co] == r->rf);
        ASSERT(r->revisited == (w->stamp > r->stamp));
    }
    ASSERT(r->value == write_value(r->rf, x));
    validate_coherence(x, r);
}

void graph_validate(void)
{
    int reads = 0, writes = 0;
    validate_threads();
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        uint32_t revisited = 0;
        ASSERT(x->writes >= 1 && x->co[0] == 0);
        for (int p = 1; p < x->writes; p++)
            validate_write(x, p);
        for (int j = 0; j < x->reads; j++) {
            validate_read(x, x->read[j]);
            revisited += pool[x->read[j]].revisited;
            ASSERT(j == 0 || pool[x->read[j - 1]].stamp < pool[x->read[j]].stamp);
        }
        ASSERT(revisited == x->revisited);
        reads += x->reads;
        writes += x->writes - 1;
    }
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        validate_clocks(e);
        validate_company(e);
        reads -= e->kind == EVENT_READ;
        writes -= e->kind == EVENT_WRITE;
    }
    ASSERT(reads == 0 && writes == 0); /* each access is in the lists of its location, once */
}

/* ---- choices ---- */

void frames_validate(void)
{
    bool cut = false; /* a revisit has cut what older frames marked: its end puts that back */
    for (int i = frame_count; i-- > 0;) {
        const Frame *f = &frames[i];
        const Frame *next = i + 1 < frame_count ? &frames[i + 1] : NULL;
        ASSERT(f->event < f->pool_mark);
        ASSERT(f->pool_mark <= (next ? next->pool_mark : pool_top));
        if (options.checkpoints) { /* else both are filled again, by re-execution */
            ASSERT(f->log_mark <= (next ? next->log_mark : undo_count));
            ASSERT(f->snapshot_mark <= (next ? next->snapshot_mark : checkpoints.top));
        }
        if (cut)
            continue;
        ASSERT(f->order_mark >= 1 && f->order_mark <= (next ? next->order_mark : order_count));
        ASSERT(order[f->order_mark - 1] == f->event);
        ASSERT(f->revisiting || f->pool_mark == f->event + 1);
        ASSERT(!f->revisiting || (is_in_graph(f->copy) && pool[f->copy].rf == f->event));
        cut = f->revisiting;
    }
}

void frames_validate_cut(int frame)
{
    for (int t = 0; t < MAX_THREADS; t++)
        ASSERT(threads[t].live == LIVE_NO || !(frames[frame].ran >> t & 1));
}

void model_validate(void)
{
    /* matrices.c knows whole locations only; with store buffers that makes no difference */
    ASSERT((facts_met[FACT_blocks] && model_synchronises_by_order(options.model)) ||
           model_allows_edges(NULL, 0));
    ASSERT(facts_met[FACT_blocks] || model_graph_is_sc() == model_sc_allows_edges(NULL, 0));
}

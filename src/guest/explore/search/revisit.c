#include "guest/explore/search/revisit.h"
#include <stddef.h>
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/way.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define SAVE_WORDS (1u << 27)

uint64_t revisit_count;
/* One stack of words: the order's tail, touched locations, cut threads, undone log entries; and
 * last the places where each begins, so that revisit_end can read it backwards. */
static uint32_t *saved;
static uint32_t saved_top;
static uint32_t epoch;

void revisit_setup(void)
{
    saved = pages_reserve(sizeof(uint32_t) * SAVE_WORDS);
}

static void save(uint32_t word)
{
    saved[saved_top++] = word;
}
static void save_ids(const EventId *ids, int count)
{
    memcpy(saved + saved_top, ids, sizeof(EventId) * (size_t)count);
    saved_top += (uint32_t)count;
}

bool revisit_is_maximal(const Event *e, const Event *a)
{
    if (!IS_ACCESS(e->kind))
        return e->kind != EVENT_CHOOSE || e->value == 0; /* one choice stands for all */
    if (e->confirms && e->kind == EVENT_READ)
        return true; /* it had no choice */
    if (e->spurious)
        return false;
    const Location *x = &locations[e->location];
    int position = 0;
    if (e->kind == EVENT_WRITE) {
        EventId id = event_id(e);
        for (int j = 0; x->revisited && j < x->reads; j++) {
            const Event *r = &pool[x->read[j]];
            if (r->rf == id && r->stamp < e->stamp)
                return false;
        }
        if (e->rmw && thread_event(e->thread, e->index - 1)->confirms)
            return true;
        position = e->co;
    } else if (e->rf) {
        const Event *w = &pool[e->rf];
        if (!(w->stamp < e->stamp || in_prefix(w, a)))
            return false;
        position = w->co;
    }
    for (int p = position + 1; p < x->writes; p++) {
        const Event *z = &pool[x->co[p]];
        if (z != a && (z->stamp <= e->stamp || in_prefix(z, a)))
            return false;
    }
    return true;
}

bool revisit_breaks_rmw(const Event *a, const Event *r)
{
    DEBUG_ASSERT(a->kind == EVENT_WRITE && r->kind == EVENT_READ && a->location == r->location);
    const Location *x = &locations[a->location];
    for (int j = 0; j < x->reads; j++) {
        const Event *q = &pool[x->read[j]];
        if (!q->rmw || q->rf != a->rf || q->index + 1 >= threads[q->thread].count ||
            (q->thread == a->thread && q->index + 1 == a->index))
            continue;
        const Event *w = thread_event(q->thread, q->index + 1);
        if (w->stamp < r->stamp || in_prefix(w, a))
            return true; /* another RMW on the same write survives the cut */
    }
    return false;
}

/* A location is saved as its number, its counts, its initial value and its events. The initial
 * value belongs to the graph: a plain write of another branch may have left another one at the same
 * address (a node of the heap, made anew), which locations.c reads when it finds no events. */
enum {
    LOCATION_INIT_WORDS = 2 * sizeof(uint64_t) / sizeof(uint32_t),
    LOCATION_WORDS = 4 + LOCATION_INIT_WORDS
};
_Static_assert(offsetof(Location, init_high) == offsetof(Location, init) + sizeof(uint64_t),
               "both halves of an initial value are copied at once");

static void save_location(LocationId l, int *count)
{
    Location *x = &locations[l];
    if (x->mark == epoch)
        return;
    x->mark = epoch;
    (*count)++;
    save(l);
    save((uint32_t)x->writes);
    save((uint32_t)x->reads);
    save(x->revisited);
    memcpy(saved + saved_top, &x->init, LOCATION_INIT_WORDS * sizeof(uint32_t));
    saved_top += LOCATION_INIT_WORDS;
    save_ids(x->co, x->writes);
    save_ids(x->read, x->reads);
}

static void filter_location(Location *x, const int *cut)
{
    int kept = 1;
    for (int q = 1; q < x->writes; q++) {
        Event *w = &pool[x->co[q]];
        if (w->index < cut[w->thread]) {
            x->co[kept] = x->co[q];
            w->co = kept++;
        } else {
            w->co = -1;
        }
    }
    x->writes = kept;
    kept = 0;
    x->revisited = 0;
    for (int q = 0; q < x->reads; q++) {
        const Event *r = &pool[x->read[q]];
        if (r->index < cut[r->thread]) {
            x->read[kept++] = x->read[q];
            x->revisited += r->revisited;
        }
    }
    x->reads = kept;
}

/* Where the log of what T has done after its last event begins. */
static uint32_t log_of_suffix(int t)
{
    EventId e = threads[t].count ? event_id(last_event(t)) : threads[t].create;
    return pool[e].log_position;
}

Event *revisit_begin(int place, EventId write)
{
    DEBUG_ASSERT(place >= 0 && place < order_count && pool[order[place]].kind == EVENT_READ &&
                 pool[write].kind == EVENT_WRITE && pool[write].co < 0);
    revisit_count += way_owns();
    checkpoint_note_cut();
    if (UNLIKELY(saved_top + (uint32_t)order_count * 13 + 4096 >= SAVE_WORDS))
        op_unsupported("executions of %d events with more choices at once than can be kept",
                       order_count);
    const Event *a = &pool[write];
    EventId old = order[place];
    const Event *r = &pool[old];
    uint32_t begin = saved_top;
    int cut[MAX_THREADS];
    for (int t = 0; t < graphs.threads_used; t++)
        cut[t] = threads[t].count;
    int tail = order_count - place;
    save_ids(order + place, tail);

    /* what is deleted, thread by thread a suffix */
    epoch++;
    uint32_t locations_at = saved_top++;
    int location_total = 0;
    int kept = place + 1;
    for (int j = place + 1; j < order_count; j++) {
        Event *e = &pool[order[j]];
        if (e == a || in_prefix(e, a)) {
            order[kept++] = order[j];
            continue;
        }
        cut[e->thread] = MIN(cut[e->thread], e->index);
        if (IS_ACCESS(e->kind))
            save_location(e->location, &location_total);
        else if (e->kind == EVENT_CREATE)
            threads_created &= ~thread_bit(e->other);
    }
    save_location(r->location, &location_total);
    saved[locations_at] = (uint32_t)location_total;
    order_count = kept;
    uint32_t at = locations_at + 1;
    for (int j = 0; j < location_total; j++) {
        uint32_t writes = saved[at + 1], reads = saved[at + 2];
        filter_location(&locations[saved[at]], cut);
        at += LOCATION_WORDS + writes + reads;
    }

    uint32_t threads_at = saved_top++;
    uint32_t thread_total = 0, log_from = undo_count;
    for (int t = 0; t < graphs.threads_used; t++) {
        int count = threads[t].count;
        if (t == r->thread)
            cut[t] = r->index + 1;
        else if (cut[t] >= count)
            continue;
        int from = t == r->thread ? r->index : cut[t];
        thread_total++;
        save((uint32_t)t);
        save((uint32_t)count);
        save((uint32_t)from);
        save_ids(threads[t].po + from, count - from);
        threads[t].count = cut[t];
        threads[t].live = LIVE_NO;
        graph_sync_thread(t);
        log_from = MIN(log_from, log_of_suffix(t));
    }
    saved[threads_at] = thread_total;

    uint32_t log_at = saved_top++;
    uint32_t undone = 0;
    for (uint32_t j = options.checkpoints ? undo_count : log_from; j-- > log_from;) {
        LogEntry *entry = &undo_log[j];
        if (!entry->dead && threads[entry->thread].count <= entry->tag &&
            threads[entry->thread].live == LIVE_NO) {
            undo_swap(entry);
            entry->dead = 1;
            save(j);
            undone++;
        }
    }
    saved[log_at] = undone;

    /* the read, by a copy on top of the pool that keeps its stamp */
    EventId id = pool_top++;
    Event *copy = &pool[id];
    memcpy(copy, r, offsetof(Event, porf)); /* its clocks are made anew below */
    pool_extra[id] = pool_extra[old];
    pool_notes[id] = (EventNotes){{0, 0}};
    threads[r->thread].po[r->index] = id;
    order[place] = id;
    Location *x = &locations[r->location];
    int j = x->reads - 1;
    while (x->read[j] != old)
        j--;
    x->read[j] = id;
    x->readers |= thread_bit(pool[id].thread);
    copy->spurious = copy->hashed = 0;
    x->revisited += !copy->revisited;
    copy->revisited = 1;
    graph_set_rf(copy, write);
    graph_sync_thread(r->thread);
    if (UNLIKELY(facts_met[FACT_stacks_shared]))
        checkpoint_restore_shared();
    save((uint32_t)place);
    save((uint32_t)tail);
    save(begin);
    save(locations_at);
    save(threads_at);
    save(log_at);
    return copy;
}

void revisit_end(void)
{
    DEBUG_ASSERT(saved_top >= 6);
    checkpoint_note_cut();
    uint32_t log_at = saved[saved_top - 1], threads_at = saved[saved_top - 2];
    uint32_t locations_at = saved[saved_top - 3], begin = saved[saved_top - 4];
    int tail = (int)saved[saved_top - 5], place = (int)saved[saved_top - 6];
    memcpy(order + place, saved + begin, sizeof(EventId) * (size_t)tail);
    order_count = place + tail;
    for (int j = 0; j < tail; j++) {
        const Event *e = &pool[saved[begin + (uint32_t)j]];
        if (e->kind == EVENT_CREATE) {
            threads_created |= thread_bit(e->other);
            threads[e->other].create = saved[begin + (uint32_t)j];
            /* meanwhile the number may have been another thread's */
            fiber_begin((int)e->other, (void *(*)(void *))(uintptr_t)e->value,
                        (void *)(uintptr_t)e->operand);
        }
    }
    uint32_t at = locations_at + 1;
    for (uint32_t j = 0; j < saved[locations_at]; j++) {
        Location *x = &locations[saved[at]];
        x->writes = (int)saved[at + 1];
        x->reads = (int)saved[at + 2];
        x->revisited = saved[at + 3];
        memcpy(&x->init, saved + at + 4, LOCATION_INIT_WORDS * sizeof(uint32_t));
        at += LOCATION_WORDS;
        memcpy(x->co, saved + at, sizeof(EventId) * (size_t)x->writes);
        memcpy(x->read, saved + at + x->writes, sizeof(EventId) * (size_t)x->reads);
        for (int q = 1; q < x->writes; q++)
            pool[x->co[q]].co = q;
        at += (uint32_t)x->writes + (uint32_t)x->reads;
    }
    at = threads_at + 1;
    for (uint32_t j = 0; j < saved[threads_at]; j++) {
        int t = (int)saved[at], count = (int)saved[at + 1], from = (int)saved[at + 2];
        memcpy(threads[t].po + from, saved + at + 3, sizeof(EventId) * (size_t)(count - from));
        threads[t].count = count;
        threads[t].live = LIVE_NO;
        at += 3 + (uint32_t)(count - from);
        graph_sync_thread(t);
    }
    for (uint32_t j = saved[log_at]; j-- > 0;) {
        LogEntry *entry = &undo_log[saved[log_at + 1 + j]];
        if (entry->tag >= threads[entry->thread].count)
            continue; /* of a wait: the thread will come there again, see undo_unrun */
        undo_swap(entry);
        entry->dead = 0;
        int owner = undo_stack_written ? fiber_of_stack(entry->address) : -1;
        if (UNLIKELY(owner >=
                     0)) /* dead, it was passed over if the owner of the stack ran meanwhile */
            threads[owner].captured_to = MIN(threads[owner].captured_to, saved[log_at + 1 + j]);
    }
    saved_top = begin;
    if (UNLIKELY(facts_met[FACT_stacks_shared]))
        checkpoint_restore_shared();
}
